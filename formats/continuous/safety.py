"""How many of the matches that are left in a Swiss without rounds cannot be played.

Everybody has a number of matches left, and nobody may meet an earlier opponent or somebody they are kept apart from.
That asks for a graph with given degrees inside the graph of pairs that may still meet, or one that comes closest.
It is found by a matching (W. T. Tutte, A short proof of the factor theorem, 1954): each entry has a port for each
possible opponent and as many spare nodes as it will not use ports; each spare node is joined to all ports of its
entry, and each possible match joins two ports. The nodes that a largest matching leaves alone are the matches that
somebody cannot play. With an odd sum of matches that is one at least: the bye.
"""

import heapq
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, count

from formats.graph import EntryId
from formats.swiss.pairing import best_matching

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
        """Return the remaining opponents after these pairs have played."""
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
    """Return how many matches are missing if whoever has least choice is paired with those who have least, in turn."""
    left, may_meet, short = dict(most), {entry: set(others) for entry, others in opponents.items()}, 0

    def choice(entry: EntryId) -> tuple[int, int, EntryId]:
        return len(may_meet[entry]) - left[entry], -left[entry], entry

    while left:
        entry = min(left, key=choice)
        needed, others = left.pop(entry), sorted(may_meet[entry], key=choice)
        for other in others:
            may_meet[other].discard(entry)
        for other in others[:needed]:
            left[other] -= 1
            if not left[other]:
                del left[other]
                for each in may_meet[other]:
                    may_meet[each].discard(other)
        short += max(0, needed - len(others))
    return short


def best_of_safe(now: Remaining, weights: Mapping[Pair, int]) -> list[Pair]:
    """Return the pairs with the highest weight after which no more matches stay unplayed than must.

    `weights` has those that may be made now; more pairs always weigh more than fewer. Pairs made now and later are
    found together, by one matching: here a node stands for each match that an entry has left, joined to the ports of
    the entry, of which a pair takes two instead of joining them to each other; what is made now joins the first nodes
    of two entries. That does not keep two from meeting both now and later: if that plays a part, either is tried.
    """
    most_played = sum(now.degrees.values()) - unplayed(now)
    number, queue = count(), list[tuple[int, int, list[Pair], int, list[Pair], set[Pair], set[Pair]]]()

    def plan(not_now: set[Pair], not_later: set[Pair]) -> None:
        weight, pairs, played, twice = _plan(now, {p: w for p, w in weights.items() if p not in not_now}, not_later)
        heapq.heappush(queue, (-weight, next(number), pairs, played, twice, not_now, not_later))

    plan(set(), set())
    while True:
        _weight, _number, pairs, played, twice, not_now, not_later = heapq.heappop(queue)
        is_safe = played == most_played and most_played <= sum(now.degrees.values()) - unplayed(now.after(pairs))
        if not twice or is_safe:
            return pairs
        plan(not_now | {twice[0]}, not_later)
        plan(not_now, not_later | {twice[0]})


def _plan(
    now: Remaining, weights: Mapping[Pair, int], not_later: Collection[Pair]
) -> tuple[int, list[Pair], int, list[Pair]]:
    """Return the weight of a best plan, its pairs made now, the matches played in all, and who meets now and later."""
    size = count()
    nodes = {entry: [next(size) for _match in range(left)] for entry, left in sorted(now.degrees.items())}
    ports = {
        pair: (next(size), next(size))
        for pair in combinations(sorted(nodes), 2)
        if frozenset(pair) not in now.closed and pair not in not_later
    }
    a_match = (len(nodes) // 2 + 1) * max(weights.values(), default=1) + 1
    edges = {(nodes[a][0], nodes[b][0]): a_match + weight for (a, b), weight in weights.items()}
    for pair, own in ports.items():
        edges[own] = a_match
        for entry, port in zip(pair, own, strict=True):
            edges |= {(node, port): a_match for node in nodes[entry]}
    chosen = best_matching(next(size), [(*edge, weight) for edge, weight in edges.items()], largest=False)
    firsts = {own[0]: entry for entry, own in nodes.items()}
    pairs = sorted((firsts[a], firsts[b]) for a, b in chosen if a in firsts and b in firsts)
    joined = set(ports.values())
    taken = {port for edge in chosen if edge not in joined for port in edge}
    later = {pair for pair, own in ports.items() if taken.issuperset(own)}
    weight = sum(edges[edge] for edge in chosen)
    return weight, pairs, 2 * (len(pairs) + len(later)), [pair for pair in pairs if pair in later]
