"""The standings of a stage in any format, and who qualifies for the next stage.

A stage with points has tables (one, or one for each group); an elimination has places. Both are functions of the
results, so a corrected result shows in them at once.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from formats.elimination.from_lives import PLACES as PLACES_OF_LIVES
from formats.elimination.places import certain_places
from formats.graph import FINAL, LOWER, MAIN, EntryId, PlaceOf
from formats.lots import Lots
from formats.plans import group_keys, lengths_of
from formats.progress import Progress, SharedPlace
from formats.settings import DOUBLE, ELIMINATION, GROUPS, LIVES, PLACES, SWISS, StageSettings
from formats.swiss.event import SwissEvent
from formats.swiss.lives import lives_left, lives_over, lives_places
from formats.tables.records import Records
from formats.tables.round_robin import table as records_of
from formats.tables.tiebreaks import StandingsRow, standings


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """Standings: the rows, best first, the records they come from, and whether everything is played.

    `key` is that of the bracket. In a stage with lives, the `points` of a row are the lives left.
    """

    key: str
    rows: tuple[StandingsRow, ...]
    records: Records
    tiebreaks: tuple[str, ...] = ()
    over: bool = False
    lengths: tuple[int, ...] = field(default=())


def bracket_tables(
    settings: StageSettings,
    state: Progress,
    *,
    lengths: Sequence[int],
    withdrawn: Collection[EntryId] = (),
    seed: bytes,
) -> tuple[StandingsTable, ...]:
    """Return the tables of a round robin, groups or a league; `lengths` are the division's, `seed` draws lots."""
    tables = []
    for bracket in state.graph.brackets:
        own = lengths_of(settings, bracket.key, lengths)
        records = records_of(
            state,
            bracket.key,
            length=own[0],
            scoring=settings.scoring,
            withdrawn=withdrawn,
            rule=settings.leaver_rule,
            lots_seed=seed,
        )
        order = settings.tiebreak_order
        over = all(state.fixtures[fixture.number].over for fixture in bracket.fixtures)
        tables.append(StandingsTable(bracket.key, standings(records, order), records, order, over, own))
    return tuple(tables)


def round_table(settings: StageSettings, event: SwissEvent, key: str, *, seed: bytes) -> StandingsTable:
    records = event.records(lots_seed=seed, edition=settings.edition)
    if settings.format == LIVES:
        left = lives_left(event, settings.lives)
        rows = []
        place = 1
        for shared in lives_places(event, settings.lives):
            # Who goes on from an ended stage is decided by lot among equals; for all else they share the place.
            listed = sorted(shared, key=lambda entry: records.lots[entry]) if settings.ended else shared
            rows += [StandingsRow(place, entry, float(left.get(entry, 0)), (), None) for entry in listed]
            place += len(shared)
        return StandingsTable(key, tuple(rows), records, (), is_over(settings, event))
    order = settings.tiebreak_order
    return StandingsTable(key, standings(records, order), records, order, is_over(settings, event), settings.lengths)


def ranks(*tables: StandingsTable, by_points: bool = False) -> list[tuple[EntryId, ...]]:
    """Return who shares each place of a table, or has the same one in several, best first.

    With `by_points` those with equal points share theirs.
    """

    def key(row: StandingsRow) -> float:
        return -row.points if by_points else row.place

    rows = sorted((row for table in tables for row in table.rows), key=key)
    return [tuple(row.entry for row in group) for _key, group in groupby(rows, key=key)]


def is_over(settings: StageSettings, event: SwissEvent) -> bool:
    """Whether the last round is complete and no other follows."""
    if settings.ended:
        return not event.has_open_matches
    if settings.is_continuous and not event.rounds:
        return event.is_deserted
    if settings.is_continuous and settings.format == SWISS:
        return not event.has_open_matches and quotas_filled(settings, event)
    if settings.format == LIVES and settings.is_continuous and settings.qualifiers and not event.has_open_matches:
        return sum(PLACES_OF_LIVES[left] for left in lives_left(event, settings.lives).values()) <= settings.qualifiers
    if settings.format == LIVES and not event.has_open_matches:
        return event.is_deserted or (bool(event.rounds) and lives_over(event, settings.lives))
    return event.over


