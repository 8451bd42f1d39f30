"""Whether the matches that are left in a Swiss without rounds can all be played.

Everybody has a number of matches left, and nobody may meet an earlier opponent or somebody they are kept apart from.
That asks for a graph with given degrees inside the graph of pairs that may still meet, and one bye if the sum is odd.
It is decided exactly by a matching (W. T. Tutte, A short proof of the factor theorem, 1954): each entry has a port for
each possible opponent and as many spare nodes as it will not use ports; each spare node is joined to all ports of its
entry, and each possible match joins two ports. All nodes can be matched if and only if the degrees can be reached.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tournaments.formats.graph import EntryId
from tournaments.formats.swiss.pairing import best_matching

NEEDED_BELOW = 4
"""The question need not be asked while more than so many times the matches of each have any left."""
BYE = -1


@dataclass(frozen=True, slots=True)
class Remaining:
    """Entry -> matches left, and the pairs that may not meet any more."""

    left: Mapping[EntryId, int]
    closed: frozenset[frozenset[EntryId]]

    def after(self, first: EntryId, second: EntryId) -> "Remaining":
        """Return what remains once two have met."""
        left = {**self.left, first: self.left[first] - 1, second: self.left[second] - 1}
        return Remaining(left, self.closed | {frozenset((first, second))})


def completable(remaining: Remaining, matches: int) -> bool:
    """Return whether everybody can play all matches left; `matches` is how many each entry plays in the stage."""
    left = {entry: count for entry, count in remaining.left.items() if count > 0}
    if len(left) > NEEDED_BELOW * matches:
        return True
    return can_be_played(remaining)


def can_be_played(remaining: Remaining) -> bool:
    """Return whether everybody can play all matches left, whatever their number."""
    degrees = {entry: count for entry, count in remaining.left.items() if count > 0}
    opponents = {
        entry: [other for other in degrees if other != entry and frozenset((entry, other)) not in remaining.closed]
        for entry in degrees
    }
    if sum(degrees.values()) % 2:
        for entry in degrees:
            opponents[entry].append(BYE)
        opponents[BYE] = list(degrees)
        degrees[BYE] = 1
    if any(len(opponents[entry]) < count for entry, count in degrees.items()):
        return False
    port = {(entry, other): at for at, (entry, other) in enumerate((e, o) for e in opponents for o in opponents[e])}
    edges = [(at, port[other, entry], 1) for (entry, other), at in port.items() if entry < other]
    size = len(port)
    for entry, others in opponents.items():
        for spare in range(size, size + len(others) - degrees[entry]):
            edges += [(spare, port[entry, other], 1) for other in others]
        size += len(others) - degrees[entry]
    return 2 * len(best_matching(size, edges)) == size
