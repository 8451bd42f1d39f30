"""Whether the rounds still planned can all be paired without a rematch or a second bye.

Each round is a perfect matching of the players (and the bye, if their number is odd) that uses none of the
pairs used before, so the question is how many such matchings the unused pairs still hold.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournaments.formats.graph import EntryId
from tournaments.formats.swiss.event import SwissEvent

Matcher = Callable[[int, Iterable[tuple[int, int, int]]], list[tuple[int, int]]]
"""`swiss.best_matching`, handed in so that the matching library stays in one module."""

Side = EntryId | None
"""An entry, or None for the bye."""

Unused = Mapping[Side, frozenset[Side]]

TRIALS = 24
"""Attempts to lay out all rounds one after the other, each with other weights, before searching all ways."""

LARGEST_SEARCH = 14
SEARCH_STEPS = 20_000
LARGEST_TRIAL = 128


@dataclass(frozen=True, slots=True)
class Plan:
    """Whether the rounds are possible (None: not found, not disproved), and one way where one was laid out.

    `proof` names why: "few" (too few opponents are left for somebody), "many" (everybody has so many left
    that Dirac's theorem gives every round), "found", "searched" (all ways tried) or "open".
    """

    possible: bool | None
    proof: str
    rounds: tuple[tuple[tuple[Side, EntryId], ...], ...] = ()


def plan_rounds(event: SwissEvent, count: int, *, match: Matcher, after: Sequence[tuple[Side, EntryId]] = ()) -> Plan:
    """Whether `count` more rounds can be paired, the pairs `after` (None: the bye) of the next one given."""
    number = event.next_round + bool(after)
    sides: list[Side] = [p.entry for p in event.players if p.active(number)]
    if len(sides) % 2:
        sides.append(None)
    barred = _barred(event, sides, after)
    fewest = min((len(sides) - 1 - len(used) for used in barred.values()), default=0)
    if fewest < count:
        return Plan(False, "few")
    if fewest - (count - 1) >= len(sides) / 2:
        return Plan(True, "many")
    if len(sides) > LARGEST_TRIAL:
        return Plan(None, "open")
    unused: Unused = {side: frozenset(sides) - barred[side] - {side} for side in sides}
    for trial in range(TRIALS):
        rounds = _laid_out(sides, unused, count, trial, match)
        if rounds is not None:
            return Plan(True, "found", tuple(map(_named, rounds)))
    if len(sides) > LARGEST_SEARCH:
        return Plan(None, "open")
    return _searched(sides, unused, count)


def _barred(event: SwissEvent, sides: Sequence[Side], after: Sequence[tuple[Side, EntryId]]) -> dict[Side, set[Side]]:
    """Whom each side may not meet any more."""
    barred: dict[Side, set[Side]] = {side: set() for side in sides}
    pairs: list[tuple[Side, ...]] = [tuple(pair) for pair in (*event.meetings, *event.forbidden)]
    pairs += [(None, entry) for entry in event.byes_given]
    for pair in (*pairs, *after):
        if len(pair) == 2 and pair[0] in barred and pair[1] in barred:
            barred[pair[0]].add(pair[1])
            barred[pair[1]].add(pair[0])
    return barred


def _laid_out(
    sides: Sequence[Side], unused: Unused, count: int, trial: int, match: Matcher
) -> list[list[tuple[Side, Side]]] | None:
    """One round after the other; None if one fails."""
    left = {side: set(others) for side, others in unused.items()}
    rounds: list[list[tuple[Side, Side]]] = []
    for number in range(count):
        edges = [
            (a, b, 1 + _mixed(trial, number, a, b))
            for a in range(len(sides))
            for b in range(a + 1, len(sides))
            if sides[b] in left[sides[a]]
        ]
        found = match(len(sides), edges)
        if 2 * len(found) != len(sides):
            return None
        rounds.append([(sides[a], sides[b]) for a, b in found])
        for one, other in rounds[-1]:
            left[one].discard(other)
            left[other].discard(one)
    return rounds


def _mixed(trial: int, number: int, a: int, b: int) -> int:
    """A weight without a pattern; the first trial takes neighbours, which keeps the rest regular."""
    if trial == 0:
        return abs(a - b)
    return (((a * 7919 + b * 104729 + number * 1299709 + trial * 15485863) * 2654435761) >> 16) % 1000


def _searched(sides: Sequence[Side], unused: Unused, count: int) -> Plan:
    """Try all ways, within `SEARCH_STEPS`."""
    steps = [0]
    rounds = _search(list(sides), {side: set(others) for side, others in unused.items()}, count, steps)
    if rounds is not None:
        return Plan(True, "found", tuple(map(_named, rounds)))
    return Plan(None, "open") if steps[0] >= SEARCH_STEPS else Plan(False, "searched")


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
    """All perfect matchings over `sides`, until the steps are used up."""
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
    """The pairs with the bye, if any, as the first of its pair."""
    named: list[tuple[Side, EntryId]] = []
    for a, b in pairs:
        if b is not None:
            named.append((a, b))
        elif a is not None:
            named.append((None, a))
    return tuple(named)
