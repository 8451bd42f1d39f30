"""The winning chances through a match as SVG coordinates, ready for the template. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from django.utils.translation import gettext

from core.charts import Frame, path
from engine.cube import Side
from matches.analysis import labels

MARGIN = 12


@dataclass(frozen=True, slots=True)
class Size(Frame):
    """The size of a drawing, and how fine it is."""

    strips: int
    """Most parts of the width that lead to a position each."""
    label_width: int
    """The least width of a game for its label."""


LEAST_LABEL = 16
"""The least width of a game for its number alone."""
DESK = Size("desk", width=750, height=250, left=48, right=MARGIN, bottom=26, strips=120, label_width=58)
PHONE = Size("phone", width=340, height=210, left=46, right=MARGIN, bottom=22, strips=40, label_width=58)
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision: the chance of side 0 to win the match before it."""

    game: int
    side: Side
    chance: float
    url: str
    words: str
    """The place, the roll and the play, e.g. “Game 5, roll 18: 62: 23/15”."""
    is_blunder: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A blunder; circles are those of side 0, squares those of side 1."""

    x: float
    y: float
    side: Side
    url: str
    words: str

    @property
    def left(self) -> float:
        """The left edge of its square."""
        return round(self.x - HALF_SQUARE, 1)

    @property
    def top(self) -> float:
        """The upper edge of its square."""
        return round(self.y - HALF_SQUARE, 1)


HALF_SQUARE = 6


@dataclass(frozen=True, slots=True)
class Strip:
    """A part of the width that leads to the position drawn in its middle."""

    x: float
    width: float
    url: str
    words: str


@dataclass(frozen=True, slots=True)
class Band:
    """A game: its part of the width, and its label where there is space for it."""

    game: int
    x: float
    width: float
    middle: float
    is_shaded: bool
    label: str
    """Empty where there is no space."""


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line."""

    y: float
    percent: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """The graph drawn in one size."""

    size: Size
    line: str
    area: str
    bands: tuple[Band, ...]
    levels: tuple[Level, ...]
    marks: tuple[Mark, ...]
    strips: tuple[Strip, ...]

    @property
    def ceiling(self) -> int:
        """The y coordinate of chance 1."""
        return MARGIN

    @property
    def span(self) -> int:
        """The height between chance 0 and chance 1."""
        return self.size.floor - MARGIN

    @property
    def label_end(self) -> int:
        """The x coordinate where the labels of the levels end."""
        return self.size.left - 6

    @property
    def label_line(self) -> int:
        """The y coordinate of the labels of the games."""
        return self.size.height - 6


@dataclass(frozen=True, slots=True)
class GameChances:
    """The chances of side 0 in one game, for the table beside the graph."""

    game: int
    chances: tuple[float, float, float, float]
    """At the first decision, the lowest, the highest, and at the last decision."""
    url: str

    @property
    def percents(self) -> list[str]:
        """The chances in words."""
        return [labels.percent(chance) for chance in self.chances]


@dataclass(frozen=True, slots=True)
class Graph:
    """The drawings, and the same in figures."""

    drawings: tuple[Drawing, ...]
    games: tuple[GameChances, ...]
    blunders: int


def graph(moments: Sequence[Moment], winner: Side | None, sizes: Sequence[Size] = (DESK, PHONE)) -> Graph | None:
    """Draw the moments, in their order and evenly spaced, and the end of the match; None for fewer than two."""
    if len(moments) < 2:
        return None
    return Graph(
        drawings=tuple(_draw(moments, winner, size) for size in sizes),
        games=tuple(_chances(list(rows)) for _, rows in groupby(moments, key=lambda moment: moment.game)),
        blunders=sum(moment.is_blunder for moment in moments),
    )


def _chances(moments: list[Moment]) -> GameChances:
    chances = [moment.chance for moment in moments]
    return GameChances(moments[0].game, (chances[0], min(chances), max(chances), chances[-1]), moments[0].url)


def _draw(moments: Sequence[Moment], winner: Side | None, size: Size) -> Drawing:
    across = (size.right_end - size.left) / len(moments)
    height = size.floor - MARGIN
    places = [
        (round(size.left + number * across, 1), round(size.floor - moment.chance * height, 1))
        for number, moment in enumerate(moments)
    ]
    if winner is not None:
        places.append((float(size.right_end), float(MARGIN if winner == 0 else size.floor)))
    line = path(places)
    middle = round(size.floor - height / 2, 1)
    return Drawing(
        size=size,
        line=line,
        area=f"{line}L{places[-1][0]:g} {middle:g}L{size.left} {middle:g}Z",
        bands=tuple(_bands(moments, size, across)),
        levels=tuple(Level(round(size.floor - level * height, 1), round(100 * level)) for level in LEVELS),
        marks=tuple(
            Mark(x, y, moment.side, moment.url, moment.words)
            for (x, y), moment in zip(places, moments, strict=False)
            if moment.is_blunder
        ),
        strips=tuple(_strips(moments, size, across)),
    )


def _bands(moments: Sequence[Moment], size: Size, across: float) -> list[Band]:
    bands, start = [], 0
    for number, (game, rows) in enumerate(groupby(moments, key=lambda moment: moment.game)):
        count = len(list(rows))
        x, width = size.left + start * across, count * across
        bands.append(
            Band(
                game,
                round(x, 1),
                round(width, 1),
                round(x + width / 2, 1),
                is_shaded=number % 2 == 1,
                label=_label(game, width, size),
            )
        )
        start += count
    return bands


def _label(game: int, width: float, size: Size) -> str:
    if width >= size.label_width:
        return gettext("Game {number}").format(number=game)
    return str(game) if width >= LEAST_LABEL else ""


def _strips(moments: Sequence[Moment], size: Size, across: float) -> list[Strip]:
    count = min(len(moments), size.strips)
    edges = [len(moments) * number // count for number in range(count + 1)]
    return [
        Strip(
            round(size.left + start * across, 1),
            round((end - start) * across, 1),
            moments[(start + end - 1) // 2].url,
            moments[(start + end - 1) // 2].words,
        )
        for start, end in pairwise(edges)
    ]
