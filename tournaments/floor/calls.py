"""Calling matches to tables, starting and stopping them, by hand or by the autopilot."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import check_result
from matches.models import Match, Result
from players.actors import SYSTEM, Actor
from players.models import Player
from tournaments.floor.batches import make_due_batches
from tournaments.floor.closing_time import stop_calling
from tournaments.floor.derivation import floor_state
from tournaments.floor.desk import WaitedFor, desk_waited_for, is_back_after_outage
from tournaments.floor.evening import UNDER_WAY
from tournaments.floor.hold_ups import ask_about, ask_due
from tournaments.floor.journal import (
    FactTarget,
    latest,
    lock_fixture,
    lock_fixtures,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    record_all,
    refuse_over,
)
from tournaments.floor.notifications import notify_silent_desk
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import AttentionKind, Fact, FloorMatchState, FloorState, MatchOnFloor, TableState, add
from tournaments.floor.to_come import NOT_CALLED
from tournaments.models import Autopilot, Fixture, Floor, FloorEvent, FloorKind, Table, Tournament
from tournaments.state.floor import save_beginning
from tournaments.state.plans import is_continuous

# What directors note about matches on the floor: scores, lateness, rests, and what comes first.


NOTHING: Mapping[str, Any] = {}
MAX_PLAYERS_SCORES = 100
"""Running scores of a match that its players can enter; a match to 25 points has at most 49 games."""


def set_running_score(
    *, fixture: Fixture, score: tuple[int, int], by: Actor, now: datetime, noted: Mapping[str, Any] = NOTHING
) -> FloorEvent:
    """Record the score of a match that goes on, by side; it is never a result. The match has then begun.

    `noted` is kept with the fact.

    The same score again changes nothing. Without rounds, a score that decides the match asks both players whether it is
    over. Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`, `match_live`, `bad_score`,
    `result_below_start`, before the call `player_busy` and `player_elsewhere`, and with rounds `running_score_over` if
    the score decides the match.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        return _set_score(floor, locked, match, row, {"score": list(score), **noted}, by, now)


def set_players_score(*, fixture: Fixture, side: int, score: tuple[int, int], by: Actor, now: datetime) -> FloorEvent:
    """Record the score that a player enters for the match they are called to or play.

    Refused: `not_called` before the match is called, `too_many_scores`, and as `set_running_score` refuses.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state in NOT_CALLED:
            raise Refused("not_called", fixture=row.number)
        entered = FloorEvent.objects.filter(match=match, kind=FloorKind.RUNNING_SCORE, params__has_key="side")
        if entered.count() >= MAX_PLAYERS_SCORES:
            raise Refused("too_many_scores")
        return _set_score(floor, locked, match, row, {"score": list(score), "side": side}, by, now)


def _set_score(
    floor: Floor, fixture: Fixture, match: Match, row: MatchOnFloor, params: dict[str, Any], by: Actor, now: datetime
) -> FloorEvent:
    left, right = params["score"]
    if min(left, right) < 0:
        raise Refused("bad_score", length=match.length, left=left, right=right)
    if left < match.start_0 or right < match.start_1:
        raise Refused("result_below_start", left=match.start_0, right=match.start_1)
    is_decided = max(left, right) >= match.length
    if is_decided and not is_continuous(fixture.stage):
        raise Refused("running_score_over", fixture=row.number, length=match.length, left=left, right=right)
    refuse_over(row)
    if match.state == Match.State.LIVE:
        raise Refused("match_live")
    if row.state in NOT_CALLED:
        refuse_busy(row)
    if is_decided:
        winner, kind = int(right > left), Result.Kind.PLAYED
        check_result(length=match.length, start=match.start_score, winner=winner, score=(left, right), kind=kind)
        return ask_about(floor, fixture, match, row, params, by, now)
    if row.score == (left, right) and (event := latest(fixture, FloorKind.RUNNING_SCORE)) is not None:
        return event
    event = record(floor, FloorKind.RUNNING_SCORE, FactTarget(fixture=fixture, params=params), by=by, now=now)
    save_beginning(match)
    return event


def undo_score(*, fixture: Fixture, event: FloorEvent, by: Actor, now: datetime) -> FloorEvent:
    """Undo the running score of a match, whoever entered it, and return it; the one before stands again.

    A match that began with it has not begun. Undoing it twice changes nothing.
    Refused: `fixture_not_ready`, `match_finished`, `running_score_replaced` if it is not the one that stands.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        if FloorEvent.objects.filter(undoes=event).exists():
            return event
        refuse_over(match_on_floor(read_state(floor, now), locked))
        if latest(locked, FloorKind.RUNNING_SCORE) != event:
            raise Refused("running_score_replaced")
        record(floor, FloorKind.UNDONE, FactTarget(fixture=locked, undoes=event), by=by, now=now)
        save_beginning(match)
        return event


def mark_late(*, fixture: Fixture, player: Player, minutes: int, by: Actor, now: datetime) -> FloorEvent:
    """Record that a player is or will be so many minutes late for a match; the last number counts.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`, `not_in_match`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        if player.pk not in (match.player_0_id, match.player_1_id):
            raise Refused("not_in_match", fixture=locked.number)
        refuse_over(match_on_floor(read_state(floor, now), locked))
        about = FactTarget(fixture=locked, player=player, params={"minutes": minutes})
        return record(floor, FloorKind.LATE, about, by=by, now=now)


