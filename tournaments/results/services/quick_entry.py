"""Typed lines become results (tournaments.results.line_parser says what may be typed)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.db import transaction

from core.names import fold
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, Result
from matches.presentation.labels import score_of
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.line_parser import (
    Command,
    ForfeitLine,
    Line,
    NamedForfeit,
    NamedScore,
    ScoreLine,
    parse,
    side_of,
    split,
)
from tournaments.results.services.quick_lookup import find
from tournaments.results.services.quick_undo import ENTERED, undo_last
from tournaments.results.services.results import enter_result


class Quick(NamedTuple):
    """What a line has done."""

    fixture: Fixture
    result: Result


class What(StrEnum):
    """What became of a line."""

    BOOKED = "booked"
    UNDONE = "undone"
    HELP = "help"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of several lines."""

    line: str
    what: What
    fixture: Fixture | None = None
    result: Result | None = None
    new: ResultInput | None = None
    """What the line says, where the match it means is known."""
    refused: Refused | None = None


class _Target(NamedTuple):
    """The match that a line means, and the result it gives."""

    fixture: Fixture
    match: Match
    new: ResultInput


def enter_lines(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> list[Outcome]:
    """Each line as `enter_line` books it, in a transaction of its own: one that is refused stops no other.

    `undo` takes back the last result this director has entered so. Refused: `line_empty`, `too_many_lines`.
    """
    return [_outcome(tournament, line, division, by, now) for line in split(text)]


def _outcome(tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> Outcome:
    target: _Target | None = None
    try:
        line = parse(text)
        if line == Command.HELP:
            return Outcome(text, What.HELP)
        if line == Command.UNDO:
            return Outcome(text, What.UNDONE, undo_last(tournament=tournament, by=by, now=now))
        target = _target(tournament, line, division)
        result = _book(target, by, now)
    except Refused as refused:
        if target is None:
            return Outcome(text, What.REFUSED, _meant(tournament, refused), refused=refused)
        return Outcome(text, What.REFUSED, target.fixture, new=target.new, refused=refused)
    return Outcome(text, What.BOOKED, target.fixture, result, target.new)


def _meant(tournament: Tournament, refused: Refused) -> Fixture | None:
    """The match that a refusal names by its number."""
    number = refused.params.get("fixture")
    rows = Fixture.objects.filter(stage__division__tournament=tournament)
    return rows.filter(number=number).first() if isinstance(number, int) else None


def enter_line(*, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> Quick:
    """Books what a line says. `division` is the one on the screen, meant where the line names none.

    A line that says what stands already is passed over; one that says something else is refused, since a result is
    replaced on the match's own page only. Refused: what `parse`, `side_of`, `find` and `enter_result` refuse,
    `line_no_fixture`, `line_no_division`, `line_which_division`, `line_settled`, `line_no_result`.
    """
    target = _target(tournament, parse(text), division)
    return Quick(target.fixture, _book(target, by, now))


def _book(target: _Target, by: Actor, now: datetime) -> Result:
    fixture, match, new = target
    if match.state == Match.State.SETTLED:
        standing = standing_result(match)
        assert standing is not None  # noqa: S101, it is settled
        if ResultInput.of(standing) != new:
            raise Refused("line_settled", fixture=fixture.number, result=wording(match, standing))
        return standing
    with transaction.atomic():
        result = enter_result(fixture=fixture, result=ResultInput(new.winner, new.score, new.kind), by=by, now=now)
        club = fixture.stage.division.tournament.club
        log(by, ENTERED, match.topic, club=club, version=result.version)
    return result


def _target(tournament: Tournament, line: Line, division: Division | None) -> _Target:
    """What a line means. Refused: as `enter_line` is."""
    if isinstance(line, Command):
        raise Refused("line_no_result")
    if isinstance(line, NamedScore | NamedForfeit):
        named = find(tournament, line, division)
        if isinstance(line, NamedForfeit):
            return _Target(named.fixture, named.match, _forfeit(named.side))
        return _Target(named.fixture, named.match, _played(line.score if named.side == 0 else line.score[::-1]))
    fixture = _fixture(tournament, line, division)
    if fixture.match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if isinstance(line, ScoreLine):
        return _Target(fixture, fixture.match, _played(line.score))
    if line.both:
        return _Target(fixture, fixture.match, ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT))
    names = (fixture.match.player_0.name, fixture.match.player_1.name)
    return _Target(fixture, fixture.match, _forfeit(side_of(line.name, names)))


def _played(score: tuple[int, int]) -> ResultInput:
    return ResultInput(0 if score[0] > score[1] else 1, score, Result.Kind.PLAYED)


def _forfeit(side: int) -> ResultInput:
    return ResultInput(1 - side, None, Result.Kind.FORFEIT)


def _fixture(tournament: Tournament, line: ScoreLine | ForfeitLine, division: Division | None) -> Fixture:
    fixtures = list(
        Fixture.objects.filter(stage__division__tournament=tournament, number=line.fixture)
        .select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
        .order_by("stage__division__order", "stage__number")
    )
    if line.division:
        fixtures = [row for row in fixtures if fold(row.stage.division.name).startswith(fold(line.division))]
        if not fixtures:
            raise Refused("line_no_division", name=line.division)
    elif division is not None and any(row.stage.division_id == division.pk for row in fixtures):
        fixtures = [row for row in fixtures if row.stage.division_id == division.pk]
    if not fixtures:
        where = division.name if division is not None else tournament.name
        raise Refused("line_no_fixture", fixture=line.fixture, division=where)
    if len(fixtures) > 1:
        first, second = fixtures[0].stage.division.name, fixtures[1].stage.division.name
        example = first.split()[0].lower()
        raise Refused("line_which_division", fixture=line.fixture, first=first, second=second, example=example)
    return fixtures[0]


def wording(match: Match, result: Result) -> str:
    """A result in a few words: the names, and the score or how it ended."""
    names = f"{match.player_0.name} – {match.player_1.name}"
    return f"{names} {score_of(match, 0, result.score)}" if result.score else f"{names}, {result.get_kind_display()}"
