"""Calling matches to tables, starting and moving them."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from tournaments.floor.services.journal import (
    About,
    latest,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    refuse_over,
)
from tournaments.floor.state import FloorState, MatchOnFloor, MatchState, TableState
from tournaments.models import Autopilot, Fixture, Floor, FloorEvent, FloorKind, Table
from tournaments.state.beginnings import save_beginning

BEFORE_CALL = (MatchState.WAITING, MatchState.READY)
UNDER_WAY = (MatchState.CALLED, MatchState.PLAYING)


def call(*, fixture: Fixture, by: Actor, now: datetime, table: Table | None = None) -> FloorEvent:
    """Call a match to a table, by default to the one that is suggested for it.

    Calling a match again to the table that it is called to changes nothing. A rest does not prevent a call by hand.
    Refused: `tournament_not_open`, `fixture_not_ready`, `not_on_floor`, `match_called`, `match_playing`,
    `match_finished`, `match_held`, `event_paused`, `player_busy`, `table_taken`, `table_out_of_use`, `no_table_free`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if row.state == MatchState.CALLED and (table is None or row.table == table.pk):
            return _standing(locked, FloorKind.CALLED, FloorKind.MOVED)
        refuse_call(state, row)
        table = table or _suggested(floor, state, row)
        refuse_table(state, table, locked)
        return record(floor, FloorKind.CALLED, About(fixture=locked, table=table), by=by, now=now)


def call_again(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Call a match a second time. Refused: `not_called`, and as `call` refuses for the event and the match."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state != MatchState.CALLED:
            raise Refused("not_called", fixture=row.number)
        return record(floor, FloorKind.CALLED_AGAIN, About(fixture=locked), by=by, now=now)


def take_back(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Take back the call of a match and return the last fact.

    If the autopilot calls by itself, the match is held, so that it is not called again at once.
    Refused: `not_called`, and as `call` refuses for the event and the match.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if row.state != MatchState.CALLED:
            raise Refused("not_called", fixture=row.number)
        table = floor.tournament.floor_tables.get(pk=row.table) if row.table is not None else None
        event = record(floor, FloorKind.FREED, About(fixture=locked, table=table), by=by, now=now)
        if state.autopilot == Autopilot.CALL:
            event = record(floor, FloorKind.HELD, About(fixture=locked), by=by, now=now)
        return event


def start(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Record that a match has started, whether or not it was called. From then on it has begun.

    Starting a match twice changes nothing. Refused: `fixture_not_ready`, `not_on_floor`, `match_playing` if it began
    without a start, `match_finished`, `player_busy`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if (event := latest(locked, FloorKind.STARTED)) is not None and row.state == MatchState.PLAYING:
            return event
        if row.state == MatchState.PLAYING:
            raise Refused("match_playing", fixture=row.number)
        refuse_over(row)
        if row.state in BEFORE_CALL:
            _refuse_busy(row)
        event = record(floor, FloorKind.STARTED, About(fixture=locked), by=by, now=now)
        save_beginning(match)
        return event


def move(*, fixture: Fixture, table: Table, by: Actor, now: datetime) -> FloorEvent:
    """Record that a match sits at another table than it was called to; a match that was not called counts as called.

    Moving it to the table where it is changes nothing. Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`,
    `player_busy`, `table_taken`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        refuse_over(row)
        if row.table == table.pk and row.state in UNDER_WAY:
            return _standing(locked, FloorKind.CALLED, FloorKind.MOVED)
        if row.state in BEFORE_CALL:
            _refuse_busy(row)
        refuse_table(state, table, locked, even_if_out=True)
        return record(floor, FloorKind.MOVED, About(fixture=locked, table=table), by=by, now=now)


def _standing(fixture: Fixture, *kinds: FloorKind) -> FloorEvent:
    event = latest(fixture, *kinds)
    assert event is not None  # noqa: S101, the state is derived from it
    return event


def _suggested(floor: Floor, state: FloorState, row: MatchOnFloor) -> Table:
    """Return the table that is suggested for a match, else a free one that is kept for nobody."""
    tables = [suggestion.table for suggestion in state.suggestions if suggestion.fixture == row.fixture]
    taken = {suggestion.table for suggestion in state.suggestions}
    free = [key for key, table in state.tables.items() if table.state == TableState.FREE]
    tables += [key for key in free if key not in taken] + [key for key in free if key in taken]
    if not tables:
        raise Refused("no_table_free", fixture=row.number)
    return floor.tournament.floor_tables.get(pk=tables[0])


def refuse_call(state: FloorState, row: MatchOnFloor) -> None:
    """Refuse to call a match that is called, held or over, whose players are busy, or while the event is paused."""
    if row.state == MatchState.CALLED:
        label = state.tables[row.table].label if row.table is not None else ""
        raise Refused("match_called", fixture=row.number, table=label)
    if row.state == MatchState.PLAYING:
        raise Refused("match_playing", fixture=row.number)
    refuse_over(row)
    if row.held:
        raise Refused("match_held", fixture=row.number)
    if state.pause is not None:
        raise Refused("event_paused")
    _refuse_busy(row)


def _refuse_busy(row: MatchOnFloor) -> None:
    """Refuse to seat a player at two tables."""
    for reason in row.reasons:
        if reason.code == "to_be_decided":
            raise Refused("fixture_not_ready", fixture=row.number)
        if reason.code == "busy":
            raise Refused("player_busy", fixture=row.number, other=reason.params["fixture"])


def refuse_table(state: FloorState, table: Table, fixture: Fixture, *, even_if_out: bool = False) -> None:
    """Refuse a table that has another match or is out of use."""
    row = state.tables.get(table.pk)
    if row is None:
        raise Refused("no_such_table", table=table.label)
    if row.fixture is not None and row.fixture != fixture.pk:
        raise Refused("table_taken", table=row.label, fixture=state.matches[row.fixture].number)
    if row.state == TableState.OUT and not even_if_out:
        raise Refused("table_out_of_use", table=row.label)
