"""How each entry spent each round of a stage that counts points or lives: one cell per round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from matches.models import Match, Result
from matches.presentation.labels import shown_score
from tournaments.formats.facts import DOUBLE_FORFEIT, FORFEIT
from tournaments.formats.graph import EntryId
from tournaments.formats.graph import Round as PlannedRound
from tournaments.formats.states import FixtureState, FixtureStatus, SlotStatus
from tournaments.models import Division
from tournaments.standings.labels import MARKS, letter, meaning
from tournaments.state.derivation import StageState

LOST = frozenset({"lost", "forfeit_lost", "walkover_lost", "empty"})
"""Kinds of cell that cost a life."""


@dataclass(slots=True)
class Cell:
    """One round of one entry; `kind` is a key of `labels.MARKS`, `score` has the entry's own points first.

    `counted` is False for a match that was deleted because one of the two left.
    """

    round: int
    kind: str
    opponent: EntryId | None = None
    score: tuple[int, int] | None = None
    match: str = ""
    counted: bool = True
    opponent_place: int | None = None
    sentence: str = ""

    @property
    def letter(self) -> str:
        """The letter shown in the cell."""
        return letter(self.kind)

    @property
    def tone(self) -> str:
        """The cell's style: "won", "lost" or its kind; the letter says the same."""
        if self.kind in LOST:
            return "lost"
        return "won" if self.kind in ("won", "forfeit_won", "walkover_won") else self.kind


Cells = dict[EntryId, list[Cell]]


def standing_kinds(division: Division) -> dict[int, str]:
    """Return match id -> kind of its standing result; one query."""
    rows = Result.objects.filter(match__parent_topic=division.topic).order_by("version")
    return dict(rows.values_list("match_id", "kind"))


def cells_of(state: StageState, key: str, kinds: Mapping[int, str], rounds: int | None = None) -> Cells:
    """Return the cells of every entry of a bracket, for all or its first `rounds` rounds."""
    by_entry: Cells = {}
    for planned in state.progress.graph.bracket(key).rounds[:rounds]:
        row: Cells = {}
        byes = _byes(state, planned.number)
        for fixture in planned.fixtures:
            for entry, cell in _pair_cells(state, planned, fixture.number, kinds, byes):
                row.setdefault(entry, []).append(cell)
        if state.event is not None:
            for player in state.event.players:
                if player.entry not in row:
                    row[player.entry] = [
                        Cell(planned.number, _kind_when_unpaired(player.joined, player.left, planned.number))
                    ]
        for entry, cells in row.items():
            by_entry.setdefault(entry, []).extend(cells)
    return by_entry


def _byes(state: StageState, number: int) -> dict[EntryId, str]:
    """Return entry -> kind of its bye in a paired round; empty if byes come from the draw."""
    if state.event is None:
        return {}
    return {bye.entry: f"bye_{bye.kind.value}" for bye in state.event.rounds[number - 1].byes}


def _kind_when_unpaired(joined: int, left: int | None, number: int) -> str:
    if number < joined:
        return "missed"
    return "gone" if left is not None and number > left else "absent"


def _pair_cells(
    state: StageState, planned: PlannedRound, number: int, kinds: Mapping[int, str], byes: Mapping[EntryId, str]
) -> Iterable[tuple[EntryId, Cell]]:
    fixture = state.progress.fixtures[number]
    row = state.rows.fixtures[number]
    pair = [slot.entrant for slot in fixture.slots]
    match = row.match.public_id if row.match is not None else ""
    result_kind = kinds.get(row.match_id or 0, "")
    for side, entry in enumerate(pair):
        if entry is None:
            continue
        if fixture.slots[1 - side].status is SlotStatus.BYE:
            yield entry, Cell(planned.number, byes.get(entry, "bye_drawn"))
        elif pair[1 - side] is not None:
            kind, score = kind_for_side(fixture, side, result_kind), _score(fixture, row.match, side)
            yield entry, Cell(planned.number, kind, pair[1 - side], score, match)


def kind_for_side(fixture: FixtureState, side: int, result_kind: str = "") -> str:
    """Return how a match ended for one side, as a kind of cell; `result_kind` is that of the standing result."""
    if not fixture.over:
        return "open"
    if fixture.status is FixtureStatus.EMPTY:
        return "empty"
    result = fixture.result
    if result is None:
        return "walkover_won" if fixture.slots[side].entry is not None else "walkover_lost"
    if result.kind == DOUBLE_FORFEIT:
        return "forfeit_lost"
    won = result.winner == side
    if result.kind == FORFEIT:
        name = "walkover" if result_kind == Result.Kind.WALKOVER else "forfeit"
        return f"{name}_won" if won else f"{name}_lost"
    if result.winner is None:
        return "drawn"
    return "won" if won else "lost"


def _score(fixture: FixtureState, match: Match | None, side: int) -> tuple[int, int] | None:
    """Return the score as shown, with the points of this side first."""
    score = fixture.result.score if fixture.result is not None else None
    if score is None or match is None:
        return None
    shown = shown_score(match.length, score)
    return shown[side], shown[1 - side]


def legend(cells: Iterable[Cell]) -> list[tuple[str, str]]:
    """Return the letters that occur with their meanings, in the order of `MARKS`."""
    kinds = {cell.kind for cell in cells}
    return [(letter(kind), meaning(kind)) for kind in MARKS if kind in kinds]
