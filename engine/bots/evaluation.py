"""An estimate of the winning chance in a position, from features that a club player counts.

The unit is the pip: every feature says how many pips of a race it is worth. The weights are rules of thumb, tried out
against each other in simulated matches; nothing here looks ahead.
"""

from collections.abc import Sequence
from math import erf, exp, sqrt

from engine.position import Position

HALF_A_ROLL = 4.0
"""What being on roll is worth in a race."""
SCALE = 16.0
"""Pips of advantage, with contact, at which the winning chance is 1/(1 + 1/e), about 73%."""
MOST_SURE, LEAST_SURE = 0.98, 0.02
"""Bounds of the winning chance while there is contact."""

POINT_WORTH = (0.0, 0.0, 1.5, 4.0, 7.0, 8.0, 6.0, 6.0, 3.0, 1.5, 1.5, 1.0, 0.5) + (0.5,) * 6
"""A made point in front of the opponent's checkers, by its number up to 18."""
ANCHOR_WORTH = {24: 2.0, 23: 2.0, 22: 4.5, 21: 7.5, 20: 9.0, 19: 4.0, 18: 5.0}
PRIME_WORTH = (0.0, 0.0, 0.0, 2.5, 6.0, 12.0, 20.0)
"""Consecutive points in front of the opponent's checkers, by their number."""
TRAPPED_WORTH = (0.0, 0.0, 0.0, 0.5, 1.5, 3.0, 6.0)
"""More for each checker that such a row holds back."""
SPARE_CHECKERS = 3
STACK_COST = 1.2
"""For each checker on a point beyond `SPARE_CHECKERS`."""
HIT_COST = 5.0
"""What it costs to be hit, beside the pips lost …"""
HOME_POINT_COST = 3.0
"""… and for each point of the home board of whoever hits."""
LATER_SHOT = 0.35
"""How much a shot counts that the side not on roll has: the blot may still move."""
ENTER_COST = 4.0
"""A checker on the bar costs half a roll …"""
DANCE_COST = (0.0, 0.2, 0.9, 2.0, 4.5, 10.0, 22.0)
"""… and so much more by the number of points it cannot enter on."""

_SHOTS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
"""Of 36 rolls, those that hit at a distance in the open."""
_HIT_CHANCE = tuple(rolls / 36 for rolls in _SHOTS)


def winning_chance(position: Position) -> float:
    """Estimate the chance (0–1) of the player on roll to win the game, its gammons left aside."""
    if position.is_over:
        return float(position.borne_off[0] > position.borne_off[1])
    counts = position.counts
    own = counts
    opposing = tuple(-count for count in reversed(counts))
    if not _has_contact(counts):
        return _race_chance(own, opposing)
    advantage = HALF_A_ROLL + _lead(own, opposing) + _structure(own, opposing) - _structure(opposing, own)
    advantage += _risk(opposing, own, 1.0) - _risk(own, opposing, LATER_SHOT)
    return min(MOST_SURE, max(LEAST_SURE, 1 / (1 + exp(-advantage / SCALE))))


def _has_contact(counts: Sequence[int]) -> bool:
    """Whether some checker of either side still has to pass one of the other."""
    rearmost = max(point for point, count in enumerate(counts) if count > 0)
    return any(count < 0 for count in counts[:rearmost])


def _lead(own: Sequence[int], opposing: Sequence[int]) -> float:
    return _pips(opposing) - _pips(own)


def _pips(counts: Sequence[int]) -> float:
    return sum(point * count for point, count in enumerate(counts) if count > 0)


def _race_chance(own: Sequence[int], opposing: Sequence[int]) -> float:
    """The chance of the player on roll in a race by Kleinman's formula, wasted pips counted."""
    mine, theirs = (_pips(counts) + _wastage(counts) for counts in (own, opposing))
    lead = theirs - mine + HALF_A_ROLL
    spread = sqrt(max(1.0, mine + theirs - HALF_A_ROLL))
    return 0.5 + 0.5 * erf(lead / spread)


def _wastage(counts: Sequence[int]) -> float:
    """Pips that a bear-off will waste: checkers deep in the home board, and gaps."""
    gaps = sum(1 for point in (4, 5, 6) if counts[point] <= 0)
    left = sum(count for count in counts if count > 0)
    return 2.0 * max(0, counts[1] - 1) + max(0, counts[2] - 1) + gaps + 0.5 * left


def _structure(own: Sequence[int], opposing: Sequence[int]) -> float:
    """What the points, primes, anchors and stacks of a side are worth, in pips; checkers as this side sees them."""
    # The opponent's checkers that still have to come past: those on lower points of this side, and on the bar.
    first_foe = next((point for point, count in enumerate(own) if count < 0), 25)
    behind = [-count if count < 0 else 0 for count in own]
    worth = row = 0.0
    length = 0
    trapped = sum(behind[:1])
    for point in range(1, 19):
        if own[point] > 1 and point > first_foe:
            worth += POINT_WORTH[point]
            length += 1
            best = min(length, 6)
            row = max(row, PRIME_WORTH[best] + TRAPPED_WORTH[best] * sum(behind[: point - length + 1]))
        else:
            length = 0
            trapped += behind[point]
    rearmost = max((point for point, count in enumerate(opposing) if count > 0), default=0)
    for point, anchor in ANCHOR_WORTH.items():
        if own[point] > 1 and rearmost >= 25 - point:
            worth += anchor
    stacked = sum(count - SPARE_CHECKERS for count in own[1:25] if count > SPARE_CHECKERS)
    return worth + row - STACK_COST * stacked - _bar_cost(own, opposing)


def _bar_cost(own: Sequence[int], opposing: Sequence[int]) -> float:
    """What the side's checkers on the bar cost, in pips."""
    if not own[25]:
        return 0.0
    return own[25] * (ENTER_COST + DANCE_COST[_home_points(opposing)])


def _home_points(counts: Sequence[int]) -> int:
    return sum(1 for point in range(1, 7) if counts[point] > 1)


def _risk(own: Sequence[int], hitting: Sequence[int], weight: float) -> float:
    """What the blots of a side cost, in pips, if the other may hit them; `weight` of the chance counts."""
    cost = 0.0
    price = HIT_COST + HOME_POINT_COST * _home_points(hitting)
    for point in range(1, 25):
        if own[point] == 1:
            chance = _hit_chance(own, point)
            if chance:
                cost += chance * (25 - point + price)
    return weight * cost


def _hit_chance(own: Sequence[int], point: int) -> float:
    """The chance (0–1) that a blot on this point is hit: single shots in the open, as if independent."""
    missed = 1.0
    for foe in range(max(0, point - 24), point):
        if own[foe] < 0:
            missed *= 1 - _HIT_CHANCE[point - foe] * _passable(own, foe, point)
    return 1 - missed


def _passable(own: Sequence[int], foe: int, point: int) -> float:
    """How much of a shot the points between leave (0–1): combinations need a place to land on."""
    distance = point - foe
    if distance == 1:
        return 1.0
    blocked = sum(1 for between in range(foe + 1, point) if own[between] > 1)
    open_share = 1 - blocked / (distance - 1)
    return open_share if distance > 6 else 0.75 + 0.25 * open_share
