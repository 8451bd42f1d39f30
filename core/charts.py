"""Draws the line charts of the site as SVG coordinates; `_partials/_chart_axes.html` draws their axes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """The size of a drawing and of the margins for its labels, in SVG units."""

    name: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    @property
    def right_end(self) -> int:
        """The x coordinate of the end of the line."""
        return self.width - self.right

    @property
    def floor(self) -> int:
        """The y coordinate of the lowest level."""
        return self.height - self.bottom

    @property
    def span(self) -> int:
        """The height between the lowest and the highest level."""
        return self.floor - self.top


@dataclass(frozen=True, slots=True)
class Mark:
    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart drawn in one size: its axes, its line, and what stands around and on the line."""

    size: ChartFrame
    levels: Sequence[Mark]
    line: str
    labels: Sequence[Mark] = ()
    """Below it."""
    area: str = ""
    end: tuple[float, float] | None = None
    """The last point of the line."""
    spots: Sequence[dict[str, Any]] = ()
    """Points that lead somewhere."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Where in a frame something stands: from 0 to `last` across, and between two values in height."""

    frame: ChartFrame
    last: int
    lowest: float
    highest: float

    @property
    def across(self) -> float:
        """How far two neighbours are apart."""
        return (self.frame.right_end - self.frame.left) / self.last

    def place(self, number: float, value: float) -> tuple[float, float]:
        up = self.frame.span / (self.highest - self.lowest)
        return round(self.frame.left + number * self.across, 1), round(self.frame.floor - (value - self.lowest) * up, 1)

    def places(self, values: Iterable[float]) -> list[tuple[float, float]]:
        """Return the coordinates of values that are evenly spaced."""
        return [self.place(number, value) for number, value in enumerate(values)]

    def levels(self, values: Iterable[float], label: Callable[[float], str] = str) -> list[Mark]:
        return [Mark(self.place(0, value)[1], label(value)) for value in values]


def path(places: Iterable[tuple[float, float]]) -> str:
    """The path through these coordinates.

    >>> path([(0, 1.5), (2, 3)])
    'M0 1.5L2 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in places)


def scale(lowest: float, highest: float, lines: int) -> range:
    """Round numbers from below the lowest to above the highest value, at most `lines` of them.

    >>> list(scale(1331.2, 1512.9, 8))
    [1300, 1350, 1400, 1450, 1500, 1550]
    """
    for step in STEPS:
        first, last = int(lowest // step) * step, -int(-highest // step) * step
        if last == first:
            last += step
        if (last - first) // step < lines:
            return range(first, last + 1, step)
    return range(first, last + 1, max(step, last - first))
