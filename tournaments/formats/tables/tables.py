"""Who stands where in a stage, whatever its format, and who goes on from it.

A stage in which points are counted has tables (one, or one a group); an elimination has places. Both are functions
of what was played, so that a corrected result shows in them at once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.formats.graph import FINAL, LOWER, EntryId, PlaceOf
from tournaments.formats.lots import Lots
from tournaments.formats.plans import group_keys, lengths_of, places_before
from tournaments.formats.progress import Progress, SharedPlace
from tournaments.formats.settings import DOUBLE, ELIMINATION, GROUPS, LIVES, StageSettings
from tournaments.formats.swiss.event import SwissEvent
from tournaments.formats.swiss.lives import lives_left, lives_over, lives_places
from tournaments.formats.tables.records import Records
from tournaments.formats.tables.round_robin import table
from tournaments.formats.tables.tiebreaks import Row, standings


@dataclass(frozen=True, slots=True)
class Table:
    """A standing: its rows, best first, what they were made from, and whether nothing is left to play.

    `key` is that of its bracket. Where lives are counted, `points` of a row are the lives left.
    """

    key: str
    rows: tuple[Row, ...]
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
) -> tuple[Table, ...]:
    """The tables of a round robin, groups or a league; `lengths` are the division's, `seed` draws lots."""
    tables = []
    for bracket in state.graph.brackets:
        own = lengths_of(settings, bracket.key, lengths)
        records = table(
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
        tables.append(Table(bracket.key, standings(records, order), records, order, over, own))
    return tuple(tables)


def round_table(settings: StageSettings, event: SwissEvent, key: str, *, seed: bytes) -> Table:
    """The table of a Swiss, or of lives."""
    records = event.records(lots_seed=seed, edition=settings.edition)
    if settings.format == LIVES:
        left = lives_left(event, settings.lives)
        rows = []
        place = 1
        for shared in lives_places(event, settings.lives):
            rows += [Row(place, entry, float(left.get(entry, 0)), (), None) for entry in shared]
            place += len(shared)
        return Table(key, tuple(rows), records, (), is_over(settings, event))
    order = settings.tiebreak_order
    return Table(key, standings(records, order), records, order, is_over(settings, event), settings.lengths)


def is_over(settings: StageSettings, event: SwissEvent) -> bool:
    """Whether no further round is to be paired, and the last one is complete."""
    if not event.rounds or any(pair.result is None for round_ in event.rounds for pair in round_.pairs):
        return False
    return lives_over(event, settings.lives) if settings.format == LIVES else event.over


def elimination_places(settings: StageSettings, state: Progress) -> dict[str, tuple[SharedPlace, ...]]:
    """The certain places of an elimination by bracket, that of the title first.

    Those of a double elimination are one row of places, under the key of its final.
    """
    if settings.format == DOUBLE:
        return {FINAL: state.places(FINAL, LOWER)}
    return {bracket.key: state.places(bracket.key) for bracket in state.graph.brackets}


def places_taken(
    settings: StageSettings, number: int, *, state: Progress, tables: Sequence[Table], seed: bytes
) -> dict[PlaceOf, EntryId | None]:
    """Who takes the places of stage `number` that go on, as far as that is certain: None where nobody is left.

    Those who share a place of an elimination take it by lot, drawn from `seed`.
    """
    if settings.format == GROUPS:
        names = dict(zip((one.key for one in tables), group_keys(settings, number), strict=True))
        orders = {names[one.key]: [row.entry for row in one.rows] for one in tables if one.over}
    elif settings.format in ELIMINATION:
        first = next(iter(elimination_places(settings, state).values()))
        orders = {str(number): _by_lot(first, seed)} if state.over else {}
    else:
        orders = {str(number): [row.entry for row in one.rows] for one in tables if one.over}
    return {
        place: _at(orders[place.stage], place.place)
        for place in places_before(settings, number)
        if place.stage in orders
    }


def _by_lot(places: Sequence[SharedPlace], seed: bytes) -> list[EntryId]:
    lots = Lots(seed, "places")
    return [entry for shared in places for entry in lots.shuffled(shared.entries)]


def _at(order: Sequence[EntryId], place: int) -> EntryId | None:
    return order[place - 1] if place <= len(order) else None


def known(places: Mapping[PlaceOf, EntryId | None], wanted: Sequence[PlaceOf]) -> list[EntryId] | None:
    """The entries at these places, None while one of them is not known."""
    if any(place not in places for place in wanted):
        return None
    return [entry for entry in (places[place] for place in wanted) if entry is not None]