def quotas_filled(settings: StageSettings, event: SwissEvent) -> bool:
    """Whether everybody who is still in a Swiss without rounds has played, had a bye for or missed every match."""
    counts = Counter(event.missed)
    for round_ in event.rounds:
        counts.update(entry for pair in round_.pairs for entry in (pair.first, pair.second))
        counts.update(bye.entry for bye in round_.byes)
    number = event.next_round
    return all(counts[player.entry] >= (settings.rounds or 0) for player in event.players if player.active(number))


def elimination_places(settings: StageSettings, state: Progress) -> dict[str, tuple[SharedPlace, ...]]:
    """Return the certain places of an elimination by bracket, the one that decides the title first.

    A double elimination has a single list of places, under the key of its final; so has a place for everybody, under
    the key of the main bracket.
    """
    if settings.format == DOUBLE:
        # The lower bracket of two entries has no match, and stored matches know nothing of it, nor of what is planned.
        ranked = [key for key in (FINAL, LOWER, MAIN) if key in {bracket.key for bracket in state.graph.brackets}]
        return {FINAL: state.places(*ranked)} if FINAL in ranked else {}
    if settings.format == PLACES:
        return {MAIN: certain_places(state)} if state.graph.brackets else {}
    return {bracket.key: state.places(bracket.key) for bracket in state.graph.brackets}


Places = Mapping[PlaceOf, EntryId | None]
"""Who takes qualifying places; None if nobody is left for one."""


def final_orders(
    settings: StageSettings, number: int, *, state: Progress, tables: Sequence[StandingsTable], seed: bytes
) -> dict[str, list[EntryId]]:
    """Return the entries of each table of stage `number` that is over, best first; an elimination has one such order.

    Entries that share a place of an elimination are ordered by lot, drawn from `seed`.
    """
    if settings.format == GROUPS:
        names = dict(zip((table.key for table in tables), group_keys(settings, number), strict=True))
        return {names[table.key]: [row.entry for row in table.rows] for table in tables if table.over}
    if settings.format in ELIMINATION:
        first = next(iter(elimination_places(settings, state).values()))
        return {str(number): _by_lot(first, seed)} if state.over else {}
    # Whoever is out in lives without rounds does not go on, even if there are more places.
    least = 0 if settings.format == LIVES and (settings.is_continuous or settings.ended) else None
    return {
        str(number): [row.entry for row in table.rows if least is None or row.points > least]
        for table in tables
        if table.over
    }


def who_goes_on(
    order: Sequence[EntryId],
    *,
    kept: Sequence[EntryId | None] = (),
    out: Collection[EntryId] = (),
    persons: Iterable[Collection[EntryId]] = (),
) -> list[EntryId]:
    """Return those of a final order, best first, who can go on to the next stage. Every stage follows this one rule.

    Entries in `out` have withdrawn; of the entries of one person, in `persons`, only the best can go on. Whoever comes
    after them moves up. `kept` are those who go on because a correction kept the bracket; they come before all others.

    >>> who_goes_on([1, 2, 3, 4, 5], kept=[2, 1], out=[1], persons=[(2, 4)])
    [2, 3, 5]
    """
    first = [entry for entry in kept if entry is not None]
    present = [entry for entry in (*first, *(entry for entry in order if entry not in first)) if entry not in out]
    second = {entry for person in persons for entry in [entry for entry in present if entry in person][1:]}
    return [entry for entry in present if entry not in second]


def places_taken(places: Iterable[PlaceOf], going_on: Mapping[str, Sequence[EntryId]]) -> dict[PlaceOf, EntryId | None]:
    """Return who takes each of these places, given who goes on from each table that is over."""
    return {place: _at(going_on[place.stage], place.place) for place in places if place.stage in going_on}


def _by_lot(places: Sequence[SharedPlace], seed: bytes) -> list[EntryId]:
    lots = Lots(seed, "places")
    return [entry for shared in places for entry in lots.shuffled(shared.entries)]


def _at(order: Sequence[EntryId], place: int) -> EntryId | None:
    return order[place - 1] if place <= len(order) else None


def entries_at(places: Places, sources: Sequence[PlaceOf]) -> list[EntryId] | None:
    """Return the entries at these places; None while one of them is unknown."""
    if any(place not in places for place in sources):
        return None
    return [entry for entry in (places[place] for place in sources) if entry is not None]
