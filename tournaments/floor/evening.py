"""The evening on the floor: opened, paused, with clocks on its matches, adjourned, closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from engine.ids import copied_position
from matches.lifecycle.begun import has_begun
from matches.lifecycle.opening import set_lengths, set_start
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from tournaments.floor.derivation import seats_elsewhere
from tournaments.floor.journal import (
    FactTarget,
    announce,
    create_tables,
    floor_changed,
    latest,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    refuse_over,
)
from tournaments.floor.state import AT_CLOSING, FloorMatchState, FloorSettings, FloorState, MatchOnFloor
from tournaments.floor.times import clock_bank
from tournaments.floor.to_come import NOT_CALLED
from tournaments.models import Autopilot, Fixture, Floor, FloorEvent, FloorKind, Table, Tournament
from tournaments.state.floor import save_beginning

# Facts about the whole event: pauses, the autopilot, and what players need.


def pause(*, tournament: Tournament, until: datetime | None, by: Actor, now: datetime) -> FloorEvent:
    """Pause an event until a time, or until it is resumed; a new pause replaces the one that is on.

    Nothing is called meanwhile, and the minutes of calls and matches do not count.
    Refused: `tournament_not_open`, `pause_not_ahead`.
    """
    if until is not None and until <= now:
        raise Refused("pause_not_ahead")
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        params = {"until": until.isoformat() if until is not None else None}
        return record(floor, FloorKind.PAUSED, FactTarget(params=params), by=by, now=now)


def resume(*, tournament: Tournament, by: Actor, now: datetime) -> FloorEvent:
    """End a pause now. Refused: `tournament_not_open`, `event_not_paused`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        if read_state(floor, now).pause is None:
            raise Refused("event_not_paused")
        return record(floor, FloorKind.RESUMED, FactTarget(), by=by, now=now)


def set_autopilot(*, tournament: Tournament, mode: Autopilot, by: Actor, now: datetime) -> FloorEvent:
    """Let matches be suggested for free tables, or called by themselves. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        return record(floor, FloorKind.AUTOPILOT, FactTarget(params={"mode": mode.value}), by=by, now=now)


def give_own_hall(*, tournament: Tournament, by: Actor, now: datetime) -> FloorEvent:
    """Record that an event has a hall of its own, so that no other event takes its tables, nor this one theirs.

    Doing it twice changes nothing. Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        before = FloorEvent.objects.filter(tournament=tournament, kind=FloorKind.OWN_HALL, undone_by=None).first()
        return before or record(floor, FloorKind.OWN_HALL, FactTarget(), by=by, now=now)


def set_needs_accessible(
    *, tournament: Tournament, player: Player, needed: bool, by: Actor, now: datetime
) -> FloorEvent:
    """Record whether a player needs an accessible table at this event; only its directors see it.

    Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        about = FactTarget(player=player, params={"needed": needed})
        return record(floor, FloorKind.NEEDS_ACCESSIBLE, about, by=by, now=now)


# Opening the floor of an event, and its tables and settings.


MAX_TABLES = 200


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """The settings and tables that a floor is to have. No table is removed, since facts refer to it."""

    settings: FloorSettings
    tables: Sequence[tuple[Table | None, str, str]]
    """Each table (None: a new one) with the label and the category that it is to have."""


def open_floor(*, tournament: Tournament, by: Actor, now: datetime) -> Floor:
    """Open the floor of an event, with as many tables as the event has if it has none yet.

    Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        existed = Floor.objects.filter(tournament=tournament).exists()
        floor = lock_floor(tournament.pk, now)
        if existed:
            create_tables(floor.tournament)
        else:
            log(by, "floor_opened", floor.tournament.topic, club=floor.tournament.club)
            announce(floor, now)
    return floor


