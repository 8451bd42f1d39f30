"""Estimates for each format: rounds, matches and byes of a stage for a number of entrants, and patterns to choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from formats.elimination.patterns import (
    LETTERS,
    Pattern,
    PatternProposal,
    fewest,
    knockout_losers,
    parse,
    plan,
    propose_consolation,
    propose_double,
    unshifted,
)
from formats.errors import Refused
from formats.forecast.brackets import ALL_GROUPS, BracketForecast, RoundForecast, StageEstimate
from formats.forecast.counts import (
    NONE,
    Count,
    lives_courses,
    lives_matches,
    lives_runs,
    rounds_until_unbeaten,
    swiss_courses,
)
from formats.graph import BYE, CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN, FixtureId, Graph
from formats.plans import ROUNDS, TABLE, draw_places, later_sources, plan_of, sources_of
from formats.settings import (
    DOUBLE,
    ELIMINATION,
    GROUPS,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    SWISS,
    StageSettings,
    check_league_size,
    check_matches,
)
from formats.tables.groups import MIN_GROUP

MIN_FIELD = 2
SEED = bytes(32)
"""Seed for the byes of lower brackets; it does not affect their number."""
MAX_CHOICES = 6


@dataclass(frozen=True, slots=True)
class Choices:
    """Patterns that suit the field, for the consolation or lower bracket and for the last chance."""

    lower: tuple[PatternProposal, ...] = ()
    last_chance: tuple[PatternProposal, ...] = ()


def estimate_stage(settings: StageSettings, before: StageSettings | None, number: int, entrants: int) -> StageEstimate:
    """Estimate a stage for `entrants` entrants. Raises Refused if it is impossible for this field."""
    if settings.format in ELIMINATION:
        # Match lengths do not change the plan, which is laid out once for all of them.
        plan_settings = replace(settings, lengths=(), lower_lengths=(), last_lengths=(), final_lengths=())
        return _of_graph(planned_before(plan_settings, before, number, entrants))
    if entrants < MIN_FIELD:
        raise Refused("field_too_small", entries=entrants, least=MIN_FIELD)
    if settings.format == SWISS:
        return _swiss(settings, entrants)
    if settings.format == LIVES:
        return _lives(settings, entrants)
    if settings.format == LEAGUE:
        check_league_size(entrants)
    key = ALL_GROUPS if settings.format == GROUPS else TABLE
    sizes = groups_of(settings, entrants) or (entrants,)
    if min(sizes) < MIN_GROUP:
        raise Refused("group_count", groups=settings.groups, least=MIN_GROUP, entries=entrants)
    return _tables(key, sizes, settings.twice, planned_before(settings, before, number, entrants))


def groups_of(settings: StageSettings, entrants: int) -> tuple[int, ...]:
    """Return the sizes of the groups, largest first; empty if the format has none."""
    if settings.format != GROUPS:
        return ()
    size, rest = divmod(entrants, settings.groups)
    return tuple(size + (index < rest) for index in range(settings.groups))


@lru_cache(maxsize=64)
def planned_before(settings: StageSettings, before: StageSettings | None, number: int, entrants: int) -> Graph:
    """Return the plan of a stage for this field; it differs from the real one only in who stands where."""
    if before is None:
        sources = sources_of(draw_places(settings, range(1, entrants + 1), seed=SEED).places)
    else:
        sources = later_sources(settings, before, number - 1)
    return plan_of(settings, sources, seed=SEED)


def _of_graph(graph: Graph) -> StageEstimate:
    brackets = []
    for bracket in graph.brackets:
        rounds = []
        for round_ in bracket.rounds:
            byes = sum(BYE in fixture.sources for fixture in round_.fixtures)
            certain = sum(fixture.needed_if is None for fixture in round_.fixtures) - byes
            matches = Count(certain, len(round_.fixtures) - byes)
            rounds.append(RoundForecast(round_.number, matches, Count.of(byes), drops=round_.drops))
        brackets.append(BracketForecast(bracket.key, tuple(rounds), _pattern_text(graph, bracket.key)))
    return StageEstimate(
        tuple(brackets),
        matches=sum((bracket.matches for bracket in brackets), NONE),
        byes=sum((bracket.byes for bracket in brackets), NONE),
        rounds=Count.of(len(graph.bracket(MAIN).rounds)),
        matches_each=matches_each(graph),
        peak=_peak(graph),
        graph=graph,
    )


def _pattern_text(graph: Graph, key: str) -> str:
    """Return the pattern of a bracket fed by losers, read from its rounds."""
    if key not in (LOWER, CONSOLATION, LAST_CHANCE):
        return ""
    rounds = tuple(round_.drops for round_ in graph.bracket(key).rounds)
    finals = len(graph.bracket(FINAL).rounds) if key == LOWER else 0
    return str(Pattern(rounds, final=finals > 0, second_final=finals > 1))


def matches_each(graph: Graph) -> Count:
    """Return the fewest and the most matches of an entrant of the first round, not counting byes."""
    following: dict[FixtureId, Count] = {}
    for number in sorted(graph.fixtures, reverse=True):
        fixture = graph.fixtures[number]
        ways = [_next(graph.next_of_winner, number, following)]
        if BYE not in fixture.sources:
            ways.append(_next(graph.next_of_loser, number, following))
        own = NONE if len(ways) == 1 else Count(int(fixture.needed_if is None), 1)
        following[number] = own + Count(min(way.least for way in ways), max(way.most for way in ways))
    first = [following[fixture.number] for fixture in graph.bracket(MAIN).rounds[0].fixtures]
    return Count(min(count.least for count in first), max(count.most for count in first))


def _next(edges: Mapping[FixtureId, FixtureId], number: FixtureId, following: Mapping[FixtureId, Count]) -> Count:
    return following[edges[number]] if number in edges else NONE


def _peak(graph: Graph) -> int:
    """Return how many matches can be played at once: the most that are equally far from the first round."""
    depth: dict[FixtureId, int] = {}
    at_depth: dict[int, int] = {}
    for number, fixture in graph.fixtures.items():
        feeding = [depth.get(getattr(source, "fixture", 0), 0) for source in graph.intended(number)]
        is_match = BYE not in fixture.sources
        depth[number] = max(feeding) + is_match
        if is_match:
            at_depth[depth[number]] = at_depth.get(depth[number], 0) + 1
    return max(at_depth.values(), default=0)


def _swiss(settings: StageSettings, players: int) -> StageEstimate:
    chances = {settings.rounds: 1.0} if settings.rounds is not None else rounds_until_unbeaten(players)
    count = Count(min(chances), max(chances))
    matches, odd = divmod(players, 2)
    rounds = tuple(
        RoundForecast(
            number, Count(matches * (number <= count.least), matches), Count(odd * (number <= count.least), odd)
        )
        for number in range(1, count.most + 1)
    )
    bracket = BracketForecast(ROUNDS, rounds)
    return StageEstimate(
        (bracket,),
        matches=bracket.matches,
        byes=bracket.byes,
        rounds=count,
        matches_each=Count(count.least - odd, count.most),
        peak=matches,
        courses=swiss_courses(chances, matches),
    )


def _lives(settings: StageSettings, players: int) -> StageEstimate:
    runs = lives_runs(players, settings.lives)
    rounds = []
    for at in range(len(runs[-1].entrants)):
        entrants = [run.entrants[at] if at < len(run.entrants) else 0 for run in runs]
        matches = Count(min(entrants) // 2, max(entrants) // 2)
        rounds.append(RoundForecast(at + 1, matches, _odd(entrants)))
    each = Count(settings.lives if players > MIN_FIELD else 0, len(runs[-1].entrants))
    return StageEstimate(
        (BracketForecast(ROUNDS, tuple(rounds)),),
        matches=lives_matches(players, settings.lives),
        byes=Count(
            min(sum(count % 2 for count in run.entrants) for run in runs),
            max(sum(count % 2 for count in run.entrants) for run in runs),
        ),
        rounds=Count(len(runs[0].entrants), len(runs[-1].entrants)),
        matches_each=each if players > MIN_FIELD else lives_matches(players, settings.lives),
        peak=players // 2,
        courses=lives_courses(runs),
    )


def _odd(entrants: Sequence[int]) -> Count:
    odd = [count % 2 for count in entrants]
    return Count(min(odd), max(odd))


def _tables(key: str, sizes: Sequence[int], twice: bool, graph: Graph) -> StageEstimate:
    """Estimate groups in which everybody plays everybody; the rounds of all groups are combined."""
    turns = 2 if twice else 1
    check_matches(sum(size * (size - 1) // 2 * turns for size in sizes))
    lasts = {size: (size - 1 + size % 2) * turns for size in set(sizes)}
    rounds = []
    for number in range(1, max(lasts.values()) + 1):
        playing = [size for size in sizes if number <= lasts[size]]
        matches, byes = sum(size // 2 for size in playing), sum(size % 2 for size in playing)
        rounds.append(RoundForecast(number, Count.of(matches), Count.of(byes)))
    bracket = BracketForecast(key, tuple(rounds))
    return StageEstimate(
        (bracket,),
        matches=bracket.matches,
        byes=bracket.byes,
        rounds=Count.of(len(rounds)),
        matches_each=Count((min(sizes) - 1) * turns, (max(sizes) - 1) * turns),
        peak=max(round_.matches.most for round_ in rounds),
        graph=graph,
    )


@lru_cache(maxsize=256)
def choices_of(settings: StageSettings, entrants: int) -> Choices:
    """Return the patterns to choose from, the default first; none if the format has no lower bracket."""
    try:
        if settings.format == DOUBLE:
            return Choices(propose_double(entrants)[:MAX_CHOICES])
        if settings.format == PROGRESSIVE:
            return Choices(_consolations(entrants), _last_chances(settings, entrants))
    except Refused:
        pass  # no pattern suits a field of this size; `estimate_stage` says so
    return Choices()


def _consolations(entrants: int) -> tuple[PatternProposal, ...]:
    """Return patterns in which the losers of all rounds but the final drop, then patterns with fewer such rounds."""
    usual = propose_consolation(entrants)
    last = max((LETTERS.index(proposal.pattern.letters[-1]) for proposal in usual), default=0)
    proposals = (propose_consolation(entrants, last_drop=letter) for letter in LETTERS[:last])
    shorter = [proposal[0] for proposal in proposals if proposal]
    return (*usual, *reversed(shorter))[:MAX_CHOICES]


def _last_chances(settings: StageSettings, entrants: int) -> tuple[PatternProposal, ...]:
    """Return patterns for each number of consolation rounds whose losers drop, if at least two players do."""
    usual = propose_consolation(entrants)
    pattern = parse(settings.pattern) if settings.pattern else usual[0].pattern if usual else None
    if pattern is None:
        return ()
    # A round in which a single player waits has no fixtures, so it is not a round of the bracket.
    planned = plan(replace(pattern, final=False, second_final=False), knockout_losers(entrants))
    losers = [round_.matches for round_ in planned if round_.matches]
    proposals: dict[Pattern, PatternProposal] = {}
    for count in range(1, len(losers)):
        dropping = losers[:count]
        if sum(dropping) > 1:
            for name, pattern in (("fewest byes", fewest(dropping)), ("unshifted", unshifted(dropping))):
                proposals.setdefault(pattern, PatternProposal(name, pattern, plan(pattern, losers)))
    return tuple(proposals.values())[:MAX_CHOICES]
