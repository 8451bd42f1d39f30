"""What the events of a club hand over to its series: players, places and matches of each division."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet

from core.left_out import refuse_gaps
from formats import graph
from formats.elimination.places import FIRST_PLACES
from formats.facts import DOUBLE_FORFEIT, PLAYED
from formats.progress import SharedPlace
from formats.series.facts import DecidedBy, SeriesBracket, SeriesMatch
from formats.series.facts import SeriesDivision as DivisionFacts
from formats.series.plan import GROUP, MAIN
from formats.settings import DOUBLE, ELIMINATION, GROUPS, LIVES, ONE_ORDER
from formats.states import FixtureState, FixtureStatus
from formats.tables.tables import elimination_places, ranks
from matches.models import Match as MatchRow
from matches.models import Result
from tournaments.models import Division, Entry, Fixture
from tournaments.state.derivation import StageState, places_beyond, states_of

KEPT = 7 * 24 * 3600
"""Seconds for which the facts of a division are cached; its `seq` is part of their key."""
FORM = 6
"""Part of the key as well: grows when what is cached changes its form."""
QUALIFYING = "qualifying"
"""The bracket of a stage that only decides who goes on to the next one."""


class VoidedMatch(NamedTuple):
    """A match that was played and then voided by a correction; entries by id."""

    winner: str
    loser: str
    length: int


States = Mapping[int, Sequence[StageState]]
"""Division id -> states of its stages that take the place of those derived, for previews."""


def facts_of(divisions: Sequence[Division], overrides: States | None = None) -> dict[int, DivisionFacts]:
    """Return the facts of divisions by id, with players by public id; a merged player is the one merged into."""
    refuse_gaps()
    replaced = overrides or {}
    keys = {row.pk: f"series-facts:{FORM}:{row.public_id}:{row.seq}" for row in divisions if row.pk not in replaced}
    stored = cache.get_many(keys.values())
    facts: dict[int, DivisionFacts] = {}
    for row in divisions:
        key = keys.get(row.pk)
        if key in stored:
            facts[row.pk] = stored[key]
            continue
        facts[row.pk] = facts_of_states(row, replaced.get(row.pk) or states_of(row))
        if key is not None:
            cache.set(key, facts[row.pk], KEPT)
    sides = sides_of_entries(divisions)
    return {pk: with_players(division, sides) for pk, division in facts.items()}


def facts_of_states(division: Division, states: Iterable[StageState]) -> DivisionFacts:
    """Return the facts of a division with its entries as players, by id."""
    drawn = list(states)
    is_abandoned = division.status == Division.Status.CANCELLED
    voided = _voided(division) if drawn else {}
    last = max((state.stage.number for state in drawn), default=0)
    brackets: list[SeriesBracket] = []
    matches: list[SeriesMatch] = []
    title = 0
    for state in drawn:
        title = len(brackets)
        names = _names(state, is_last=state.stage.number == last)
        brackets += _brackets(state, names, is_abandoned=is_abandoned)
        matches += _matches(state, names)
        matches += _voided_matches(state, names, voided)
    if beyond := places_beyond(drawn):
        equal = _named(place.entries for place in places_beyond(drawn, by_points=True))
        brackets[title] = _with_places(brackets[title], beyond, equal, is_abandoned=is_abandoned)
        if any(state.rows.settings.ended for state in drawn):
            everybody = brackets[title].players.union(*_named(place.entries for place in beyond))
            brackets[title] = replace(brackets[title], players=everybody)
    players = frozenset().union(*(bracket.players for bracket in brackets))
    return DivisionFacts(
        name=division.name,
        players=players,
        brackets=tuple(brackets),
        matches=tuple(matches),
        rank=division.order + 1,
        missed=frozenset(str(entry) for state in drawn for entry in _missed(state)),
    )


def _missed(state: StageState) -> Iterator[int]:
    """Yield who did not come to a match to which nobody came."""
    for fixture in state.progress.fixtures.values():
        result = fixture.result or fixture.walkover
        if result is not None and result.kind == DOUBLE_FORFEIT:
            yield from fixture.entrants or ()


def _with_places(
    bracket: SeriesBracket, beyond: Sequence[SharedPlace], equal: Sequence[tuple[str, ...]], *, is_abandoned: bool
) -> SeriesBracket:
    """Return a bracket or table with those who did not reach it, in the places after it; `equal` share by points."""
    if not (bracket.placings or is_abandoned):
        return bracket
    places = (*bracket.places, *(place.places for place in beyond))
    apart = bracket.places or not bracket.placings
    by_points = () if apart else (*(bracket.equal_points or bracket.placings), *equal)
    placings = (*bracket.placings, *_named(place.entries for place in beyond))
    return replace(bracket, placings=placings, places=places if apart else (), equal_points=by_points)


def _named(groups: Iterable[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, entries)) for entries in groups)


def _names(state: StageState, *, is_last: bool) -> dict[str, str]:
    """Return key of a bracket of the stage -> its name in a plan."""
    settings = state.rows.settings
    keys = [bracket.key for bracket in state.progress.graph.brackets]
    if settings.format == GROUPS and len(keys) > 1:
        return {key: f"{GROUP}{number}" for number, key in enumerate(keys, start=1)}
    if not is_last:
        return dict.fromkeys(keys, QUALIFYING)
    if settings.format not in ELIMINATION or settings.format in ONE_ORDER:
        return dict.fromkeys(keys, MAIN)
    return {key: MAIN if key == graph.MAIN else key for key in keys}


def _brackets(state: StageState, names: Mapping[str, str], *, is_abandoned: bool) -> list[SeriesBracket]:
    settings = state.rows.settings
    if settings.format not in ELIMINATION:
        return [
            SeriesBracket(
                names.get(table.key, QUALIFYING if QUALIFYING in names.values() else MAIN),
                frozenset(str(row.entry) for row in table.rows),
                _named(ranks(table)) if table.over else (),
                equal_points=_named(ranks(table, by_points=True)) if table.over and settings.format != LIVES else (),
            )
            for table in state.tables
        ]
    brackets = []
    for key, places in elimination_places(settings, state.progress).items():
        parts = state.progress.graph.brackets
        own = parts if settings.format in ONE_ORDER else [bracket for bracket in parts if bracket.key == key]
        numbers = [fixture.number for bracket in own for round_ in bracket.rounds for fixture in round_.fixtures]
        slots = [slot for number in numbers for slot in state.progress.fixtures[number].slots]
        rounds = sum(bool(round_.fixtures) for bracket in own[:1] for round_ in bracket.rounds)
        players = frozenset(str(slot.entrant) for slot in slots if slot.entrant is not None)
        bracket = SeriesBracket(names.get(key, MAIN), players, _certain(places), rounds)
        taken = tuple(place.places for place in places)
        count = sum(len(place.entries) for place in places)
        if is_abandoned if not bracket.placings else [*chain(*taken)] != [*range(1, count + 1)]:
            bracket = replace(bracket, placings=_named(place.entries for place in places), places=taken)
        brackets.append(bracket)
    return brackets


def _certain(places: Sequence[SharedPlace]) -> tuple[tuple[str, ...], ...]:
    """Return the places of a bracket once the first is certain: what is listed is counted from there."""
    return _named(place.entries for place in places) if places and places[0].first == 1 else ()


def _matches(state: StageState, names: Mapping[str, str]) -> list[SeriesMatch]:
    settings = state.rows.settings
    matches = []
    for bracket in state.progress.graph.brackets:
        rounds = [round_ for round_ in bracket.rounds if round_.fixtures]
        for index, round_ in enumerate(rounds):
            leads = settings.format in ELIMINATION and settings.format != DOUBLE and bracket.key not in FIRST_PLACES
            to_final = len(rounds) - 1 - index if leads else None
            for fixture in round_.fixtures:
                row = state.rows.fixtures[fixture.number]
                length = row.match.length if row.match is not None else state.rows.stage.division.match_length
                match = _match(state.progress.fixtures[fixture.number], names.get(bracket.key, MAIN), length)
                if match is not None:
                    matches.append(replace(match, round=round_.number, to_final=to_final))
    return matches


def _voided(division: Division) -> dict[int, list[VoidedMatch]]:
    """Return number of a fixture -> its former matches that were really played and then voided by a correction."""
    newer = Result.objects.filter(match=OuterRef("match"), version__gt=OuterRef("version"))
    results = Result.objects.filter(
        ~Exists(newer), match__parent_topic=division.topic, match__state=MatchRow.State.VOID, winner__isnull=False
    ).select_related("match")
    voided = {result.match_id: result for result in results}
    if not voided:
        return {}
    entries = {
        (player, number): str(pk) for pk, player, number in division.entries.values_list("pk", "player", "number")
    }
    matches: dict[int, list[VoidedMatch]] = defaultdict(list)
    links = Fixture.former.through.objects.filter(match__in=voided).order_by("match_id")
    for fixture, pk in links.values_list("fixture__number", "match"):
        match, winner = voided[pk].match, voided[pk].winner or 0
        sides = [
            entries.get(side) for side in zip((match.player_0_id, match.player_1_id), match.entry_numbers, strict=True)
        ]
        if sides[winner] is not None and sides[1 - winner] is not None:
            matches[fixture].append(VoidedMatch(sides[winner] or "", sides[1 - winner] or "", match.length))
    return matches


def _voided_matches(
    state: StageState, names: Mapping[str, str], voided: Mapping[int, Sequence[VoidedMatch]]
) -> list[SeriesMatch]:
    """Return the matches of a stage that were really played and are void, or would be by the states of a preview."""
    bracket_of, matches = state.progress.graph.bracket_of, []
    for number, fixture in state.progress.fixtures.items():
        rows = [row for row in voided.get(number, ()) if not _counts_again(fixture, row)]
        rows += _about_to_be_void(state, number) if fixture.void else []
        bracket = names.get(bracket_of[number], MAIN)
        matches += [SeriesMatch(bracket, row.winner, row.loser, row.length, DecidedBy.VOID) for row in rows]
    return matches


def _counts_again(fixture: FixtureState, row: VoidedMatch) -> bool:
    """Whether the two players of a void match stand in its fixture again, so that what they played counts."""
    return fixture.result is not None and {row.winner, row.loser} == {str(entry) for entry in fixture.entrants or ()}


def _about_to_be_void(state: StageState, number: int) -> list[VoidedMatch]:
    result, match = state.rows.results.get(number), state.rows.fixtures[number].match
    if result is None or match is None or result.winner is None or result.between is None or result.kind != PLAYED:
        return []
    winner, loser = result.between[result.winner], result.between[1 - result.winner]
    return [VoidedMatch(str(winner), str(loser), match.length)]


def _match(state: FixtureState, bracket: str, length: int) -> SeriesMatch | None:
    """Return what a fixture counts for; None if it is open, or nobody won or came."""
    if state.status is FixtureStatus.BYE:
        alone = next((slot.entry for slot in state.slots if slot.entry is not None), None)
        return None if alone is None else SeriesMatch(bracket, str(alone), None, length, DecidedBy.BYE)
    result = state.result or state.walkover
    if state.entrants is None or result is None or result.winner is None:
        return None
    winner, loser = state.entrants[result.winner], state.entrants[1 - result.winner]
    return SeriesMatch(
        bracket, str(winner), str(loser), length, DecidedBy.PLAYED if result.kind == PLAYED else DecidedBy.WALKOVER
    )


class Side(NamedTuple):
    """Public ids of the player or pair of an entry, and of the two of a pair; merged ones are those merged into."""

    player: str
    pair: tuple[str, ...] = ()

    @property
    def people(self) -> tuple[str, ...]:
        return self.pair or (self.player,)


_COLUMNS = [
    f"player__{column}public_id"
    for row in ("", "pair__first__", "pair__second__")
    for column in (row, f"{row}merged_into__")
]


def sides_of(entries: QuerySet[Entry], *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield these columns of entries, each row with the side of the entry in the end."""
    for row in entries.values_list(*columns, *_COLUMNS):
        own, into, first, first_into, second, second_into = row[len(columns) :]
        pair = (first_into or first, second_into or second) if first is not None else ()
        yield (*row[: len(columns)], Side(into or own, pair))


