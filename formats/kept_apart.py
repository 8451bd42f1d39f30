"""Keeping club-mates and named pairs apart in a bracket, as far as possible.

The bracket is split recursively into halves. At each split every group is distributed as evenly as the fixed places
allow, larger groups first and ties by lot; then entries are exchanged one by one while that helps. So a group of m has
at most about m / 2 entries in a half and m / 4 in a quarter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from formats.graph import EntryId
from formats.lots import Lots

Groups = Sequence[frozenset[EntryId]]
Place = EntryId | None

CANDIDATES = 8
"""How many of the entries that gain most by moving are tried for an exchange; a limit that keeps large fields fast."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two entries to be kept apart who can meet in `round` (from 1), before the final in round `rounds`."""

    first: EntryId
    second: EntryId
    round: int
    rounds: int


def earliest_meetings(places: Sequence[Place], groups: Groups) -> tuple[Meeting, ...]:
    """Return the pairs of each group that are not in opposite halves, earliest possible meetings first."""
    where = {entry: at for at, entry in enumerate(places) if entry is not None}
    rounds = (len(places) - 1).bit_length()
    pairs = {pair for group in groups for pair in combinations(sorted(group), 2)}
    meetings = [Meeting(a, b, (where[a] ^ where[b]).bit_length(), rounds) for a, b in pairs]
    early = [meeting for meeting in meetings if meeting.round < rounds]
    return tuple(sorted(early, key=lambda meeting: (meeting.round, meeting.first, meeting.second)))


def spread_apart(places: Sequence[Place], groups: Groups, *, fixed: frozenset[EntryId], lots: Lots) -> list[Place]:
    """Return the places with the entries rearranged; byes and `fixed` entries do not move."""
    mates = _mates(groups)
    arranged = list(places)
    _divide(arranged, 0, len(places), mates, fixed, lots)
    return arranged


def _mates(groups: Groups) -> dict[EntryId, frozenset[EntryId]]:
    mates: dict[EntryId, frozenset[EntryId]] = {}
    for group in groups:
        for entry in group:
            mates[entry] = mates.get(entry, frozenset()) | group - {entry}
    return mates


def _divide(
    places: list[Place],
    start: int,
    end: int,
    mates: Mapping[EntryId, frozenset[EntryId]],
    fixed: frozenset[EntryId],
    lots: Lots,
) -> None:
    """Share out the movable entries of one section between its two halves, then go on inside each."""
    middle = (start + end) // 2
    free = [at for at in range(start, end) if (entry := places[at]) is not None and entry not in fixed]
    movable = [entry for at in free if (entry := places[at]) is not None]
    inside = {entry for entry in places[start:end] if entry is not None}
    room = [sum(at < middle for at in free), sum(at >= middle for at in free)]
    halves = [
        {entry for entry in places[start:middle] if entry is not None and entry in fixed},
        {entry for entry in places[middle:end] if entry is not None and entry in fixed},
    ]
    clash = {entry: len(mates.get(entry, frozenset()) & inside) for entry in inside}
    # Shuffle everybody, so that lots decide ties among group members as well as among the rest of the field.
    order = sorted(lots.shuffled(movable), key=lambda entry: -clash[entry])
    chosen: list[list[EntryId]] = [[], []]
    for entry in order:
        costs = [len(mates.get(entry, frozenset()) & half) for half in halves]
        side = _side(costs, [room[0] - len(chosen[0]), room[1] - len(chosen[1])], lots)
        halves[side].add(entry)
        chosen[side].append(entry)
    _exchange(chosen, halves, mates)
    for side, slots in enumerate(([at for at in free if at < middle], [at for at in free if at >= middle])):
        for at, entry in zip(slots, lots.shuffled(sorted(chosen[side])), strict=True):
            places[at] = entry
    if end - start > 2:
        _divide(places, start, middle, mates, fixed, lots)
        _divide(places, middle, end, mates, fixed, lots)


def _side(costs: Sequence[int], room: Sequence[int], lots: Lots) -> int:
    """Return the half with fewer mates, then the one with more room, then one by lot; never a full half."""
    if 0 in room:
        return 1 if room[0] == 0 else 0
    left, right = (costs[0], -room[0]), (costs[1], -room[1])
    if left == right:
        return lots.below(2)
    return 0 if left < right else 1


def _exchange(
    chosen: list[list[EntryId]], halves: list[set[EntryId]], mates: Mapping[EntryId, frozenset[EntryId]]
) -> None:
    """Exchange pairs of entries between the halves, in place, while that leaves fewer mates in the same half."""
    none: frozenset[EntryId] = frozenset()
    while True:
        ranked = [
            sorted(
                (len(mates.get(entry, none) & halves[1 - side]) - len(mates.get(entry, none) & halves[side]), entry)
                for entry in chosen[side]
            )[:CANDIDATES]
            for side in (0, 1)
        ]
        # Two mates who change places are still apart, although each of their own figures counts that as a loss.
        cost, a, b = min(
            ((x + y - 2 * (b in mates.get(a, none)), a, b) for x, a in ranked[0] for y, b in ranked[1]),
            default=(0, 0, 0),
        )
        if cost >= 0:
            return
        for side, leaves, comes in ((0, a, b), (1, b, a)):
            chosen[side] = [entry for entry in chosen[side] if entry != leaves] + [comes]
            halves[side] = halves[side] - {leaves} | {comes}
