"""The performance rating over time as SVG coordinates: a point for each match, and a band around the running mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from core.charts import Mark, path, scale
from matches.analysis.profile import WINDOW, Quality, Total
from matches.rankings.charts import CEILING, DESK, PHONE, Size

LEAST = 2
"""Matches below which there is no chart."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A match."""

    x: float
    y: float
    url: str
    words: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The chart drawn in one size."""

    size: Size
    line: str
    band: str
    levels: tuple[Mark, ...]
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A match: its totals, its page and its label."""

    total: Total
    url: str
    words: str


def entries_of(quality: Quality) -> list[Entry]:
    """The matches of a player, oldest first, with their labels."""
    return [
        Entry(
            row.total,
            row.url,
            gettext("{date}, {opponent}: {pr} ± {error}").format(
                date=date_format(timezone.localtime(row.at)) if row.at is not None else "",
                opponent=row.opponent,
                pr=row.total.pr_text,
                error=row.total.sampling_text,
            ),
        )
        for row in quality.matches
    ]


def running(totals: Sequence[Total], window: int = WINDOW) -> list[Total]:
    """Return for each match the totals of it and the matches before it, `window` in all."""
    return [sum(totals[max(0, end - window) : end], Total()) for end in range(1, len(totals) + 1)]


def chart(entries: Sequence[Entry], sizes: Sequence[Size] = (DESK, PHONE)) -> tuple[Drawing, ...]:
    """Draw matches, oldest first and evenly spaced; nothing for fewer than two."""
    return tuple(_draw(entries, size) for size in sizes) if len(entries) >= LEAST else ()


def _draw(entries: Sequence[Entry], size: Size) -> Drawing:
    means = running([entry.total for entry in entries])
    upper = [mean.pr + mean.sampling_error for mean in means]
    lower = [max(0.0, mean.pr - mean.sampling_error) for mean in means]
    levels = scale(0, max(*upper, *(entry.total.pr for entry in entries), 1), size.lines)
    across = (size.right_end - size.left) / (len(entries) - 1)
    up = (size.floor - CEILING) / (levels[-1] - levels[0])

    def places(values: Sequence[float]) -> list[tuple[float, float]]:
        return [(x(number), y(value)) for number, value in enumerate(values)]

    def x(number: int) -> float:
        return round(size.left + number * across, 1)

    def y(value: float) -> float:
        return round(size.floor - (value - levels[0]) * up, 1)

    return Drawing(
        size=size,
        line=path(places([mean.pr for mean in means])),
        band=path([*places(upper), *reversed(places(lower))]) + "Z",
        levels=tuple(Mark(y(level), str(level)) for level in levels),
        spots=tuple(Spot(x(number), y(entry.total.pr), entry.url, entry.words) for number, entry in enumerate(entries)),
    )
