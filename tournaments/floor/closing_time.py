"""Closing time: the matches that still run, and what its rule says about them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from core.live.presence import Member, RecentActivity, note_activity, presences
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from players.actors import SYSTEM, Actor
from tournaments.floor.evening import adjourn, refuse_changed_score, refuse_live, shorten
from tournaments.floor.journal import FactTarget, lock_floor, match_on_floor, read_state, record, refuse_over
from tournaments.floor.notifications import notify_closing_time
from tournaments.floor.selectors import FloorView
from tournaments.floor.sentences import MatchesLeft, sentence_of_fact
from tournaments.floor.state import AT_CLOSING, WAS, FloorMatchState, FloorState, MatchOnFloor
from tournaments.floor.to_come import NOT_CALLED
from tournaments.models import Autopilot, Fixture, FloorEvent, FloorKind, Tournament
from tournaments.results.quick_entry import leader_wins, result_summary
from tournaments.results.services import enter_result, undo_window
from tournaments.state.floor import at_closing_time

MAX_POINTS_LEFT = 3
"""The most points that the leader of a match can still need once it is shortened with the others."""
ClosingRule = Tournament.ClosingRule
CLOSING_RULES = (ClosingRule.ADJOURN.value, ClosingRule.LEADER.value, ClosingRule.SHORTEN.value)
"""The rules that can be applied to all matches together; otherwise a director decides each."""
SEATED = (FloorMatchState.PLAYING, FloorMatchState.CALLED)


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A match that still runs, and its running score as the director saw it."""

    fixture: Fixture
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ClosedMatch:
    """What was done with a match, as a sentence, or why it was refused."""

    fixture: Fixture
    text: str = ""
    refused: Refused | None = None


def close_matches(
    *, rule: str, running: Sequence[RunningMatch], by: Actor, now: datetime, points: int = 1
) -> list[ClosedMatch]:
    """Apply a rule to each match in its own transaction, and return what became of each.

    A refused match does not stop the others, and each is undone by itself. `points` are those that the leader of a
    shortened match still needs. Who leads and by how much must be as the director saw it (`running_score_changed`).
    Repeating it changes nothing. Refused: as `adjourn`, `shorten` and `enter_result` refuse, and `match_level`.
    """
    return [_close(match, rule, points, by, now) for match in running]


def _close(running: RunningMatch, rule: str, points: int, by: Actor, now: datetime) -> ClosedMatch:
    try:
        if rule == ClosingRule.ADJOURN:
            text = sentence_of_fact(adjourn(fixture=running.fixture, by=by, now=now, closing=True))
        elif rule == ClosingRule.LEADER:
            text = _leader_wins(running, by, now)
        else:
            text = _shorten(running, points, by, now)
    except Refused as refused:
        return ClosedMatch(running.fixture, refused=refused)
    return ClosedMatch(running.fixture, text)


def _leader_wins(running: RunningMatch, by: Actor, now: datetime) -> str:
    left, right = running.score
    if left == right:
        raise Refused("match_level", fixture=running.fixture.number, left=left, right=right)
    result = leader_wins(running.score)
    with transaction.atomic():
        row, fixture, match = _locked(running, now)
        if not _has_result(match, result):
            refuse_over(row)
            refuse_live(match)
            refuse_changed_score(row, match, running.score)
            enter_result(fixture=fixture, result=result, by=by, now=now, after=match.seq, settle_after=undo_window())
    standing = standing_result(match)
    assert standing is not None  # noqa: S101, entered above
    return f"M{fixture.number} · {result_summary(fixture, standing)}."


def _shorten(running: RunningMatch, points: int, by: Actor, now: datetime) -> str:
    with transaction.atomic():
        row, fixture, match = _locked(running, now)
        if row.state not in (FloorMatchState.REPORTED, FloorMatchState.SETTLED):
            refuse_changed_score(row, match, running.score)
        event = shorten(fixture=fixture, length=max(running.score) + points, by=by, now=now)
    return sentence_of_fact(event)


def _locked(running: RunningMatch, now: datetime) -> tuple[MatchOnFloor, Fixture, Match]:
    """Lock the floor, so that no running score is entered, and return the match as it is now."""
    floor = lock_floor(running.fixture.stage.division.tournament_id, now)
    rows = Fixture.objects.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
    fixture = rows.get(pk=running.fixture.pk)
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    row = match_on_floor(read_state(floor, now), fixture)
    return row, fixture, fixture.match


def _has_result(match: Match, result: ResultInput) -> bool:
    standing = standing_result(match)
    return standing is not None and ResultInput.of(standing) == result


@dataclass(frozen=True, slots=True)
class RunningView:
    """A match that runs, with its running score, or its start score if nobody has entered one."""

    match: MatchOnFloor
    score: tuple[int, int]

    @property
    def is_level(self) -> bool:
        return self.score[0] == self.score[1]

    @property
    def most_points_left(self) -> int:
        """How many points its leader can still need once the match is shortened; 0 if it cannot be shortened."""
        return max(0, self.match.facts.length - 1 - max(self.score))


@dataclass(frozen=True, slots=True)
class ClosingTime:
    """The event's rule, and the matches that it is about, in the order of their numbers."""

    rule: Tournament.ClosingRule
    is_over: bool
    """Whether the end of the event has come."""
    has_stopped: bool
    """Whether the autopilot called by itself, has stopped, and waits for somebody to let it go on."""
    is_undecided: bool
    """Whether a director has to let the evening go on or adjourn it."""
    mode: Autopilot
    """How the autopilot works if the evening goes on."""
    left: MatchesLeft
    running: tuple[RunningView, ...]
    called: tuple[RunningView, ...]

    @property
    def points_left(self) -> range:
        """Each number of points that leaders can be left to need and that shortens at least one match."""
        most = max((row.most_points_left for row in self.running), default=0)
        return range(1, min(MAX_POINTS_LEFT, most) + 1)


