"""Notifications of calls to a table, and of offers of a shorter match."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from core.times import in_zone, written
from matches.lifecycle.events import events
from matches.lifecycle.notices import side_notices
from matches.lifecycle.where import WhereState
from matches.models import Match
from matches.play.watching import where_of
from matches.presentation.visibility import NOBODY
from matches.reporting.notifications import personal_link
from players.actors import Actor
from players.joining.services import directors_of
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import Notice, notify, notify_each
from players.people.rows import accounts_of
from tournaments.floor.desk import waits_since
from tournaments.floor.sentences import MatchesLeft
from tournaments.floor.state import WAS
from tournaments.models import TYPED_AT, Autopilot, FloorEvent, FloorKind, Tournament
from tournaments.state.notifications import match_params

CALLED, LENGTH_OFFERED, ASKED, CLOSING = "called", "length_offered", "asked_over", "closing_time"
SILENT_DESK = "silent_desk"
ADJOURNED = "adjourned"
"""Variant of `CLOSING` before the end of the event."""
BY_HAND = "by_hand"
"""Variant of `CLOSING` where the autopilot only suggests."""
_NOTHING_CALLED = gettext_noop("Until then no match is called.")
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


def _has_stopped(params: Params) -> bool:
    """Whether nobody has let the autopilot go on, or switched it otherwise, since it stopped."""
    event = FloorEvent.objects.get(pk=params["fact"])
    later = FloorEvent.objects.filter(
        tournament=event.tournament_id, kind=FloorKind.AUTOPILOT, undone_by=None, pk__gt=event.pk
    )
    return event.tournament.is_open and not later.exists()


def _closing_words(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    """Return the time that is over, on the event's clocks, and what is left; older rows only count what waits."""
    ends = [(datetime.fromisoformat(row["ends"]), row["zone"]) if row["ends"] else None for row in rows]
    left = [MatchesLeft(row.get("playing", 0), row.get("called", 0), row.get("count", 0)).text for row in rows]
    times = [written(in_zone(*end), "TIME_FORMAT") if end is not None else "" for end in ends]
    return [{"time": time, "left": text} for time, text in zip(times, left, strict=True)]


def _still_waits(params: Params) -> bool:
    tournament = Tournament.objects.get(pk=params["tournament"])
    return tournament.is_open and waits_since(tournament, timezone.now()) is not None


def _silence_words(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    """Return since when the desk is silent, on the event's clocks."""
    return [
        {"time": written(in_zone(datetime.fromisoformat(row["since"]), row["zone"]), "TIME_FORMAT")} for row in rows
    ]


KINDS = (
    NotificationKind(
        code=CALLED,
        label=gettext_noop("You are called to a table"),
        group=NotificationGroup.MATCHES,
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
        group=NotificationGroup.MATCHES,
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
        group=NotificationGroup.MATCHES,
        sentences={"": gettext_noop("Is your match against {opponent} over? Others wait for it.")},
        details={"": gettext_noop("Either of you can report the result.")},
        players=("opponent",),
        is_urgent=True,
        lapses_after=timedelta(minutes=15),
        is_current=_is_undecided,
        email_url=personal_link,
    ),
    NotificationKind(
        code=CLOSING,
        label=gettext_noop("Closing time at an event you direct"),
        group=NotificationGroup.CLUB,
        sentences={
            "": gettext_noop("{time} is over: {left}. Go on or adjourn?"),
            BY_HAND: gettext_noop("{time} is over: {left}. Go on or adjourn?"),
            ADJOURNED: gettext_noop("Matches were adjourned: {left}. Go on or adjourn?"),
        },
        values=_closing_words,
        details={"": _NOTHING_CALLED, ADJOURNED: _NOTHING_CALLED},
        is_urgent=True,
        lapses_after=timedelta(hours=1),
        is_current=_has_stopped,
    ),
    NotificationKind(
        code=SILENT_DESK,
        label=gettext_noop("No connection at an event you direct"),
        group=NotificationGroup.CLUB,
        sentences={"": gettext_noop("Calls wait: the desk has had no connection since {time}.")},
        values=_silence_words,
        details={"": gettext_noop("They go on as soon as the floor is open on a device with a connection.")},
        is_urgent=True,
        lapses_after=timedelta(hours=1),
        is_current=_still_waits,
    ),
)


def notify_silent_desk(tournament: Tournament, since: datetime, now: datetime) -> None:
    """Tell the directors, once for each silence, that calls wait for a desk that lost its connection."""
    params = {"tournament": tournament.pk, "event": tournament.name, "context": tournament.name, "variant": ""}
    params["language"] = tournament.effective_language
    params |= {"since": since.isoformat(), "zone": tournament.time_zone}
    url = reverse("floor", args=[tournament.club.slug, tournament.slug])
    key = f"{SILENT_DESK}:{tournament.pk}:{since.timestamp():.0f}"
    notify(users=directors_of(tournament.club), kind=SILENT_DESK, params=params, url=url, key=key, now=now)


def notify_closing_time(event: FloorEvent, left: MatchesLeft) -> None:
    """Tell the directors, once, that closing time has come, and that the autopilot has stopped if it called."""
    tournament = event.tournament
    ends_at = tournament.ends_at
    variant = BY_HAND if event.params[WAS] == Autopilot.SUGGEST else ""
    variant = ADJOURNED if ends_at is None or ends_at > event.at else variant
    params = {"fact": event.pk, "event": tournament.name, "context": tournament.name, "variant": variant}
    params["language"] = tournament.effective_language
    params |= {"playing": left.playing, "called": left.called, "count": left.waiting}
    params |= {"zone": tournament.time_zone, "ends": ends_at.isoformat() if ends_at else ""}
    url = reverse("floor", args=[tournament.club.slug, tournament.slug])
    users = directors_of(tournament.club)
    notify(users=users, kind=CLOSING, params=params, url=url, key=f"{CLOSING}:{event.pk}", now=event.at)


def notify_asked(event: FloorEvent) -> None:
    """Ask both players whether their match is over."""
    fixture, match = event.fixture, event.match
    assert fixture is not None and match is not None  # noqa: S101, PT018, the fact is about a match
    params = match_params(fixture.stage.division, fixture, match)
    accounts = accounts_of(match.players)
    notify_each(kind=ASKED, notices=side_notices(match, (0, 1), params, f"{ASKED}:{event.pk}", accounts), now=event.at)


def notify_calls(tournament: Tournament, events: Sequence[FloorEvent], now: datetime) -> None:
    """Tell both players of calls, second calls and other tables; not of where they sit since it was typed."""
    rows = [event for event in events if event.kind in CALLS and TYPED_AT not in event.params]
    calls = [(event, event.fixture, event.match) for event in rows if event.fixture and event.match]
    accounts = accounts_of(player for _event, _fixture, match in calls for player in match.players)
    notices: list[Notice] = []
    for event, fixture, match in calls:
        # This one has its club, in whose language the notification is.
        fixture.stage.division.tournament = tournament
        params = match_params(fixture.stage.division, fixture, match)
        # A second call is to the table where the match was called to.
        table = event.table.label if event.table is not None else where_of([match], NOBODY, now)[match.pk].table
        params |= {"event": event.pk, "table": table, "variant": event.kind}
        notices += side_notices(match, (0, 1), params, f"{CALLED}:{event.pk}", accounts)
    notify_each(kind=CALLED, notices=notices, now=now, not_before=tournament.undo_until)


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
