"""Recording results from typed lines; `tournaments.results.line_parser` describes the syntax."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from core.names import fold
from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.events import events
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, Result
from matches.presentation.labels import score_of
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.line_parser import (
    Command,
    LeaderLine,
    Line,
    NamedForfeit,
    NamedScore,
    ScoreLine,
    parse,
    side_of,
)
from tournaments.results.services.quick_lookup import find_fixture
from tournaments.results.services.quick_undo import ENTERED, undo_last
from tournaments.results.services.results import enter_result
from tournaments.state.names import match_names


class Entered(NamedTuple):
    """The fixture and result of a line that was entered."""

    fixture: Fixture
    result: Result


class OutcomeKind(StrEnum):
    """What happened to a line."""

    BOOKED = "booked"
    UNDONE = "undone"
    DONE = "done"
    """Something other than a result; the outcome says what."""
    HELP = "help"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What happened to one of several lines."""

    line: str
    what: OutcomeKind
    fixture: Fixture | None = None
    result: Result | None = None
    new: ResultInput | None = None
    """The result that the line gives, if its match is known."""
    refused: Refused | None = None
    text: str = ""
    """What was done, as a sentence, if it is not a result."""


class Target(NamedTuple):
    """The match that a line refers to, and the result it gives."""

    fixture: Fixture
    match: Match
    new: ResultInput


