"""The speed of the engine: legal plays and match records, beside other engines in the same run.

    python -m benchmarks.bench_engine [--seed 1] [--pairs 10000] [--three-plies] [--brief]

`make bench-peers` installs the other engines into `var/peers`, outside the locks; `make engine-wheel` builds the
compiled engine. Each figure is the best of
several runs on one core, in processor time, so that other work on the machine counts little.
"""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from benchmarks.machine import processor
from engine import Position, check_record, legal_plays
from engine.position import position_of
from engine.records import read, write
from engine.search import legal_results
from engine.simulation import play_out
from tests.engine.naive import legal_boards

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "var" / "peers"
COMPILED = ROOT / "var" / "engine-wheel" / "installed"
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
THREE_PLIES = 116_154_993
RUNS = 5
NAIVE_PAIRS = 1000
"""Pairs for the naive generator, which is slow."""
LENGTHS = (1, 3, 5, 7, 9, 11, 15, 21, 25)
MATCHES = 20
"""Matches of each length."""

Pair = tuple[Position, tuple[int, int]]


def pairs(seed: int, count: int) -> list[Pair]:
    """Return positions from random games, each with a random roll."""
    chance = Random(seed)  # noqa: S311, repeatable
    positions: list[Position] = []
    while len(positions) < count:
        position = Position.start()
        while not position.is_over:
            positions.append(position)
            plays = legal_plays(position, _roll(chance))
            position = (plays[chance.randrange(len(plays))].result if plays else position).swapped()
    chance.shuffle(positions)
    return [(position, _roll(chance)) for position in positions[:count]]


def _roll(chance: Random) -> tuple[int, int]:
    return chance.randint(1, 6), chance.randint(1, 6)


def best(work: Callable[[], object], runs: int = RUNS) -> float:
    """Return the processor seconds of the fastest of several runs."""
    times = []
    for _ in range(runs):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


def rate(name: str, inputs: list[Any], work: Callable[..., object], plays: int) -> str:
    """Return a line of the table: calls a second, one after the other, and the total number of plays."""

    def all_inputs() -> None:
        for each in inputs:
            work(*each)

    return f"{name:44}{len(inputs) / best(all_inputs):12,.0f} a second{plays:12,} plays"


def legal_sets(sample: list[Pair]) -> list[str]:
    """Measure full legal sets a second, ours and the naive one."""
    keys = [(position.key, *dice) for position, dice in sample]
    boards = [(position.counts, dice) for position, dice in sample[:NAIVE_PAIRS]]
    play_count = sum(len(legal_results(*key)) for key in keys)
    naive = sum(len(legal_boards(*board)) for board in boards)
    return [
        rate("engine.search.legal_results, the search alone", keys, legal_results, play_count),
        rate("engine.legal_plays", sample, legal_plays, play_count),
        rate("engine.legal_plays, every result a Position", sample, _results, play_count),
        rate("engine.legal_plays, every play as text", sample, _texts, play_count),
        rate("the naive generator of the tests", boards, legal_boards, naive),
    ]


def _results(position: Position, dice: tuple[int, int]) -> list[Position]:
    return [play.result for play in legal_plays(position, dice)]


def _texts(position: Position, dice: tuple[int, int]) -> list[str]:
    return [str(play) for play in legal_plays(position, dice)]


def peers(sample: list[Pair]) -> list[str]:
    """Measure the same pairs with other engines, called from Python."""
    if PEERS.is_dir():
        sys.path.append(str(PEERS))
    return [_gnubg_nn(sample), _bgsage(sample)]


def _gnubg_nn(sample: list[Pair]) -> str:
    try:
        moves = import_module("gnubg_nn").moves
    except ImportError:
        return "gnubg-nn: not installed (make bench-peers)"
    inputs = []
    for position, dice in sample:
        counts = position.counts
        own = [max(0, counts[point]) for point in range(1, 26)]
        opposing = [max(0, -counts[25 - point]) for point in range(1, 26)]
        inputs.append(([opposing, own], *dice))
    play_count = sum(len(moves(*each)) for each in inputs)
    name = f"gnubg-nn {version('gnubg-nn')} (C), moves as keys"
    return rate(name, inputs, moves, play_count)


def _bgsage(sample: list[Pair]) -> str:
    """Measure bgsage, which returns the same plays as ours, and the unchanged board if there is no move."""
    try:
        possible_moves = import_module("bgsage").possible_moves
    except ImportError:
        return "bgsage: not installed (make bench-peers)"
    inputs = [([-position.counts[0], *position.counts[1:]], *dice) for position, dice in sample]
    play_count = sum(len(possible_moves(*each)) for each in inputs)
    name = f"bgsage {version('bgsage')} (C++), boards"
    return rate(name, inputs, possible_moves, play_count)