def save_floor(*, tournament: Tournament, plan: FloorPlan, by: Actor, now: datetime) -> None:
    """Change the settings and tables of a floor in one step; open it if it is not open.

    Refused: `tournament_not_open`, `table_label_taken`, `too_many_tables`.
    """
    with transaction.atomic():
        change_settings(tournament=tournament, settings=plan.settings, by=by, now=now)
        for table, label, category in plan.tables:
            if table is not None:
                change_table(table=table, label=label, category=category, by=by, now=now)
            else:
                add_table(tournament=tournament, label=label, category=category, by=by, now=now)


def change_settings(*, tournament: Tournament, settings: FloorSettings, by: Actor, now: datetime) -> Floor:
    """Change the settings of a floor. Refused: `tournament_not_open`."""
    values = {
        "rest_minutes": settings.rest,
        "second_call_minutes": settings.second_call,
        "no_show_minutes": settings.no_show,
        "penalty_points": settings.penalty_points,
        "penalty_first_minutes": settings.penalty_first,
        "penalty_each_minutes": settings.penalty_each,
        "hold_minutes": settings.hold,
    }
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        changes = {
            name: [getattr(floor, name), value] for name, value in values.items() if getattr(floor, name) != value
        }
        if changes:
            for name, value in values.items():
                setattr(floor, name, value)
            floor_changed(floor, *changes)
            log(by, "floor_changed", floor.tournament.topic, club=floor.tournament.club, changes=changes)
            announce(floor, now)
    return floor


