"""What the wall screen shows in turn: the floor, brackets and standings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.formats import time_format

from tournaments.floor.selectors import FloorView
from tournaments.models import Division
from tournaments.paper.draw_sheets import Area, drawing, pack
from tournaments.paper.drawing import PageDrawing, Sizes
from tournaments.paper.sheet_brackets import sheet_brackets
from tournaments.standings.selectors.rows import TableLine
from tournaments.standings.selectors.standings import standings_of
from tournaments.state.names import names_of
from tournaments.state.topics import event_topics
from tournaments.wall.board import ExpectedTime, FloorScreen, floor_screens
from tournaments.wall.parts import PartKey, wall_of

MOST_BRACKET_SCREENS = 6
LINES_ON_SCREEN = 10
MOST_LINES = 40
AREA = Area(1840, 780)
"""Of a screen of 1920 × 1080, in its pixels, between the head and the message."""
SIZES = Sizes(
    gutter=265,
    widest_column=430,
    title=76,
    head=56,
    smallest_pitch=72,
    largest_pitch=96,
    title_text=44,
    head_text=32,
    points_text=30,
    largest_name=46,
    largest_label=34,
    label=0.42,
    narrow_label=0.42,
    least=30,
    letter=1.2,
    gap=24,
    below=8,
)


@dataclass(frozen=True, slots=True)
class BracketScreen:
    """A part of a bracket on the screen."""

    title: str
    drawing: PageDrawing
    kind: str = "bracket"


@dataclass(frozen=True, slots=True)
class StandingsScreen:
    """Some lines of the standings."""

    title: str
    lines: Sequence[TableLine]
    kind: str = "standings"


Screen = FloorScreen | BracketScreen | StandingsScreen


def wall(view: FloorView, expected: Sequence[ExpectedTime]) -> dict[str, Any]:
    """Return the context of the wall. It shows only what everybody may see, whoever is signed in on it."""
    event = view.tournament
    settings = wall_of(event)
    divisions = list(event.divisions.exclude(status=Division.Status.ENTRIES).order_by("order", "pk"))
    makers: dict[PartKey, Callable[[], Sequence[Screen]]] = {
        PartKey.FLOOR: lambda: floor_screens(view, expected),
        PartKey.BRACKETS: lambda: list(_brackets(divisions))[:MOST_BRACKET_SCREENS],
        PartKey.STANDINGS: lambda: list(_standings(divisions)),
    }
    shown = [key for key in PartKey if key.value not in settings.hidden]
    return {
        "tournament": event,
        "club": event.club,
        "settings": settings,
        "screens": [screen for key in shown for screen in makers[key]()],
        "topics": event_topics(event),
        "clock": time_format(view.now.astimezone(ZoneInfo(event.time_zone))),
    }


def _brackets(divisions: Sequence[Division]) -> Iterator[BracketScreen]:
    """Yield the rounds of each bracket from the first that is still played, in parts that can be read from afar."""
    several = len(divisions) > 1
    for division in divisions:
        for parts in pack(sheet_brackets(division, unfinished=True), AREA, SIZES):
            title = ", ".join(part.title for part in parts)
            drawn = drawing(parts, AREA, SIZES)
            yield BracketScreen(f"{division.name} · {title}" if several else title, drawn)


def _standings(divisions: Sequence[Division]) -> Iterator[StandingsScreen]:
    """Yield the tables of the current stage of each division, ten lines at a time."""
    for division in divisions:
        tables = [table for view in standings_of(division, names_of(division, staff=False)) for table in view.tables]
        for table in tables:
            lines = table.lines[:MOST_LINES]
            title = " · ".join(filter(None, (division.name, table.title)))
            for first in range(0, len(lines), LINES_ON_SCREEN):
                yield StandingsScreen(title, lines[first : first + LINES_ON_SCREEN])
