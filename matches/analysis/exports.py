"""The decisions of an analysis, and the report of an evening, as rows of CSV files."""

from collections.abc import Iterator
from typing import Any

from core.csv_files import safe
from matches.analysis.night import Night
from matches.analysis.visibility import SeenAnalysis, side_in_match

HEADERS = [
    "game", "event", "player", "kind", "phase", "xgid", "cube", "played", "best", "error", "error_winning", "winning",
    "luck", "luck_winning", "counted",
]  # fmt: skip
NIGHT_HEADERS = ["player", "public_id", "matches", "decisions", "pr", "sampling_error", "luck_winning"]


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
    yield list(NIGHT_HEADERS)
    for row in night.rows if night is not None else ():
        total = row.total
        pr = round(total.pr, 3) if total.decisions else ""
        sampling_error = round(total.sampling_error, 3) if total.decisions > 1 else ""
        yield [
            safe(row.name),
            row.public_id,
            row.matches,
            total.decisions,
            pr,
            sampling_error,
            round(row.luck_winning, 5),
        ]
