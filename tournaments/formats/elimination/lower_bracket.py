"""Consolations, last chances and double eliminations: brackets fed by the losers of another.

The pattern says who enters when (`patterns`), `drops` says where. All are made by `with_lower_bracket`: a
progressive consolation is fed by the main bracket, a last chance by the consolation, and the lower half of
a double elimination is one whose pattern ends in X or R.
"""

from collections.abc import Mapping
from dataclasses import replace

from tournaments.formats.elimination.byes import spans_by_fixture
from tournaments.formats.elimination.drops import Feed, LaidRound, Layout, Side, lay_out
from tournaments.formats.elimination.patterns import LETTERS, Pattern, losers_by_round, parse, plan
from tournaments.formats.errors import Refused
from tournaments.formats.graph import (
    BYE,
    CONSOLATION,
    FINAL,
    LOWER,
    MAIN,
    Bracket,
    ByeSource,
    Fixture,
    FixtureId,
    Graph,
    LoserOf,
    NeededIf,
    Round,
    Seat,
    Source,
    WinnerOf,
    check,
)


def with_lower_bracket(
    graph: Graph,
    pattern: Pattern | str,
    *,
    seed: bytes,
    draft: int = 1,
    key: str | None = None,
    fed_by: str = MAIN,
) -> Graph:
    """The graph with a bracket for the losers of `fed_by`, and its final(s) if the pattern ends in X or R.

    `key` defaults to "lower" for a double elimination and else to "consolation". `seed` and `draft` draw
    the byes: those of rounds in which all have certainly had equally many now, the others once a round's entrants
    are known. Raises Refused with a `pattern_…` code if the pattern does not work for this field.
    """
    pattern = parse(pattern) if isinstance(pattern, str) else pattern
    plan(pattern, losers_by_round(graph, fed_by))
    name = key or (LOWER if pattern.final else CONSOLATION)
    number = max(graph.fixtures) + 1
    feed = lower_feed(graph, pattern, fed_by)
    layout = lay_out(feed, seed=seed, draft=draft, first_number=number)
    bracket = _bracket(name, fed_by, pattern, layout, number)
    graph = replace(graph, seed=seed).with_bracket(bracket)
    if pattern.final:
        graph = graph.with_bracket(_final(graph, fed_by, name, pattern.second_final))
    return check(graph)


def double_elimination(graph: Graph, *, seed: bytes, pattern: Pattern | str, draft: int = 1) -> Graph:
    """A knockout graph made a double elimination; raises Refused("pattern_needs_final") without X or R."""
    pattern = parse(pattern) if isinstance(pattern, str) else pattern
    if not pattern.final:
        raise Refused("pattern_needs_final")
    return with_lower_bracket(graph, pattern, seed=seed, draft=draft)


def _bracket(name: str, fed_by: str, pattern: Pattern, layout: Layout, number: FixtureId) -> Bracket:
    rounds: list[Round] = []
    waiting: tuple[str, ...] = ()
    for letters, laid in zip(pattern.rounds, layout.rounds, strict=True):
        waiting += letters
        if laid.pairings:
            rounds.append(_round(name, len(rounds) + 1, laid, number, waiting))
            number += len(laid.pairings)
            waiting = ()
    return Bracket(name, tuple(rounds), fed_by)


def _round(bracket: str, round_number: int, laid: LaidRound, number: FixtureId, drops: tuple[str, ...]) -> Round:
    pairs = [(first.source, BYE if second is None else second.source) for first, second in laid.pairings]
    if not laid.drawn:
        return Round(round_number, tuple(Fixture(number + at, pair) for at, pair in enumerate(pairs)), drops)
    entrants: list[Source] = []
    fixtures = []
    for at, pair in enumerate(pairs):
        seats: list[Source] = []
        for source in pair:
            if source != BYE:
                entrants.append(source)
            seats.append(BYE if source == BYE else Seat(bracket, round_number, len(entrants)))
        fixtures.append(Fixture(number + at, (seats[0], seats[1])))
    return Round(round_number, tuple(fixtures), drops, tuple(entrants))


def _final(graph: Graph, upper: str, lower: str, second: bool) -> Bracket:
    """The upper winner in slot 0 against the lower one in slot 1, who has to win twice in a row."""
    number = max(graph.fixtures) + 1
    top = WinnerOf(graph.bracket(upper).fixtures[-1].number)
    low_fixtures = graph.bracket(lower).fixtures
    # In a field of two the only loser waits, so the lower bracket has no fixture of its own.
    low = WinnerOf(low_fixtures[-1].number) if low_fixtures else LoserOf(top.fixture)
    rounds = [Round(1, (Fixture(number, (top, low)),))]
    if second:
        again = Fixture(number + 1, (WinnerOf(number), LoserOf(number)), NeededIf(number, slot=1))
        rounds.append(Round(2, (again,)))
    return Bracket(FINAL, tuple(rounds))


def lower_feed(graph: Graph, pattern: Pattern, key: str = MAIN) -> Feed:
    """What the pattern draws on in the bracket `key`, for `drops.lay_out`."""
    byes = spans_by_fixture(graph)
    rounds = graph.bracket(key).rounds
    sides = {
        LETTERS[at]: tuple(
            Side(LoserOf(fixture.number), {fixture.number: 1.0}, byes[fixture.number])
            for fixture in round_.fixtures
            if not _has_bye(fixture)
        )
        for at, round_ in enumerate(rounds[: len(LETTERS)])
    }
    drops = tuple(tuple(sides[letter] for letter in letters) for letters in pattern.rounds)
    return Feed(drops, _above(graph, key))


def _above(graph: Graph, key: str) -> Mapping[FixtureId, tuple[tuple[FixtureId, float], ...]]:
    """For each fixture those its winner can lose in, with the chance that he does."""
    inside = {fixture.number: fixture for fixture in graph.bracket(key).fixtures}
    above: dict[FixtureId, tuple[tuple[FixtureId, float], ...]] = {}
    for number in inside:
        found: list[tuple[FixtureId, float]] = []
        later, chance = graph.next_of_winner.get(number), 1.0
        while later in inside:
            if not _has_bye(inside[later]):
                chance /= 2
                found.append((later, chance))
            later = graph.next_of_winner.get(later)
        above[number] = tuple(found)
    return above


def _has_bye(fixture: Fixture) -> bool:
    return any(isinstance(source, ByeSource) for source in fixture.sources)


def take_late_drop(graph: Graph, fixture: FixtureId, key: str, begun: frozenset[FixtureId] = frozenset()) -> Graph:
    """The graph after a late entrant filled a bye of the feeding bracket: its loser now drops, too.

    The loser takes the earliest bye of the lower bracket whose next fixture has not begun; in a round that is drawn
    once its entrants are known, none of whose fixtures has begun. If none is left, draw the lower bracket anew (if
    it has not begun) or let the loser not drop: raises Refused("no_bye_left").
    """
    for round_ in graph.bracket(key).rounds:
        for lower in round_.fixtures:
            touched = {one.number for one in round_.fixtures} if round_.entrants else {lower.number}
            following = {graph.next_of_winner.get(number) for number in touched}
            if not _has_bye(lower) or (touched | following) & begun:
                continue
            if round_.entrants:
                return check(graph.with_entrant(lower.number, LoserOf(fixture)))
            return check(graph.with_source(lower.number, lower.sources.index(BYE), LoserOf(fixture)))
    raise Refused("no_bye_left")