def compiled_and_pure(options: list[str]) -> str:
    """Measure the figures of `--brief` for each engine, in a process of its own."""
    if not COMPILED.is_dir():
        return "not built (make engine-wheel)"
    lines = []
    for name, engine in (("compiled", COMPILED), ("pure", ROOT)):
        command = [sys.executable, "-P", "-m", "benchmarks.bench_engine", "--brief", *options]
        environment = os.environ | {"PYTHONPATH": f"{engine}{os.pathsep}{ROOT}"}
        figures = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: S603
        lines.append(f"{name}\n{figures}")
    return "\n".join(lines).rstrip()


def brief(seed: int, sample: list[Pair]) -> list[str]:
    """Measure legal sets alone and lazily, and matches to 7 points from bytes to verdict."""
    keys = [(position.key, *dice) for position, dice in sample]
    play_count = sum(len(legal_results(*key)) for key in keys)
    files = [write(play_out(seed + number, 7), "mat") for number in range(MATCHES)]
    return [
        rate("  engine.search.legal_results", keys, legal_results, play_count),
        rate("  engine.legal_plays", sample, legal_plays, play_count),
        f"  7 points as mat, bytes to verdict {_milliseconds(check_record, files):.2f} ms",
    ]


def three_plies() -> str:
    """Count the positions after three rolls from the start: a pass counts as one, transpositions separately."""
    begun = process_time()
    total = 0
    for first in ROLLS:
        for first_key in legal_results(Position.start().key, *first):
            turned = position_of(first_key).swapped().key
            for second in ROLLS:
                for second_key in legal_results(turned, *second) or (turned,):
                    back = position_of(second_key).swapped().key
                    total += sum(len(legal_results(back, *third)) or 1 for third in ROLLS)
    sets = 21 + 447 * 21 + 202_782 * 21
    seconds = process_time() - begun
    verdict = "correct" if total == THREE_PLIES else f"WRONG, expected {THREE_PLIES:,}"
    return (
        f"{total:,} positions after three rolls, {verdict}: {seconds:.0f} s, {sets / seconds:,.0f} legal sets a second"
    )


def records(seed: int) -> list[str]:
    """Measure from bytes to verdict: `.mat` by length of the match, and 7 points by format."""
    lines = ["points   games   rolls   KiB    reading   bytes to verdict    (ms a match, median of matches)"]
    for length in LENGTHS:
        matches = [play_out(seed + number, length) for number in range(MATCHES)]
        files = [write(match, "mat") for match in matches]
        games = sum(len(match.games) for match in matches) / MATCHES
        events = sum(len(game.events) for match in matches for game in match.games) / MATCHES
        size = sum(map(len, files)) / MATCHES / 1024
        lines.append(
            f"{length:6}{games:8.1f}{events:8.0f}{size:7.1f}{_milliseconds(read, files):10.2f}"
            f"{_milliseconds(check_record, files):14.2f}"
        )
    sevens = [play_out(seed + number, 7) for number in range(MATCHES)]
    for name in ("mat", "sgf", "json"):
        files = [write(match, name) for match in sevens]
        lines.append(
            f"7 points as {name:5} reading {_milliseconds(read, files):.2f} ms, "
            f"bytes to verdict {_milliseconds(check_record, files):.2f} ms"
        )
    return lines


def _milliseconds(work: Callable[[bytes], object], files: list[bytes]) -> float:
    return median(1000 * best(lambda data=data: work(data), 3) for data in files)  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--three-plies", action="store_true")
    parser.add_argument("--brief", action="store_true", help="three figures only")
    options = parser.parse_args()
    if options.brief:
        print(*brief(options.seed, pairs(options.seed, options.pairs)), sep="\n")
        return
    print(f"Python {platform.python_version()}, {platform.machine()}, {processor()}, seed {options.seed}")
    print(f"\nFull legal sets of {options.pairs:,} positions, each with a roll")
    sample = pairs(options.seed, options.pairs)
    print(*legal_sets(sample), *peers(sample), sep="\n")
    print("\nMatch records")
    print(*records(options.seed), sep="\n")
    print("\nThe compiled engine and the pure one")
    print(compiled_and_pure(["--seed", str(options.seed), "--pairs", str(options.pairs)]))
    if options.three_plies:
        print(f"\n{three_plies()}")


if __name__ == "__main__":
    main()
