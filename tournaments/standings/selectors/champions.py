"""The winners of divisions."""

from collections.abc import Iterable, Mapping

from players.access import Visitor
from tournaments.formats.settings import ELIMINATION
from tournaments.models import Division, Stage
from tournaments.standings.selectors import brackets
from tournaments.standings.selectors.placings import BracketPlaces, decided_places
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names, names_for


def champion(last: Stage, best: Mapping[int, list[BracketPlaces]], states: Iterable[StageState], names: Names) -> str:
    """Return who won the last stage's main bracket or its only table; empty while that is open."""
    if last.format in ELIMINATION:
        return best[last.number][0].champion if best[last.number] else ""
    state = next((state for state in states if state.stage.pk == last.pk), None)
    if state is None or not state.over or len(state.tables) != 1:
        return ""
    return names.of(state.tables[0].rows[0].entry)


def champions(user: Visitor, divisions: Iterable[Division]) -> dict[int, str]:
    """Return division id -> winner of the finished divisions, as this user may see the names."""
    return {
        division.pk: _champion_of(user, division)
        for division in divisions
        if division.status == Division.Status.FINISHED
    }


def _champion_of(user: Visitor, division: Division) -> str:
    last = division.stages.order_by("-number").first()
    if last is None:
        return ""
    names = names_for(user, division)
    if last.format not in ELIMINATION:
        return champion(last, {}, states_of(division), names)
    rounds = [row for row in brackets.rounds_of(division) if row.stage == last.number]
    return champion(last, {last.number: decided_places(last, rounds, names)}, (), names)
