"""What the Club Bot's network sees of a position: the checkers of both sides, and a few things that players count."""

from collections.abc import Sequence
from functools import lru_cache

from engine.position import Position

SIDES, POINTS, MOST = 2, 26, 7
"""Inputs of the checkers: one for each side, point (with 25 for the bar and 0 for those borne off) and number."""
CHECKER_INPUTS = SIDES * POINTS * MOST + SIDES * 15
COUNTED_INPUTS = 15


def has_contact(counts: Sequence[int]) -> bool:
    """Whether some checker of either side still has to pass one of the other."""
    rearmost = max((point for point, count in enumerate(counts) if count > 0), default=0)
    return any(count < 0 for count in counts[:rearmost])


def checker_inputs(position: Position) -> list[int]:
    """The inputs that are 1: one for each point that a side holds, and one for its checkers borne off."""
    inputs = []
    own_off = opposing_off = 15
    for point, count in enumerate(position.counts):
        if count > 0:
            inputs.append(point * MOST + min(count, MOST) - 1)
            own_off -= count
        elif count < 0:
            inputs.append((POINTS + 25 - point) * MOST + min(-count, MOST) - 1)
            opposing_off += count
    first = SIDES * POINTS * MOST
    inputs.append(first + min(own_off, 14))
    inputs.append(first + 15 + min(opposing_off, 14))
    return inputs


def counted_inputs(position: Position) -> list[float]:
    """What players count, each scaled to about −1 to 1; the side on roll first where it concerns one side."""
    own = position.counts
    opposing = tuple(-count for count in reversed(own))
    own_pips, opposing_pips = position.pips
    if not has_contact(own):
        return [
            (opposing_pips - own_pips) / 30,
            own_pips / 100,
            opposing_pips / 100,
            (opposing_pips - own_pips + 4) / (own_pips + opposing_pips + 4) ** 0.5 / 3,
            _wasted(own) / 10,
            _wasted(opposing) / 10,
            *(0.0,) * (COUNTED_INPUTS - 6),
        ]
    own_hits, opposing_hits = hitting_rolls(own), hitting_rolls(opposing)
    return [
        (opposing_pips - own_pips) / 60,
        own_pips / 120,
        opposing_pips / 120,
        own_hits / 36,
        opposing_hits / 36,
        _exposed(opposing) / 60 * own_hits / 36,
        _exposed(own) / 60 * opposing_hits / 36,
        _home_points(own) / 6,
        _home_points(opposing) / 6,
        _escapes(own) / 36,
        _escapes(opposing) / 36,
        _longest_prime(own) / 6,
        _longest_prime(opposing) / 6,
        own[25] * _home_points(opposing) / 8,
        opposing[25] * _home_points(own) / 8,
    ]


def _wasted(counts: Sequence[int]) -> float:
    """About how many pips a bear-off wastes: checkers deep in the home board, and gaps."""
    gaps = sum(1 for point in (4, 5, 6) if counts[point] <= 0)
    return 2.0 * max(0, counts[1] - 1) + max(0, counts[2] - 1) + gaps


def _exposed(counts: Sequence[int]) -> int:
    """The pips that the farthest blot that can be hit would lose."""
    rearmost = next((25 - point for point in range(25) if counts[point] < 0), 0)
    return max((25 - point for point in range(1, 25) if counts[point] == 1 and rearmost > 25 - point), default=0)


def _home_points(counts: Sequence[int]) -> int:
    return sum(1 for point in range(1, 7) if counts[point] > 1)


def _longest_prime(counts: Sequence[int]) -> int:
    best = length = 0
    for point in range(1, 19):
        length = length + 1 if counts[point] > 1 else 0
        best = max(best, length)
    return best


def _escapes(counts: Sequence[int]) -> int:
    """Rolls of 36 that let the rearmost checker run past what blocks it, up to twelve points ahead."""
    rearmost = max(point for point, count in enumerate(counts) if count > 0)
    if rearmost < 13:
        return 36
    mask = 0
    for ahead in range(1, 13):
        if counts[rearmost - ahead] < -1:
            mask |= 1 << ahead
    return _escaping_rolls(mask)


@lru_cache(maxsize=5000)
def _escaping_rolls(mask: int) -> int:
    """Rolls that move a checker at least seven pips or past the last of the blocked points; bit n: n pips ahead."""
    goal = min(7, mask.bit_length())
    count = 0
    for first in range(1, 7):
        for second in range(1, 7):
            reach = 0
            if first == second:
                while reach < 4 * first and not mask >> (reach + first) & 1:
                    reach += first
            else:
                for high, low in ((first, second), (second, first)):
                    if not mask >> high & 1:
                        reach = max(reach, high)
                        if not mask >> (high + low) & 1:
                            reach = high + low
            count += reach >= goal
    return count


def hitting_rolls(counts: Sequence[int]) -> int:
    """Rolls of 36 with which the side hits a blot, seen by itself; what it has to enter first counts roughly."""
    blots = [point for point in range(1, 25) if counts[point] == -1]
    if not blots:
        return 0
    sources = [25] if counts[25] else [point for point in range(2, 25) if counts[point] > 0]
    shots = [(source, source - blot) for blot in blots for source in sources if source > blot]
    closed = [count < -1 for count in counts]
    direct = {distance for _, distance in shots if distance <= 6}
    if counts[25] == 1:
        # The other die is free once the checker has entered.
        direct |= _free_hits(counts, blots)
    both, doubles = set(), set()
    for source, distance in shots:
        for first in range(max(1, distance - 6), min(6, distance - 1) + 1):
            second = distance - first
            if first != second and not closed[source - first]:
                both.add((min(first, second), max(first, second)))
        for die in _DIVISORS[distance]:
            if not any(closed[point] for point in range(source - die, source - distance, -die)):
                doubles.add(die)
    misses = 6 - len(direct)
    combined = sum(2 for low, high in both if low not in direct and high not in direct)
    return 36 - misses * misses + combined + len(doubles - direct)


_DIVISORS = [[die for die in range(1, 7) if distance in (2 * die, 3 * die, 4 * die)] for distance in range(26)]
"""By distance: the numbers that a double covers it with, in two to four steps."""


def _free_hits(counts: Sequence[int], blots: Sequence[int]) -> set[int]:
    """Numbers that hit from the board, if most of the opponent's home board is open to the checker on the bar."""
    if sum(1 for point in range(19, 25) if counts[point] > -2) < 4:
        return set()
    return {die for blot in blots for die in range(1, 7) if blot + die < 25 and counts[blot + die] > 0}
