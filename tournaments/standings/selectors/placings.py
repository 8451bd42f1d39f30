"""Who took which place in the brackets of an elimination, from the rows that a page has read anyway."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.formats import graph as plan
from tournaments.formats.progress import (
    BYE_SLOT,
    EMPTY_SLOT,
    OPEN_SLOT,
    FixtureState,
    FixtureStatus,
    Progress,
    SharedPlace,
    SlotState,
    SlotStatus,
)
from tournaments.formats.tables.tables import elimination_places
from tournaments.models import Stage
from tournaments.standings.layout import bracket_name
from tournaments.standings.selectors.brackets import FixtureRow, RoundRow, Stand
from tournaments.state.names import Names
from tournaments.state.plans import settings_of, source_of

BEST = 8
"""Places listed of a bracket that is over."""
BEST_BELOW = 4
"""The same of one fed by losers."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The places of a bracket that is over: labels such as 3–4, and names."""

    bracket: str
    title: str
    places: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def champion(self) -> str:
        """Who won it; empty where nobody did."""
        return self.places[0][1][0] if self.places and self.places[0][0] == "1" else ""


def placed(stage: Stage, rounds: Sequence[RoundRow], names: Names) -> list[Placed]:
    """Places in each bracket of an elimination that is over; a double elimination is ranked as a whole."""
    state = standing(rounds)
    return [
        _placed(key, places, names)
        for key, places in elimination_places(settings_of(stage), state).items()
        if all(state.fixtures[fixture.number].over for fixture in state.graph.bracket(key).fixtures)
    ]


def _placed(bracket: str, places: Sequence[SharedPlace], names: Names) -> Placed:
    most = BEST if bracket in (plan.MAIN, plan.FINAL) else BEST_BELOW
    shown = tuple(
        (str(one.first) if one.first == one.last else f"{one.first}–{one.last}", tuple(map(names.of, one.entries)))
        for one in places
        if one.last <= most
    )
    return Placed(bracket, bracket_name(bracket), shown)


def standing(rounds: Sequence[RoundRow]) -> Progress:
    """What the rows of one stage say, as the formats speak of it; where it stands is read, not derived."""
    brackets: dict[str, list[plan.Round]] = {}
    states: dict[int, FixtureState] = {}
    for row in rounds:
        fixtures = tuple(
            plan.Fixture(one.number, (_source(one.slots[0]), _source(one.slots[1]))) for one in row.fixtures
        )
        brackets.setdefault(row.bracket, []).append(plan.Round(row.number, fixtures))
        states |= {one.number: _state(one) for one in row.fixtures}
    return Progress(plan.Graph(tuple(plan.Bracket(key, tuple(own)) for key, own in brackets.items())), states)


def _source(slot: Stand) -> plan.Source:
    return source_of(slot.source, slot.source_entry, slot.source_fixture, slot.source_stage, slot.source_place)


def _state(row: FixtureRow) -> FixtureState:
    first, second = (SlotState(SlotStatus(slot.status), slot.entry, slot.absent) for slot in row.slots)
    status = FixtureStatus(row.status)
    winner, loser = OPEN_SLOT, OPEN_SLOT
    if status is FixtureStatus.DECIDED:
        winner, loser = _decided((first, second), row.played.onward)
    elif BYE_SLOT in (first, second):
        winner, loser = (second if first == BYE_SLOT else first), BYE_SLOT
    elif status is FixtureStatus.WALKOVER:
        winner, loser = (first, second) if first.entry is not None else (second, first)
    elif status in (FixtureStatus.EMPTY, FixtureStatus.NOT_NEEDED):
        winner = loser = EMPTY_SLOT
    return FixtureState(row.number, (first, second), status, winner, loser)


def _decided(slots: tuple[SlotState, SlotState], onward: int | None) -> tuple[SlotState, SlotState]:
    return (EMPTY_SLOT, EMPTY_SLOT) if onward is None else (slots[onward], slots[1 - onward])
