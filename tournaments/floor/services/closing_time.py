"""Closing time: the event's rule for the matches that still run, applied when a director confirms it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from players.actors import Actor
from tournaments.floor.sentences import sentence_of_fact
from tournaments.floor.services.closing import adjourn, refuse_changed_score, refuse_live, shorten
from tournaments.floor.services.journal import lock_floor, match_on_floor, read_state, refuse_over
from tournaments.floor.state import MatchOnFloor, MatchState
from tournaments.models import Fixture, Tournament
from tournaments.results.services.quick_entry import enter_undoable, leader_wins, result_summary

MOST_POINTS_LEFT = 3
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
        if row.state != MatchState.SETTLED or not _has_result(match, result):
            refuse_over(row)
            refuse_live(match)
            refuse_changed_score(row, match, running.score)
            enter_undoable(fixture=fixture, result=result, by=by, now=now, after=match.seq)
    standing = standing_result(match)
    assert standing is not None  # noqa: S101, entered above
    return f"M{fixture.number} · {result_summary(fixture, standing)}."


def _shorten(running: RunningMatch, points: int, by: Actor, now: datetime) -> str:
    with transaction.atomic():
        row, fixture, match = _locked(running, now)
        if row.state not in (MatchState.REPORTED, MatchState.SETTLED):
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
