"""The Club Bot's estimate of a position: two small neural networks, one for contact and one for races.

Their weights (`weights.py`) were fitted to what GNU Backgammon says about positions of many games (docs/playing.md); no
program is needed to use them.
"""

from array import array
from base64 import b64decode
from collections.abc import Sequence
from functools import cache, lru_cache
from math import exp, tanh
from sys import byteorder
from typing import NamedTuple

from engine.bots.features import CHECKER_INPUTS, COUNTED_INPUTS, checker_inputs, counted_inputs, has_contact
from engine.bots.weights import CONTACT, RACE, SCALE
from engine.position import Position

OUTPUTS = 3


class BotChances(NamedTuple):
    """How a game may end for the side on roll, cube and score left aside (0–1)."""

    win: float
    """A gammon included."""
    win_gammon: float
    lose_gammon: float

    def reversed(self) -> "BotChances":
        """The same for the other side."""
        return BotChances(1 - self.win, self.lose_gammon, self.win_gammon)


class Network:
    """One hidden layer. Most inputs are 0 or 1, so that it adds rows of weights rather than multiplying matrices."""

    def __init__(self, text: str) -> None:
        numbers = array("h", b64decode(text))
        if byteorder == "big":
            numbers.byteswap()
        inputs = CHECKER_INPUTS + COUNTED_INPUTS + 1
        size = (len(numbers) - OUTPUTS) // (inputs + OUTPUTS)
        values = [number / SCALE for number in numbers]
        rows = [tuple(values[at : at + size]) for at in range(0, inputs * size, size)]
        self.of_checkers, self.of_counted, self.bias = rows[:CHECKER_INPUTS], rows[CHECKER_INPUTS:-1], rows[-1]
        outer = values[inputs * size : -OUTPUTS]
        self.outer = [tuple(outer[output::OUTPUTS]) for output in range(OUTPUTS)]
        self.outer_bias = values[-OUTPUTS:]

    def chances(self, checkers: Sequence[int], counted: Sequence[float]) -> BotChances:
        rows = [self.bias, *(self.of_checkers[index] for index in checkers)]
        rows += [
            tuple([weight * value for weight in row])
            for row, value in zip(self.of_counted, counted, strict=True)
            if value
        ]
        hidden = [tanh(total) for total in map(sum, zip(*rows, strict=True))]
        win, win_gammon, lose_gammon = (
            1 / (1 + exp(-bias - sum([weight * value for weight, value in zip(row, hidden, strict=True)])))
            for row, bias in zip(self.outer, self.outer_bias, strict=True)
        )
        return BotChances(win, min(win, win_gammon), min(1 - win, lose_gammon))


@cache
def _network(*, contact: bool) -> Network:
    return Network(CONTACT if contact else RACE)


@lru_cache(maxsize=5000)
def chances(position: Position) -> BotChances:
    """Estimate how the game ends for the side on roll."""
    own, opposing = position.borne_off
    if position.is_over:
        won = own > opposing
        return BotChances(float(won), float(won and not opposing), float(not won and not own))
    network = _network(contact=has_contact(position.counts))
    estimate = network.chances(checker_inputs(position), counted_inputs(position))
    # A side that has borne off a checker cannot lose a gammon any more.
    return estimate._replace(
        win_gammon=0.0 if opposing else estimate.win_gammon, lose_gammon=0.0 if own else estimate.lose_gammon
    )
