"""What the line charts of the site share: the frame of a drawing, round levels for its axis, and the path of a line."""

from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a drawing and of the margins for its labels, in SVG units."""

    name: str
    width: int
    height: int
    left: int
    right: int
    bottom: int

    @property
    def right_end(self) -> int:
        """The x coordinate of the end of the line."""
        return self.width - self.right

    @property
    def floor(self) -> int:
        """The y coordinate of the lowest level."""
        return self.height - self.bottom


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on an axis, and its coordinate."""

    place: float
    label: str


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
