"""The decisions of an analysis, and the report of an evening or an event, as rows of CSV files."""

from collections.abc import Callable, Iterator
from typing import Any

from core.downloads import safe
from matches.analysis.night import Night, PlayerRow
from matches.analysis.visibility import SeenAnalysis, side_in_match

HEADERS = [
    "game", "event", "player", "kind", "phase", "xgid", "cube", "played", "best", "error", "error_winning", "winning",
    "luck", "luck_winning", "counted",
]  # fmt: skip
NIGHT_COLUMNS: dict[str, Callable[[PlayerRow], str | float | None]] = {
    "player": lambda row: safe(row.name),
    "public_id": lambda row: row.public_id,
    "matches": lambda row: row.matches,
    "decisions": lambda row: row.total.decisions,
    "pr": lambda row: _rounded(row.pr, 3),
    "sampling_error": lambda row: _rounded(row.sampling_error, 3),
    "luck_winning": lambda row: round(row.luck_winning, 5),
}
"""The columns of the report; None is an empty field."""


def decision_rows(seen: SeenAnalysis | None, names: tuple[str, str]) -> Iterator[list[Any]]:
    """Yield the header and the decisions that the reader may see; `names` are those of sides 0 and 1 of the match."""
    yield list(HEADERS)
    if seen is None:
        return
    for decision in seen.decisions:
        values = [getattr(decision, name) for name in HEADERS if name != "player"]
        values.insert(HEADERS.index("player"), safe(names[side_in_match(seen.analysis, decision.side)]))
        yield values


def night_rows(night: Night | None) -> Iterator[list[Any]]:
    """Yield the header and the players in the order of the page; figures that take more decisions are empty."""
    yield list(NIGHT_COLUMNS)
    for row in night.rows if night is not None else ():
        yield [value(row) for value in NIGHT_COLUMNS.values()]


def _rounded(figure: float | None, digits: int) -> float | None:
    return round(figure, digits) if figure is not None else None
