"""What can be counted of the position after a play: exact numbers, from the rules alone."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine import Position
from engine.keys import BAR, BIAS, CHECKERS, OFF
from engine.search import HOME, legal_results
from matches.analysis.situations import has_contact

LAST_HOME = HOME.bit_length() - 1
"""The highest point of the own home board."""
THEIR_HOME = 19
"""The lowest point of the opponent's home board."""
ROLLS = tuple((first, second, 2 - (first == second)) for first, second in combinations_with_replacement(range(1, 7), 2))
"""The 21 rolls, each with how many of 36 it stands for."""


@dataclass(frozen=True, slots=True)
class Features:
    """The position after a play, seen by the side that made it, with the opponent to roll."""

    hits: int
    """Opposing checkers that the play sent to the bar."""
    shots: int
    """Rolls of 36 that can hit a checker."""
    dances: int
    """Rolls of 36 after which no checker can move while one is on the opponent's bar."""
    points: frozenset[int]
    """Where two or more own checkers stand."""
    new: frozenset[int]
    """The points that were none before the play."""
    lost: frozenset[int]
    """Those that were some before it."""
    prime: int
    """The longest run of adjacent points, on the lowest of equal ones."""
    behind: int
    """Opposing checkers that still have to pass it."""
    back: int
    """Own checkers in the opponent's home board and on the bar."""
    contact: bool
    off: int
    """Own checkers borne off."""
    outside: int
    """Own checkers that are not yet in the home board."""
    miss: int | None
    """Rolls of 36 with which less than two checkers can be borne off in the next turn.

    None if that is no question: with contact, with checkers outside, or with fewer than two left.
    """


def features_of(before: Position, after: Position) -> Features:
    """Return the features of a play; both positions are seen by the side that made it."""
    counts = after.counts
    points, old = _points(after), _points(before)
    start, prime = _longest_run(points)
    contact = has_contact(after)
    outside = sum(count for count in counts[LAST_HOME + 1 :] if count > 0)
    left = sum(count for count in counts if count > 0)
    shots, dances = _replies(after) if contact else (0, 0)
    return Features(
        hits=before.counts[OFF] - counts[OFF],
        shots=shots,
        dances=dances,
        points=points,
        new=points - old,
        lost=old - points,
        prime=prime,
        behind=-sum(count for count in counts[:start] if count < 0),
        back=sum(count for count in counts[THEIR_HOME:] if count > 0),
        contact=contact,
        off=CHECKERS - left,
        outside=outside,
        miss=_misses(after, left) if not contact and not outside and left > 1 else None,
    )


def _points(position: Position) -> frozenset[int]:
    return frozenset(point for point in range(1, BAR) if position.counts[point] > 1)


def _longest_run(points: frozenset[int]) -> tuple[int, int]:
    """Return where the longest run of adjacent points begins, and its length; (0, 0) without points."""
    best, start = (0, 0), 0
    for point in sorted(points):
        start = start if point - 1 in points else point
        if point - start + 1 > best[1]:
            best = start, point - start + 1
    return best


def _replies(after: Position) -> tuple[int, int]:
    """Return the rolls with which the opponent can hit, and those that cannot be played from the bar."""
    key = after.swapped().key
    on_bar = after.counts[OFF] < 0
    bar = key & 255
    shots = dances = 0
    for first, second, times in ROLLS:
        results = legal_results(key, first, second)
        # A checker that is hit lowers the first byte of the key: the bar of the side that does not move.
        shots += times * any(result & 255 < bar for result in results)
        dances += times * (on_bar and not results)
    return shots, dances


def _misses(after: Position, left: int) -> int:
    """Return the rolls with which fewer than two of the checkers left can be borne off."""
    missed = 0
    for first, second, times in ROLLS:
        results = legal_results(after.key, first, second)
        fewest = min((_own_checkers(result) for result in results), default=left)
        missed += times * (left - fewest < 2)
    return missed


def _own_checkers(key: int) -> int:
    return sum(max(0, byte - BIAS) for byte in key.to_bytes(BAR + 1, "little"))