def waive_rest(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let a match be called although a player could still rest. Refused: `fixture_not_ready`, `not_on_floor`."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        match_on_floor(read_state(floor, now), locked)
        if (event := latest(locked, FloorKind.REST_WAIVED)) is not None:
            return event
        return record(floor, FloorKind.REST_WAIVED, FactTarget(fixture=locked), by=by, now=now)


def pin(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Put a match before all others in the queue. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, FloorKind.PINNED, by, now)


def hold(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Keep a match from being called until it is released. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, FloorKind.HELD, by, now)


def release(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Take back that a match is pinned or held. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, FloorKind.RELEASED, by, now)


def _prioritise(fixture: Fixture, kind: FloorKind, by: Actor, now: datetime) -> FloorEvent:
    """Record one of these facts, which hold for a fixture even before its players are known."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        row = Fixture.objects.select_related("match", "stage__division").get(pk=fixture.pk)
        refuse_over(match_on_floor(read_state(floor, now), row))
        return record(floor, kind, FactTarget(fixture=row), by=by, now=now)


# Calling matches to tables, starting and moving them.


def call(*, fixture: Fixture, by: Actor, now: datetime, table: Table | None = None) -> FloorEvent:
    """Call a match to a table, by default to the one that is suggested for it.

    Calling a match again to the table that it is called to changes nothing. A rest does not prevent a call by hand.
    Refused: `tournament_not_open`, `fixture_not_ready`, `not_on_floor`, `match_called`, `match_playing`,
    `match_finished`, `match_held`, `event_paused`, `player_busy`, `player_elsewhere`, `player_not_here`,
    `table_taken`, `table_out_of_use`, `no_table_free`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if row.state == FloorMatchState.CALLED and (table is None or row.table == table.pk):
            return _standing(locked, FloorKind.CALLED, FloorKind.MOVED)
        refuse_call(state, row)
        table = table or _suggested(floor, state, row)
        refuse_table(state, table, locked)
        return record(floor, FloorKind.CALLED, FactTarget(fixture=locked, table=table), by=by, now=now)


def call_suggested(*, tournament: Tournament, by: Actor, now: datetime) -> list[FloorEvent]:
    """Call every match that is suggested, each to its table, in one step. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        at = {suggestion.fixture: suggestion.table for suggestion in read_state(floor, now).suggestions}
        tables = floor.tournament.floor_tables.in_bulk(at.values())
        targets = [FactTarget(row, tables[at[row.pk]]) for row in lock_fixtures(at) if _is_still_ready(row.match)]
        return record_all(floor, FloorKind.CALLED, targets, by=by, now=now)


def _is_still_ready(match: Match | None) -> bool:
    """Whether no result has come in, and nothing has begun, since the state was read: else it is called no more."""
    return match is not None and match.state == Match.State.OPEN and match.begun_at is None


def call_again(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Call a match a second time. Refused: `not_called`, and as `call` refuses for the event and the match."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state != FloorMatchState.CALLED:
            raise Refused("not_called", fixture=row.number)
        return record(floor, FloorKind.CALLED_AGAIN, FactTarget(fixture=locked), by=by, now=now)


def undo_call(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Take back the call of a match and return the last fact.

    If the autopilot calls by itself, the match is held, so that it is not called again at once.
    Refused: `not_called`, and as `call` refuses for the event and the match.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if row.state != FloorMatchState.CALLED:
            raise Refused("not_called", fixture=row.number)
        table = floor.tournament.floor_tables.get(pk=row.table) if row.table is not None else None
        event = record(floor, FloorKind.FREED, FactTarget(fixture=locked, table=table), by=by, now=now)
        if state.facts.autopilot == Autopilot.CALL:
            event = record(floor, FloorKind.HELD, FactTarget(fixture=locked), by=by, now=now)
        return event


def start(*, fixture: Fixture, by: Actor, now: datetime, noted: Mapping[str, Any] = NOTHING) -> FloorEvent:
    """Record that a match has started, whether or not it was called. From then on it has begun.

    `noted` is kept with the fact. Starting a match twice changes nothing. Refused: `fixture_not_ready`, `not_on_floor`,
    `match_playing` if it began without a start, `match_finished`, `player_busy`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if (event := latest(locked, FloorKind.STARTED)) is not None and row.state == FloorMatchState.PLAYING:
            return event
        if row.state == FloorMatchState.PLAYING:
            raise Refused("match_playing", fixture=row.number)
        refuse_over(row)
        if row.state in NOT_CALLED:
            refuse_busy(row)
        event = record(floor, FloorKind.STARTED, FactTarget(fixture=locked, params={**noted}), by=by, now=now)
        save_beginning(match)
        return event


def start_called(*, tournament: Tournament, by: Actor, now: datetime) -> list[FloorEvent]:
    """Record that every match that is called has started, at the same instant; nothing if none is called.

    Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        called = [row.fixture for row in read_state(floor, now).matches.values() if row.state == FloorMatchState.CALLED]
        # A result may have come in since the state was read.
        starting = [row for row in lock_fixtures(called) if row.match and row.match.state == Match.State.OPEN]
        started = record_all(floor, FloorKind.STARTED, [FactTarget(row) for row in starting], by=by, now=now)
        for row in starting:
            assert row.match is not None  # noqa: S101, only those were taken
            save_beginning(row.match)
        return started


def move(*, fixture: Fixture, table: Table, by: Actor, now: datetime, noted: Mapping[str, Any] = NOTHING) -> FloorEvent:
    """Record that a match sits at another table than it was called to; a match that was not called counts as called.

    The players of a match that was not called have taken their seats, so that they are here. `noted` is kept with the
    fact.
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
        params = {**noted}
        if row.state in NOT_CALLED:
            refuse_busy(row)
            params["seated"] = True
        refuse_table(state, table, locked, even_if_out=True)
        about = FactTarget(fixture=locked, table=table, params=params)
        return record(floor, FloorKind.MOVED, about, by=by, now=now)


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
    """Refuse to call a match that is called, held or over, or while the event is paused.

    The same for a match whose players are busy, or not here while calls follow check-in.
    """
    if row.state == FloorMatchState.CALLED:
        raise Refused("match_called", fixture=row.number, table=row.where.table)
    if row.state == FloorMatchState.PLAYING:
        raise Refused("match_playing", fixture=row.number)
    refuse_over(row)
    if row.facts.held:
        raise Refused("match_held", fixture=row.number)
    if state.pause is not None:
        raise Refused("event_paused")
    refuse_busy(row)
    absent = next((reason.params["player"] for reason in row.reasons if reason.code == "not_here"), None)
    if absent is not None:
        raise Refused("player_not_here", fixture=row.number, name=Player.objects.get(pk=absent).shown_name)


def refuse_busy(row: MatchOnFloor) -> None:
    """Refuse to seat a player at two tables."""
    for reason in row.reasons:
        if reason.code == "to_be_decided":
            raise Refused("fixture_not_ready", fixture=row.number)
        if reason.code == "busy":
            raise Refused("player_busy", fixture=row.number, other=reason.params["fixture"])
        if reason.code == "elsewhere":
            where = {name: reason.params[name] for name in ("table", "event")}
            raise Refused("player_elsewhere", fixture=row.number, **where)


def refuse_table(state: FloorState, table: Table, fixture: Fixture, *, even_if_out: bool = False) -> None:
    """Refuse a table that has another match, here or in another event, or is out of use."""
    row = state.tables.get(table.pk)
    if row is None:
        raise Refused("no_such_table", table=table.label)
    if row.match is not None and row.match.fixture != fixture.pk:
        raise Refused("table_taken", table=row.facts.label, fixture=row.match.number)
    if row.match is None and row.elsewhere is not None:
        where = {"event": row.elsewhere.event, "fixture": row.elsewhere.number}
        raise Refused("table_elsewhere", table=row.facts.label, **where)
    if row.state == TableState.OUT and not even_if_out:
        raise Refused("table_out_of_use", table=row.facts.label)


# The autopilot that calls matches by itself.
#
# Whenever something changes, a hint asks a worker to call what can be called; a sweep does the same where hints were
# lost. Both derive the state of the floor again under its lock, so that nothing is called twice.


def call_ready(*, tournament_id: int, now: datetime) -> list[FloorEvent]:
    """Call the matches that are ready, and make second calls that are due, if the autopilot calls by itself.

    Before that, make the batches that are due, and ask in matches that may be over. Each call is a transaction of its
    own. From closing time on nothing is called until somebody says so. Nothing happens in an event that is over. While
    calls wait for the desk none is made, nor any batch.
    """
    try:
        if stop_calling(tournament_id=tournament_id, now=now) is not None:
            return []
    except Refused:
        return []
    desk = cache(partial(desk_waited_for, tournament_id, now))
    due = make_due_batches(tournament_id=tournament_id, now=now, waits=lambda: desk() is not None)
    state = due.floor
    if state is None or any(row.facts.scored is not None for row in state.matches.values()):
        ask_due(tournament_id=tournament_id, now=now)
    if state is None and (waited_for := desk()) is not None:
        state = floor_state(load_facts(waited_for.tournament, now), now)
    if state is not None and (due.is_waiting or _is_anything_due(state)) and (waited_for := desk()) is not None:
        _tell_of(waited_for, now)
        return []
    called: list[FloorEvent] = []
    seqs: list[int] | None = None
    while state is None or _is_anything_due(state):
        with transaction.atomic():
            try:
                floor = lock_floor(tournament_id, now)
            except Refused:
                break
            # Only what this worker has recorded itself need not be read again.
            if state is None or _seqs(floor) != seqs:
                state = read_state(floor, now)
            event = _call_first(floor, state, now)
        if event is None:
            break
        called.append(event)
        seqs, state = _seqs(floor), _with(state, event, now)
    return called


def _seqs(floor: Floor) -> list[int]:
    """Return what changes with every change of a locked floor and of those beside it."""
    return [row.seq for row in (floor, *floor.beside)]


def _tell_of(waited_for: WaitedFor, now: datetime) -> None:
    """Tell the directors, once for each silence, that calls wait, unless it was the server that was away."""
    if waited_for.silent_since is not None and not is_back_after_outage(now):
        notify_silent_desk(waited_for.tournament, waited_for.silent_since, now)


def _with(state: FloorState, event: FloorEvent, now: datetime) -> FloorState | None:
    """Return the state after a call that was just recorded; None if it must be read again."""
    match = event.match
    assert match is not None  # noqa: S101, a call is about a match
    pair = (match.player_0_id, match.player_1_id)
    fact = Fact(event.pk, FloorKind(event.kind), event.at, event.fixture_id, pair, event.table_id, params=event.params)
    return floor_state(state.facts, now) if add(state.facts, fact) else None


def _is_anything_due(state: FloorState) -> bool:
    if state.facts.autopilot != Autopilot.CALL or state.pause is not None:
        return False
    return bool(state.suggestions) or any(item.kind == AttentionKind.SECOND_CALL for item in state.attention)


def _call_first(floor: Floor, state: FloorState, now: datetime) -> FloorEvent | None:
    """Make the first call that is due and still possible."""
    if not _is_anything_due(state):
        return None
    for fixture, about, kind in _due(state):
        try:
            locked, match = lock_fixture(fixture)
        except Refused:
            continue
        if _is_still_ready(match):
            return record(floor, kind, FactTarget(fixture=locked, table=about), by=SYSTEM, now=now)
    return None


def _due(state: FloorState) -> Iterable[tuple[Fixture, Table | None, FloorKind]]:
    for suggestion in state.suggestions:
        yield Fixture.objects.get(pk=suggestion.fixture), Table.objects.get(pk=suggestion.table), FloorKind.CALLED
    for item in state.attention:
        if item.kind == AttentionKind.SECOND_CALL:
            yield Fixture.objects.get(pk=item.fixture), None, FloorKind.CALLED_AGAIN


# Freeing tables, and taking them out of use.


def free_table(*, table: Table, by: Actor, now: datetime) -> FloorEvent:
    """Free a table. A match that was only called there is no longer called; one that goes on has no table then.

    Refused: `tournament_not_open`, `table_free`.
    """
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        row = read_state(floor, now).tables[table.pk]
        if row.match is None:
            raise Refused("table_free", table=row.facts.label)
        fixture = Fixture.objects.select_related("match", "stage__division").get(pk=row.match.fixture)
        return record(floor, FloorKind.FREED, FactTarget(fixture=fixture, table=table), by=by, now=now)


def take_out_of_use(*, table: Table, reason: str, by: Actor, now: datetime, move_to: Table | None = None) -> FloorEvent:
    """Take a table out of use.

    A match that is called or played there is moved to the table `move_to`. Without one, a called match goes back to the
    queue and a match that goes on has no table until it is moved to one.
    Refused: `tournament_not_open`, `table_taken`, `table_out_of_use`.
    """
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        state = read_state(floor, now)
        match = state.tables[table.pk].match
        params: dict[str, Any] = {"reason": reason.strip()}
        if match is not None and match.state in UNDER_WAY:
            fixture = Fixture.objects.select_related("match", "stage__division").get(pk=match.fixture)
            if move_to is None:
                record(floor, FloorKind.FREED, FactTarget(fixture=fixture, table=table), by=by, now=now)
            else:
                refuse_table(state, move_to, fixture)
                if move_to == table:
                    raise Refused("table_out_of_use", table=table.label)
                record(floor, FloorKind.MOVED, FactTarget(fixture=fixture, table=move_to), by=by, now=now)
            params |= {"match": match.number, "move_to": move_to.label if move_to is not None else ""}
            params |= {"waits": move_to is None and match.state == FloorMatchState.CALLED}
        return record(floor, FloorKind.TABLE_OUT, FactTarget(table=table, params=params), by=by, now=now)


def back_in_use(*, table: Table, by: Actor, now: datetime) -> FloorEvent:
    """Put a table back into use. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        return record(floor, FloorKind.TABLE_BACK, FactTarget(table=table), by=by, now=now)
