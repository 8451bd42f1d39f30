"""From the settings of a stage and its field to its plan: the draw of its places, and the graph they make.

A stage is fed by entries, or by the places of the stage before it. Its places are a flat list in which None is a
bye: bracket order for eliminations, Berger numbers for a round robin, and group after group, each padded to the
size of the largest, for groups. Swiss and lives have no plan beforehand; they are paired round by round.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tournaments.formats.elimination import knockout
from tournaments.formats.elimination.knockout import cross_seeded, main_bracket
from tournaments.formats.elimination.lower_bracket import double_elimination, with_lower_bracket
from tournaments.formats.elimination.patterns import (
    Pattern,
    fewest,
    losers_by_round,
    parse,
    propose_consolation,
    propose_double,
    unshifted,
)
from tournaments.formats.errors import Refused
from tournaments.formats.graph import (
    BYE,
    CONSOLATION,
    LAST_CHANCE,
    MAIN,
    EntryId,
    EntrySource,
    Graph,
    PlaceOf,
    Source,
    check,
)
from tournaments.formats.kept_apart import Meeting
from tournaments.formats.lots import Lots
from tournaments.formats.settings import (
    BY_ROUND,
    DOUBLE,
    ELIMINATION,
    GROUPS,
    LEAGUE,
    PROGRESSIVE,
    SNAKE,
    StageSettings,
    check_league_size,
    check_matches,
)
from tournaments.formats.tables.groups import (
    drawn_groups,
    group_names,
    in_one_group,
    knockout_from_groups,
    snake_groups,
)
from tournaments.formats.tables.round_robin import round_robin_of

TABLE = "table"
"""Key of the one bracket of a round robin or a league; groups have their letters."""
ROUNDS = "rounds"
"""Key of the one bracket of a Swiss or of lives."""
ORDER_ALGORITHM = "lots over all entries"
FEWEST_FOR_LOWER = 2
MOST_STAGES = 5
LEAST_GOING_ON = 2
LEAST_WITH_CONSOLATION = 4


@dataclass(frozen=True, slots=True)
class Drawn:
    """Places as drawn, by which algorithm, and who could not be kept apart, in a bracket or in groups."""

    places: tuple[EntryId | None, ...]
    algorithm: str
    meetings: tuple[Meeting, ...] = ()
    in_one_group: tuple[tuple[EntryId, EntryId], ...] = ()


def checked_stages(stages: Sequence[StageSettings], default_lengths: Sequence[int] = ()) -> list[StageSettings]:
    """Stages that can follow each other, whatever their field; the last one sends nobody on.

    `default_lengths` are the division's match lengths, for stages without their own.
    Raises Refused with `stage_count`, `stage_qualifiers`, `group_count`, or what `StageSettings.checked` refuses.
    """
    if not 1 <= len(stages) <= MOST_STAGES:
        raise Refused("stage_count", most=MOST_STAGES)
    made = [one.checked(default_lengths) for one in stages]
    for number, one in enumerate(made[:-1], start=1):
        going_on = len(places_before(one, number))
        if going_on < LEAST_GOING_ON:
            raise Refused("stage_qualifiers", stage=number, least=LEAST_GOING_ON)
        following = made[number]
        if following.format == GROUPS and going_on < LEAST_GOING_ON * following.groups:
            raise Refused("group_count", groups=following.groups, least=LEAST_GOING_ON, entries=going_on)
    return [*made[:-1], replace(made[-1], qualifiers=None)]


def draw_places(
    settings: StageSettings,
    entries: Iterable[EntryId],
    *,
    seed: bytes,
    draft: int = 1,
    seeds: Sequence[EntryId] = (),
    apart: Iterable[Collection[EntryId]] = (),
) -> Drawn:
    """The places of a stage that is fed by entries.

    `seeds` are entries from the strongest on, empty for a draw by lot alone; `apart` as in `knockout.draw`.
    Raises Refused with `field_too_small`, `group_count`, `division_size`, …
    """
    field = sorted(entries)
    if settings.format in ELIMINATION:
        drawn = knockout.draw(field, seed=seed, draft=draft, seeds=seeds, apart=apart)
        return Drawn(drawn.places, drawn.algorithm, drawn.meetings)
    if settings.format == LEAGUE:
        check_league_size(len(field))
    if settings.format == GROUPS:
        if settings.group_draw == SNAKE and seeds:
            groups, how = snake_groups(list(seeds), settings.groups), "snake by rating"
        else:
            heads = seeds[: settings.groups]
            groups = drawn_groups(field, settings.groups, seed=seed, draft=draft, seeds=heads, apart=apart)
            how = "groups by lot"
        return Drawn(padded(groups), how, in_one_group=in_one_group(groups, apart))
    order = seeds or Lots(seed, "order", draft).shuffled(field)
    return Drawn(tuple(order), "by rating" if seeds else ORDER_ALGORITHM)


def padded(groups: Sequence[Sequence[EntryId]]) -> tuple[EntryId | None, ...]:
    """Groups as one list, each filled up with None to the size of the largest.

    >>> padded([[1, 4], [2, 3, 5]])
    (1, 4, None, 2, 3, 5)
    """
    size = max(map(len, groups))
    return tuple(entry for group in groups for entry in (*group, *[None] * (size - len(group))))


def sources_of(places: Iterable[EntryId | None]) -> list[Source]:
    """The places as sources of a plan."""
    return [BYE if entry is None else EntrySource(entry) for entry in places]


def places_before(before: StageSettings, number: int) -> list[PlaceOf]:
    """The places of stage `number` that go on to the next one, best first: all winners of groups, then the seconds …"""
    going_on = before.qualifiers or 0
    if before.format == GROUPS:
        names = group_keys(before, number)
        return [PlaceOf(name, place) for place in range(1, going_on + 1) for name in names]
    return [PlaceOf(str(number), place) for place in range(1, going_on + 1)]


def group_keys(settings: StageSettings, number: int) -> tuple[str, ...]:
    """The names by which places of the groups of stage `number` are known to later stages."""
    return tuple(f"{number}:{name}" for name in group_names(settings.groups))


def later_sources(settings: StageSettings, before: StageSettings, number: int) -> list[Source]:
    """The places of a stage that is fed by stage `number`, whose settings are `before`."""
    places = places_before(before, number)
    if settings.format in ELIMINATION:
        fed = (
            knockout_from_groups(group_keys(before, number), before.qualifiers or 0)
            if before.format == GROUPS
            else cross_seeded(places)
        )
        return [source for fixture in fed.bracket(MAIN).rounds[0].fixtures for source in fixture.sources]
    if settings.format == GROUPS:
        numbered = snake_groups(range(1, len(places) + 1), settings.groups)
        return [BYE if at is None else places[at - 1] for at in padded(numbered)]
    return list(places)


def plan_of(
    settings: StageSettings, sources: Sequence[Source], *, seed: bytes, draft: int = 1, first_number: int = 1
) -> Graph:
    """The whole plan of a stage; `seed` and `draft` draw the byes of lower brackets.

    Raises Refused with a `pattern_…` code, or ("field_too_small") for a consolation that nobody could play in.
    """
    if settings.format in BY_ROUND:
        return Graph(())
    if settings.format in ELIMINATION:
        graph = check(Graph((main_bracket(sources),)))
        graph = _with_lower(settings, graph, seed, draft)
    else:
        graph = _all_play_all(settings, sources)
    return graph.shifted(first_number - 1)


def _with_lower(settings: StageSettings, graph: Graph, seed: bytes, draft: int) -> Graph:
    if settings.format == DOUBLE:
        return double_elimination(graph, seed=seed, draft=draft, pattern=lower_pattern(settings, graph))
    if settings.format != PROGRESSIVE:
        return graph
    graph = with_lower_bracket(graph, lower_pattern(settings, graph), seed=seed, draft=draft)
    if settings.last_chance is None:
        return graph
    pattern = last_chance_pattern(settings, graph)
    return with_lower_bracket(graph, pattern, seed=seed, draft=draft, key=LAST_CHANCE, fed_by=CONSOLATION)


def lower_pattern(settings: StageSettings, graph: Graph) -> Pattern:
    """The pattern of the consolation or lower bracket: the chosen one, or the first proposed for this field."""
    if settings.pattern:
        pattern = parse(settings.pattern)
        if settings.format == PROGRESSIVE:
            return replace(pattern, final=False, second_final=False)
        return replace(pattern, final=True, second_final=pattern.second_final or settings.second_final)
    count = sum(losers_by_round(graph)) + 1
    if settings.format == DOUBLE:
        return propose_double(count, second_final=settings.second_final)[0].pattern
    proposals = propose_consolation(count)
    if not proposals:
        raise Refused("field_too_small", entries=count, least=LEAST_WITH_CONSOLATION)
    return proposals[0].pattern


def last_chance_pattern(settings: StageSettings, graph: Graph) -> Pattern:
    """The pattern of the last chance: by default the losers of the first half of the consolation's rounds."""
    if settings.last_chance:
        return parse(settings.last_chance)
    losers = losers_by_round(graph, CONSOLATION)
    dropping = losers[: max(1, len(losers) // 2)]
    while sum(dropping) < FEWEST_FOR_LOWER and len(dropping) < len(losers):
        dropping = losers[: len(dropping) + 1]
    if sum(dropping) < FEWEST_FOR_LOWER:
        raise Refused("last_chance_empty", losers=sum(dropping), least=FEWEST_FOR_LOWER)
    return min((fewest(dropping), unshifted(dropping)), key=lambda pattern: len(pattern.rounds))


def _all_play_all(settings: StageSettings, sources: Sequence[Source]) -> Graph:
    groups = settings.groups if settings.format == GROUPS else 1
    size = len(sources) // groups
    check_matches(groups * size * (size - 1) // 2 * (2 if settings.twice else 1))
    if settings.format != GROUPS:
        return Graph((round_robin_of([s for s in sources if s != BYE], key=TABLE, double=settings.twice),))
    brackets = []
    number = 1
    for at, name in enumerate(group_names(settings.groups)):
        members = [source for source in sources[at * size : (at + 1) * size] if source != BYE]
        bracket = round_robin_of(members, key=name, double=settings.twice, first_number=number)
        number += len(bracket.fixtures)
        brackets.append(bracket)
    return Graph(tuple(brackets))


def lengths_of(settings: StageSettings, key: str, default: Sequence[int]) -> tuple[int, ...]:
    """Match lengths by round of one bracket of a stage; `default` are the division's."""
    main = settings.lengths or tuple(default)
    lower = settings.lower_lengths or main
    by_key: Mapping[str, Sequence[int]] = {
        "consolation": lower,
        "lower": lower,
        "last_chance": settings.last_lengths or lower,
        "final": settings.final_lengths or main[-1:],
    }
    return tuple(by_key.get(key, main))
