"""The places of a bracket that follows lives without rounds: one for each life left, more than two rounded up."""

from collections.abc import Mapping, Set
from itertools import product

from formats.elimination.knockout import inner_outer
from formats.graph import EntryId
from formats.lots import Lots

PLACES = {0: 0, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8}
"""Lives left -> places of the bracket, a power of two: all but one of them are byes in its first rounds."""
MIN_BRACKET = 2


def seat_lives(
    left: Mapping[EntryId, int], *, size: int, lots: Lots, apart: Set[frozenset[EntryId]] = frozenset()
) -> tuple[EntryId | None, ...]:
    """Return the places in bracket order, for entries with lives left in a bracket of `size`; None is a bye.

    The places of an entry are neighbours that begin with itself: two are a bye in the first round, four in the first
    two, eight in the first three. These entries are spread over the halves and quarters by lot. Places that nobody has
    a life for are byes of entries with one life, by lot. The others are paired by lot, those in `apart` (earlier
    opponents, and who is kept apart) not with each other if that is possible. The bracket is as small as the places
    allow. Raises ValueError if more places are needed than there are, or if an entry has no lives or more than five.

    >>> seat_lives({1: 2, 2: 1, 3: 1}, size=4, lots=Lots(bytes(32), "example"))
    (1, None, 2, 3)
    """
    if not all(0 < count <= max(PLACES) for count in left.values()):
        raise ValueError("a number of lives that is never left")
    needed = sum(PLACES[count] for count in left.values())
    if needed > size:
        raise ValueError("the lives left do not fit into the bracket")
    while size > MIN_BRACKET and needed <= size // 2:
        size //= 2
    order = lots.shuffled(sorted(left))
    singles = [entry for entry in order if PLACES[left[entry]] == 1]
    spare = size - needed
    places: list[EntryId | None] = [None] * size
    taken = [False] * size
    for width in (8, 4, 2):
        blocks: list[tuple[EntryId, ...]] = [(entry,) for entry in order if PLACES[left[entry]] == width]
        if width == MIN_BRACKET:
            blocks += [*((entry,) for entry in singles[:spare]), *_paired(singles[spare:], apart)]
        free = [at for at in _starts(size, width) if not taken[at]]
        for block, at in zip(blocks, free, strict=False):
            places[at : at + len(block)] = block
            taken[at : at + width] = [True] * width
    return tuple(places)


def _starts(size: int, width: int) -> list[int]:
    """Return where blocks of `width` places begin in a bracket, in the order in which they spread like seeds."""
    count = size // width
    seeds = inner_outer(count) if count > 1 else [1] * count
    return [width * at for at in sorted(range(count), key=lambda at: seeds[at])]


def _paired(entries: list[EntryId], apart: Set[frozenset[EntryId]]) -> list[tuple[EntryId, EntryId]]:
    """Pair neighbours, exchanging opponents where that parts two who are apart and brings no such two together."""
    pairs = [[entries[at], entries[at + 1]] for at in range(0, len(entries) - 1, 2)]
    for pair in pairs:
        for side, other in product((1, 0), pairs):
            if frozenset(pair) not in apart:
                break
            exchanged = {frozenset((pair[0], other[side])), frozenset((other[1 - side], pair[1]))}
            if other is not pair and not apart & exchanged:
                pair[1], other[side] = other[side], pair[1]
    return [(first, second) for first, second in pairs]
