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
"""Mask of the home board (and the opponent's bar, which `own` never holds)."""

_OWN = bytes(b"1"[0] if value > BIAS else b"0"[0] for value in range(256))
_CLOSED = bytes(b"1"[0] if value < BIAS - 1 else b"0"[0] for value in range(256))
_BLOTS = bytes(b"1"[0] if value == BIAS - 1 else b"0"[0] for value in range(256))
_POINTS = (1 << BAR) - 2
"""Bits 1 to 24."""


def _targets() -> list[list[int]]:
    return [[max(OFF, source - die) for source in range(COUNTS)] for die in range(7)]


def _deltas(*, hitting: bool) -> list[list[int]]:
    """What a step adds to the key, by die and source. Bearing off only takes the checker away."""
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
    """The set bits of every 13-bit mask, highest first."""
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
"""By pips: the sources from which so many still end on the board."""


def masks(key: int) -> tuple[int, int, int]:
    """(own, closed, blots) of a position; see the head of this module."""
    raw = key.to_bytes(COUNTS, "big")
    return (
        int(raw.translate(_OWN), 2) & ~1,
        int(raw.translate(_CLOSED), 2) & _POINTS,
        int(raw.translate(_BLOTS), 2) & _POINTS,
    )


def sources(own: int, closed: int, die: int, highest: int = BAR) -> tuple[int, ...]:
    """The points up to `highest` from which one checker may move by `die`, highest first."""
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
    """(key, own) after a step that `sources` offered.

    A hit blot needs no bookkeeping: the point becomes the mover's own, and while steps are searched from high
    sources to low no later step arrives on a point that a hitter has left.
    """
    target = TARGET[die][source]
    landing = 1 << target
    hits = blots & landing and not own & landing
    if (key >> 8 * source & 255) == BIAS + 1:
        own ^= 1 << source
    return key + (HIT if hits else MOVE)[die][source], (own | landing) & ~1


def legal_results(key: int, first: int, second: int) -> dict[int, Path]:
    """The final positions of all legal plays (keys seen by the mover), each with one path to it."""
    own, closed, blots = masks(key)
    if first == second:
        return _four_steps(key, own, closed, blots, first)
    high, low = (first, second) if first > second else (second, first)
    outside = own & ~HOME
    if own >> BAR or not outside & outside - 1:
        found = _in_any_order(key, own, closed, blots, high, low)
    else:
        found = _in_the_open(key, own, closed, blots, high, low)
    if found:
        return found
    for die in (high, low):
        for source in sources(own, closed, die):
            found[after_step(key, own, blots, die, source)[0]] = (die * 32 + source,)
        if found:
            return found
    return found


def _in_any_order(key: int, own: int, closed: int, blots: int, high: int, low: int) -> dict[int, Path]:
    """Both dice, whatever the position: one after the other, in both orders."""
    found: dict[int, Path] = {}
    for die, other in ((low, high), (high, low)):
        for source in sources(own, closed, die):
            between, own_then = after_step(key, own, blots, die, source)
            for then in sources(own_then, closed, other):
                final, _ = after_step(between, own_then, blots, other, then)
                found[final] = (die * 32 + source, other * 32 + then)
    return found


def _in_the_open(key: int, own: int, closed: int, blots: int, high: int, low: int) -> dict[int, Path]:
    """Both dice where nothing can be borne off and nobody is on the bar: two checkers, or one twice."""
    by_high = _first_steps(key, own, closed, blots, high)
    by_low = _first_steps(0, own, closed, blots, low)
    found: dict[int, Path] = {after + e: (one, two) for one, s, after in by_high for two, t, e in by_low if s != t}
    for point in _members_of(blots & own >> high & own >> low):  # both arrive on one blot, which is hit but once
        one, two = point + high, point + low
        found.pop(key + HIT[high][one] + HIT[low][two])
        found[key + HIT[high][one] + MOVE[low][two]] = (high * 32 + one, low * 32 + two)
    alike = ~(closed << low) & _REACH[low]
    for one, s, after in by_high:
        if alike >> s & 1 and (key >> 8 * s & 255) > BIAS + 1:
            found[after + (HIT if blots >> s - low & 1 else MOVE)[low][s]] = (one, low * 32 + s)
    through = ~(closed << high + low) & _REACH[high + low]
    for two, t, e in by_low:
        if through >> t & 1:
            between = t - low
            found[key + e + (HIT if blots >> between - high & 1 else MOVE)[high][between]] = (
                two,
                high * 32 + between,
            )
    for one, s, after in by_high:
        if through >> s & 1:
            between = s - high
            found[after + (HIT if blots >> between - low & 1 else MOVE)[low][between]] = (one, low * 32 + between)
    return found


def _first_steps(key: int, own: int, closed: int, blots: int, die: int) -> list[tuple[int, int, int]]:
    """(code, source, key after it) of every step by `die`, in the open; with 0 for a key, what the step adds."""
    move, hit, code = MOVE[die], HIT[die], die * 32
    able = _members_of(own & ~(closed << die) & _REACH[die])
    if not blots:
        return [(code + source, source, key + move[source]) for source in able]
    return [(code + source, source, key + (hit if blots >> source - die & 1 else move)[source]) for source in able]


def _four_steps(key: int, own: int, closed: int, blots: int, die: int) -> dict[int, Path]:
    """A double, played by sources that never rise: this reaches every final position exactly once.

    The innermost loop of the engine, so what `sources` and `after_step` say is written out for the ordinary case.
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
