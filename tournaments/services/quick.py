"""A typed line becomes a result (tournaments.one_line says what may be typed)."""

from datetime import datetime
from typing import NamedTuple

from engine.errors import Refused
from matches.models import Match, Result
from matches.services.finish import standing_result
from players.actors import Actor
from players.names import fold
from tournaments.models import Division, Fixture, Tournament
from tournaments.one_line import ForfeitLine, ScoreLine, parse, side_of
from tournaments.services.results import enter_result, forfeit


class Quick(NamedTuple):
    """What a line has done."""

    fixture: Fixture
    result: Result


def enter_line(*, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> Quick:
    """Books what a line says. `division` is the one on the screen, meant where the line names none.

    A line that says what stands already is passed over; one that says something else is refused, since a result is
    replaced on the match's own page only. Refused: what `parse`, `side_of` and `enter_result` refuse,
    `line_no_fixture`, `line_no_division`, `line_which_division`, `line_settled`.
    """
    line = parse(text)
    fixture = _fixture(tournament, line, division)
    match = fixture.match
    if match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if match.state == Match.State.SETTLED:
        return Quick(fixture, _same_or_refuse(fixture, match, line))
    if isinstance(line, ScoreLine):
        winner = 0 if line.score[0] > line.score[1] else 1
        return Quick(fixture, enter_result(fixture=fixture, winner=winner, score=line.score, by=by, now=now))
    if line.both:
        kind = Result.Kind.DOUBLE_FORFEIT
        return Quick(fixture, enter_result(fixture=fixture, winner=None, score=None, kind=kind, by=by, now=now))
    return Quick(fixture, forfeit(fixture=fixture, side=_side(line, match), by=by, now=now))


def _fixture(tournament: Tournament, line: ScoreLine | ForfeitLine, division: Division | None) -> Fixture:
    found = list(
        Fixture.objects.filter(stage__division__tournament=tournament, number=line.fixture)
        .select_related("stage__division", "match__player_0", "match__player_1")
        .order_by("stage__division__order", "stage__number")
    )
    if line.division:
        found = [row for row in found if fold(row.stage.division.name).startswith(fold(line.division))]
        if not found:
            raise Refused("line_no_division", name=line.division)
    elif division is not None and any(row.stage.division_id == division.pk for row in found):
        found = [row for row in found if row.stage.division_id == division.pk]
    if not found:
        where = division.name if division is not None else tournament.name
        raise Refused("line_no_fixture", fixture=line.fixture, division=where)
    if len(found) > 1:
        first, second = found[0].stage.division.name, found[1].stage.division.name
        example = first.split()[0].lower()
        raise Refused("line_which_division", fixture=line.fixture, first=first, second=second, example=example)
    return found[0]


def _same_or_refuse(fixture: Fixture, match: Match, line: ScoreLine | ForfeitLine) -> Result:
    stands = standing_result(match)
    assert stands is not None  # noqa: S101, it is settled
    if isinstance(line, ScoreLine):
        same = stands.kind == Result.Kind.PLAYED and stands.score == line.score
    elif line.both:
        same = stands.kind == Result.Kind.DOUBLE_FORFEIT
    else:
        same = stands.kind == Result.Kind.FORFEIT and stands.winner == 1 - _side(line, match)
    if not same:
        raise Refused("line_settled", fixture=fixture.number, result=wording(match, stands))
    return stands


def _side(line: ForfeitLine, match: Match) -> int:
    return side_of(line.name, (match.player_0.name, match.player_1.name))


def wording(match: Match, result: Result) -> str:
    """A result in a few words: the names, and the score or how it ended."""
    names = f"{match.player_0.name} – {match.player_1.name}"
    return f"{names} {result.score_0}–{result.score_1}" if result.score else f"{names}, {result.get_kind_display()}"