def outcome_of_line(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome:
    """Enter a line as `enter_line` does, or take back this director's last one for `undo`, and return the outcome."""
    target: Target | None = None
    try:
        line = parse(text)
        if line == Command.HELP:
            return LineOutcome(text, OutcomeKind.HELP)
        if line == Command.UNDO:
            return LineOutcome(text, OutcomeKind.UNDONE, undo_last(tournament=tournament, by=by, now=now))
        target = target_of(tournament, line, division)
        result = _record(target, by, now)
    except Refused as refused:
        if target is None:
            return LineOutcome(text, OutcomeKind.REFUSED, _fixture_of_refusal(tournament, refused), refused=refused)
        return LineOutcome(text, OutcomeKind.REFUSED, target.fixture, new=target.new, refused=refused)
    return LineOutcome(text, OutcomeKind.BOOKED, target.fixture, result, target.new)


def _fixture_of_refusal(tournament: Tournament, refused: Refused) -> Fixture | None:
    """Return the fixture whose number a refusal names, if any."""
    number = refused.params.get("fixture")
    rows = Fixture.objects.filter(stage__division__tournament=tournament)
    return rows.filter(number=number).first() if isinstance(number, int) else None


def enter_line(*, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> Entered:
    """Record the result of a line; `division` is the one on the screen, used if the line names none.

    A line that repeats the standing result changes nothing; one with another result is refused, since results are
    replaced on the match's own page only. Refused: `line_no_fixture`, `line_no_division`, `line_which_division`,
    `line_settled`, `line_no_result`, and what `parse`, `side_of`, `find_fixture` and `enter_result` refuse.
    """
    target = target_of(tournament, parse(text), division)
    return Entered(target.fixture, _record(target, by, now))


def _record(target: Target, by: Actor, now: datetime) -> Result:
    fixture, match, new = target
    if match.state == Match.State.SETTLED:
        standing = standing_result(match)
        assert standing is not None  # noqa: S101, it is settled
        if ResultInput.of(standing) != new:
            raise Refused("line_settled", fixture=fixture.number, result=result_summary(fixture, standing))
        return standing
    with transaction.atomic():
        result = enter_result(fixture=fixture, result=new, by=by, now=now)
        club = fixture.stage.division.tournament.club
        log(by, ENTERED, match.topic, club=club, version=result.version)
    return result


def forfeit_missing(*, fixture: Fixture, side: int | None, by: Actor, now: datetime) -> Result:
    """Record that one side did not come to a match, or both (`side` None); `undo` takes it back like a line.

    Refused: `fixture_not_ready`, `no_show_late` if the match has begun or has a result, and as `forfeit`.
    """
    match = fixture.match
    if match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if not is_untouched(match) or match.state == Match.State.VOID:
        raise Refused("no_show_late", fixture=fixture.number)
    kind = Result.Kind.DOUBLE_FORFEIT if side is None else Result.Kind.FORFEIT
    missing = ResultInput(None if side is None else 1 - side, kind=kind)
    return enter_undoable(fixture=fixture, result=missing, by=by, now=now, after=match.seq)


def enter_undoable(
    *, fixture: Fixture, result: ResultInput, by: Actor, now: datetime, after: int | None = None, reason: str = ""
) -> Result:
    """Record a result that `undo` takes back like a line. Refused: `fixture_not_ready`, and as `enter_result`."""
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    with transaction.atomic():
        version = enter_result(fixture=fixture, result=result, by=by, now=now, after=after, reason=reason)
        club = fixture.stage.division.tournament.club
        log(by, ENTERED, fixture.match.topic, club=club, version=version.version)
    return version


def target_of(tournament: Tournament, line: Line, division: Division | None) -> Target:
    """Return the match and the result of a line. Refused: as `enter_line`."""
    if isinstance(line, Command):
        raise Refused("line_no_result")
    if isinstance(line, NamedScore | NamedForfeit):
        named = find_fixture(tournament, line, division)
        if isinstance(line, NamedForfeit):
            return Target(named.fixture, named.match, _forfeit(named.side))
        return Target(
            named.fixture, named.match, ResultInput.played(line.score if named.side == 0 else line.score[::-1])
        )
    fixture = find_by_number(tournament, line.fixture, division, named=line.division)
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if isinstance(line, ScoreLine):
        return Target(fixture, fixture.match, ResultInput.played(line.score))
    if isinstance(line, LeaderLine):
        score = line.score or _running_score(fixture.match)
        return Target(fixture, fixture.match, leader_wins(score))
    if line.both:
        return Target(fixture, fixture.match, ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT))
    names = (fixture.match.player_0.name, fixture.match.player_1.name)
    return Target(fixture, fixture.match, _forfeit(side_of(line.name, names)))


def _running_score(match: Match) -> tuple[int, int]:
    at_table = events().at_tables([match.pk], {}, timezone.now()).get(match.pk)
    score = at_table.seat.score if at_table is not None else None
    return score or match.start_score


def leader_wins(score: tuple[int, int]) -> ResultInput:
    """Return the result of a match that its leader wins at closing time. Refused: `line_draw` if nobody leads."""
    left, right = score
    if left == right:
        raise Refused("line_draw", left=left, right=right)
    return ResultInput(0 if left > right else 1, score, Result.Kind.LEADER)


def _forfeit(side: int) -> ResultInput:
    return ResultInput(1 - side, None, Result.Kind.FORFEIT)


def find_by_number(tournament: Tournament, number: int, division: Division | None, *, named: str = "") -> Fixture:
    """Return the fixture with a match number; `named` is the beginning of a division's name, if a line has one.

    Refused: `line_no_division`, `line_no_fixture`, `line_which_division`.
    """
    fixtures = list(
        Fixture.objects.filter(stage__division__tournament=tournament, number=number)
        .select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
        .order_by("stage__division__order", "stage__number")
    )
    if named:
        fixtures = [row for row in fixtures if fold(row.stage.division.name).startswith(fold(named))]
        if not fixtures:
            raise Refused("line_no_division", name=named)
    elif division is not None and any(row.stage.division_id == division.pk for row in fixtures):
        fixtures = [row for row in fixtures if row.stage.division_id == division.pk]
    if not fixtures:
        where = division.name if division is not None else tournament.name
        raise Refused("line_no_fixture", fixture=number, division=where)
    if len(fixtures) > 1:
        first, second = fixtures[0].stage.division.name, fixtures[1].stage.division.name
        example = first.split()[0].lower()
        raise Refused("line_which_division", fixture=number, first=first, second=second, example=example)
    return fixtures[0]


def result_summary(fixture: Fixture, result: Result) -> str:
    """Return both names with the score, or with the kind of ending if there is no score."""
    assert fixture.match is not None  # noqa: S101, it has a result
    names = " – ".join(match_names(fixture, staff=True))
    if not result.score:
        return f"{names}, {result.get_kind_display()}"
    return f"{names} {score_of(fixture.match, 0, result.score)}"
