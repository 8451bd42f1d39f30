"""What directors note about matches on the floor: scores, lateness, rests, and what comes first."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tournaments.floor.beginnings import save_beginning
from tournaments.floor.facts import Kind
from tournaments.floor.services.journal import (
    About,
    latest,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
)
from tournaments.floor.state import MatchState
from tournaments.models import Fixture, FloorEvent

OVER = (MatchState.REPORTED, MatchState.SETTLED)


def set_running_score(*, fixture: Fixture, score: tuple[int, int], by: Actor, now: datetime) -> FloorEvent:
    """Record the score of a match that goes on, by side; it is never a result. The match has then begun.

    The same score again changes nothing. Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`, `bad_score`,
    `running_score_over` if the score decides the match.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        left, right = score
        if min(score) < 0:
            raise Refused("bad_score", length=match.length, left=left, right=right)
        if max(score) >= match.length:
            params = {"fixture": locked.number, "length": match.length, "left": left, "right": right}
            raise Refused("running_score_over", **params)
        row = match_on_floor(read_state(floor, now), locked)
        if row.state in OVER:
            raise Refused("match_finished", fixture=row.number)
        if row.score == score and (event := latest(locked, Kind.RUNNING_SCORE)) is not None:
            return event
        about = About(fixture=locked, params={"score": [left, right]})
        event = record(floor, Kind.RUNNING_SCORE, about, by=by, now=now)
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
        if match_on_floor(read_state(floor, now), locked).state in OVER:
            raise Refused("match_finished", fixture=locked.number)
        about = About(fixture=locked, player=player, params={"minutes": minutes})
        return record(floor, Kind.LATE, about, by=by, now=now)


def waive_rest(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let a match be called although a player could still rest. Refused: `fixture_not_ready`, `not_on_floor`."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        match_on_floor(read_state(floor, now), locked)
        if (event := latest(locked, Kind.REST_WAIVED)) is not None:
            return event
        return record(floor, Kind.REST_WAIVED, About(fixture=locked), by=by, now=now)


def pin(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Put a match before all others in the queue. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, Kind.PINNED, by, now)


def hold(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Keep a match from being called until it is released. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, Kind.HELD, by, now)


def release(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Take back that a match is pinned or held. Refused: `not_on_floor`, `match_finished`."""
    return _prioritise(fixture, Kind.RELEASED, by, now)


def _prioritise(fixture: Fixture, kind: Kind, by: Actor, now: datetime) -> FloorEvent:
    """Record one of these facts, which hold for a fixture even before its players are known."""
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        row = Fixture.objects.select_related("match", "stage__division").get(pk=fixture.pk)
        if match_on_floor(read_state(floor, now), row).state in OVER:
            raise Refused("match_finished", fixture=row.number)
        return record(floor, kind, About(fixture=row), by=by, now=now)
