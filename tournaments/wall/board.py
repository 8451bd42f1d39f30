"""The floor on the wall: who is called to which table, what the tables are used for, and who plays next."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.floor.selectors import FloorView, MatchView, TableView
from tournaments.floor.state import MatchState, TableState

FRESH = timedelta(minutes=2)
"""How long a call stands out."""
CALLS_ON_SCREEN = 2
TABLES_WITH_CALLS = 12
"""Tables that fit below the calls; more have a screen of their own."""
TABLES_ON_SCREEN = 48
TABLES_WITH_ROOM = 10
"""Tables that get wider tiles, since these still fit below the calls."""
NEXT_ON_SCREEN = 4
LONGEST_IN_LARGE_PRINT = 18
"""Characters of a name that fit on a line in the large print of a call."""


@dataclass(frozen=True, slots=True)
class CallCard:
    """A match called to a table."""

    table: str
    names: tuple[str, str]
    where: str
    fresh: bool
    last_call: bool

    @property
    def is_long(self) -> bool:
        """Whether the names need smaller print, so that all of them is shown."""
        return any(len(name) > LONGEST_IN_LARGE_PRINT for name in self.names)


@dataclass(frozen=True, slots=True)
class TableTile:
    """A table; `kind` is "called", "playing", "out" or "free"."""

    label: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class NextMatch:
    """A match that is called next, and its round. What it waits for is for its players and the staff."""

    names: tuple[str, str]
    round: str


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """When something is expected to be over, as a time of day."""

    label: str
    time: str


@dataclass(slots=True)
class FloorScreen:
    """One screen of the floor."""

    calls: list[CallCard] = field(default_factory=list)
    tables: list[TableTile] = field(default_factory=list)
    next: list[NextMatch] = field(default_factory=list)
    expected: Sequence[ExpectedTime] = ()
    kind: str = "floor"

    @property
    def table_columns(self) -> int:
        """Tables beside each other."""
        return 5 if len(self.tables) <= TABLES_WITH_ROOM else 6


def floor_screens(view: FloorView, expected: Sequence[ExpectedTime] = ()) -> list[FloorScreen]:
    """Return the screens of the floor; none before it is opened. `view` has the names that everybody may see."""
    if not view.is_open:
        return []
    calls, tables = _calls(view, view.now), [_tile(table) for table in view.tables.values()]
    upcoming = [_next(match) for match in view.queue[:NEXT_ON_SCREEN]]
    beside = tables if len(tables) <= TABLES_WITH_CALLS else []
    pages: Sequence[list[CallCard]] = [
        calls[first : first + CALLS_ON_SCREEN] for first in range(0, len(calls), CALLS_ON_SCREEN)
    ]
    screens = [FloorScreen(page, beside, upcoming, expected) for page in pages or [[]]]
    if not beside:
        parts = [tables[first : first + TABLES_ON_SCREEN] for first in range(0, len(tables), TABLES_ON_SCREEN)]
        screens += [FloorScreen([], part, upcoming, expected) for part in parts]
    return screens


def _calls(view: FloorView, now: datetime) -> list[CallCard]:
    """Return the matches that are called, the newest first."""
    called = [match for match in view.matches.values() if match.state == MatchState.CALLED]
    called.sort(key=lambda match: match.row.called_at or now, reverse=True)
    return [
        CallCard(
            match.table,
            (match.sides[0].name, match.sides[1].name),
            _where(match),
            fresh=match.row.called_at is not None and now - match.row.called_at < FRESH,
            last_call=match.row.calls > 1,
        )
        for match in called
    ]


def _where(match: MatchView) -> str:
    points = ngettext("%(length)d point", "%(length)d points", match.length) % {"length": match.length}
    return " · ".join(dict.fromkeys((match.bracket, match.round, points)))


def _tile(table: TableView) -> TableTile:
    row, match = table.row, table.match
    if row.state == TableState.OUT:
        return TableTile(row.label, _("Out"), "out")
    if match is None:
        return TableTile(row.label, _("Free"), "free")
    if match.state == MatchState.CALLED:
        return TableTile(row.label, _("Called"), "called")
    if match.state == MatchState.REPORTED:
        return TableTile(row.label, _("Reported"), "playing")
    score = match.where.score
    return TableTile(row.label, _("Playing") if score is None else f"{score[0]}–{score[1]}", "playing")


def _next(match: MatchView) -> NextMatch:
    return NextMatch((match.sides[0].name, match.sides[1].name), match.round)