def is_over(tournament: Tournament, now: datetime) -> bool:
    """Whether an event has an end, and that has come."""
    return tournament.ends_at is not None and tournament.ends_at <= now


def closing_time(view: FloorView) -> ClosingTime:
    """Return the matches that are called or being played at the tables of an event, with its rule; one query."""
    rows = (row for row in view.matches.values() if row.state in SEATED)
    seated = {row.facts.match_id: row for row in rows if row.facts.match_id is not None}
    at_tables = Match.objects.filter(pk__in=seated, state=Match.State.OPEN)
    starts = {pk: (left, right) for pk, left, right in at_tables.values_list("pk", "start_0", "start_1")}
    matches = [RunningView(row, row.score or starts[pk]) for pk, row in seated.items() if pk in starts]
    running, called = (tuple(row for row in matches if row.match.state == state) for state in SEATED)
    tournament, facts, has_ended = view.tournament, view.facts, is_over(view.tournament, view.now)
    mode = facts.autopilot if facts.stopped is None else Autopilot(facts.stopped.params.get(WAS, Autopilot.CALL))
    goes_on = facts.opened_at is not None and tournament.ends_at is not None and tournament.ends_at <= facts.opened_at
    return ClosingTime(
        Tournament.ClosingRule(tournament.closing_rule),
        has_ended,
        has_stopped=facts.stopped is not None and mode == Autopilot.CALL,
        is_undecided=facts.stopped is not None or (has_ended and not goes_on),
        mode=mode,
        left=matches_left(view.state),
        running=running,
        called=called,
    )


def matches_left(state: FloorState) -> MatchesLeft:
    """Count the matches that are left; of those that wait, only the next one of each person."""
    rows, counts = state.matches.values(), Counter(row.state for row in state.matches.values())
    taken = {person for row in rows if row.state in SEATED for person in state.facts.people_at(row.facts)}
    waiting = 0
    for row in rows:
        persons = set(state.facts.people_at(row.facts))
        if row.state in NOT_CALLED and row.facts.pair is not None and taken.isdisjoint(persons):
            waiting, taken = waiting + 1, taken | persons
    return MatchesLeft(counts[FloorMatchState.PLAYING], counts[FloorMatchState.CALLED], waiting)


# The autopilot keeps closing time, and goes on when somebody lets it. What it was told last counts.


FLOOR_OPEN_FOR = 30 * 60.0
"""Seconds for which a floor page counts as open after its last request: a phone in a pocket asks for nothing."""


def note_open_floor(tournament: Tournament, now: datetime) -> None:
    """Remember that somebody has the floor of an event open."""
    note_activity(RecentActivity(_floor_page(tournament), "floor", FLOOR_OPEN_FOR), now=now.timestamp())


def stop_calling(*, tournament_id: int, now: datetime) -> FloorEvent | None:
    """Let the autopilot only suggest once its event's end has come or its matches were adjourned; tell the directors.

    One match that was put aside by itself does not count. Called matches continue. An event goes on by itself as long
    as nobody has its floor page open, and after somebody has let the autopilot call since. Where it only suggests, the
    directors are told as soon as a match is left. Return the fact if that is so now. Refused: `tournament_not_open`.
    """
    if (due := _due_to_stop(tournament_id, now)) is None:
        return None
    tournament, mode = due
    if mode == Autopilot.CALL and not presences([_floor_page(tournament)], now=now.timestamp())[0].online:
        return None
    with transaction.atomic():
        floor = lock_floor(tournament_id, now)
        left = matches_left(read_state(floor, now))
        if _due_to_stop(tournament_id, now) != due or (mode == Autopilot.SUGGEST and not any(left)):
            return None
        params = {"mode": Autopilot.SUGGEST.value, AT_CLOSING: True, WAS: mode.value}
        event = record(floor, FloorKind.AUTOPILOT, FactTarget(params=params), by=SYSTEM, now=now)
        notify_closing_time(event, left)
        return event


def _due_to_stop(tournament_id: int, now: datetime) -> tuple[Tournament, Autopilot] | None:
    """Return an event and how its autopilot works, if closing time has come since a director chose that."""
    adjourned = FloorEvent.objects.filter(
        tournament=tournament_id,
        kind=FloorKind.ADJOURNED,
        params__at_closing=True,
        undone_by=None,
        pk__gt=OuterRef("pk"),
    )
    switched = (
        FloorEvent.objects.filter(tournament=tournament_id, kind=FloorKind.AUTOPILOT, undone_by=None)
        .select_related("tournament__club")
        .annotate(has_adjourned=Exists(adjourned))
        .order_by("-pk")
        .first()
    )
    if switched is None:
        never_switched = at_closing_time(now).filter(tournament=tournament_id).select_related("tournament").first()
        return (never_switched.tournament, Autopilot.SUGGEST) if never_switched is not None else None
    if AT_CLOSING in switched.params:
        return None
    mode, ends_at = Autopilot(switched.params["mode"]), switched.tournament.ends_at
    is_due = (ends_at is not None and switched.at < ends_at <= now) or (
        mode == Autopilot.CALL and switched.has_adjourned
    )
    return (switched.tournament, mode) if is_due else None


def _floor_page(tournament: Tournament) -> Member:
    return tournament.topic, "floor"
