"""The decisions of an analysis as rows of a CSV file."""

from collections.abc import Iterator
from typing import Any

from matches.analysis.visibility import SeenAnalysis, side_in_match

HEADERS = [
    "game", "event", "player", "kind", "phase", "xgid", "cube", "played", "best", "error", "error_winning", "winning",
    "luck", "luck_winning", "counted",
]  # fmt: skip


def decision_rows(seen: SeenAnalysis | None, names: tuple[str, str]) -> Iterator[list[Any]]:
    """Yield the header and the decisions that the reader may see; `names` are those of sides 0 and 1 of the match."""
    yield list(HEADERS)
    if seen is None:
        return
    for decision in seen.decisions:
        values = [getattr(decision, name) for name in HEADERS if name != "player"]
        values.insert(HEADERS.index("player"), names[side_in_match(seen.analysis, decision.side)])
        yield values
