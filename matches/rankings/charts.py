"""Rating charts as SVG coordinates, ready for the template."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from django.utils import timezone
from django.utils.formats import date_format

from core.charts import Frame, Mark, path, scale

MOST_POINTS = 240
"""Most points that are drawn; more would not be visible."""
MONTHS_FROM = timedelta(days=75)
YEARS_FROM = timedelta(days=700)


@dataclass(frozen=True, slots=True)
class Point:
    """A rating at a time."""

    at: datetime
    rating: float


@dataclass(frozen=True, slots=True)
class Size(Frame):
    """The size of a drawing, and how many labels its axes have."""

    lines: int
    """Most horizontal lines."""
    dates: int


DESK = Size("desk", width=940, height=300, left=56, right=8, bottom=28, lines=8, dates=7)
PHONE = Size("phone", width=340, height=190, left=40, right=8, bottom=22, lines=5, dates=4)
CEILING = 10


@dataclass(frozen=True, slots=True)
class Drawing:
    """The chart drawn in one size."""

    size: Size
    path: str
    lines: list[Mark]
    dates: list[Mark]
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """The drawings, and their data for screen readers."""

    drawings: list[Drawing]
    points: list[Point]
    """Thinned, oldest first."""
    matches: int
    lowest: float
    highest: float


def chart(points: Sequence[Point], sizes: Sequence[Size] = (DESK, PHONE)) -> Chart | None:
    """Draw at least two points, oldest first and evenly spaced; return None for fewer."""
    if len(points) < 2:
        return None
    shown = thin(points, MOST_POINTS)
    ratings = [point.rating for point in points]
    return Chart(
        drawings=[_draw(shown, size) for size in sizes],
        points=[point for _, point in shown],
        matches=len(points) - 1,
        lowest=min(ratings),
        highest=max(ratings),
    )


def thin(points: Sequence[Point], most: int) -> list[tuple[int, Point]]:
    """Keep about `most` points with their indexes: the two ends, and the extremes of equal stretches between."""
    numbered = list(enumerate(points))
    if len(numbered) <= most:
        return numbered
    stretches = most // 2
    kept = {0, len(points) - 1}
    edges = [len(points) * number // stretches for number in range(stretches + 1)]
    for start, end in pairwise(edges):
        stretch = numbered[start:end]
        kept.add(min(stretch, key=lambda item: item[1].rating)[0])
        kept.add(max(stretch, key=lambda item: item[1].rating)[0])
    return [numbered[number] for number in sorted(kept)]


def _draw(shown: Sequence[tuple[int, Point]], size: Size) -> Drawing:
    ratings = [point.rating for _, point in shown]
    levels = scale(min(ratings), max(ratings), size.lines)
    across = (size.right_end - size.left) / shown[-1][0]
    up = (size.floor - CEILING) / (levels[-1] - levels[0])

    def place(number: int, rating: float) -> tuple[float, float]:
        return round(size.left + number * across, 1), round(size.floor - (rating - levels[0]) * up, 1)

    places = [place(number, point.rating) for number, point in shown]
    return Drawing(
        size=size,
        path=path(places),
        lines=[Mark(place(0, level)[1], str(level)) for level in levels],
        dates=_dates(shown, size, across),
        end=places[-1],
    )


def _dates(shown: Sequence[tuple[int, Point]], size: Size, across: float) -> list[Mark]:
    """Evenly spaced dates of the points above them, without repetitions and within the drawing."""
    span = shown[-1][1].at - shown[0][1].at
    style = "Y" if span >= YEARS_FROM else "M Y" if span >= MONTHS_FROM else "j M"
    marks: list[Mark] = []
    for number in range(size.dates):
        target = shown[-1][0] * (number + 0.5) / size.dates
        index, point = min(shown, key=lambda item: abs(item[0] - target))
        label = date_format(timezone.localtime(point.at), style)
        place = round(size.left + index * across, 1)
        if not marks or (label != marks[-1].label and place - marks[-1].place > _width(label)):
            marks.append(Mark(place, label))
    return [mark for mark in marks if mark.place + _width(mark.label) / 2 <= size.width]


def _width(label: str) -> float:
    """Approximate width of a label, with a margin."""
    return 8 * len(label) + 8
