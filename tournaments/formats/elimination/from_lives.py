"""The places of a bracket that follows lives without rounds: one for each life left."""

from collections.abc import Mapping, Set

from tournaments.formats.elimination.knockout import inner_outer
from tournaments.formats.graph import EntryId
from tournaments.formats.lots import Lots

MOST_LIVES_SEATED = 2


def seat_lives(
    left: Mapping[EntryId, int], *, size: int, lots: Lots, apart: Set[frozenset[EntryId]] = frozenset()
) -> tuple[EntryId | None, ...]:
    """Return the places in bracket order, for entries with one or two lives left in a bracket of `size`; None is a bye.

    Two lives are two places next to each other, so a bye in the first round; these entries are spread over the halves
    and quarters by lot. Places that nobody has a life for are byes of entries with one life, by lot. The others are
    paired by lot, those in `apart` (earlier opponents, and who is kept apart) not with each other if that is possible.
    The bracket is as small as the lives allow. Raises ValueError if more lives are left than places, or more than two.

    >>> seat_lives({1: 2, 2: 1, 3: 1}, size=4, lots=Lots(bytes(32), "example"))
    (1, None, 2, 3)
    """
    lives = sum(left.values())
    if lives > size or not all(0 < count <= MOST_LIVES_SEATED for count in left.values()):
        raise ValueError("the lives left do not fit into the bracket")
    while size > MOST_LIVES_SEATED and lives <= size // 2:
        size //= 2
    order = lots.shuffled(sorted(left))
    doubles = [entry for entry in order if left[entry] == MOST_LIVES_SEATED]
    singles = [entry for entry in order if left[entry] == 1]
    spare = size - lives
    alone, rest = [*doubles, *singles[:spare]], singles[spare:]
    pairs = _paired(rest, apart)
    seats: list[tuple[EntryId, EntryId | None]] = [*((entry, None) for entry in alone), *pairs]
    # Whoever has a bye is spread like seeds.
    by_place = dict(enumerate(seats, start=1))
    count = size // 2
    places = inner_outer(count) if count > 1 else [1]
    return tuple(entry for place in places for entry in by_place.get(place, (None, None)))


def _paired(entries: list[EntryId], apart: Set[frozenset[EntryId]]) -> list[tuple[EntryId, EntryId]]:
    """Pair neighbours, exchanging opponents where that parts two who are apart and brings no such two together."""
    pairs = [[entries[at], entries[at + 1]] for at in range(0, len(entries) - 1, 2)]
    for pair in pairs:
        for other in pairs:
            if frozenset(pair) not in apart:
                break
            if other is not pair and not apart & {frozenset((pair[0], other[1])), frozenset((other[0], pair[1]))}:
                pair[1], other[1] = other[1], pair[1]
    return [(first, second) for first, second in pairs]
