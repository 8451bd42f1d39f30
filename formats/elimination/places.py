"""A place for everybody: losers play on, so that every place is played for, or shared from a place on.

A node is the entrants of the places a to a + n - 1. They play one round; its winners and its bye go on to the upper
half of these places, its losers to the lower. The nodes of winners are the main bracket; losers begin the bracket
`p` and their first place, such as `p9`, whose rounds are the nodes of its winners.

All lines are fixed by the plan. An odd node has one bye, for its last line that cannot have had one yet; lines that can
have had one meet each other. Up to the largest field there always is such a line, so nobody has two byes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from formats.errors import Refused
from formats.graph import (
    BYE,
    MAIN,
    Bracket,
    EntryId,
    Fixture,
    FixtureId,
    Graph,
    LoserOf,
    Round,
    Source,
    WinnerOf,
    check,
)
from formats.progress import Progress, SharedPlace

MIN_FIELD, MAX_FIELD = 3, 128
LOSERS = "p"
"""What the key of a bracket of losers begins with; the rest is its first place."""
FIRST_PLACES = {f"{LOSERS}{place}": place for place in range(2, MAX_FIELD + 1)}
"""Key of a bracket of losers -> its first place."""
Seat = TypeVar("Seat")


def check_field(entries: int) -> None:
    """Raise Refused("places_field") if so many entries cannot all play for a place."""
    if not MIN_FIELD <= entries <= MAX_FIELD:
        raise Refused("places_field", least=MIN_FIELD, most=MAX_FIELD, entries=entries)


def lines(seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats of a bracket in the order of lines: without those nobody has, but for one in an odd field.

    >>> lines([1, 4, 5, None, None])
    [1, 4, 5, None]
    """
    taken = [seat for seat in seats if seat not in (None, BYE)]
    return [*taken, *[seat for seat in seats if seat in (None, BYE)][: len(taken) % 2]]


def first_place(key: str) -> int:
    """Return the first place of a bracket by its key; 0 if it is no bracket of this format.

    >>> first_place("main"), first_place("p9"), first_place("C")
    (1, 9, 0)
    """
    return 1 if key == MAIN else FIRST_PLACES.get(key, 0)


def fixtures_by_round(graph: Graph) -> dict[str, list[int]]:
    return {bracket.key: [len(round_.fixtures) for round_ in bracket.rounds] for bracket in graph.brackets}


