"""The plan of a stage, made from its settings and its entrants: the draw of its places, and the graph of its fixtures.

The entrants of a stage are entries, or places of the stage before it. Its places are a flat list in which None is a
bye: in bracket order for eliminations, by Berger number for a round robin, and group after group, each padded to the
size of the largest, for groups. Swiss and lives are paired round by round and have no plan.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from formats.elimination import knockout
from formats.elimination.byes import LowerByes
from formats.elimination.knockout import cross_seeded, main_bracket
from formats.elimination.lower_bracket import double_elimination, take_late_drop, with_lower_bracket
from formats.elimination.patterns import (
    Pattern,
    fewest,
    losers_by_round,
    parse,
    propose_consolation,
    propose_double,
    unshifted,
)
from formats.elimination.places import FIRST_PLACES, everybody, lines, with_late_loser
from formats.elimination.places import check_field as check_places_field
from formats.errors import Refused
from formats.graph import (
    BYE,
    CONSOLATION,
    LAST_CHANCE,
    MAIN,
    EntryId,
    EntrySource,
    FixtureId,
    Graph,
    PlaceOf,
    Source,
    check,
)
from formats.kept_apart import Meeting
from formats.lots import MIN_SEED_BYTES, Lots
from formats.settings import (
    BY_ROUND,
    DOUBLE,
    ELIMINATION,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PLACES,
    PROGRESSIVE,
    SNAKE,
    SWITCH_PLACES,
    StageSettings,
    check_league_size,
    check_matches,
    check_rounds,
    lives_are_places,
)
from formats.tables.groups import drawn_groups, group_names, in_one_group, knockout_from_groups, snake_groups
from formats.tables.round_robin import round_robin_of

TABLE = "table"
"""Key of the only bracket of a round robin or league; groups use their letters."""
ROUNDS = "rounds"
"""Key of the only bracket of a Swiss or of lives."""
ORDER_ALGORITHM = "lots over all entries"
LINES_ALGORITHM = "barpoint-lines/1"
"""How the byes of lower brackets get fixed lines; it follows the algorithm of the places. Draws without it use lots."""
MIN_FOR_LOWER = 2
MAX_STAGES = 5
MIN_QUALIFIERS = 2
MIN_WITH_CONSOLATION = 4


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn places, the algorithm that drew them, and who could not be kept apart in a bracket or in groups."""

    places: tuple[EntryId | None, ...]
    algorithm: str
    meetings: tuple[Meeting, ...] = ()
    in_one_group: tuple[tuple[EntryId, EntryId], ...] = ()


def checked_stages(stages: Sequence[StageSettings], default_lengths: Sequence[int] = ()) -> list[StageSettings]:
    """Return the stages after checking that they can follow each other; the last one loses its `qualifiers`.

    `default_lengths` are the division's match lengths, for stages without their own.
    Raises Refused with `stage_count`, `stage_qualifiers`, `starts_later`, `switch_needs_knockout`, `group_count`, what
    `StageSettings.checked` refuses, or what makes a later stage impossible for those who qualify:
    `rounds_with_rematches`, `division_size`, or as `plan_of`.
    """
    if not 1 <= len(stages) <= MAX_STAGES:
        raise Refused("stage_count", most=MAX_STAGES)
    whole = [*(with_places(stage) for stage in stages[:-1]), stages[-1]]
    checked = [stage.checked(default_lengths) for stage in whole]
    for number, (stage, following) in enumerate(pairwise(checked), start=1):
        if following.starts:
            raise Refused("starts_later", stage=number + 1)
        if stage.switch_time and not lives_are_places(stage, following.format):
            raise Refused("switch_needs_knockout", stage=number + 1)
        qualifiers = len(places_before(stage, number))
        if qualifiers < MIN_QUALIFIERS:
            raise Refused("stage_qualifiers", stage=number, least=MIN_QUALIFIERS)
        if following.format == GROUPS and qualifiers < MIN_QUALIFIERS * following.groups:
            raise Refused("group_count", groups=following.groups, least=MIN_QUALIFIERS, entries=qualifiers)
        try:
            _check_later(following, stage, number)
        except Refused as refused:
            raise Refused(refused.code, **{**refused.params, "stage": number + 1}) from refused
    return [*checked[:-1], replace(checked[-1], qualifiers=None, switch_time="")]


