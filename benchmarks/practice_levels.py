"""What the levels of practice matches lose: `python -m benchmarks.practice_levels [--backend NAME] FILE …`.

Every decision of the records is made by each level many times, with new noise each time, and judged by the same program
at the depth of analyses. One line a level: equity lost by a play with a choice, by a cube decision, and the performance
rating that both together give. docs/playing.md has what it printed.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import django

import engine

if TYPE_CHECKING:
    from matches.analysis.values import Judgement, Situation

REPEATS = 50
"""How often each level makes each decision."""


def pairs_of(path: Path, backend_name: str) -> Iterator[tuple["Situation", "Judgement", "Judgement"]]:
    """Yield the decisions of a record as they are seen by a quick look, and by an analysis."""
    from matches.analysis.backends.chosen import backend_named
    from matches.analysis.situations import situations_of

    transcript = engine.read(path.read_bytes())
    situations = situations_of(transcript)
    quick, deep = (
        backend_named(backend_name, plies=plies).judge(transcript, situations).judgements for plies in (0, 2)
    )
    for situation, first, second in zip(situations, quick, deep, strict=True):
        if first is not None and second is not None and (first.equities or len(first.candidates) > 1):
            yield situation, first, second


def error(situation: "Situation", seen: "Judgement", truth: "Judgement", noise: float, chance: Random) -> float | None:
    """Return the equity that a level loses by one decision; None for one that does not count."""
    from matches.analysis.arithmetic import double_counts, double_error, take_error
    from matches.analysis.values import Kind
    from matches.play import levels

    if seen.equities is None or truth.equities is None:
        play = levels.chosen_play(seen.candidates, noise, chance).play
        equity = next(each.equity for each in truth.candidates if each.play == play)
        return max(0.0, truth.candidates[0].equity - equity)
    if situation.kind is Kind.TAKE:
        return take_error(truth.equities, taken=levels.takes(seen.equities, noise, chance))
    lost = double_error(truth.equities, doubled=levels.doubles(seen.equities, noise, chance))
    return lost if double_counts(equities=truth.equities, error=lost) else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--backend", default="gnubg")
    parser.add_argument("--noise", nargs="+", type=float, default=[], help="other sizes, instead of the levels'")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("BARPOINT_PROFILE", "local")
    django.setup()
    from matches.analysis.backends.base import Depth
    from matches.play.levels import STRENGTHS

    decisions = [each for path in options.files for each in pairs_of(path, options.backend)]
    print(f"{len(decisions)} decisions")
    sizes = {str(noise): noise for noise in options.noise}
    for name, noise in (sizes or {k.value: v.noise for k, v in STRENGTHS.items() if v.depth is Depth.QUICK}).items():
        chance = Random(name)  # noqa: S311, no secret
        plays, cube = [], []
        for situation, seen, truth in decisions * REPEATS:
            lost = error(situation, seen, truth, noise, chance)
            if lost is not None:
                (plays if seen.equities is None else cube).append(lost)
        print(line(name, noise, plays, cube), flush=True)


def line(name: str, noise: float, plays: Sequence[float], cube: Sequence[float]) -> str:
    """Return the figures of one level."""
    rating = 500 * (fsum(plays) + fsum(cube)) / (len(plays) + len(cube))
    return (
        f"{name:10} noise {noise:.3f}  play {fsum(plays) / len(plays):.4f}  cube {fsum(cube) / len(cube):.4f}"
        f"  PR {rating:5.1f}"
    )


if __name__ == "__main__":
    main()
