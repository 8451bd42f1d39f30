"""What changes in a series when facts of its events are corrected, or its plan is."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from formats.series.facts import Player
from formats.series.table import Season, SeriesRow


@dataclass(frozen=True, slots=True)
class RowState:
    """What a row of the table showed: rank, total and the events that counted; all empty if there was no row."""

    rank: int | None = None
    total: Fraction | None = None
    counted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowChange:
    """How a player's row changes: before and after, and by event the points that changed (None: not in it)."""

    player: Player
    before: RowState
    after: RowState
    points: Mapping[str, tuple[Fraction | None, Fraction | None]]


@dataclass(frozen=True, slots=True)
class SeasonChange:
    """The rows that change, by name, and who qualifies only before or only after."""

    rows: tuple[RowChange, ...]
    no_longer: tuple[Player, ...] = ()
    now: tuple[Player, ...] = ()


def difference(before: Season, after: Season, places: int = 0) -> SeasonChange:
    """Compare two evaluations of one series; the first `places` ranks qualify.

    A tie at the border qualifies everybody in it here, since lots and play-offs decide later.
    """
    olds, news = ({row.player: row for row in evaluated.rows} for evaluated in (before, after))
    changes = []
    for player in sorted(set(olds) | set(news)):
        points = _points(before, after, player)
        own = RowChange(player, _shown(olds.get(player)), _shown(news.get(player)), points)
        if own.before != own.after or points:
            changes.append(own)
    qualified, qualify = (_qualified(evaluated, places) for evaluated in (before, after))
    return SeasonChange(tuple(changes), tuple(sorted(qualified - qualify)), tuple(sorted(qualify - qualified)))


def _shown(row: SeriesRow | None) -> RowState:
    return RowState() if row is None else RowState(row.rank, row.total, row.counted)


def _points(before: Season, after: Season, player: Player) -> dict[str, tuple[Fraction | None, Fraction | None]]:
    changed = {}
    for event in dict.fromkeys((*before.points, *after.points)):
        old, new = (
            earned.points if (earned := evaluated.points.get(event, {}).get(player)) is not None else None
            for evaluated in (before, after)
        )
        if old != new:
            changed[event] = (old, new)
    return changed


def _qualified(evaluated: Season, places: int) -> frozenset[Player]:
    return frozenset(row.player for row in evaluated.rows if row.rank is not None and row.rank <= places)
