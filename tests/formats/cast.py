"""What the tests of the formats share: a seed, sizes, coin-flip results, and a way to play a graph to its end."""

import random
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from formats.facts import Result
from formats.graph import EntryId, FixtureId, Graph
from formats.progress import Progress, progress
from tests.tiers import TIER

SEED = b"sixteen bytes or more of a seed"
ALICE, BOB, CAROL, DAVE, ERIN, FRANK, GRACE, HEIDI = range(1, 9)

Winner = Callable[[EntryId, EntryId], int]

# Something changes at the powers of two and between even and odd sizes; the time a test takes grows with the size.
SIZES = range(2, 301) if TIER.every_size else (*range(2, 34), 63, 64, 65, 97, 127, 128, 129, 255, 256, 257, 300)
"""How many entries a field has."""


def sizes(least: int, most: int) -> st.SearchStrategy[int]:
    """One of SIZES within limits."""
    return st.sampled_from([size for size in SIZES if least <= size <= most])


def coin(seed: int) -> Winner:
    """Results by the toss of a coin; tests may use any randomness, only draws may not."""
    tosses = random.Random(seed)
    return lambda _first, _second: tosses.randrange(2)


def play_out(
    graph: Graph, winner: Winner, known: Mapping[FixtureId, Result] | None = None
) -> tuple[Progress, dict[FixtureId, Result]]:
    """Every fixture played as soon as it is ready; those with a `known` result have that one."""
    results = dict(known or {})
    state = progress(graph, results)
    while state.ready:
        for number in state.ready:
            first, second = (slot.entry for slot in state.fixtures[number].slots)
            results[number] = Result(winner(first, second), between=(first, second))
        state = progress(graph, results)
    return state, results
