"""What the tests of the formats share: a seed, coin-flip results, and a way to play a graph to its end."""

import random
from collections.abc import Callable

from tournaments.formats.facts import Result
from tournaments.formats.graph import EntryId, FixtureId, Graph
from tournaments.formats.progress import Progress, progress

SEED = b"sixteen bytes or more of a seed"
ALICE, BOB, CAROL, DAVE, ERIN, FRANK, GRACE, HEIDI = range(1, 9)

Winner = Callable[[EntryId, EntryId], int]


def coin(seed: int) -> Winner:
    """Results by the toss of a coin; tests may use any randomness, only draws may not."""
    tosses = random.Random(seed)
    return lambda _first, _second: tosses.randrange(2)


def play_out(graph: Graph, winner: Winner) -> tuple[Progress, dict[FixtureId, Result]]:
    """Every fixture played as soon as it is ready."""
    results: dict[FixtureId, Result] = {}
    state = progress(graph, results)
    while state.ready:
        for number in state.ready:
            first, second = (slot.entry for slot in state.fixtures[number].slots)
            results[number] = Result(winner(first, second), between=(first, second))
        state = progress(graph, results)
    return state, results