def check_field(stages: Sequence[StageSettings], entries: int) -> None:
    """Refuse stages that so many entries cannot play, before anything of them is drawn.

    Raises Refused with `places_field`, `places_after_lives`, `no_places_after_lives` or `rounds_with_rematches`.
    """
    left = entries
    if stages[0].format == PLACES:
        check_places_field(entries)
    for number, (stage, following) in enumerate(pairwise(stages), start=1):
        places = len(places_before(stage, number))
        if stage.is_continuous and stage.format == LIVES and 2 * places > left * stage.lives:
            fitting = [size for size in SWITCH_PLACES if 2 * size <= left * stage.lives]
            if fitting:
                raise Refused("places_after_lives", entries=left, places=places, most=fitting[-1])
            raise Refused("no_places_after_lives", entries=left, places=places)
        left = min(left, places)
        check_rounds(following, left)


def with_places(stage: StageSettings) -> StageSettings:
    """Return the settings of a stage that another follows; with the fewest places if a clock alone is to end it.

    Until that time, such a stage goes on to its last match, which is then the final of a bracket of two.
    """
    by_the_clock = stage.format == LIVES and stage.is_continuous and bool(stage.switch_time)
    return replace(stage, qualifiers=MIN_QUALIFIERS) if by_the_clock and stage.qualifiers is None else stage


def _check_later(settings: StageSettings, before: StageSettings, number: int) -> None:
    """Refuse a stage that the qualifiers of stage `number` with the settings `before` cannot play."""
    entrants = len(places_before(before, number))
    check_rounds(settings, entrants)
    if settings.format == LEAGUE:
        check_league_size(entrants)
    elif settings.format in ELIMINATION:
        plan_of(settings, later_sources(settings, before, number), seed=bytes(MIN_SEED_BYTES))
    elif settings.format not in BY_ROUND:
        check_matches(_table_matches(settings, entrants))


def draw_places(
    settings: StageSettings,
    entries: Iterable[EntryId],
    *,
    seed: bytes,
    draft: int = 1,
    seeds: Sequence[EntryId] = (),
    apart: Iterable[Collection[EntryId]] = (),
) -> Drawn:
    """Draw the places of a stage whose entrants are entries.

    `seeds` are entries from the strongest on, empty to draw everything by lot; `apart` is that of `knockout.draw`.
    Raises Refused with `field_too_small`, `group_count`, `division_size`, …
    """
    field = sorted(entries)
    if settings.format == PLACES:
        check_places_field(len(field))
        drawn = knockout.draw(field, seed=seed, draft=draft, seeds=seeds, apart=apart, byes_last=True)
        return Drawn(tuple(lines(drawn.places)), drawn.algorithm, drawn.meetings)
    if settings.format in ELIMINATION:
        drawn = knockout.draw(field, seed=seed, draft=draft, seeds=seeds, apart=apart, starts=settings.starts)
        on_lines = settings.format != KNOCKOUT and settings.lower_byes is LowerByes.LINES
        algorithm = f"{drawn.algorithm}, {LINES_ALGORITHM}" if on_lines else drawn.algorithm
        return Drawn(drawn.places, algorithm, drawn.meetings)
    if settings.format == LEAGUE:
        check_league_size(len(field))
    if settings.format == GROUPS:
        if settings.group_draw == SNAKE and seeds:
            groups, algorithm = snake_groups(list(seeds), settings.groups), "snake by rating"
        else:
            top_seeds = seeds[: settings.groups]
            groups = drawn_groups(field, settings.groups, seed=seed, draft=draft, seeds=top_seeds, apart=apart)
            algorithm = "groups by lot"
        return Drawn(padded(groups), algorithm, in_one_group=in_one_group(groups, apart))
    order = seeds or Lots(seed, "order", draft).shuffled(field)
    return Drawn(tuple(order), "by rating" if seeds else ORDER_ALGORITHM)


def as_drawn(settings: StageSettings, algorithm: str) -> StageSettings:
    """Return the settings with the byes of lower brackets as in a draw by this algorithm, which may be an older one."""
    if settings.format not in (PROGRESSIVE, DOUBLE):
        return settings
    return replace(settings, lower_byes=LowerByes.LINES if LINES_ALGORITHM in algorithm else LowerByes.LOTS)


def padded(groups: Sequence[Sequence[EntryId]]) -> tuple[EntryId | None, ...]:
    """Return the groups as one list, each padded with None to the size of the largest.

    >>> padded([[1, 4], [2, 3, 5]])
    (1, 4, None, 2, 3, 5)
    """
    size = max(map(len, groups))
    return tuple(entry for group in groups for entry in (*group, *[None] * (size - len(group))))


def sources_of(places: Iterable[EntryId | None]) -> list[Source]:
    return [BYE if entry is None else EntrySource(entry) for entry in places]


