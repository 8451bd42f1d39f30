"""Notifications of calls to a table."""

from datetime import timedelta

from django.utils.translation import gettext_noop

from matches.reporting.services.notifications import side_notices
from players.notifications.kinds import Kind, Params
from players.notifications.services import accounts_of, notify_each
from tournaments.floor.facts import Kind as Fact
from tournaments.models import FloorEvent, Table
from tournaments.state.notifications import match_params

CALLED = "called"
CALLS = (Fact.CALLED, Fact.CALLED_AGAIN, Fact.MOVED)
ENDS = (Fact.CALLED, Fact.STARTED, Fact.MOVED, Fact.FREED)
"""What ends a call: after it, telling the players to come is wrong."""


def _still_stands(params: Params) -> bool:
    event = FloorEvent.objects.filter(pk=params["event"], undone_by=None).first()
    if event is None:
        return False
    later = FloorEvent.objects.filter(fixture=event.fixture_id, kind__in=ENDS, pk__gt=event.pk, undone_by=None)
    return not later.exists()


KIND = Kind(
    code=CALLED,
    label=gettext_noop("You are called to a table"),
    sentences={
        Fact.CALLED: gettext_noop("Come to table {table}: your match against {opponent}."),
        Fact.CALLED_AGAIN: gettext_noop("Second call: come to table {table} for your match against {opponent}."),
        Fact.MOVED: gettext_noop("Your match against {opponent} is now at table {table}."),
    },
    players=("opponent",),
    is_urgent=True,
    lapses_after=timedelta(minutes=15),
    is_current=_still_stands,
)


def notify_call(event: FloorEvent) -> None:
    """Tell both players of a call, a second call or another table."""
    fixture, match, table = event.fixture, event.match, event.table or _table_of(event)
    if event.kind not in CALLS or fixture is None or match is None or table is None:
        return
    params = match_params(fixture.stage.division, fixture, match)
    params |= {"event": event.pk, "table": table.label, "variant": event.kind}
    accounts = accounts_of(player.pk for player in match.players)
    notices = side_notices(match, (0, 1), params, f"{CALLED}:{event.pk}", accounts)
    notify_each(kind=CALLED, notices=notices, now=event.at)


def _table_of(event: FloorEvent) -> Table | None:
    """Return the table that the match of a second call was called to."""
    calls = FloorEvent.objects.filter(
        fixture=event.fixture_id, match=event.match_id, undone_by=None, table__isnull=False
    )
    last = calls.filter(kind__in=(Fact.CALLED, Fact.MOVED)).select_related("table").order_by("-pk").first()
    return last.table if last is not None else None