def add_table(
    *, tournament: Tournament, label: str, by: Actor, now: datetime, category: str = Table.Category.NORMAL
) -> Table:
    """Add a table to an event, after the others. Refused: `table_label_taken`, `too_many_tables`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        rows = list(floor.tournament.floor_tables.values_list("label", "order"))
        if any(label == name for name, _order in rows):
            raise Refused("table_label_taken", table=label)
        if len(rows) >= MAX_TABLES:
            raise Refused("too_many_tables", most=MAX_TABLES)
        order = max((order for _name, order in rows), default=0) + 1
        table = Table.objects.create(tournament=floor.tournament, label=label, order=order, category=category)
        floor_changed(floor)
        log(by, "floor_table_added", floor.tournament.topic, club=floor.tournament.club, table=label)
        announce(floor, now)
    return table


def change_table(*, table: Table, label: str, category: str, by: Actor, now: datetime) -> Table:
    """Rename a table or change what it is for. Refused: `table_label_taken`."""
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        row = Table.objects.get(pk=table.pk)
        if floor.tournament.floor_tables.exclude(pk=row.pk).filter(label=label).exists():
            raise Refused("table_label_taken", table=label)
        if (row.label, row.category) == (label, category):
            return row
        before, row.label, row.category = row.label, label, category
        row.save(update_fields=["label", "category"])
        floor_changed(floor)
        log(by, "floor_table_changed", floor.tournament.topic, club=floor.tournament.club, was=before, table=label)
        announce(floor, now)
    return row


# What a director does with a match that takes too long: clocks, a shorter match, an adjournment.


UNDER_WAY = (FloorMatchState.CALLED, FloorMatchState.PLAYING)
MAX_POSITION = 2000
"""Characters: eXtreme Gammon copies the board below an XGID."""


def put_clocks_on(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Record that a match is played with clocks from now on; both get the bank that `times.clock_bank` returns.

    The bank is set once: doing it again changes nothing. The match is no longer reported as slow.
    Refused: `fixture_not_ready`, `not_on_floor`, `match_live`, `match_finished`, `match_adjourned`, `not_playing`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        refuse_over(row)
        refuse_live(match)
        if row.state != FloorMatchState.PLAYING:
            raise Refused("not_playing", fixture=row.number)
        if row.facts.clocks is not None and (event := latest(locked, FloorKind.CLOCKS)) is not None:
            return event
        score = row.score or match.start_score
        params = {"minutes": clock_bank(match.length, score), "score": list(score)}
        return record(floor, FloorKind.CLOCKS, FactTarget(fixture=locked, params=params), by=by, now=now)


def adjourn(
    *, fixture: Fixture, by: Actor, now: datetime, on_roll: int | None = None, position: str = "", closing: bool = False
) -> FloorEvent:
    """Adjourn a match: its score, the side on roll and its position are kept, and its table is free.

    `position` is a position ID or XGID as it was copied; `closing` is whether all matches that run are adjourned at
    closing time: then one that is only called is no longer called. Adjourning twice changes nothing.
    Refused: `position_unreadable`, `fixture_not_ready`, `not_on_floor`, `match_live`, `match_finished`, `not_playing`.
    """
    try:
        position = copied_position(position) if position else ""
    except Refused as refused:
        raise Refused("position_unreadable", text=position) from refused
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state == FloorMatchState.ADJOURNED and (event := latest(locked, FloorKind.ADJOURNED)) is not None:
            return event
        refuse_over(row)
        refuse_live(match)
        if closing and row.state == FloorMatchState.CALLED:
            table = floor.tournament.floor_tables.get(pk=row.table) if row.table is not None else None
            return record(floor, FloorKind.FREED, FactTarget(fixture=locked, table=table), by=by, now=now)
        if closing and row.state in NOT_CALLED and (event := latest(locked, FloorKind.FREED)) is not None:
            return event
        if row.state != FloorMatchState.PLAYING:
            raise Refused("not_playing", fixture=row.number)
        params = {"score": list(row.score or match.start_score), "on_roll": on_roll, "position": position}
        params |= {AT_CLOSING: True} if closing else {}
        event = record(floor, FloorKind.ADJOURNED, FactTarget(fixture=locked, params=params), by=by, now=now)
        save_beginning(match)
        return event


def let_go_on(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let an adjourned match go on, without a table until it is moved to one.

    The time in between does not count. Letting it go on twice changes nothing.
    Refused: `fixture_not_ready`, `not_on_floor`, `not_adjourned`, `player_busy`, `player_elsewhere`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        state = read_state(floor, now)
        row = match_on_floor(state, locked)
        if row.state == FloorMatchState.PLAYING and (event := latest(locked, FloorKind.CONTINUED)) is not None:
            return event
        if row.state != FloorMatchState.ADJOURNED:
            raise Refused("not_adjourned", fixture=row.number)
        refuse_two_tables(state, row, now)
        return record(floor, FloorKind.CONTINUED, FactTarget(fixture=locked), by=by, now=now)


def shorten(*, fixture: Fixture, length: int, by: Actor, now: datetime) -> FloorEvent:
    """Give a match fewer points, as both players have agreed; it may have begun. `undo` restores the length.

    Shortening it to the length that it has changes nothing. Refused: `fixture_not_ready`, `not_on_floor`, `match_live`,
    `match_finished`, `cannot_shorten`, and `not_shorter` unless the match can still be won at that length.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state != FloorMatchState.ADJOURNED:
            refuse_over(row)
        refuse_live(match)
        event = latest(locked, FloorKind.SHORTENED)
        if event is not None and length == match.length:
            return event
        refuse_length(row, match, length)
        params = {"was": match.length, "length": length}
        set_lengths([match], length=length, by=by)
        return record(floor, FloorKind.SHORTENED, FactTarget(fixture=locked, params=params), by=by, now=now)


def refuse_length(row: MatchOnFloor, match: Match, length: int) -> None:
    """Refuse a length that is no shorter, or that would end the match (`not_shorter`, `cannot_shorten`)."""
    left, right = row.score or match.start_score
    least, most = max(left, right) + 1, match.length - 1
    if least > most:
        raise Refused("cannot_shorten", fixture=row.number, left=left, right=right, length=match.length)
    if not least <= length <= most:
        raise Refused("not_shorter", fixture=row.number, length=match.length, least=least, most=most)


