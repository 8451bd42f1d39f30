"""Notifications of calls to a table, and of offers of a shorter match."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_noop

from matches.lifecycle.events import events
from matches.lifecycle.notices import side_notices
from matches.lifecycle.where import WhereState
from matches.models import Match
from matches.play.watching import where_of
from matches.presentation.visibility import NOBODY
from matches.reporting.notifications import personal_link
from players.actors import Actor
from players.notifications.kinds import NotificationKind, Params
from players.notifications.services import accounts_of, notify_each
from tournaments.models import FloorEvent, FloorKind
from tournaments.state.notifications import match_params

CALLED, LENGTH_OFFERED, ASKED = "called", "length_offered", "asked_over"
BY_DIRECTOR = "director"
"""Variant of `LENGTH_OFFERED` for what a director proposes."""
CALLS = (FloorKind.CALLED, FloorKind.CALLED_AGAIN, FloorKind.MOVED)


def _still_stands(params: Params) -> bool:
    """Whether the players are still to come to that table, and were not told so again."""
    event = FloorEvent.objects.filter(pk=params["event"], undone_by=None).select_related("match").first()
    if event is None or event.match is None:
        return False
    later = FloorEvent.objects.filter(match=event.match, kind__in=(FloorKind.CALLED, FloorKind.MOVED), pk__gt=event.pk)
    if later.filter(undone_by=None).exists():
        return False
    where = where_of([event.match], NOBODY, timezone.now())[event.match.pk]
    # Players who play are told of another table only if they played already when they were sent there.
    was_playing = where.state == WhereState.PLAYING and where.since is not None and where.since <= event.at
    return (where.state == WhereState.CALLED or was_playing) and where.table == params["table"]


def _waits_for_answer(params: Params) -> bool:
    """Whether the offer can still be accepted by the player who was notified."""
    match = Match.objects.filter(public_id=params["match"], state=Match.State.OPEN).values_list("pk", flat=True).first()
    if match is None or (at_table := events().at_tables([match], {}, timezone.now()).get(match)) is None:
        return False
    offer = at_table.offer
    return offer is not None and offer.number == params["offer"] and params["side"] not in offer.agreed


def _is_undecided(params: Params) -> bool:
    """Whether the match has no result yet."""
    undecided = (Match.State.OPEN, Match.State.CLAIMED)
    return Match.objects.filter(public_id=params["match"], state__in=undecided).exists()


KINDS = (
    NotificationKind(
        code=CALLED,
        label=gettext_noop("You are called to a table"),
        sentences={
            FloorKind.CALLED: gettext_noop("Come to table {table}: your match against {opponent}."),
            FloorKind.CALLED_AGAIN: gettext_noop(
                "Second call: come to table {table} for your match against {opponent}."
            ),
            FloorKind.MOVED: gettext_noop("Your match against {opponent} is now at table {table}."),
        },
        players=("opponent",),
        is_urgent=True,
        lapses_after=timedelta(minutes=15),
        is_current=_still_stands,
    ),
    NotificationKind(
        code=LENGTH_OFFERED,
        label=gettext_noop("A shorter length for the match you are playing"),
        sentences={
            "": gettext_noop("{opponent} wants to play to {length} points instead of {was}. Do you agree?"),
            BY_DIRECTOR: gettext_noop(
                "The director proposes to play your match against {opponent} to {length} points instead of {was}."
            ),
        },
        details={BY_DIRECTOR: gettext_noop("Both of you have to agree.")},
        players=("opponent",),
        is_urgent=True,
        lapses_after=timedelta(hours=1),
        is_current=_waits_for_answer,
        email_url=personal_link,
    ),
    NotificationKind(
        code=ASKED,
        label=gettext_noop("Is your match over?"),
        sentences={"": gettext_noop("Is your match against {opponent} over? Others wait for it.")},
        details={"": gettext_noop("Either of you can report the result.")},
        players=("opponent",),
        is_urgent=True,
        lapses_after=timedelta(minutes=15),
        is_current=_is_undecided,
        email_url=personal_link,
    ),
)


def notify_asked(event: FloorEvent) -> None:
    """Ask both players whether their match is over."""
    fixture, match = event.fixture, event.match
    assert fixture is not None and match is not None  # noqa: S101, PT018, the fact is about a match
    params = match_params(fixture.stage.division, fixture, match)
    accounts = accounts_of(match.players)
    notify_each(kind=ASKED, notices=side_notices(match, (0, 1), params, f"{ASKED}:{event.pk}", accounts), now=event.at)


def notify_call(event: FloorEvent) -> None:
    """Tell both players of a call, a second call or another table."""
    fixture, match = event.fixture, event.match
    if event.kind not in CALLS or fixture is None or match is None:
        return
    params = match_params(fixture.stage.division, fixture, match)
    # A second call is to the table where the match was called to.
    table = event.table.label if event.table is not None else where_of([match], NOBODY, event.at)[match.pk].table
    params |= {"event": event.pk, "table": table, "variant": event.kind}
    accounts = accounts_of(match.players)
    notices = side_notices(match, (0, 1), params, f"{CALLED}:{event.pk}", accounts)
    quiet_until = fixture.stage.division.tournament.undo_until
    notify_each(kind=CALLED, notices=notices, now=event.at, not_before=quiet_until)


def notify_length_offer(event: FloorEvent, by: Actor) -> None:
    """Ask whoever has to agree to a shorter length: the other player, or both for a director who does not play."""
    fixture, match, side = event.fixture, event.match, event.params.get("side")
    assert fixture is not None and match is not None  # noqa: S101, PT018, an offer is about a match
    params = match_params(fixture.stage.division, fixture, match)
    params |= {"offer": event.pk, "length": event.params["length"], "was": event.params["was"]}
    params |= {"variant": BY_DIRECTOR} if side is None else {}
    sides = (0, 1) if side is None else (1 - side,)
    accounts = accounts_of(match.players[side] for side in sides)
    notices = side_notices(match, sides, params, f"{LENGTH_OFFERED}:{event.pk}", accounts)
    own = by.user.pk if by.user is not None else None
    notify_each(kind=LENGTH_OFFERED, notices=[row for row in notices if row.user != own], now=event.at)
