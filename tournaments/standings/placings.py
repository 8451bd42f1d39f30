"""The places in the brackets of an elimination, and the winners of divisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import ngettext

from formats import graph
from formats.progress import Progress, SharedPlace
from formats.settings import ELIMINATION, LIVES, PLACES
from formats.states import BYE_SLOT, EMPTY_SLOT, OPEN_SLOT, FixtureState, FixtureStatus, SlotState, SlotStatus
from formats.tables.tables import elimination_places
from formats.tables.tiebreaks import plain
from players.access import Visitor
from tournaments.models import Division, Stage
from tournaments.standings import brackets
from tournaments.standings.brackets import FixtureRow, RoundRow, SlotRow, bracket_name
from tournaments.standings.standings import complete_rounds, table_after
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names, names_for
from tournaments.state.plans import settings_of, source_of

# The places in the brackets of an elimination, from rows that the page has already read.


PLACES_LISTED = 8
"""Places listed for a finished main draw or final."""
PLACES_LISTED_BELOW = 4
"""Places listed for a finished bracket that losers drop to."""


@dataclass(frozen=True, slots=True)
class BracketPlaces:
    """The places of a finished bracket: labels such as 3–4, and names."""

    bracket: str
    title: str
    places: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def champion(self) -> str:
        """The winner's name; empty if nobody won."""
        return self.places[0][1][0] if self.places and self.places[0][0] == "1" else ""


def decided_places(stage: Stage, rounds: Sequence[RoundRow], names: Names) -> list[BracketPlaces]:
    """Return the places of each finished bracket; a double elimination is ranked as a whole.

    Where there is a place for everybody, return those that are certain so far, down to the last.
    """
    progress, settings = progress_of_rows(rounds), settings_of(stage)
    ranked = elimination_places(settings, progress).items()
    if settings.format == PLACES:
        return [_placed(key, places, names, len(names.entries)) for key, places in ranked]
    return [
        _placed(key, places, names, PLACES_LISTED if key in (graph.MAIN, graph.FINAL) else PLACES_LISTED_BELOW)
        for key, places in ranked
        if all(progress.fixtures[fixture.number].over for fixture in progress.graph.bracket(key).fixtures)
    ]


def _placed(bracket: str, places: Sequence[SharedPlace], names: Names, most: int) -> BracketPlaces:
    shown = tuple((_label(place), tuple(map(names.of, place.entries))) for place in places if place.last <= most)
    return BracketPlaces(bracket, bracket_name(bracket), shown)


def _label(place: SharedPlace) -> str:
    return str(place.first) if place.first == place.last else f"{place.first}–{place.last}"


def progress_of_rows(rounds: Sequence[RoundRow]) -> Progress:
    """Convert the rows of one stage to a `Progress`; states are read from the rows, not derived."""
    brackets: dict[str, list[graph.Round]] = {}
    states: dict[int, FixtureState] = {}
    for row in rounds:
        fixtures = tuple(
            graph.Fixture(fixture.number, (_source(fixture.slots[0]), _source(fixture.slots[1])))
            for fixture in row.fixtures
        )
        brackets.setdefault(row.bracket, []).append(graph.Round(row.number, fixtures))
        states |= {fixture.number: _state(fixture) for fixture in row.fixtures}
    return Progress(graph.Graph(tuple(graph.Bracket(key, tuple(own)) for key, own in brackets.items())), states)


def _source(slot: SlotRow) -> graph.Source:
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
        # Who has left had no opponent here, and keeps what was won after it.
        alone = (first.absent, second.absent)
        if EMPTY_SLOT in (first, second) and alone != (None, None):
            winner = SlotState(SlotStatus.ENTRY, alone[0] if alone[0] is not None else alone[1])
    return FixtureState(row.number, (first, second), status, winner, loser)


def _decided(slots: tuple[SlotState, SlotState], onward: int | None) -> tuple[SlotState, SlotState]:
    return (EMPTY_SLOT, EMPTY_SLOT) if onward is None else (slots[onward], slots[1 - onward])


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
        division.pk: champion_of(user, division)
        for division in divisions
        if division.status == Division.Status.FINISHED
    }


def champion_of(user: Visitor, division: Division) -> str:
    """Return the winner of a division's last stage; empty while it is open. Its other brackets may go on."""
    last = division.stages.order_by("-number").first()
    if last is None:
        return ""
    names = names_for(user, division)
    if last.format not in ELIMINATION:
        return champion(last, {}, states_of(division), names)
    rounds = [row for row in brackets.rounds_of(division) if row.stage == last.number]
    return champion(last, {last.number: decided_places(last, rounds, names)}, (), names)


LEADERS_SHOWN = 2


class TableLeader(NamedTuple):
    """An entry at the top of a table: its place, which others may share, and its points or lives."""

    place: int
    name: str
    points: str


class TableLeaders(NamedTuple):
    rows: Sequence[TableLeader] = ()
    running: int = 0
    """The number of the round that is being played and not in the table; 0 if there is none."""
    is_open: bool = False
    """Whether matches that are in the table are being played."""


NO_LEADERS = TableLeaders()


def leaders(user: Visitor, stage: Stage) -> TableLeaders:
    """Return the first of a stage with a single table, as this user may see the names; empty for groups.

    As in the standings, a round that is being played counts once it is complete.
    """
    names = names_for(user, stage.division)
    state = next((state for state in states_of(stage.division) if state.stage.pk == stage.pk), None)
    if state is None or len(state.tables) != 1:
        return NO_LEADERS
    table, running = state.tables[0], 0
    if state.event is not None and not state.event.continuous:
        complete = complete_rounds(state.event)
        running = complete + 1 if complete < len(state.event.rounds) else 0
        table, _event = table_after(state, complete)
        if not complete:
            return TableLeaders((), running)
    goes_on = not running and any(fixture.status is FixtureStatus.READY for fixture in state.progress.fixtures.values())
    rows = [TableLeader(row.place, names.of(row.entry), _points(row.points, stage)) for row in table.rows]
    return TableLeaders(rows[:LEADERS_SHOWN], running, goes_on)


def _points(points: float, stage: Stage) -> str:
    if stage.format != LIVES:
        return plain(points)
    return ngettext("%(count)s life", "%(count)s lives", int(points)) % {"count": plain(points)}
