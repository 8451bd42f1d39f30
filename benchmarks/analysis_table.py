"""Our analyses beside those stored in `.xg` files: `python -m benchmarks.analysis_table [--backend bgsage] FILE.xg …`.

One line a match: the performance ratings of both sides, how often the best play and the best cube action are the same,
the correlation of the luck of rolls, CPU seconds and memory. docs/analysis.md has what it printed.
"""

import argparse
import os
from collections.abc import Iterable, Iterator
from math import fsum
from pathlib import Path
from statistics import correlation, fmean
from typing import NamedTuple

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

import engine  # noqa: E402
from matches.analysis.arithmetic import summary  # noqa: E402
from matches.analysis.backends.base import Backend  # noqa: E402
from matches.analysis.backends.chosen import backend_named  # noqa: E402
from matches.analysis.queue import analyse  # noqa: E402
from matches.analysis.stored_xg import stored_analysis  # noqa: E402
from matches.analysis.values import AnalysedMatch, DecisionKind, JudgedDecision  # noqa: E402

Pair = tuple[JudgedDecision, JudgedDecision]


class Row(NamedTuple):
    """What is compared of one match."""

    name: str
    xg: tuple[float, float]
    ours: tuple[float, float]
    pairs: list[Pair]
    cpu_seconds: float
    memory: int

    @property
    def differences(self) -> list[float]:
        """The difference of the performance rating of each side."""
        return [abs(ours - xg) for xg, ours in zip(self.xg, self.ours, strict=True)]

    def __str__(self) -> str:
        ratings = "  ".join(f"{xg:5.2f} → {ours:5.2f}" for xg, ours in zip(self.xg, self.ours, strict=True))
        figures = f"{same_best(self.pairs, cube=False):6.1%} {same_best(self.pairs, cube=True):6.1%}"
        luck = luck_correlation(self.pairs)
        return (
            f"{self.name[:28]:28}  {ratings}  {figures}  {luck:.3f}  {self.cpu_seconds:6.1f} s  {self.memory >> 20} MiB"
        )


def same_best(pairs: Iterable[Pair], *, cube: bool) -> float:
    """Return the share of counted decisions for which both name the same best one."""
    same = [a.best == b.best for a, b in pairs if a.counted and b.counted and (a.kind is not DecisionKind.PLAY) is cube]
    return fmean(same) if same else float("nan")


def luck_correlation(pairs: Iterable[Pair]) -> float:
    """Return the correlation of the luck of rolls."""
    both = [(a.luck, b.luck) for a, b in pairs if a.luck is not None and b.luck is not None]
    return correlation(*zip(*both, strict=True)) if both else float("nan")


def compared(path: Path, backend: Backend) -> Row:
    """Analyse one file and compare it with what is stored in it."""
    data = path.read_bytes()
    xg, ours = stored_analysis(data), analyse(engine.read(data), backend)
    stored = {_key(decision): decision for decision in xg.decisions}
    pairs = [(stored[_key(decision)], decision) for decision in ours.decisions if _key(decision) in stored]
    return Row(path.stem, _ratings(xg), _ratings(ours), pairs, ours.cpu_seconds, ours.memory)


def _key(decision: JudgedDecision) -> tuple[int, int, str]:
    return decision.game, decision.event, decision.kind


def _ratings(match: AnalysedMatch) -> tuple[float, float]:
    left, right = (side.pr or 0.0 for side in summary(match.decisions).sides)
    return left, right


def lines(rows: list[Row]) -> Iterator[str]:
    """Yield the totals over all matches."""
    differences = [difference for row in rows for difference in row.differences]
    pairs = [pair for row in rows for pair in row.pairs]
    yield f"{len(pairs)} decisions; PR differs by {fmean(differences):.2f} on average, {max(differences):.2f} at most"
    yield f"same best play {same_best(pairs, cube=False):.1%}, same cube action {same_best(pairs, cube=True):.1%}"
    cpu = fsum(row.cpu_seconds for row in rows) / len(rows)
    yield f"luck correlates by {luck_correlation(pairs):.3f}; {cpu:.1f} CPU seconds a match"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--backend", default="gnubg")
    parser.add_argument("--plies", type=int, help="another depth; of bgsage one depth instead of stages")
    options = parser.parse_args()
    backend = backend_named(options.backend, plies=options.plies)
    rows = []
    for path in options.files:
        rows.append(compared(path, backend))
        print(rows[-1], flush=True)
    print("\n".join(lines(rows)))


if __name__ == "__main__":
    main()
