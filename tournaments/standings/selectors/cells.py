"""How each entry spent each round of a stage that counts points or lives: one cell a round, from the same states."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from matches.models import Match, Result
from matches.presentation.labels import shown_score
from tournaments.formats.graph import EntryId
from tournaments.formats.graph import Round as PlannedRound
from tournaments.formats.progress import DOUBLE_FORFEIT, FORFEIT, FixtureState, FixtureStatus, SlotStatus
from tournaments.models import Division
from tournaments.standings.labels import MARKS, letter, meaning
from tournaments.state.derivation import StageState

LOST = frozenset({"lost", "forfeit_lost", "walkover_lost", "empty"})
"""Kinds of cell that cost a life."""


@dataclass(slots=True)
class Cell:
    """One round of one entry. `kind` is a key of `standing_words.MARKS`; `score` is his points first.

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
        """What stands in its field."""
        return letter(self.kind)

    @property
    def tone(self) -> str:
        """won, lost or nothing, for its look; the letter says it too."""
        if self.kind in LOST:
            return "lost"
        return "won" if self.kind in ("won", "forfeit_won", "walkover_won") else self.kind


Cells = dict[EntryId, list[Cell]]


def standing_kinds(division: Division) -> dict[int, str]:
    """Match -> how it ended, by the version that stands: one query."""
    rows = Result.objects.filter(match__parent_topic=division.topic).order_by("version")
    return dict(rows.values_list("match_id", "kind"))


def cells_of(state: StageState, key: str, kinds: Mapping[int, str], rounds: int | None = None) -> Cells:
    """The cells of every entry of a bracket, round by round, of its first `rounds`."""
    found: Cells = {}
    for planned in state.progress.graph.bracket(key).rounds[:rounds]:
        row: Cells = {}
        byes = _byes(state, planned.number)
        for fixture in planned.fixtures:
            for entry, cell in _both(state, planned, fixture.number, kinds, byes):
                row.setdefault(entry, []).append(cell)
        if state.event is not None:
            for player in state.event.players:
                if player.entry not in row:
                    row[player.entry] = [Cell(planned.number, _away(player.joined, player.left, planned.number))]
        for entry, cells in row.items():
            found.setdefault(entry, []).extend(cells)
    return found


def _byes(state: StageState, number: int) -> dict[EntryId, str]:
    """Entry -> kind of its bye in a round that was paired; nobody where the draw gives the byes."""
    if state.event is None:
        return {}
    return {bye.entry: f"bye_{bye.kind.value}" for bye in state.event.rounds[number - 1].byes}


def _away(joined: int, left: int | None, number: int) -> str:
    if number < joined:
        return "missed"
    return "gone" if left is not None and number > left else "absent"


def _both(
    state: StageState, planned: PlannedRound, number: int, kinds: Mapping[int, str], byes: Mapping[EntryId, str]
) -> Iterable[tuple[EntryId, Cell]]:
    fixture = state.progress.fixtures[number]
    row = state.rows.fixtures[number]
    pair = [slot.entrant for slot in fixture.slots]
    match = row.match.public_id if row.match is not None else ""
    ended = kinds.get(row.match_id or 0, "")
    for side, entry in enumerate(pair):
        if entry is None:
            continue
        if fixture.slots[1 - side].status is SlotStatus.BYE:
            yield entry, Cell(planned.number, byes.get(entry, "bye_drawn"))
        elif pair[1 - side] is not None:
            kind, score = how(fixture, side, ended), _score(fixture, row.match, side)
            yield entry, Cell(planned.number, kind, pair[1 - side], score, match)


def how(fixture: FixtureState, side: int, ended: str = "") -> str:
    """How a match ended for one side, as a kind of cell; `ended` is the kind of the result that stands."""
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
        name = "walkover" if ended == Result.Kind.WALKOVER else "forfeit"
        return f"{name}_won" if won else f"{name}_lost"
    if result.winner is None:
        return "drawn"
    return "won" if won else "lost"


def _score(fixture: FixtureState, match: Match | None, side: int) -> tuple[int, int] | None:
    """The score as it is shown, with the points of this side first."""
    score = fixture.result.score if fixture.result is not None else None
    if score is None or match is None:
        return None
    shown = shown_score(match.length, score)
    return shown[side], shown[1 - side]


def legend(cells: Iterable[Cell]) -> list[tuple[str, str]]:
    """The letters that occur, with what they mean, in the order of the table of marks."""
    found = {cell.kind for cell in cells}
    return [(letter(kind), meaning(kind)) for kind in MARKS if kind in found]
