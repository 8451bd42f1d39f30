"""Swiss pairing beside the exact optimum: quality, seconds, memory and growth.

Up to 300 players the sum of score differences is set beside the optimum over all pairs, which networkx
finds; above, beside our own with doubled candidates.
"""

import resource
from collections.abc import Iterable
from itertools import combinations
from math import log
from random import Random
from time import perf_counter

import networkx

from formats.facts import Result
from formats.swiss.event import Order, SwissEvent, SwissPair, SwissPlayer, SwissRound
from formats.swiss.pairing import pair_round

SEED = b"benchmark of the swiss pairing"


def history(size: int, rounds: int, *, order: Order = Order.RANDOM, toss: int = 1) -> SwissEvent:
    """Return an event after some rounds, each paired simply: neighbours by score who have not met."""
    rng = Random(f"{size}:{toss}")  # noqa: S311 - invented results
    event = SwissEvent(tuple(SwissPlayer(e, rating=2000 - e / 10) for e in range(1, size + 1)), order=order)
    for _ in range(rounds):
        waiting = sorted(event.scores, key=lambda e: (-event.scores[e], rng.random()))
        pairs: list[SwissPair] = []
        while len(waiting) > 1:
            first = waiting.pop(0)
            free = (at for at, e in enumerate(waiting) if frozenset((first, e)) not in event.meetings)
            pairs.append(SwissPair(first, waiting.pop(next(free, 0)), Result(rng.randrange(2))))
        event = event.with_round(SwissRound(tuple(pairs)))
    return event


def gap_sum(event: SwissEvent, pairs: Iterable[tuple[int, int]]) -> float:
    """Return the sum of score differences of some pairs."""
    return sum(abs(event.scores[a] - event.scores[b]) for a, b in pairs)


def ours(event: SwissEvent, candidates: int | None = None) -> tuple[float, float]:
    """Return our sum of score differences, and the seconds it took."""
    started = perf_counter()
    pairing = pair_round(event, seed=SEED, candidates=candidates)
    return gap_sum(event, ((p.first, p.second) for p in pairing.pairs)), perf_counter() - started


def exact(event: SwissEvent) -> tuple[float, float]:
    """Return the least sum over all pairs who have not met, by networkx, and its seconds."""
    entries = sorted(event.scores)
    level = {e: round(2 * event.scores[e]) for e in entries}
    top = max(level.values()) + 1
    graph = networkx.Graph()
    graph.add_weighted_edges_from(
        (a, b, top - abs(level[a] - level[b]))
        for a, b in combinations(entries, 2)
        if frozenset((a, b)) not in event.meetings
    )
    started = perf_counter()
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return gap_sum(event, matching), perf_counter() - started


def quality() -> None:
    """Print sums of score differences beside the optimum."""
    print("players rounds  ours (s)          optimum (s)                 difference")
    for size in (16, 40, 100, 200, 300):
        for rounds in (3, 7):
            event = history(size, rounds)
            (least, seconds), (best, exact_seconds) = ours(event), exact(event)
            print(
                f"{size:7} {rounds:6}  {least:5g} ({seconds:.3f})  {best:8g} ({exact_seconds:.3f}) networkx  "
                f"  {least - best:g}"
            )
    for size, rounds in ((512, 9), (1024, 11), (2048, 11), (4096, 11)):
        event = history(size, rounds)
        least, seconds = ours(event)
        doubled, more = ours(event, candidates=32)
        print(
            f"{size:7} {rounds:6}  {least:5g} ({seconds:.3f})  {doubled:8g} ({more:.3f}) doubled   "
            f"  {least - doubled:g}"
        )


def speed() -> None:
    """Print seconds and memory of one round, and how both grow."""
    print("\nplayers rounds order     seconds  peak MB  growth")
    before: tuple[int, float] | None = None
    for size, rounds, order in (
        (256, 8, Order.RANDOM),
        (1024, 11, Order.RANDOM),
        (1024, 11, Order.FOLD),
        (1024, 11, Order.SLIDE),
        (4096, 11, Order.RANDOM),
        (10_000, 0, Order.RANDOM),
        (10_000, 11, Order.RANDOM),
    ):
        _, seconds = ours(history(size, rounds, order=order))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        growth = ""
        if order is Order.RANDOM:
            if before is not None and size > before[0]:
                growth = f"n^{log(seconds / before[1]) / log(size / before[0]):.1f}"
            before = (size, seconds)
        print(f"{size:7} {rounds:6} {order.value:8} {seconds:8.3f} {peak:8.0f}  {growth}")


if __name__ == "__main__":
    print(f"seed “{SEED.decode()}”")
    quality()
    speed()
