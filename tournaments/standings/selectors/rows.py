"""Standings as values for one user, for pages, files and the API."""

from dataclasses import dataclass, field

from tournaments.formats.graph import EntryId
from tournaments.formats.tables.tiebreaks import Explanation, plain
from tournaments.models import Stage
from tournaments.standings.labels import Tiebreak
from tournaments.standings.selectors.cells import Cell


@dataclass(slots=True)
class ShownEntry:
    """An entry as the user may see it."""

    entry: EntryId
    public_id: str
    player: str
    """Public id of the player."""
    name: str
    withdrawn: bool = False
    here: bool = False
    """Whether the user searched for this player or is this player."""


@dataclass(slots=True)
class Figure:
    """A tie-break of one row: its value, whether it was needed, and whether it separates the row from the one above.

    For lots the value is a place; for all others more is better. None: it applies only to tied entries, and the tie
    was broken before.
    """

    code: str
    value: float | None
    needed: bool = False
    decides: bool = False

    @property
    def text(self) -> str:
        """The value without trailing zeros."""
        return "" if self.value is None else plain(self.value)


@dataclass(slots=True)
class RoundCounts:
    """Counts of one entry's rounds; `played`, `won`, `lost` and `drawn` count matches at the board."""

    played: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    unplayed_won: int = 0
    unplayed_lost: int = 0
    byes: int = 0


@dataclass(slots=True)
class TableLine:
    """One line of a table."""

    place: int
    person: ShownEntry
    points: float
    counts: RoundCounts
    figures: list[Figure]
    why: list[tuple[Explanation, str]]
    """Reasons for the place, each with its translated sentence."""
    decided_by: str | None = None
    cells: list[Cell] = field(default_factory=list)
    advances: bool = False
    joined: int = 1
    """The first round in which the entry could be paired."""
    left: int | None = None
    """The last round in which the entry could be paired; None if it has not left."""
    lives: int | None = None
    out_in: int | None = None
    """The round in which the last life was lost."""
    against: list[list[Cell] | None] = field(default_factory=list)
    """Cells against each line of the table in order, None against itself; empty without a cross-table."""

    @property
    def points_text(self) -> str:
        """The value without trailing zeros."""
        return plain(self.points)

    @property
    def pips(self) -> range:
        """One item for each life left."""
        return range(self.lives or 0)


@dataclass(slots=True)
class TableView:
    """A table of a bracket or group; `round` is the round after which it is shown, 0 before the first."""

    key: str
    title: str
    lines: list[TableLine]
    tiebreaks: list[Tiebreak]
    over: bool
    round: int | None = None
    cross: bool = False
    legend: list[tuple[str, str]] = field(default_factory=list)
    regulations: str = ""
    """The regulations that its tie-breaks follow, with their edition."""

    @property
    def last_advancing(self) -> int:
        """The number of the last line that advances; 0 if none does."""
        return max((number for number, line in enumerate(self.lines, start=1) if line.advances), default=0)


@dataclass(slots=True)
class PlaceOfEntries:
    """A place from `first` to `last`, and the entries that share it."""

    first: int
    last: int
    people: list[ShownEntry]

    @property
    def text(self) -> str:
        """The label: 3 or 3–4."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(slots=True)
class PlacesView:
    """The decided places of a bracket."""

    key: str
    title: str
    over: bool
    places: list[PlaceOfEntries]


@dataclass(slots=True)
class StageView:
    """A stage: tables if points or lives are counted, places otherwise; neither before its draw."""

    stage: Stage
    tables: list[TableView] = field(default_factory=list)
    brackets: list[PlacesView] = field(default_factory=list)
    over: bool = False
    lives: int | None = None
    complete: int | None = None
    """Number of complete rounds, if rounds are paired one by one."""
    paired: int = 0
    qualifiers: int = 0
    """How many entries advance to the next stage."""
    provisional: list[int] = field(default_factory=list)
    """The numbers of the matches whose result is provisional."""
    advancing: set[EntryId] = field(default_factory=set)

    @property
    def provisional_text(self) -> str:
        """The matches whose result is provisional."""
        return ", ".join(f"M{number}" for number in self.provisional)

    @property
    def number(self) -> int:
        """The number of the stage in the division."""
        return self.stage.number

    @property
    def format(self) -> str:
        """One of `settings.FORMATS`."""
        return self.stage.format

    @property
    def round(self) -> int | None:
        """The round after which its tables are shown."""
        return self.tables[0].round if self.tables else None

    @property
    def rounds(self) -> range:
        """The numbers of the complete rounds."""
        return range(1, (self.complete or 0) + 1)
