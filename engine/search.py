"""The search for legal plays, on keys and masks.

It works on a position's key and three bit masks made from it (bit *s* stands for point *s*): the mover's points
(`own`), the opponent's points of two and more (`closed`) and the opponent's blots (`blots`). A *step* moves one
checker by one die. Only `own` changes during a turn, and every step is one addition to the key.
"""

from engine.keys import BAR, BIAS, COUNTS, OFF

Dice = tuple[int, int]
Path = tuple[int, ...]
"""The steps of a play in order, each as `die * 32 + source`."""

ROLLS = frozenset((first, second) for first in range(1, 7) for second in range(1, 7))
"""Every roll of two dice, in either order."""
HOME = (1 << 7) - 1
"""Mask of the home board. Bit 0, the opponent's bar, is never set in `own`."""

_OWN = bytes(b"1"[0] if value > BIAS else b"0"[0] for value in range(256))
_CLOSED = bytes(b"1"[0] if value < BIAS - 1 else b"0"[0] for value in range(256))
_BLOTS = bytes(b"1"[0] if value == BIAS - 1 else b"0"[0] for value in range(256))
_POINTS = (1 << BAR) - 2
"""Bits 1 to 24."""


def _targets() -> list[list[int]]:
    return [[max(OFF, source - die) for source in range(COUNTS)] for die in range(7)]


def _deltas(*, hitting: bool) -> list[list[int]]:
    """Return what a step adds to the key, by die and source. Bearing off only removes the checker."""
    table = []
    for targets in TARGET:
        row = [-1 << 8 * source for source in range(COUNTS)]
        for source, target in enumerate(targets):
            if target != OFF:
                row[source] += (2 if hitting else 1) << 8 * target
                if hitting:
                    row[source] -= 1 << 8 * OFF
        table.append(row)
    return table


def _members() -> list[tuple[int, ...]]:
    """Return the set bits of every 13-bit mask, highest first."""
    table: list[tuple[int, ...]] = [()]
    for mask in range(1, 1 << 13):
        top = mask.bit_length() - 1
        table.append((top, *table[mask ^ (1 << top)]))
    return table


TARGET = _targets()
MOVE = _deltas(hitting=False)
HIT = _deltas(hitting=True)
_LOW = _members()
_HIGH = [tuple(13 + bit for bit in bits) for bits in _LOW]
_REACH = [(1 << COUNTS) - (1 << pips + 1) for pips in range(13)]
"""By number of pips: the sources from which a checker moving so far stays on the board."""


def masks(key: int) -> tuple[int, int, int]:
    """Return (own, closed, blots) of a position; see the docstring of this module."""
    raw = key.to_bytes(COUNTS, "big")
    return (
        int(raw.translate(_OWN), 2) & ~1,
        int(raw.translate(_CLOSED), 2) & _POINTS,
        int(raw.translate(_BLOTS), 2) & _POINTS,
    )


def sources(own: int, closed: int, die: int, highest: int = BAR) -> tuple[int, ...]:
    """Return the points up to `highest` from which one checker may move by `die`, highest first."""
    movable = own & ~(closed << die) & _REACH[die]
    if own >> BAR:
        movable &= 1 << BAR
    elif not own & ~HOME:
        if own >> die & 1:
            movable |= 1 << die
        elif own < 1 << die:
            movable = 1 << own.bit_length() >> 1
    movable &= (2 << highest) - 1
    return _HIGH[movable >> 13] + _LOW[movable & 8191]


def after_step(key: int, own: int, blots: int, die: int, source: int) -> tuple[int, int]:
    """Return (key, own) after a step from one of the `sources` of a die.

    `blots` need not be updated after a hit: the point becomes the mover's own, and as steps are searched from high
    sources to low, no later step arrives on a point that the hitting checker has left.
    """
    target = TARGET[die][source]
    landing = 1 << target
    hits = blots & landing and not own & landing
    if (key >> 8 * source & 255) == BIAS + 1:
        own ^= 1 << source
    return key + (HIT if hits else MOVE)[die][source], (own | landing) & ~1


def legal_results(key: int, first: int, second: int) -> dict[int, Path]:
    """Return the final positions of all legal plays (keys seen by the mover), each with one path to it."""
    own, closed, blots = masks(key)
    if first == second:
        return _four_steps(key, own, closed, blots, first)
    high, low = (first, second) if first > second else (second, first)
    outside = own & ~HOME
    if own >> BAR or not outside & outside - 1:
        results = _in_any_order(key, own, closed, blots, high, low)
    else:
        results = _in_the_open(key, own, closed, blots, high, low)
    if results:
        return results
    for die in (high, low):
        for source in sources(own, closed, die):
            results[after_step(key, own, blots, die, source)[0]] = (die * 32 + source,)
        if results:
            return results
    return results


