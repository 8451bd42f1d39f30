"""What the levels of practice matches lose: `python -m benchmarks.practice_levels [--backend bgsage] FILE …`.

Every decision of the records is made by each level many times, with new noise each time, and judged by an analysis, of
the same program unless `--judge` names another. One line a level: equity lost by a play with a choice, by a cube
decision, and the performance rating that both together give. docs/playing.md has what it printed.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from random import Random

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

import engine  # noqa: E402
from matches.analysis.arithmetic import double_counts, double_error, performance_rating, take_error  # noqa: E402
from matches.analysis.backends import bgsage, gnubg  # noqa: E402
from matches.analysis.backends.base import Backend  # noqa: E402
from matches.analysis.backends.chosen import NAMES, backend_named  # noqa: E402
from matches.analysis.situations import situations_of  # noqa: E402
from matches.analysis.values import DecisionKind, Judgement, Situation  # noqa: E402
from matches.play.bots import STRENGTHS, chosen_play, doubles, takes  # noqa: E402

Pair = tuple[Situation, Judgement, Judgement]
ADVICE_PLIES = {"bgsage": bgsage.ADVICE_PLIES, "gnubg": gnubg.ADVICE_PLIES}
REPEATS = 50
"""How often each level makes each decision."""


def pairs_of(path: Path, players: Sequence[Backend], judge: Backend) -> list[list[Pair]]:
    """Return for each player the decisions of a record as it sees them and as an analysis judges them."""
    transcript = engine.read(path.read_bytes())
    situations = situations_of(transcript)
    truths = judge.judge(transcript, situations).judgements
    opinions = [player.judge(transcript, situations).judgements for player in players]
    return [list(_pairs(situations, seen, truths)) for seen in opinions]


def _pairs(
    situations: Sequence[Situation], seen_by_player: Sequence[Judgement | None], truths: Sequence[Judgement | None]
) -> Iterator[Pair]:
    for situation, seen, truth in zip(situations, seen_by_player, truths, strict=True):
        if seen is not None and truth is not None and (seen.equities or len(seen.candidates) > 1):
            yield situation, seen, truth


def error(situation: Situation, seen: Judgement, truth: Judgement, noise: float, chance: Random) -> float | None:
    """Return the equity that is lost by one decision with noise; None for one that does not count."""
    if seen.equities is None or truth.equities is None:
        play = chosen_play(seen.candidates, noise, chance).play
        equity = next(each.equity for each in truth.candidates if each.play == play)
        return max(0.0, truth.candidates[0].equity - equity)
    if situation.kind is DecisionKind.TAKE:
        return take_error(truth.equities, taken=takes(seen.equities, noise, chance))
    lost = double_error(truth.equities, doubled=doubles(seen.equities, noise, chance))
    return lost if double_counts(equities=truth.equities, error=lost) else None


def line(name: str, noise: float, pairs: list[Pair]) -> str:
    """Return the figures of one size of noise."""
    chance = Random(name)  # noqa: S311, no secret
    errors: dict[bool, list[float]] = {True: [], False: []}
    for situation, seen, truth in pairs * (REPEATS if noise else 1):
        lost = error(situation, seen, truth, noise, chance)
        if lost is not None:
            errors[situation.kind is DecisionKind.PLAY].append(lost)
    play, cube = (fsum(errors[kind]) / len(errors[kind]) for kind in (True, False))
    rating = performance_rating(errors[True] + errors[False])
    return f"{name:10} noise {noise:.3f}  play {play:.4f}  cube {cube:.4f}  PR {rating:5.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--backend", choices=NAMES, default="gnubg", help="the program that plays")
    parser.add_argument("--judge", choices=NAMES, help="the program that judges")
    parser.add_argument("--noise", nargs="+", type=float, default=[], help="other sizes than those of the levels")
    options = parser.parse_args()
    judge = backend_named(options.judge or options.backend)
    players = [backend_named(options.backend, plies=plies) for plies in ADVICE_PLIES[options.backend].values()]
    of_files = [pairs_of(path, players, judge) for path in options.files]
    for depth, of_depth in zip(ADVICE_PLIES[options.backend], zip(*of_files, strict=True), strict=True):
        pairs = [pair for of_file in of_depth for pair in of_file]
        print(f"{len(pairs)} decisions, {depth} look of {options.backend}, judged by {judge.name}")
        levels = {level.value: noise for level, (of_level, noise) in STRENGTHS.items() if of_level is depth}
        if 0.0 not in levels.values():
            levels["no noise"] = 0.0
        for name, noise in ({str(noise): noise for noise in options.noise} or levels).items():
            print(line(name, noise, pairs), flush=True)


if __name__ == "__main__":
    main()
