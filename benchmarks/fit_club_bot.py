"""The weights of the Club Bot's networks: `python -m benchmarks.fit_club_bot gather FILE`, then `… fit FILE …`.

`gather` plays games with gnubg at 0-ply, some of them with errors, and writes what it says about the best plays and
some others: the position after the play, seen by the side on roll, and the chances of whoever has played: to win, to
win a gammon or a backgammon, to lose a gammon or a backgammon. `fit` writes `engine/bots/weights.py`. The last twelfth
of the positions is left out and compared with at the end. docs/playing.md says what the weights that are there came of.
"""

import argparse
import os
import re
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from textwrap import wrap
from typing import Any

import django
import numpy as np

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from engine.actions import Phase  # noqa: E402
from engine.bots.features import (  # noqa: E402
    CHECKER_INPUTS,
    COUNTED_INPUTS,
    checker_inputs,
    counted_inputs,
    has_contact,
)
from engine.errors import Refused  # noqa: E402
from engine.match import MatchState  # noqa: E402
from engine.notation import parse_play  # noqa: E402
from engine.plays import legal_plays  # noqa: E402
from engine.position import Position, position_of  # noqa: E402
from engine.resolution import resolve  # noqa: E402
from matches.analysis.backends.gnubg import Gnubg, hint_commands  # noqa: E402
from matches.analysis.backends.processes import ProgramLimits  # noqa: E402
from matches.analysis.backends.warm import WarmProgram  # noqa: E402

WEIGHTS = Path(__file__).parents[1] / "engine/bots/weights.py"
HIDDEN = {"CONTACT": 32, "RACE": 12}
SCALE = 2048
"""Weights are stored as whole numbers of so many parts of 1."""
BEST, OTHERS = 5, 4
"""Plays of a roll that are written: the best ones, and others at random."""
ERRORS = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Sizes of the noise by which a game's plays are chosen."""
ACTIVE = 32
"""Room for the inputs of the checkers of a position."""
BATCH, RATE, OUTPUT_WEIGHTS = 512, 3e-3, (2.0, 1.0, 1.0)
_ROW = re.compile(r"^\s*\d+\. Cubeful 0-ply\s+(\S.*?)\s+Eq\.:\s*([+-]\d+\.\d+).*\n\s+([\d. -]+)$", re.MULTILINE)
Array = Any


def gather(path: Path, seed: int, seconds: float) -> None:
    """Play and write for so many seconds."""
    gnubg = WarmProgram([Gnubg().program, "-t", "-q", "-r"], ProgramLimits().for_advice())
    chance, end = Random(seed), time.monotonic() + seconds  # noqa: S311, no secret
    with path.open("w") as file:
        while time.monotonic() < end:
            for line in _game(gnubg, chance):
                file.write(line)


def _game(gnubg: WarmProgram, chance: Random) -> Iterator[str]:
    position, noise, is_opening = Position.start(), chance.choice(ERRORS), True
    while not position.is_over:
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        if is_opening and dice[0] == dice[1]:
            continue
        is_opening = False
        plays = legal_plays(position, dice)
        if len(plays) < 2:
            position = (plays[0].result if plays else position).swapped()
            continue
        state = MatchState.start(0)._replace(position=position, turn=0, phase=Phase.TO_PLAY, dice=dice)
        rows = list(_rows(gnubg.ask(hint_commands(state, 0, 1), b"Seed set to 1"), position, dice))
        for _, result, chances in rows[:BEST] + chance.sample(rows[BEST:], min(OTHERS, len(rows[BEST:]))):
            if not result.is_over:
                yield f"{result.swapped().letters} {chances}\n"
        position = max(rows, key=lambda row: row[0] + chance.gauss(0, noise) if noise else row[0])[1].swapped()


def _rows(text: str, position: Position, dice: tuple[int, int]) -> Iterator[tuple[float, Position, str]]:
    for play, equity, numbers in _ROW.findall(text):
        win, win_gammon, win_backgammon, _, lose_gammon, lose_backgammon = numbers.replace(" - ", " ").split()
        try:
            result = position_of(resolve(position.key, dice, parse_play(play)).key)
        except Refused:
            continue
        yield float(equity), result, f"{win} {win_gammon} {win_backgammon} {lose_gammon} {lose_backgammon}"


