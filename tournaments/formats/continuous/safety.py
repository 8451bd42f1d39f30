"""How many of the matches that are left in a Swiss without rounds cannot be played.

Everybody has a number of matches left, and nobody may meet an earlier opponent or somebody they are kept apart from.
That asks for a graph with given degrees inside the graph of pairs that may still meet, or one that comes closest.
It is found by a matching (W. T. Tutte, A short proof of the factor theorem, 1954): each entry has a port for each
possible opponent and as many spare nodes as it will not use ports; each spare node is joined to all ports of its
entry, and each possible match joins two ports. The nodes that a largest matching leaves alone are the matches that
somebody cannot play. With an odd sum of matches that is one at least: the bye.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tournaments.formats.graph import EntryId
from tournaments.formats.swiss.pairing import best_matching

NEEDED_BELOW = 4
"""The question need not be asked while more entries than so many times the matches of each have any left."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Entry -> matches left, and the pairs that may not meet any more."""

    left: Mapping[EntryId, int]
    closed: frozenset[frozenset[EntryId]]

    @property
    def degrees(self) -> dict[EntryId, int]:
        """The matches left of those who have any."""
        return {entry: count for entry, count in self.left.items() if count > 0}

    def after(self, first: EntryId, second: EntryId) -> "Remaining":
        """Return what remains once two have met."""
        left = {**self.left, first: self.left[first] - 1, second: self.left[second] - 1}
        return Remaining(left, self.closed | {frozenset((first, second))})


def unplayed(remaining: Remaining) -> int:
    """Return how many matches cannot be played at the least, each counted for the entry that misses it."""
    degrees = remaining.degrees
    opponents = {
        entry: [other for other in degrees if other != entry and frozenset((entry, other)) not in remaining.closed]
        for entry in degrees
    }
    too_few = sum(max(0, count - len(opponents[entry])) for entry, count in degrees.items())
    port = {(entry, other): at for at, (entry, other) in enumerate((e, o) for e in opponents for o in opponents[e])}
    edges = [(at, port[other, entry], 1) for (entry, other), at in port.items() if entry < other]
    size = len(port)
    for entry, others in opponents.items():
        unused = max(0, len(others) - degrees[entry])
        edges += [(spare, port[entry, other], 1) for spare in range(size, size + unused) for other in others]
        size += unused
    return too_few + size - 2 * len(best_matching(size, edges))