def rounds_before(fixtures: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return key -> the rounds, one after the other, that come before the first one of a bracket of losers.

    `fixtures` has the number of fixtures of each round, by bracket.

    >>> rounds_before({"main": [4, 2, 1], "p5": [2, 1], "p3": [1], "p7": [1]})
    {'p5': 1, 'p3': 2, 'p7': 2}
    """
    before = {MAIN: 0}
    for key in sorted(fixtures, key=first_place):
        for number, count in enumerate(fixtures[key] if key in before else (), start=1):
            below = f"{LOSERS}{first_place(key) + count}"
            if below in fixtures:
                before[below] = before[key] + number
    return {key: count for key, count in before.items() if key != MAIN}


class _Line(NamedTuple):
    """Who comes to a line, and the most byes that they can have had."""

    source: Source
    byes: int = 0


@dataclass(frozen=True, slots=True)
class _Node:
    key: str
    first: int
    lines: Sequence[_Line]


def everybody(entrants: Sequence[Source], *, played_to: int = 0, shared_by: int = 1) -> Graph:
    """Return the plan for entrants in the order of their lines; the bye of an odd field may be among them.

    With `played_to`, a node that begins behind this place and has at most `shared_by` entrants shares its places.
    Matches are numbered round by round, so each has a higher number than those that its entrants come from.
    """
    whole = _Node(MAIN, 1, [_Line(source) for source in entrants if source != BYE])
    return check(Graph(_brackets(whole, played_to, shared_by)))


def with_late_loser(
    graph: Graph, *, begun: Collection[FixtureId], first_number: int, played_to: int = 0, shared_by: int = 1
) -> Graph | None:
    """Return the graph with the lower half planned anew for all who lose in its first round, as it is now.

    None if one of the matches of that half has begun. New fixtures are numbered from `first_number`.
    """
    first_round = graph.bracket(MAIN).rounds[0].fixtures
    first = 1 + len(first_round)
    upper = tuple(bracket for bracket in graph.brackets if first_place(bracket.key) < first)
    if any(first_place(graph.bracket_of[number]) >= first for number in begun):
        return None
    losers = [_Line(LoserOf(fixture.number)) for fixture in first_round if BYE not in fixture.sources]
    lower = _brackets(_Node(f"{LOSERS}{first}", first, losers), played_to, shared_by, first_number, fed_by=MAIN)
    return replace(graph, brackets=(*upper, *lower))


def _brackets(
    whole: _Node, played_to: int, shared_by: int, number: FixtureId = 1, fed_by: str | None = None
) -> tuple[Bracket, ...]:
    """Return the brackets of a node and of all its halves, numbered from `number`."""
    rounds: dict[str, list[Round]] = {}
    feeding = {whole.key: fed_by}
    nodes = [whole]
    while nodes:
        following: list[_Node] = []
        for node in nodes:
            if len(node.lines) == 1 or (node.first > played_to > 0 and len(node.lines) <= shared_by):
                continue
            fixtures, upper, lower = _round(node.lines, number)
            number += len(fixtures)
            own = rounds.setdefault(node.key, [])
            own.append(Round(len(own) + 1, tuple(fixtures)))
            below = _Node(f"{LOSERS}{node.first + len(upper)}", node.first + len(upper), lower)
            feeding[below.key] = node.key
            following += [_Node(node.key, node.first, upper), below]
        nodes = following
    return tuple(Bracket(key, tuple(own), feeding[key]) for key, own in rounds.items())


def _round(node: Sequence[_Line], number: FixtureId) -> tuple[list[Fixture], list[_Line], list[_Line]]:
    """Return the fixtures of a node, from `number` on, and the lines of its upper and of its lower half."""
    fixtures: list[Fixture] = []
    upper: list[_Line] = []
    lower: list[_Line] = []
    order = list(range(len(node)))
    fewest = min(line.byes for line in node)
    bye = max(at for at in order if node[at].byes == fewest) if len(node) % 2 else None
    order = sorted((at for at in order if at != bye), key=lambda at: -node[at].byes)
    for pair in zip(order[::2], order[1::2], strict=True):
        first, second = (node[at] for at in sorted(pair))
        byes = max(first.byes, second.byes)
        upper.append(_Line(WinnerOf(number), byes))
        lower.append(_Line(LoserOf(number), byes))
        fixtures.append(Fixture(number, (first.source, second.source)))
        number += 1
    if bye is not None:
        upper.append(_Line(WinnerOf(number), node[bye].byes + 1))
        fixtures.append(Fixture(number, (node[bye].source, BYE)))
    return fixtures, upper, lower


# Who takes which place.


Holders = frozenset[EntryId]
"""Who stands on a line: one entry, or those who would have met on it, of whom nobody came."""


def final_order(state: Progress) -> list[tuple[int, int, list[Holders | None]]]:
    """Return (first, last, who stands on each of their lines) for each place, or places that are shared, best first.

    A line is None while it is open. Who withdraws loses every match that is left. Of two who would meet, none of whom
    comes, both stand on both lines.
    """
    known = _lines(state)
    keys = {bracket.key for bracket in state.graph.brackets}
    order = []
    for bracket in state.graph.brackets:
        for round_ in bracket.rounds:
            matches = [fixture.number for fixture in round_.fixtures if BYE not in fixture.sources]
            first = first_place(bracket.key) + len(round_.fixtures)
            if matches and f"{LOSERS}{first}" not in keys:
                order.append((first, first + len(matches) - 1, [known[number][1] for number in matches]))
        first, last = first_place(bracket.key), bracket.rounds[-1].fixtures
        order.append((first, first + len(last) - 1, [known[fixture.number][0] for fixture in last]))
    return sorted(order, key=lambda row: row[0])


def _lines(state: Progress) -> dict[FixtureId, tuple[Holders | None, Holders | None]]:
    """Return number -> who goes on from a fixture, and who drops; None while that is open."""
    known: dict[FixtureId, tuple[Holders | None, Holders | None]] = {}

    def holders(number: FixtureId, slot: int) -> Holders | None:
        match state.graph.fixtures[number].sources[slot]:
            case WinnerOf(fixture):
                return known[fixture][0]
            case LoserOf(fixture):
                return known[fixture][1]
        entrant = state.fixtures[number].slots[slot].entrant
        return None if entrant is None else frozenset({entrant})

    for number, fixture in state.graph.fixtures.items():
        first, second = holders(number, 0), holders(number, 1)
        if BYE in fixture.sources:
            known[number] = (first if fixture.sources[1] == BYE else second, None)
        elif not state.fixtures[number].over or first is None or second is None:
            known[number] = (None, None)
        elif (winner := state.fixtures[number].winner.entry) is None:
            known[number] = (first | second, first | second)
        else:
            known[number] = (first, second) if winner in first else (second, first)
    return known


def certain_places(state: Progress) -> tuple[SharedPlace, ...]:
    """Return the places that are certain, best first.

    Those who share lines because nobody came to a meeting have the places of all of these lines, which need not follow
    one another. Where places are shared, such a line has the last of them.
    """
    places: list[SharedPlace] = []
    empty: list[tuple[Holders, list[int]]] = []
    for first, last, lines_ in final_order(state):
        shared = [line for line in lines_ if line is not None and len(line) > 1]
        for place, line in enumerate(shared, start=last - len(shared) + 1):
            together = [row for row in empty if row[0] & line]
            empty = [row for row in empty if row not in together]
            entries = line.union(*(row[0] for row in together))
            empty.append((entries, [*(at for row in together for at in row[1]), place]))
        alone = sorted(entry for line in lines_ if line is not None and line not in shared for entry in line)
        if alone:
            places.append(SharedPlace(first, last - len(shared), tuple(alone)))
    for entries, taken in empty:
        if len(entries) == len(taken):
            places.append(SharedPlace(min(taken), max(taken), tuple(sorted(entries)), tuple(sorted(taken))))
    return tuple(sorted(places, key=lambda place: place.first))