def loaded(paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
    """The inputs of the checkers and those that are counted, the chances of the side on roll, and who has contact."""
    checkers, counted, chances, contact = [], [], [], []
    for line in (line for path in paths for line in path.read_text().splitlines()):
        letters, win, win_gammon, _, lose_gammon, _ = line.split()
        position = Position.from_letters(letters)
        active = checker_inputs(position)
        checkers.append(active + [CHECKER_INPUTS] * (ACTIVE - len(active)))
        counted.append(counted_inputs(position))
        chances.append((1 - float(win), float(lose_gammon), float(win_gammon)))
        contact.append(has_contact(position.counts))
    return np.array(checkers), np.array(counted, np.float32), np.array(chances, np.float32), np.array(contact)


class Fit:
    """A network while it is fitted, by Adam with a rate that falls to nothing."""

    def __init__(self, checkers: Array, counted: Array, chances: Array, hidden: int) -> None:
        self.checkers, self.counted, self.chances = checkers, counted, chances
        random = np.random.default_rng(1)

        def normal(size: float, *shape: int) -> Array:
            return random.normal(0, size, shape).astype(np.float32)

        self.random = random
        self.weights = [
            normal(0.08, CHECKER_INPUTS + 1, hidden),
            normal(0.2, COUNTED_INPUTS, hidden),
            np.zeros(hidden, np.float32),
            normal(0.15, hidden, 3),
            np.zeros(3, np.float32),
        ]
        self.weights[0][CHECKER_INPUTS] = 0

    def run(self, epochs: int) -> None:
        """Fit the weights, and print how far they are off on positions that were left out."""
        count = len(self.chances)
        known = count - count // 12
        means = [np.zeros_like(each) for each in self.weights]
        squares = [np.zeros_like(each) for each in self.weights]
        step = 0
        for epoch in range(epochs):
            rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
            order = self.random.permutation(known)
            for start in range(0, known, BATCH):
                step += 1
                for index, slope in enumerate(self._slopes(order[start : start + BATCH])):
                    means[index] = 0.9 * means[index] + 0.1 * slope
                    squares[index] = 0.999 * squares[index] + 0.001 * slope**2
                    mean, square = means[index] / (1 - 0.9**step), squares[index] / (1 - 0.999**step)
                    self.weights[index] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
        rest = np.arange(known, count)
        _, outputs = self._forward(rest)
        equity = np.array([2, 1, -1])
        off = np.sqrt((((outputs - self.chances[rest]) @ equity) ** 2).mean())
        print(f"{count} positions, {epochs} rounds: off by {off:.4f} points on the {len(rest)} that were left out")

    def _forward(self, rows: Array) -> tuple[Array, Array]:
        of_checkers, of_counted, bias, outer, outer_bias = self.weights
        hidden = np.tanh(of_checkers[self.checkers[rows]].sum(1) + self.counted[rows] @ of_counted + bias)
        return hidden, 1 / (1 + np.exp(-(hidden @ outer + outer_bias)))

    def _slopes(self, rows: Array) -> list[Array]:
        hidden, outputs = self._forward(rows)
        off = outputs - self.chances[rows]
        # Between least squares and cross-entropy.
        errors = (off * np.array(OUTPUT_WEIGHTS) * outputs * (1 - outputs) * 4 + 0.1 * off) / len(rows)
        inner = (errors @ self.weights[3].T) * (1 - hidden**2)
        of_checkers = np.zeros_like(self.weights[0])
        np.add.at(of_checkers, self.checkers[rows].ravel(), np.repeat(inner, ACTIVE, 0))
        of_checkers[CHECKER_INPUTS] = 0
        return [of_checkers, self.counted[rows].T @ inner, inner.sum(0), hidden.T @ errors, errors.sum(0)]

    @property
    def text(self) -> str:
        """The weights as they are stored."""
        of_checkers, of_counted, bias, outer, outer_bias = self.weights
        parts = [of_checkers[:CHECKER_INPUTS], of_counted, bias, outer, outer_bias]
        numbers = np.concatenate([part.ravel() for part in parts])
        return b64encode(np.clip(np.rint(numbers * SCALE), -32768, 32767).astype("<i2").tobytes()).decode()


def fit(paths: Sequence[Path], epochs: int) -> None:
    """Fit both networks and write their weights."""
    checkers, counted, chances, contact = loaded(paths)
    lines = ['"""The weights of the Club Bot\'s networks, written by `python -m benchmarks.fit_club_bot`."""', ""]
    lines += [f"SCALE = {SCALE}", '"""Parts of 1 that a weight is counted in."""']
    for (name, hidden), rows, times in zip(HIDDEN.items(), (contact, ~contact), (1, 3), strict=True):
        fitted = Fit(checkers[rows], counted[rows], chances[rows], hidden)
        fitted.run(epochs * times)
        lines += [f"{name} = (", *(f'    "{part}"' for part in wrap(fitted.text, 110)), ")"]
    WEIGHTS.write_text("\n".join([*lines, ""]))


def main() -> None:
    """Gather positions, or fit the weights to them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["gather", "fit"])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300, help="how long to gather")
    parser.add_argument("--rounds", type=int, default=30, help="how often each position is seen")
    options = parser.parse_args()
    if options.step == "gather":
        gather(options.files[0], options.seed, options.seconds)
    else:
        fit(options.files, options.rounds)


if __name__ == "__main__":
    main()
