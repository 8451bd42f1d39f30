"""Consolations, last chances and double eliminations: brackets fed by the losers of another.

The pattern says in which round losers enter (`patterns`), and `drops` in which place. `with_lower_bracket` builds all
of them: a consolation is fed by the main bracket, a last chance by the consolation, and the lower bracket of a double
elimination has a pattern that ends in X or R.
"""

from collections.abc import Mapping
from dataclasses import replace

from formats.elimination.byes import LowerByes, spans_by_fixture
from formats.elimination.drops import Feed, FutureEntrant, LaidRound, Layout, lay_out
from formats.elimination.patterns import LETTERS, Pattern, losers_by_round, parse, plan
from formats.errors import Refused
from formats.graph import (
    BYE,
    CONSOLATION,
    FINAL,
    LOWER,
    MAIN,
    Bracket,
    ByeSource,
    DrawnSeat,
    Fixture,
    FixtureId,
    Graph,
    LoserOf,
    NeededIf,
    Round,
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
    byes: LowerByes = LowerByes.LINES,
) -> Graph:
    """Return the graph with a bracket for the losers of `fed_by`, and the final(s) if the pattern ends in X or R.

    `key` defaults to "lower" for a double elimination and to "consolation" otherwise. `seed` and `draft` draw the lines
    of byes, and `byes` says how many lines are left to be drawn once their entrants are known. Raises Refused with a
    `pattern_…` code if the pattern does not suit this field.
    """
    pattern = parse(pattern) if isinstance(pattern, str) else pattern
    plan(pattern, losers_by_round(graph, fed_by))
    name = key or (LOWER if pattern.final else CONSOLATION)
    number = max(graph.fixtures) + 1
    feed = lower_feed(graph, pattern, fed_by)
    layout = lay_out(feed, seed=seed, draft=draft, first_number=number, byes=byes)
    bracket = _bracket(name, fed_by, pattern, layout, number)
    graph = replace(graph, seed=seed).with_bracket(bracket)
    if pattern.final:
        graph = graph.with_bracket(_final(graph, fed_by, name, pattern.second_final))
    return check(graph)


def double_elimination(
    graph: Graph, *, seed: bytes, pattern: Pattern | str, draft: int = 1, byes: LowerByes = LowerByes.LINES
) -> Graph:
    """Turn a knockout graph into a double elimination. Raises Refused("pattern_needs_final") without X or R."""
    pattern = parse(pattern) if isinstance(pattern, str) else pattern
    if not pattern.final:
        raise Refused("pattern_needs_final")
    return with_lower_bracket(graph, pattern, seed=seed, draft=draft, byes=byes)


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
    drawn = {side.source for side in laid.drawn}
    entrants: list[Source] = []
    fixtures = []
    for at, pair in enumerate(pairs):
        sources: list[Source] = []
        for source in pair:
            if source in drawn:
                entrants.append(source)
            sources.append(DrawnSeat(bracket, round_number, len(entrants)) if source in drawn else source)
        fixtures.append(Fixture(number + at, (sources[0], sources[1])))
    return Round(round_number, tuple(fixtures), drops, tuple(entrants))


def _final(graph: Graph, upper: str, lower: str, second: bool) -> Bracket:
    """Return the final: the upper winner in slot 0, the lower winner in slot 1, who must win twice if `second`."""
    number = max(graph.fixtures) + 1
    top = WinnerOf(graph.bracket(upper).fixtures[-1].number)
    low_fixtures = graph.bracket(lower).fixtures
    # In a field of two the only loser waits for the final, and the lower bracket has no fixture.
    low = WinnerOf(low_fixtures[-1].number) if low_fixtures else LoserOf(top.fixture)
    rounds = [Round(1, (Fixture(number, (top, low)),))]
    if second:
        again = Fixture(number + 1, (WinnerOf(number), LoserOf(number)), NeededIf(number, slot=1))
        rounds.append(Round(2, (again,)))
    return Bracket(FINAL, tuple(rounds))


def lower_feed(graph: Graph, pattern: Pattern, key: str = MAIN) -> Feed:
    """Return the losers of the bracket `key` that the pattern lets in, for `drops.lay_out`."""
    byes = spans_by_fixture(graph)
    rounds = graph.bracket(key).rounds
    sides = {
        LETTERS[at]: tuple(
            FutureEntrant(LoserOf(fixture.number), {fixture.number: 1.0}, byes[fixture.number])
            for fixture in round_.fixtures
            if not _has_bye(fixture)
        )
        for at, round_ in enumerate(rounds[: len(LETTERS)])
    }
    drops = tuple(tuple(sides[letter] for letter in letters) for letters in pattern.rounds)
    return Feed(drops, _above(graph, key))


def _above(graph: Graph, key: str) -> Mapping[FixtureId, tuple[tuple[FixtureId, float], ...]]:
    """Return, for each fixture, the later ones in which its winner can lose, with the probability of that."""
    inside = {fixture.number: fixture for fixture in graph.bracket(key).fixtures}
    above: dict[FixtureId, tuple[tuple[FixtureId, float], ...]] = {}
    for number in inside:
        losses: list[tuple[FixtureId, float]] = []
        later, chance = graph.next_of_winner.get(number), 1.0
        while later in inside:
            if not _has_bye(inside[later]):
                chance /= 2
                losses.append((later, chance))
            later = graph.next_of_winner.get(later)
        above[number] = tuple(losses)
    return above


def _has_seat(fixture: Fixture) -> bool:
    return any(isinstance(source, DrawnSeat) for source in fixture.sources)


def _has_bye(fixture: Fixture) -> bool:
    return any(isinstance(source, ByeSource) for source in fixture.sources)


def take_late_drop(graph: Graph, fixture: FixtureId, key: str, begun: frozenset[FixtureId] = frozenset()) -> Graph:
    """Return the graph with a place for the loser of `fixture`, whose bye in the feeding bracket a late entry took.

    The loser takes the earliest bye of the lower bracket whose next fixture has not begun; if its line is drawn, none
    of the fixtures with such lines may have begun. Raises Refused("no_bye_left") if there is none (see
    `plans.with_late_drop`).
    """
    for round_ in graph.bracket(key).rounds:
        for lower in round_.fixtures:
            is_drawn = _has_seat(lower)
            touched = {other.number for other in round_.fixtures if _has_seat(other)} if is_drawn else {lower.number}
            following = {graph.next_of_winner.get(number) for number in touched}
            if not _has_bye(lower) or (touched | following) & begun:
                continue
            if is_drawn:
                return check(graph.with_entrant(lower.number, LoserOf(fixture)))
            return check(graph.with_source(lower.number, lower.sources.index(BYE), LoserOf(fixture)))
    raise Refused("no_bye_left")
