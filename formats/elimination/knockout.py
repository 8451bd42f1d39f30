"""Single elimination: the draw and the main bracket.

A field of N is placed in a bracket of S, the smallest power of two that holds it. All S - N byes are in the first
round. They go to the highest seed places, which `inner_outer` spreads evenly.

Draw `barpoint-knockout/1`, with the lots of `lots` (purpose "knockout"): the unseeded entries, sorted by id, are
shuffled and take the seed places after the seeded entries, in that order; `inner_outer` says where each seed place is.
If entries are to be kept apart, `kept_apart` then rearranges the unseeded places.

In a draw with *later starts* the best entries start in later rounds, and all others play for the places that they
leave. `seed_places` says which seed places are byes then; the rest of the draw is the same.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from formats.errors import Refused
from formats.graph import (
    BYE,
    MAIN,
    Bracket,
    ByeSource,
    EntryId,
    EntrySource,
    Fixture,
    FixtureId,
    Graph,
    Round,
    Source,
    WinnerOf,
    check,
)
from formats.kept_apart import Meeting, earliest_meetings, spread_apart
from formats.lots import ALGORITHM as LOTS
from formats.lots import Lots

ALGORITHM = f"barpoint-knockout/1 on {LOTS}"
STARTS_ALGORITHM = "later starts"
"""How the algorithm of a draw with later starts goes on, before their numbers."""
BYES_LAST = "byes last"
"""How the algorithm goes on of a draw of entries for all of whom there is a place to play for."""
MIN_FIELD = 2
MAX_FIELD = 4096
PURPOSE = "knockout"


@dataclass(frozen=True, slots=True)
class KnockoutDraw:
    """A draw: `places` has an entry or None (a bye) for each place of the first round, in order.

    `meetings` lists the entries to be kept apart that are not in opposite halves, with the earliest round in which they
    can meet.
    """

    places: tuple[EntryId | None, ...]
    draft: int
    algorithm: str
    meetings: tuple[Meeting, ...] = ()


def bracket_size(entries: int) -> int:
    """Return the smallest power of two that holds a field. Raises Refused outside 2–4096 entries.

    >>> bracket_size(19)
    32
    """
    if entries < MIN_FIELD:
        raise Refused("field_too_small", entries=entries, least=MIN_FIELD)
    if entries > MAX_FIELD:
        raise Refused("field_too_large", entries=entries, most=MAX_FIELD)
    return 1 << (entries - 1).bit_length()


def inner_outer(size: int) -> list[int]:
    """Return the seed places (from 1) in bracket order, for a power of two.

    Seeds 1 and 2 can meet only in the final, seeds 1 to 4 only from the semi-finals, and so on; in the first round the
    best meets the worst.

    >>> inner_outer(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    order = [1]
    while len(order) < size:
        last = 2 * len(order) + 1
        order = [seed for inner in order for seed in (inner, last - inner)]
    return order


def seed_places(entries: int, starts: Sequence[int] = ()) -> tuple[int, list[int]]:
    """Return the size of the bracket of a field and the seed places that its entries take, best first.

    `starts` says how many entries start in the final, in the semi-finals and so on; the others start as late as the
    places that are left allow. In a field that is too small for its starts the best have byes in the first rounds.

    >>> seed_places(6)
    (8, [1, 2, 3, 4, 5, 6])
    >>> seed_places(10, [0, 0, 4, 4])  # four start in the quarter-finals, four in the round of 16, and two as well
    (16, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    >>> seed_places(8, [0, 2])  # two start in the semi-finals, six play for the other two places in them
    (16, [1, 2, 3, 4, 5, 6, 11, 12])
    """
    taken: list[int] = []
    size, free = 2, [1, 2]
    for level, count in enumerate(starts):
        if level:
            size, free = _next_round(size, free)
        count = min(count, entries - len(taken), len(free))
        taken, free = taken + free[:count], free[count:]
    while len(free) < entries - len(taken):
        size, free = _next_round(size, free)
    taken += free[: entries - len(taken)]
    # A round in which nobody has an opponent is left out.
    while size > MIN_FIELD and not any(size + 1 - place in taken for place in taken):
        size //= 2
    return size, taken


def _next_round(size: int, free: Sequence[int]) -> tuple[int, list[int]]:
    """Return the bracket with one more round before its first, and the free seed places in it."""
    return 2 * size, sorted([*free, *(2 * size + 1 - place for place in free)])


def draw(
    entries: Iterable[EntryId],
    *,
    seed: bytes,
    draft: int = 1,
    seeds: Sequence[EntryId] = (),
    apart: Iterable[Collection[EntryId]] = (),
    starts: Sequence[int] = (),
    byes_last: bool = False,
) -> KnockoutDraw:
    """Draw a field: `seeds` in their order, all others by lot; `starts` is that of `seed_places`.

    `apart` has groups (club-mates, or named pairs) whose members should be in opposite halves, then quarters, as far as
    possible. With `byes_last` the places of entries keep their order, but stand before all byes. The order of `entries`
    does not matter; the same seed and draft give the same draw. Raises Refused for a field outside 2–4096, an entry
    listed twice, or a seed that is not an entry.
    """
    field = _distinct(entries)
    bracket_size(len(field))
    seeded = _distinct(seeds)
    for entry in seeded:
        if entry not in field:
            raise Refused("unknown_entry", entry=entry)
    lots = Lots(seed, PURPOSE, draft)
    order = [*seeded, *lots.shuffled(sorted(set(field) - set(seeded)))]
    size, taken = seed_places(len(field), starts)
    by_place = dict(zip(taken, order, strict=True))
    places = [by_place.get(place) for place in inner_outer(size)]
    if byes_last:
        places.sort(key=lambda place: place is None)
    groups = [frozenset(group) & frozenset(field) for group in apart]
    if groups:
        places = spread_apart(places, groups, fixed=frozenset(seeded), lots=lots)
    algorithm = f"{ALGORITHM}, {STARTS_ALGORITHM} {' '.join(map(str, starts))}" if starts else ALGORITHM
    algorithm = f"{algorithm}, {BYES_LAST}" if byes_last else algorithm
    return KnockoutDraw(tuple(places), draft, algorithm, earliest_meetings(places, groups))


def main_bracket(places: Sequence[Source], *, has_starts: bool = False) -> Bracket:
    """Return the bracket whose first round has these sources in order; their number must be a power of two.

    With `has_starts` fixtures without an entrant are left out, and of the byes of an entry all but the last.
    """
    rounds: list[Round] = []
    sources, number = list(places), 1
    while len(sources) > 1:
        pairs: list[tuple[Source, Source]] = list(zip(sources[::2], sources[1::2], strict=True))
        fixtures: list[Fixture] = []
        sources = []
        for at, pair in enumerate(pairs):
            is_last_bye = len(pairs) == 1 or pairs[at ^ 1] != (BYE, BYE)
            if has_starts and BYE in pair and (pair == (BYE, BYE) or not is_last_bye):
                sources.append(pair[1] if pair[0] == BYE else pair[0])
            else:
                fixtures.append(Fixture(number, pair))
                sources.append(WinnerOf(number))
                number += 1
        rounds.append(Round(len(rounds) + 1, tuple(fixtures)))
    return Bracket(MAIN, tuple(rounds))


def knockout(places: Sequence[EntryId | None]) -> Graph:
    """Return the graph of a single elimination with these places (None is a bye), as in `KnockoutDraw.places`."""
    sources = [BYE if entry is None else EntrySource(entry) for entry in places]
    return check(Graph((main_bracket(sources),)))


def cross_seeded(places: Sequence[Source]) -> Graph:
    """Return a knockout whose seed places 1, 2, … are these sources, such as places of groups, best first."""
    size = bracket_size(len(places))
    sources = [places[place - 1] if place <= len(places) else BYE for place in inner_outer(size)]
    return check(Graph((main_bracket(sources),)))


def open_byes(graph: Graph, begun: Collection[FixtureId] = ()) -> tuple[FixtureId, ...]:
    """Return the first-round fixtures with a bye that a late entry may still take.

    `begun` are the fixtures that have begun: the entry with the bye must not have begun its next match.
    """
    return tuple(
        fixture.number
        for fixture in graph.bracket(MAIN).rounds[0].fixtures
        if any(isinstance(source, ByeSource) for source in fixture.sources) and not _begun(graph, fixture.number, begun)
    )


def _begun(graph: Graph, number: FixtureId, begun: Collection[FixtureId]) -> bool:
    return number in begun or graph.next_of_winner.get(number) in begun


def eligible_byes(
    graph: Graph, begun: Collection[FixtureId] = (), apart_from: Collection[EntryId] = ()
) -> tuple[FixtureId, ...]:
    """Return the open byes farthest from these entries, ascending: the lot of a late entry is drawn among them."""
    byes = open_byes(graph, begun)
    first = graph.bracket(MAIN).rounds[0].fixtures
    index = {fixture.number: at for at, fixture in enumerate(first)}
    barred = _indices(first, apart_from)
    distance = {number: min((_distance(index[number], at) for at in barred), default=0) for number in byes}
    return tuple(number for number in byes if distance[number] == max(distance.values()))


def take_bye(
    graph: Graph,
    entry: EntryId,
    *,
    lots: Lots,
    begun: Collection[FixtureId] = (),
    apart_from: Collection[EntryId] = (),
) -> tuple[Graph, FixtureId]:
    """Place a late entry in a bye drawn by lot; return the new graph and the fixture.

    Only the byes farthest from `apart_from` (an earlier entry of the same player, club-mates) are eligible. The lot
    orders all fixtures of the round, so that taking one bye does not change the order of the others.
    Raises Refused("no_bye_left") or ("entry_twice").
    """
    if entry in graph.entries:
        raise Refused("entry_twice", entry=entry)
    eligible = eligible_byes(graph, begun, apart_from)
    if not eligible:
        raise Refused("no_bye_left")
    first = sorted(fixture.number for fixture in graph.bracket(MAIN).rounds[0].fixtures)
    number = next(number for number in lots.shuffled(first) if number in eligible)
    slot = next(at for at, source in enumerate(graph.fixture(number).sources) if isinstance(source, ByeSource))
    return graph.with_source(number, slot, EntrySource(entry)), number


def _indices(fixtures: Sequence[Fixture], entries: Collection[EntryId]) -> list[int]:
    return [
        at
        for at, fixture in enumerate(fixtures)
        for source in fixture.sources
        if isinstance(source, EntrySource) and source.entry in entries
    ]


def _distance(first: int, second: int) -> int:
    """Return how many rounds after the first two first-round fixtures lead to the same fixture."""
    return (first ^ second).bit_length()


def seed_order(ratings: Mapping[EntryId, float]) -> tuple[EntryId, ...]:
    """Return the entries by rating, best first; equal ratings by id."""
    return tuple(sorted(ratings, key=lambda entry: (-ratings[entry], entry)))


def _distinct(entries: Iterable[EntryId]) -> list[EntryId]:
    field = list(entries)
    if len(set(field)) != len(field):
        raise Refused("entry_twice", entry=max(field, key=field.count))
    return field
