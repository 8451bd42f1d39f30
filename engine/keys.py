"""A board as one big integer, its key: count *i* plus sixteen in byte *i*.

The counts are those of the player on roll: 25 is the bar, points 24 to 1, and the opponent's checkers are negative,
with the opponent's bar at 0. Moving a checker is one addition to the key, and two boards are the same where their
keys are.
"""

from collections.abc import Iterable

BAR = 25
OFF = 0
CHECKERS = 15
COUNTS = 26
BIAS = 16
"""Added to each count in the key, so that a byte is never negative."""

_NEGATED = bytes((2 * BIAS - value) % 256 for value in range(256))


def key_of(counts: Iterable[int]) -> int:
    """Return the key of 26 counts, which are not checked."""
    return int.from_bytes(bytes(count + BIAS for count in counts), "little")


def swapped_key(key: int) -> int:
    """Return the key of the same board seen by the other player."""
    return int.from_bytes(key.to_bytes(COUNTS, "big").translate(_NEGATED), "little")