class EntrySides(NamedTuple):
    """Id of an entry -> public id of its player or pair; and the two of each of these pairs."""

    players: Mapping[str, str]
    pairs: Mapping[str, tuple[str, ...]]

    @property
    def key(self) -> Any:
        """What is cached with them depends on."""
        return sorted(self.players.items()), sorted(self.pairs.items())


def sides_of_entries(divisions: Iterable[Division]) -> EntrySides:
    """Return for whom the entries of divisions stand; one query."""
    rows = {str(pk): side for pk, side in sides_of(Entry.objects.filter(division__in=divisions), "pk")}
    pairs = {side.player: side.pair for side in rows.values() if side.pair}
    return EntrySides({pk: side.player for pk, side in rows.items()}, pairs)


def with_players(division: DivisionFacts, sides: EntrySides) -> DivisionFacts:
    """Name the players instead of their entries; of several entries of a player the best place counts."""
    people = sides.players
    matches = (
        replace(match, winner=people[match.winner], loser=people[match.loser] if match.loser is not None else None)
        for match in division.matches
    )
    players = frozenset(people[entry] for entry in division.players)
    return replace(
        division,
        players=players,
        pairs={pair: both for pair, both in sides.pairs.items() if pair in players},
        brackets=tuple(_bracket_of_players(bracket, people) for bracket in division.brackets),
        matches=tuple(match for match in matches if match.winner != match.loser),
        missed=frozenset(people[entry] for entry in division.missed),
    )


def _bracket_of_players(bracket: SeriesBracket, people: Mapping[str, str]) -> SeriesBracket:
    placings = _best_of_each(bracket.placings, people)
    kept = [places for players, places in zip(placings, bracket.places, strict=False) if players]
    return replace(
        bracket,
        players=frozenset(people[entry] for entry in bracket.players),
        placings=tuple(filter(None, placings)),
        places=tuple(kept),
        equal_points=tuple(filter(None, _best_of_each(bracket.equal_points, people))),
    )


def _best_of_each(placings: Iterable[Iterable[str]], people: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Name the players of placings, each only where they stand best."""
    placed: set[str] = set()
    groups = []
    for placing in placings:
        new = tuple(dict.fromkeys(people[entry] for entry in placing if people[entry] not in placed))
        groups.append(new)
        placed |= set(new)
    return groups