def places_before(before: StageSettings, number: int) -> list[PlaceOf]:
    """Return the qualifying places of stage `number`, best first: all group winners, then all runners-up …"""
    qualifiers = before.qualifiers or 0
    if before.format == GROUPS:
        names = group_keys(before, number)
        return [PlaceOf(name, place) for place in range(1, qualifiers + 1) for name in names]
    return [PlaceOf(str(number), place) for place in range(1, qualifiers + 1)]


def group_keys(settings: StageSettings, number: int) -> tuple[str, ...]:
    """Return the names under which later stages refer to the groups of stage `number`."""
    return tuple(f"{number}:{name}" for name in group_names(settings.groups))


def later_sources(settings: StageSettings, before: StageSettings, number: int) -> list[Source]:
    """Return the places of a stage as sources, given the stage `number` before it with the settings `before`."""
    qualified = places_before(before, number)
    if settings.format in ELIMINATION:
        graph = (
            knockout_from_groups(group_keys(before, number), before.qualifiers or 0)
            if before.format == GROUPS
            else cross_seeded(qualified)
        )
        seats = [source for fixture in graph.bracket(MAIN).rounds[0].fixtures for source in fixture.sources]
        return lines(seats) if settings.format == PLACES else seats
    if settings.format == GROUPS:
        numbered = snake_groups(range(1, len(qualified) + 1), settings.groups)
        return [BYE if place is None else qualified[place - 1] for place in padded(numbered)]
    return list(qualified)


def plan_of(
    settings: StageSettings, sources: Sequence[Source], *, seed: bytes, draft: int = 1, first_number: int = 1
) -> Graph:
    """Return the plan of a stage; `seed` and `draft` draw the byes of lower brackets.

    Raises Refused with a `pattern_…` code, or `field_too_small` or `places_field` if the field does not suit it.
    """
    if settings.format in BY_ROUND:
        return Graph(())
    if settings.format == PLACES:
        check_places_field(sum(source != BYE for source in sources))
        graph = everybody(sources, played_to=settings.played_to, shared_by=settings.shared_by)
    elif settings.format in ELIMINATION:
        graph = check(Graph((main_bracket(sources, has_starts=bool(settings.starts)),)))
        graph = _with_lower(settings, graph, seed, draft)
    else:
        graph = _all_play_all(settings, sources)
    return graph.shifted(first_number - 1)


def _with_lower(settings: StageSettings, graph: Graph, seed: bytes, draft: int) -> Graph:
    byes = settings.lower_byes
    if settings.format == DOUBLE:
        return double_elimination(graph, seed=seed, draft=draft, pattern=lower_pattern(settings, graph), byes=byes)
    if settings.format != PROGRESSIVE:
        return graph
    graph = with_lower_bracket(graph, lower_pattern(settings, graph), seed=seed, draft=draft, byes=byes)
    if settings.last_chance is None:
        return graph
    pattern = last_chance_pattern(settings, graph)
    return with_lower_bracket(graph, pattern, seed=seed, draft=draft, key=LAST_CHANCE, fed_by=CONSOLATION, byes=byes)


class LateDrop(StrEnum):
    """What becomes of the loser of a match that a late entry made: nothing new, a bye taken, lower brackets planned
    anew, or no second match."""

    NONE = "none"
    BYE = "bye"
    ANEW = "anew"
    OUT = "out"


def with_late_drop(
    settings: StageSettings,
    graph: Graph,
    fixture: FixtureId,
    *,
    begun: Collection[FixtureId],
    seed: bytes,
    draft: int,
    first_number: int,
) -> tuple[Graph, LateDrop]:
    """Let the loser of `fixture`, whose bye a late entry took, drop like the other losers of the first round.

    They take a bye of the consolation. If it has none, the lower brackets are planned anew with the seed and the draft
    of the draw, as long as none of their matches has begun; their fixtures are numbered from `first_number`. After that
    the loser takes a bye of the last chance, or is out after one match. Where there is a place for everybody, the lower
    half is always planned anew.
    """
    if settings.format == PLACES:
        anew = planned_anew(settings, graph, begun=begun, seed=seed, draft=draft, first_number=first_number)
        return (graph, LateDrop.OUT) if anew is None else (anew, LateDrop.ANEW)
    first = graph.bracket(MAIN).rounds[0].fixtures
    if not any(other.number in graph.next_of_loser for other in first):
        return graph, LateDrop.NONE
    if (dropped := _by_a_bye(graph, fixture, CONSOLATION, begun)) is not None:
        return dropped, LateDrop.BYE
    if (anew := planned_anew(settings, graph, begun=begun, seed=seed, draft=draft, first_number=first_number)) is None:
        dropped = _by_a_bye(graph, fixture, LAST_CHANCE, begun)
        return (graph, LateDrop.OUT) if dropped is None else (dropped, LateDrop.BYE)
    return anew, LateDrop.ANEW


