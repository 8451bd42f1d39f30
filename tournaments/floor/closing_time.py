"""Closing time: the matches that still run, and what its rule says about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from players.actors import Actor
from tournaments.floor.evening import adjourn, refuse_changed_score, refuse_live, shorten
from tournaments.floor.journal import lock_floor, match_on_floor, read_state, refuse_over
from tournaments.floor.selectors import FloorView
from tournaments.floor.sentences import sentence_of_fact
from tournaments.floor.state import FloorMatchState, MatchOnFloor
from tournaments.models import Fixture, Tournament
from tournaments.results.quick_entry import leader_wins, result_summary
from tournaments.results.services import enter_result, undo_window

# Closing time: the event's rule for the matches that still run, applied when a director confirms it.


MAX_POINTS_LEFT = 3
"""The most points that the leader of a match can still need once it is shortened with the others."""
ClosingRule = Tournament.ClosingRule
CLOSING_RULES = (ClosingRule.ADJOURN.value, ClosingRule.LEADER.value, ClosingRule.SHORTEN.value)
"""The rules that can be applied to all matches together; otherwise a director decides each."""


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
            text = sentence_of_fact(adjourn(fixture=running.fixture, by=by, now=now))
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


# The matches of an event that still run, and what its rule says about them at closing time.


@dataclass(frozen=True, slots=True)
class RunningView:
    """A match that runs, with its running score, or its start score if nobody has entered one."""

    match: MatchOnFloor
    score: tuple[int, int]

    @property
    def is_level(self) -> bool:
        """Whether nobody leads."""
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
    running: tuple[RunningView, ...]

    @property
    def points_left(self) -> range:
        """Each number of points that leaders can be left to need and that shortens at least one match."""
        most = max((row.most_points_left for row in self.running), default=0)
        return range(1, min(MAX_POINTS_LEFT, most) + 1)


def is_over(tournament: Tournament, now: datetime) -> bool:
    """Whether an event has an end, and that has come."""
    return tournament.ends_at is not None and tournament.ends_at <= now


def closing_time(view: FloorView) -> ClosingTime:
    """Return the matches that are being played at the tables of an event, with its rule; one query."""
    rows = (row for row in view.matches.values() if row.state == FloorMatchState.PLAYING)
    playing = {row.facts.match_id: row for row in rows if row.facts.match_id is not None}
    at_tables = Match.objects.filter(pk__in=playing, state=Match.State.OPEN)
    starts = {pk: (left, right) for pk, left, right in at_tables.values_list("pk", "start_0", "start_1")}
    running = tuple(RunningView(row, row.score or starts[pk]) for pk, row in playing.items() if pk in starts)
    tournament = view.tournament
    return ClosingTime(Tournament.ClosingRule(tournament.closing_rule), is_over(tournament, view.now), running)
