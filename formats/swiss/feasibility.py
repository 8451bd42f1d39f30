"""Whether the rounds still planned can all be paired without a rematch or a second bye.

Each round is a perfect matching of the players (and the bye, if their number is odd) that uses none of the earlier
pairs. The question is how many such matchings the unused pairs allow.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from formats.graph import EntryId
from formats.swiss.event import SwissEvent

Matcher = Callable[[int, Iterable[tuple[int, int, int]]], list[tuple[int, int]]]
"""The type of `pairing.best_matching`, passed in so that only one module imports the matching library."""

Side = EntryId | None
"""An entry, or None for the bye."""

Unused = Mapping[Side, frozenset[Side]]

TRIALS = 24
"""Attempts to pair the rounds one after another, each with other weights, before an exhaustive search."""

MAX_SEARCH = 14
SEARCH_STEPS = 20_000
MAX_TRIAL = 128


@dataclass(frozen=True, slots=True)
class FeasibleRounds:
    """Whether the rounds are possible (None: neither shown nor disproved), and the rounds if they were found.

    `proof` is the reason: "few" (somebody has too few opponents left), "many" (everybody has so many left that Dirac's
    theorem guarantees every round), "found", "searched" (all possibilities tried) or "open".
    """

    possible: bool | None
    proof: str
    rounds: tuple[tuple[tuple[Side, EntryId], ...], ...] = ()


def plan_rounds(
    event: SwissEvent, count: int, *, match: Matcher, after: Sequence[tuple[Side, EntryId]] = ()
) -> FeasibleRounds:
    """Return whether `count` more rounds can be paired after the pairs in `after`, in which None is the bye."""
    number = event.next_round + bool(after)
    sides: list[Side] = [p.entry for p in event.players if p.active(number)]
    if len(sides) % 2:
        sides.append(None)
    barred = _barred(event, sides, after)
    fewest = min((len(sides) - 1 - len(used) for used in barred.values()), default=0)
    if fewest < count:
        return FeasibleRounds(False, "few")
    if fewest - (count - 1) >= len(sides) / 2:
        return FeasibleRounds(True, "many")
    if len(sides) > MAX_TRIAL:
        return FeasibleRounds(None, "open")
    unused: Unused = {side: frozenset(sides) - barred[side] - {side} for side in sides}
    for trial in range(TRIALS):
        rounds = _pair_in_turn(sides, unused, count, trial, match)
        if rounds is not None:
            return FeasibleRounds(True, "found", tuple(map(_named, rounds)))
    if len(sides) > MAX_SEARCH:
        return FeasibleRounds(None, "open")
    return _searched(sides, unused, count)


def _barred(event: SwissEvent, sides: Sequence[Side], after: Sequence[tuple[Side, EntryId]]) -> dict[Side, set[Side]]:
    """Return the sides that each side may no longer meet."""
    barred: dict[Side, set[Side]] = {side: set() for side in sides}
    pairs: list[tuple[Side, ...]] = [tuple(pair) for pair in (*event.meetings, *event.forbidden)]
    pairs += [(None, entry) for entry in event.pairing_byes]
    for pair in (*pairs, *after):
        if len(pair) == 2 and pair[0] in barred and pair[1] in barred:
            barred[pair[0]].add(pair[1])
            barred[pair[1]].add(pair[0])
    return barred


def _pair_in_turn(
    sides: Sequence[Side], unused: Unused, count: int, trial: int, match: Matcher
) -> list[list[tuple[Side, Side]]] | None:
    """Pair one round after another; return None if a round fails."""
    left = {side: set(others) for side, others in unused.items()}
    rounds: list[list[tuple[Side, Side]]] = []
    for number in range(count):
        edges = [
            (a, b, 1 + _mixed(trial, number, a, b))
            for a in range(len(sides))
            for b in range(a + 1, len(sides))
            if sides[b] in left[sides[a]]
        ]
        matching = match(len(sides), edges)
        if 2 * len(matching) != len(sides):
            return None
        rounds.append([(sides[a], sides[b]) for a, b in matching])
        for first, second in rounds[-1]:
            left[first].discard(second)
            left[second].discard(first)
    return rounds


def _mixed(trial: int, number: int, a: int, b: int) -> int:
    """Return a pseudo-random weight; the first trial prefers neighbours, which keeps the remaining pairs regular."""
    if trial == 0:
        return abs(a - b)
    return (((a * 7919 + b * 104729 + number * 1299709 + trial * 15485863) * 2654435761) >> 16) % 1000


def _searched(sides: Sequence[Side], unused: Unused, count: int) -> FeasibleRounds:
    """Search exhaustively, within `SEARCH_STEPS`."""
    steps = [0]
    rounds = _search(list(sides), {side: set(others) for side, others in unused.items()}, count, steps)
    if rounds is not None:
        return FeasibleRounds(True, "found", tuple(map(_named, rounds)))
    return FeasibleRounds(None, "open") if steps[0] >= SEARCH_STEPS else FeasibleRounds(False, "searched")


def _search(
    sides: list[Side], left: dict[Side, set[Side]], count: int, steps: list[int]
) -> list[list[tuple[Side, Side]]] | None:
    if count == 0:
        return []
    for matching in _matchings(sides, left, steps):
        for a, b in matching:
            left[a].discard(b)
            left[b].discard(a)
        rest = _search(sides, left, count - 1, steps)
        for a, b in matching:
            left[a].add(b)
            left[b].add(a)
        if rest is not None:
            return [matching, *rest]
    return None


def _matchings(
    sides: list[Side], left: Mapping[Side, set[Side]], steps: list[int]
) -> Iterator[list[tuple[Side, Side]]]:
    """Yield all perfect matchings of `sides`, until the steps are used up."""
    if not sides:
        yield []
        return
    steps[0] += 1
    first = min(sides, key=lambda side: len(left[side]))
    for partner in [side for side in sides if side in left[first]]:
        if steps[0] >= SEARCH_STEPS:
            return
        rest = [side for side in sides if side not in (first, partner)]
        for matching in _matchings(rest, left, steps):
            yield [(first, partner), *matching]


def _named(pairs: Sequence[tuple[Side, Side]]) -> tuple[tuple[Side, EntryId], ...]:
    """Return the pairs, with the bye first in its pair."""
    named: list[tuple[Side, EntryId]] = []
    for a, b in pairs:
        if b is not None:
            named.append((a, b))
        elif a is not None:
            named.append((None, a))
    return tuple(named)