def _by_a_bye(graph: Graph, fixture: FixtureId, key: str, begun: Collection[FixtureId]) -> Graph | None:
    """Return the graph with the loser of `fixture` in a bye of this bracket; None if it has none to take."""
    if key not in [bracket.key for bracket in graph.brackets]:
        return None
    try:
        return take_late_drop(graph, fixture, key, frozenset(begun))
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return None


def planned_anew(
    settings: StageSettings,
    graph: Graph,
    *,
    begun: Collection[FixtureId],
    seed: bytes,
    draft: int,
    first_number: int,
) -> Graph | None:
    """Return the graph with its lower brackets planned again from the main bracket, numbered from `first_number`.

    Where there is a place for everybody these are the brackets of the lower half. None if one of their matches has
    begun, or the chosen pattern does not suit the field any more.
    """
    if settings.format == PLACES:
        shared = {"played_to": settings.played_to, "shared_by": settings.shared_by}
        return with_late_loser(graph, begun=begun, first_number=first_number, **shared)
    main = graph.bracket(MAIN)
    own = {fixture.number for fixture in main.fixtures}
    if not own.issuperset(begun):
        return None
    before_main, last = min(own) - 1, len(own)
    plain = Graph((main,)).shifted(-before_main)
    try:
        whole = _with_lower(settings, plain, seed, draft)
    except Refused as refused:
        if not refused.code.startswith("pattern_"):
            raise
        return None
    numbered = whole.renumbered(lambda at: at + before_main if at <= last else at - last - 1 + first_number)
    return replace(graph, brackets=numbered.brackets)


def lower_pattern(settings: StageSettings, graph: Graph) -> Pattern:
    """Return the pattern of the consolation or lower bracket: the chosen one, or the first proposal for this field."""
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
        raise Refused("field_too_small", entries=count, least=MIN_WITH_CONSOLATION)
    return proposals[0].pattern


def last_chance_pattern(settings: StageSettings, graph: Graph) -> Pattern:
    """Return the pattern of the last chance; by default the losers of the first half of the consolation enter it."""
    if settings.last_chance:
        return parse(settings.last_chance)
    losers = losers_by_round(graph, CONSOLATION)
    dropping = losers[: max(1, len(losers) // 2)]
    while sum(dropping) < MIN_FOR_LOWER and len(dropping) < len(losers):
        dropping = losers[: len(dropping) + 1]
    if sum(dropping) < MIN_FOR_LOWER:
        raise Refused("last_chance_empty", losers=sum(dropping), least=MIN_FOR_LOWER)
    return min((fewest(dropping), unshifted(dropping)), key=lambda pattern: len(pattern.rounds))


def _all_play_all(settings: StageSettings, sources: Sequence[Source]) -> Graph:
    groups = settings.groups if settings.format == GROUPS else 1
    size = len(sources) // groups
    check_matches(_table_matches(settings, len(sources)))
    if settings.format != GROUPS:
        return Graph((round_robin_of([s for s in sources if s != BYE], key=TABLE, double=settings.twice),))
    brackets = []
    number = 1
    for index, name in enumerate(group_names(settings.groups)):
        members = [source for source in sources[index * size : (index + 1) * size] if source != BYE]
        bracket = round_robin_of(members, key=name, double=settings.twice, first_number=number)
        number += len(bracket.fixtures)
        brackets.append(bracket)
    return Graph(tuple(brackets))


def _table_matches(settings: StageSettings, places: int) -> int:
    """Return the matches of a round robin, or of groups with this many places in all."""
    groups = settings.groups if settings.format == GROUPS else 1
    size = places // groups
    return groups * size * (size - 1) // 2 * (2 if settings.twice else 1)


def lengths_of(settings: StageSettings, key: str, default: Sequence[int]) -> tuple[int, ...]:
    """Return the match lengths by round of a bracket of a stage; `default` are those of the division."""
    main = settings.lengths or tuple(default)
    lower = settings.lower_lengths or main
    by_key: Mapping[str, Sequence[int]] = {
        "consolation": lower,
        "lower": lower,
        "last_chance": settings.last_lengths or lower,
        "final": settings.final_lengths or main[-1:],
    }
    return tuple(lower if key in FIRST_PLACES else by_key.get(key, main))
