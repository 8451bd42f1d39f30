"""Quick tests for plays that are written step by step in an order in which they can be played, as most are.

Such a *straight* play is legal if it uses every die, so no search is needed. What a step requires of a position can be
computed in advance: each count in the key is at least, at most or exactly some number. All of these are tested at once,
by one addition to the key and one comparison.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.keys import BAR, BIAS, COUNTS, OFF
from engine.search import HIT, MOVE, ROLLS, TARGET, Dice
from engine.transcript import Move

Test = tuple[int, int, int, int]
"""A step as (offset, mask, expected, change): legal if `key + offset & mask == expected`; then add `change`."""
HIGH_BIT = 128
OUTSIDE = 7
"""The first point outside the home board."""


def _test(die: int, source: int, *, hitting: bool) -> Test:
    """Return the test of a step: a checker on the source, none on the bar, the target open, all home to bear off."""
    target = TARGET[die][source]
    least, most = {source: BIAS + 1}, {}
    if source != BAR:
        most[BAR] = BIAS
    if target != OFF:
        least[target] = BIAS - 1 if hitting else BIAS
    if hitting:
        most[target] = BIAS - 1
    if target == OFF:
        most |= dict.fromkeys(range(OUTSIDE if die == source else source + 1, BAR), BIAS)
    change = (HIT if hitting else MOVE)[die][source]
    return (*_comparison(least, most), change)


def _comparison(least: dict[int, int], most: dict[int, int]) -> tuple[int, int, int]:
    """Return (offset, mask, expected) of a comparison that holds if each count of a key is within its bounds.

    A byte with one bound is shifted so that its high bit decides; a byte with both bounds has only one possible value.
    """
    offset = mask = expected = 0
    for point in least.keys() | most.keys():
        byte = 8 * point
        if point in least and point in most:
            mask |= 255 << byte
            expected |= least[point] << byte
        elif point in least:
            offset |= HIGH_BIT - least[point] << byte
            mask |= HIGH_BIT << byte
            expected |= HIGH_BIT << byte
        else:
            offset |= HIGH_BIT - 1 - most[point] << byte
            mask |= HIGH_BIT << byte
    return offset, mask, expected


_STEPS = [(die, source) for die in range(1, 7) for source in range(1, COUNTS)]
_QUIET = {(die, source): _test(die, source, hitting=False) for die, source in _STEPS}
_HITTING = {(die, source): _test(die, source, hitting=True) for die, source in _STEPS if die < source}


def straight_steps(dice: Dice, ways: Sequence[Sequence[int]]) -> list[tuple[int, int]] | None:
    """Return the steps as (die, source); None unless every move is a single step by a die of its own."""
    left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
    steps = []
    for way in ways:
        if len(way) != 2 or not OFF <= way[1] < way[0] <= BAR:
            return None
        source, target = way
        die = source - target
        if target == OFF and die not in left:
            die = min((other for other in left if other > die), default=0)
        if die not in left:
            return None
        left.remove(die)
        steps.append((die, source))
    return steps


@lru_cache(maxsize=16384)
def straight_tests(dice: Dice | None, moves: tuple[Move, ...] | None) -> tuple[Test, ...] | None:
    """Return the tests of a straight play of every die that hits exactly where it is marked; None for other plays."""
    if dice is None or dice not in ROLLS or not moves or len(moves) != steps_in(dice):
        return None
    steps = straight_steps(dice, [move.points for move in moves])
    if steps is None:
        return None
    tests = []
    for step, move in zip(steps, moves, strict=True):
        test = (_HITTING if True in move.hits[:1] else _QUIET).get(step)
        if test is None:
            return None
        tests.append(test)
    return tuple(tests)


def steps_in(dice: Dice) -> int:
    """Return how many steps use every die."""
    return 4 if dice[0] == dice[1] else 2


def after_tests(key: int, tests: Iterable[Test]) -> int | None:
    """Return the key after these steps; None if one of them is illegal or does not hit as expected."""
    for offset, mask, expected, change in tests:
        if key + offset & mask != expected:
            return None
        key += change
    return key


def after_steps(key: int, steps: Iterable[tuple[int, int]]) -> int | None:
    """Return the key after these steps, whatever they hit; None if one of them is illegal."""
    for step in steps:
        after = after_tests(key, (_QUIET[step],))
        if after is None and step in _HITTING:
            after = after_tests(key, (_HITTING[step],))
        if after is None:
            return None
        key = after
    return key
