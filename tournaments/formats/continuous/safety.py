"""How many of the matches that are left in a Swiss without rounds cannot be played.

Everybody has a number of matches left, and nobody may meet an earlier opponent or somebody they are kept apart from.
That asks for a graph with given degrees inside the graph of pairs that may still meet, or one that comes closest.
It is found by a matching (W. T. Tutte, A short proof of the factor theorem, 1954): each entry has a port for each
possible opponent and as many spare nodes as it will not use ports; each spare node is joined to all ports of its
entry, and each possible match joins two ports. The nodes that a largest matching leaves alone are the matches that
somebody cannot play. With an odd sum of matches that is one at least: the bye.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from tournaments.formats.continuous.state import FlowPair
from tournaments.formats.graph import EntryId
from tournaments.formats.swiss.pairing import best_matching

NEEDED_BELOW = 4
"""The question need not be asked while more entries than so many times the matches of each have any left."""

Pair = tuple[EntryId, EntryId]


@dataclass(frozen=True, slots=True)
class Remaining:
    """Entry -> matches left, and the pairs that may not meet any more."""

    left: Mapping[EntryId, int]
    closed: frozenset[frozenset[EntryId]]

    @property
    def degrees(self) -> dict[EntryId, int]:
        """The matches left of those who have any."""
        return {entry: count for entry, count in self.left.items() if count > 0}

    def after(self, pairs: Iterable[Pair]) -> "Remaining":
        """Return what remains once these pairs have met."""
        left, met = dict(self.left), list(pairs)
        for pair in met:
            for entry in pair:
                left[entry] -= 1
        return Remaining(left, self.closed | set(map(frozenset, met)))


def unplayed(remaining: Remaining) -> int:
    """Return how many matches cannot be played at the least, each counted for the entry that misses it."""
    degrees = remaining.degrees
    opponents = {
        entry: [other for other in degrees if other != entry and frozenset((entry, other)) not in remaining.closed]
        for entry in degrees
    }
    most = {entry: min(degree, len(opponents[entry])) for entry, degree in degrees.items()}
    too_few = sum(degrees.values()) - sum(most.values())
    short = _short_of_simple_plan(most, opponents)
    if short <= sum(most.values()) % 2:
        return too_few + short
    port = {(entry, other): at for at, (entry, other) in enumerate((e, o) for e in opponents for o in opponents[e])}
    edges = [(at, port[other, entry], 1) for (entry, other), at in port.items() if entry < other]
    size = len(port)
    for entry, others in opponents.items():
        unused = len(others) - most[entry]
        edges += [(spare, port[entry, other], 1) for spare in range(size, size + unused) for other in others]
        size += unused
    return too_few + size - 2 * len(best_matching(size, edges))


def _short_of_simple_plan(most: Mapping[EntryId, int], opponents: Mapping[EntryId, Collection[EntryId]]) -> int:
    """Return how many matches are missing if whoever lacks most is paired with those who lack most, one by one."""
    left, short = dict(most), 0
    while left:
        entry = max(left, key=lambda entry: (left[entry], entry))
        needed = left.pop(entry)
        free = sorted((left[other], other) for other in opponents[entry] if left.get(other))
        for _needed, other in free[-needed:] if needed else ():
            left[other] -= 1
        short += max(0, needed - len(free))
    return short


def best_together(
    allowed: Iterable[Pair], best: Callable[[list[Pair]], list[FlowPair]], may_be: Callable[[Collection[Pair]], bool]
) -> tuple[list[FlowPair], list[Pair]]:
    """Return the best of the allowed pairs that may all be made, and those of the allowed that may be made at all.

    `best` returns the best of some pairs whatever they do to others. If these may not be made together, neither may
    some few of them; without each of those in turn, and with the others before it, the best are found anew.
    """
    allowed, alone = list(allowed), set[Pair]()
    conflicts: list[set[Pair]] = []
    queue: list[tuple[tuple[int, ...], int, list[FlowPair], dict[Pair, FlowPair], set[Pair]]] = []
    number = count()

    def add(kept: dict[Pair, FlowPair], left_out: set[Pair]) -> None:
        paired = {entry for pair in kept for entry in pair}
        rest = [each for each in allowed if each not in left_out | alone and paired.isdisjoint(each)]
        pairs = [*kept.values(), *(best(rest) if rest else [])]
        costs = map(sum, zip(*(pair.costs for pair in pairs), strict=True))
        heapq.heappush(queue, ((-len(pairs), *costs), next(number), pairs, kept, left_out))

    add({}, set())
    while True:
        _costs, _number, pairs, kept, left_out = heapq.heappop(queue)
        rows = {(pair.first, pair.second): pair for pair in pairs}
        conflict = next((each for each in conflicts if each <= rows.keys()), None) or _conflict(list(rows), may_be)
        if not conflict:
            return pairs, [pair for pair in allowed if pair not in alone]
        conflicts.append(conflict)
        alone |= conflict if len(conflict) == 1 else set()
        before = dict(kept)
        for pair in sorted(conflict - kept.keys()):
            add(before, left_out | {pair})
            before = {**before, pair: rows[pair]}


def _conflict(pairs: list[Pair], may_be: Callable[[Collection[Pair]], bool]) -> set[Pair]:
    """Return as few of the pairs as may not be made together; none if all may."""
    if may_be(pairs):
        return set()
    for pair in pairs:
        fewer = [each for each in pairs if each != pair]
        if not may_be(fewer):
            pairs = fewer
    return set(pairs)
