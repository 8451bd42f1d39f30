"""Groups, and the knockout of their qualifiers."""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from formats.elimination.knockout import bracket_size, cross_seeded, inner_outer
from formats.errors import Refused
from formats.graph import EntryId, Graph, PlaceOf
from formats.lots import Lots

MIN_GROUP = 2
PURPOSE = "groups"


def group_names(count: int) -> tuple[str, ...]:
    """Return the names of groups: A to Z, then AA, AB, …

    >>> group_names(28)[-2:]
    ('AA', 'AB')
    """
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return tuple((letters[at // 26 - 1] if at >= 26 else "") + letters[at % 26] for at in range(count))


def snake_groups(entries: Sequence[EntryId], count: int) -> tuple[tuple[EntryId, ...], ...]:
    """Fill groups in snake order by seed: 1 2 3, 6 5 4, 7 8 9 for three groups.

    Raises Refused("group_count") if a group would have fewer than two entries.

    >>> snake_groups([1, 2, 3, 4, 5, 6], 2)
    ((1, 4, 5), (2, 3, 6))
    """
    _check(len(entries), count)
    groups: list[list[EntryId]] = [[] for _ in range(count)]
    for at, entry in enumerate(entries):
        row, column = divmod(at, count)
        groups[column if row % 2 == 0 else count - 1 - column].append(entry)
    return tuple(map(tuple, groups))


def drawn_groups(
    entries: Iterable[EntryId],
    count: int,
    *,
    seed: bytes,
    draft: int = 1,
    seeds: Sequence[EntryId] = (),
    apart: Iterable[Collection[EntryId]] = (),
) -> tuple[tuple[EntryId, ...], ...]:
    """Draw groups of nearly equal size by lot.

    The seeds are drawn to the groups in pots of `count`. Then every other entry, members of larger `apart` groups
    first, goes by lot to one of the smallest groups, and among these to one with the fewest of its mates.
    """
    field = sorted(entries)
    _check(len(field), count)
    lots = Lots(seed, PURPOSE, draft)
    mates: dict[EntryId, set[EntryId]] = {}
    for together in apart:
        for entry in together:
            mates.setdefault(entry, set()).update(together)
    groups: list[list[EntryId]] = [[] for _ in range(count)]
    for pot in (seeds[at : at + count] for at in range(0, len(seeds), count)):
        for group, entry in zip(lots.shuffled(range(count)), pot, strict=False):
            groups[group].append(entry)
    rest = lots.shuffled(entry for entry in field if entry not in seeds)
    for entry in sorted(rest, key=lambda entry: -len(mates.get(entry, ()))):
        least = min(map(len, groups))
        shortest = [group for group in groups if len(group) == least]
        clash = [len(mates.get(entry, set()) & set(group)) for group in shortest]
        free = [group for group, own in zip(shortest, clash, strict=True) if own == min(clash)]
        lots.choice(free).append(entry)
    return tuple(map(tuple, groups))


def _check(entries: int, count: int) -> None:
    if count < 1 or entries < count * MIN_GROUP:
        raise Refused("group_count", groups=count, least=MIN_GROUP, entries=entries)


def in_one_group(
    groups: Iterable[Collection[EntryId]], apart: Iterable[Collection[EntryId]]
) -> tuple[tuple[EntryId, EntryId], ...]:
    """Return the pairs that should be kept apart but are in the same group.

    >>> in_one_group([(1, 2, 5), (3, 4)], [(1, 3), (2, 4, 5)])
    ((2, 5),)
    """
    separate = {pair for together in apart for pair in combinations(sorted(together), 2)}
    return tuple(sorted(pair for group in groups for pair in combinations(sorted(group), 2) if pair in separate))


def knockout_from_groups(names: Sequence[str], qualifiers: int) -> Graph:
    """Return a knockout of the first `qualifiers` of each group, with better places seeded higher.

    Group winners are seeds 1, 2, … in the order of the groups. Within each lower place the groups are exchanged so that
    players of the same group meet as late as possible; with two qualifiers, not before the final.
    """
    count = len(names)
    size = bracket_size(count * qualifiers)
    where = {seed: at for at, seed in enumerate(inner_outer(size))}
    tiers = [list(range(count)) for _ in range(qualifiers)]
    for tier in range(1, qualifiers):
        tiers[tier] = _crossed(tiers, tier, count, where)
    sources = [PlaceOf(names[group], tier + 1) for tier, groups in enumerate(tiers) for group in groups]
    return cross_seeded(sources)


def _crossed(tiers: Sequence[Sequence[int]], tier: int, count: int, where: dict[int, int]) -> list[int]:
    """Return the order of the groups in a tier that avoids early meetings with the tiers above it."""
    earlier: dict[int, list[int]] = {group: [] for group in range(count)}
    for above in range(tier):
        for at, group in enumerate(tiers[above]):
            earlier[group].append(where[above * count + at + 1])
    places = [where[tier * count + at + 1] for at in range(count)]
    rounds = len(where).bit_length()

    def cost(group: int, place: int) -> int:
        return sum(4 ** (rounds - (place ^ other).bit_length()) for other in earlier[group])

    order = list(range(count))[::-1]
    improved = True
    while improved:
        improved = False
        for a in range(count):
            for b in range(a + 1, count):
                now = cost(order[a], places[a]) + cost(order[b], places[b])
                if cost(order[b], places[a]) + cost(order[a], places[b]) < now:
                    order[a], order[b] = order[b], order[a]
                    improved = True
    return order
