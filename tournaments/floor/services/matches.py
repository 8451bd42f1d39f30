"""What directors note about matches on the floor: scores, lateness, rests, and what comes first."""

from datetime import datetime
from typing import Any

from django.db import transaction

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.models import Player
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
from tournaments.floor.state import MatchOnFloor, MatchState
from tournaments.models import Fixture, Floor, FloorEvent, FloorKind
from tournaments.state.beginnings import save_beginning

NOT_CALLED = (MatchState.WAITING, MatchState.READY)
MOST_PLAYERS_SCORES = 100
"""Running scores of a match that its players can enter; a match to 25 points has at most 49 games."""


def set_running_score(*, fixture: Fixture, score: tuple[int, int], by: Actor, now: datetime) -> FloorEvent:
    """Record the score of a match that goes on, by side; it is never a result. The match has then begun.

    The same score again changes nothing. Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`, `match_live`,
    `bad_score`, `result_below_start`, `running_score_over` if the score decides the match.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        return _set_score(floor, locked, match, row, {"score": list(score)}, by, now)


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
        if entered.count() >= MOST_PLAYERS_SCORES:
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
    if max(left, right) >= match.length:
        raise Refused("running_score_over", fixture=row.number, length=match.length, left=left, right=right)
    refuse_over(row)
    if match.state == Match.State.LIVE:
        raise Refused("match_live")
    if row.score == (left, right) and (event := latest(fixture, FloorKind.RUNNING_SCORE)) is not None:
        return event
    event = record(floor, FloorKind.RUNNING_SCORE, About(fixture=fixture, params=params), by=by, now=now)
    save_beginning(match)
    return event


def take_back_score(*, fixture: Fixture, event: FloorEvent, by: Actor, now: datetime) -> FloorEvent:
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
        record(floor, FloorKind.UNDONE, About(fixture=locked, undoes=event), by=by, now=now)
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
        about = About(fixture=locked, player=player, params={"minutes": minutes})
        return record(floor, FloorKind.LATE, about, by=by, now=now)


def waive_rest(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let a match be called although a player could still rest. Refused: `fixture_not_ready`, `not_on_floor`."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        match_on_floor(read_state(floor, now), locked)
        if (event := latest(locked, FloorKind.REST_WAIVED)) is not None:
            return event
        return record(floor, FloorKind.REST_WAIVED, About(fixture=locked), by=by, now=now)


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
        return record(floor, kind, About(fixture=row), by=by, now=now)