def _in_any_order(key: int, own: int, closed: int, blots: int, high: int, low: int) -> dict[int, Path]:
    """Play both dice in both orders, in any position."""
    results: dict[int, Path] = {}
    for die, other in ((low, high), (high, low)):
        for source in sources(own, closed, die):
            between, own_then = after_step(key, own, blots, die, source)
            for then in sources(own_then, closed, other):
                final, _ = after_step(between, own_then, blots, other, then)
                results[final] = (die * 32 + source, other * 32 + then)
    return results


def _in_the_open(key: int, own: int, closed: int, blots: int, high: int, low: int) -> dict[int, Path]:
    """Play both dice where nothing can be borne off and no checker is on the bar: with two checkers, or one twice."""
    by_high = _first_steps(key, own, closed, blots, high)
    by_low = _first_steps(0, own, closed, blots, low)
    results: dict[int, Path] = {
        after + change: (first, second)
        for first, high_source, after in by_high
        for second, low_source, change in by_low
        if high_source != low_source
    }
    for point in _members_of(blots & own >> high & own >> low):  # both arrive on one blot, which is hit only once
        first, second = point + high, point + low
        results.pop(key + HIT[high][first] + HIT[low][second])
        results[key + HIT[high][first] + MOVE[low][second]] = (high * 32 + first, low * 32 + second)
    alike = ~(closed << low) & _REACH[low]
    for first, high_source, after in by_high:
        if alike >> high_source & 1 and (key >> 8 * high_source & 255) > BIAS + 1:
            results[after + (HIT if blots >> high_source - low & 1 else MOVE)[low][high_source]] = (
                first,
                low * 32 + high_source,
            )
    through = ~(closed << high + low) & _REACH[high + low]
    for second, low_source, change in by_low:
        if through >> low_source & 1:
            between = low_source - low
            results[key + change + (HIT if blots >> between - high & 1 else MOVE)[high][between]] = (
                second,
                high * 32 + between,
            )
    for first, high_source, after in by_high:
        if through >> high_source & 1:
            between = high_source - high
            results[after + (HIT if blots >> between - low & 1 else MOVE)[low][between]] = (
                first,
                low * 32 + between,
            )
    return results


def _first_steps(key: int, own: int, closed: int, blots: int, die: int) -> list[tuple[int, int, int]]:
    """Return (code, source, key after it) of every step by `die` in the open; for the key 0, what the step adds."""
    move, hit, code = MOVE[die], HIT[die], die * 32
    able = _members_of(own & ~(closed << die) & _REACH[die])
    if not blots:
        return [(code + source, source, key + move[source]) for source in able]
    return [(code + source, source, key + (hit if blots >> source - die & 1 else move)[source]) for source in able]


def _four_steps(key: int, own: int, closed: int, blots: int, die: int) -> dict[int, Path]:
    """Play a double from sources that never rise, which reaches every final position exactly once.

    The innermost loop of the engine, so `sources` and `after_step` are written out here for the ordinary case.
    """
    target, move, hit, code = TARGET[die], MOVE[die], HIT[die], die * 32
    open_points = ~(closed << die) & _REACH[die]
    level: list[tuple[int, int, tuple[int, ...], Path]] = [(key, own, sources(own, closed, die), ())]
    for _ in range(3):
        following = []
        for at, mine, able, path in level:
            for source in able:
                landing = 1 << target[source]
                then = at + (hit if blots & ~mine & landing else move)[source]
                left = (mine if at >> 8 * source & 255 > BIAS + 1 else mine ^ 1 << source) | landing
                if HOME < left < 1 << BAR:
                    movable = left & open_points & (2 << source) - 1
                    onward = _HIGH[movable >> 13] + _LOW[movable & 8191]
                else:
                    left &= ~1
                    onward = sources(left, closed, die, source)
                following.append((then, left, onward, (*path, code + source)))
        if not following:
            return {at: path for at, _, _, path in level if path}
        level = following
    last = {
        at + (hit if blots & ~mine & 1 << target[source] else move)[source]: (*path, code + source)
        for at, mine, able, path in level
        for source in able
    }
    return last or {at: path for at, _, _, path in level}


def _members_of(mask: int) -> tuple[int, ...]:
    return _HIGH[mask >> 13] + _LOW[mask & 8191]
