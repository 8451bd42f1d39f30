"""Standings as values for one reader, whatever shows them: a page, a file, a program."""

from dataclasses import dataclass, field

from tournaments.formats.graph import EntryId
from tournaments.formats.tables.tiebreaks import Explanation, plain
from tournaments.models import Stage
from tournaments.standings.labels import Tiebreak
from tournaments.standings.selectors.cells import Cell


@dataclass(slots=True)
class Person:
    """An entry as this reader may see it."""

    entry: EntryId
    public_id: str
    player: str
    """Public id of the player."""
    name: str
    withdrawn: bool = False
    here: bool = False
    """Whether the reader is looking for him, or is he."""


@dataclass(slots=True)
class Figure:
    """A tie-break of one row: its value, whether it was needed, and whether it separates the row from the one above.

    Of lots and play-offs the value is the place, of all others more is better. None: it says something only about
    those who are tied, and the tie was broken before.
    """

    code: str
    value: float | None
    needed: bool = False
    decides: bool = False

    @property
    def text(self) -> str:
        """Without needless decimals."""
        return "" if self.value is None else plain(self.value)


@dataclass(slots=True)
class Counts:
    """The rounds of one entry by how they were spent; `played`, `won`, `lost` and `drawn` are those at the board."""

    played: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    unplayed_won: int = 0
    unplayed_lost: int = 0
    byes: int = 0


@dataclass(slots=True)
class Line:
    """One line of a table."""

    place: int
    person: Person
    points: float
    counts: Counts
    figures: list[Figure]
    why: list[tuple[Explanation, str]]
    """Reasons with their sentences in the reader's language."""
    decided_by: str | None = None
    cells: list[Cell] = field(default_factory=list)
    goes_on: bool = False
    joined: int = 1
    """The first round he could be paired in."""
    left: int | None = None
    """The last round he could be paired in."""
    lives: int | None = None
    out_in: int | None = None
    """The round in which the last life was lost."""
    against: list[list[Cell] | None] = field(default_factory=list)
    """The cells against each line of the table in its order, None against himself; empty without a cross-table."""

    @property
    def points_text(self) -> str:
        """Without needless decimals."""
        return plain(self.points)

    @property
    def pips(self) -> range:
        """As many as he has lives."""
        return range(self.lives or 0)


@dataclass(slots=True)
class TableView:
    """A table: `key` is its bracket's. `round` is the one after which it stands, 0 before the first."""

    key: str
    title: str
    lines: list[Line]
    tiebreaks: list[Tiebreak]
    over: bool
    round: int | None = None
    cross: bool = False
    legend: list[tuple[str, str]] = field(default_factory=list)
    regulations: str = ""
    """The rules that its tie-breaks follow, with their edition."""

    @property
    def last_going_on(self) -> int:
        """The number of the last line that goes on; 0 where nobody does."""
        return max((at for at, line in enumerate(self.lines, start=1) if line.goes_on), default=0)


@dataclass(slots=True)
class Place:
    """Who shares a place (or stands alone on it): `first` to `last`."""

    first: int
    last: int
    people: list[Person]

    @property
    def text(self) -> str:
        """3 or 3–4."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(slots=True)
class PlacesView:
    """The places of a bracket that are certain."""

    key: str
    title: str
    over: bool
    places: list[Place]


@dataclass(slots=True)
class StageView:
    """A stage: tables where points or lives are counted, places where a bracket decides; neither while planned."""

    stage: Stage
    tables: list[TableView] = field(default_factory=list)
    brackets: list[PlacesView] = field(default_factory=list)
    over: bool = False
    lives: int | None = None
    complete: int | None = None
    """Rounds that are complete, where they are paired one by one."""
    paired: int = 0
    goes_on: int = 0
    """How many go on to the next stage."""
    going_on: set[EntryId] = field(default_factory=set)

    @property
    def number(self) -> int:
        """Counted through the division."""
        return self.stage.number

    @property
    def format(self) -> str:
        """One of `settings.FORMATS`."""
        return self.stage.format

    @property
    def round(self) -> int | None:
        """The round after which its tables stand."""
        return self.tables[0].round if self.tables else None

    @property
    def rounds(self) -> range:
        """The complete rounds."""
        return range(1, (self.complete or 0) + 1)