def undo_length(*, fixture: Fixture, event: FloorEvent, by: Actor, now: datetime) -> FloorEvent:
    """Undo the last fact that shortened a match, whoever did it, and return it. Undoing it twice changes nothing.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`, `length_changed_since`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        if FloorEvent.objects.filter(undoes=event).exists():
            return event
        match_on_floor(read_state(floor, now), locked)
        if latest(locked, FloorKind.SHORTENED) != event:
            raise Refused("length_changed_since", fixture=locked.number)
        restore_length(match, event, by=by)
        record(floor, FloorKind.UNDONE, FactTarget(fixture=locked, undoes=event), by=by, now=now)
        return event


def restore_length(match: Match, shortened: FloorEvent, *, by: Actor) -> None:
    """Give a locked match the length it had before it was shortened. Refused: `match_finished`, and as `undo`."""
    assert shortened.fixture is not None  # noqa: S101, the fact is about a match
    if match.state != Match.State.OPEN:
        raise Refused("match_finished", fixture=shortened.fixture.number)
    if match.length != shortened.params["length"]:
        raise Refused("length_changed_since", fixture=shortened.fixture.number)
    set_lengths([match], length=shortened.params["was"], by=by)


def set_start_score(*, fixture: Fixture, score: tuple[int, int], reason: str, by: Actor, now: datetime) -> FloorEvent:
    """Let a match that has not begun begin at this score, by side. The same score again changes nothing.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_live`, `match_playing`, `match_finished`, `start_unrated` for a
    rated match, `start_too_high`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        _refuse_begun(row, match)
        if match.rated:
            raise Refused("start_unrated")
        if max(score) >= match.length:
            raise Refused("start_too_high", fixture=row.number, length=match.length, most=match.length - 1)
        if match.start_score == score and (event := latest(locked, FloorKind.START_SET)) is not None:
            return event
        params = {"was": list(match.start_score), "score": list(score), "reason": reason}
        set_start(match, score)
        return record(floor, FloorKind.START_SET, FactTarget(fixture=locked, params=params), by=by, now=now)


def _refuse_begun(row: MatchOnFloor, match: Match) -> None:
    refuse_over(row)
    refuse_live(match)
    if has_begun(match) or row.state == FloorMatchState.PLAYING:
        raise Refused("match_playing", fixture=row.number)


def restore_start(match: Match, start_set: FloorEvent) -> None:
    """Give a locked match the start score it had before. Refused: `match_finished`, `start_changed_since`."""
    assert start_set.fixture is not None  # noqa: S101, the fact is about a match
    if match.state != Match.State.OPEN or has_begun(match):
        raise Refused("match_finished", fixture=start_set.fixture.number)
    if list(match.start_score) != start_set.params["score"]:
        raise Refused("start_changed_since", fixture=start_set.fixture.number)
    left, right = start_set.params["was"]
    set_start(match, (left, right))


def refuse_live(match: Match) -> None:
    """Refuse (`match_live`) a match that is played on the site, with a clock and a score of its own."""
    if match.state == Match.State.LIVE:
        raise Refused("match_live")


def refuse_changed_score(row: MatchOnFloor, match: Match, seen: tuple[int, int]) -> None:
    """Refuse (`running_score_changed`) unless a match still stands as somebody saw it."""
    left, right = row.score or match.start_score
    if (left, right) != seen:
        raise Refused("running_score_changed", fixture=row.number, left=left, right=right)


def refuse_two_tables(state: FloorState, row: MatchOnFloor, now: datetime) -> None:
    """Refuse to seat anybody of a match who is at another one: `player_busy`, `player_elsewhere`."""
    people, seats = set(state.facts.people_at(row.facts)), seats_elsewhere(state.facts, now)
    for other in state.matches.values():
        if other is not row and other.state in UNDER_WAY and not people.isdisjoint(state.facts.people_at(other.facts)):
            raise Refused("player_busy", fixture=row.number, other=other.number)
    for person in people & seats.keys():
        where = {"table": seats[person].table, "event": seats[person].event}
        raise Refused("player_elsewhere", fixture=row.number, **where)
