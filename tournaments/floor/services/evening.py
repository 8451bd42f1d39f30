"""Facts about the whole event: pauses, the autopilot, and what players need."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tournaments.floor.services.journal import About, lock_floor, read_state, record
from tournaments.models import Autopilot, FloorEvent, FloorKind, Tournament


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
        return record(floor, FloorKind.PAUSED, About(params=params), by=by, now=now)


def resume(*, tournament: Tournament, by: Actor, now: datetime) -> FloorEvent:
    """End a pause now. Refused: `tournament_not_open`, `event_not_paused`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        if read_state(floor, now).pause is None:
            raise Refused("event_not_paused")
        return record(floor, FloorKind.RESUMED, About(), by=by, now=now)


def set_autopilot(*, tournament: Tournament, mode: Autopilot, by: Actor, now: datetime) -> FloorEvent:
    """Let matches be suggested for free tables, or called by themselves. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        return record(floor, FloorKind.AUTOPILOT, About(params={"mode": mode.value}), by=by, now=now)


def set_needs_accessible(
    *, tournament: Tournament, player: Player, needed: bool, by: Actor, now: datetime
) -> FloorEvent:
    """Record whether a player needs an accessible table at this event; only its directors see it.

    Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        about = About(player=player, params={"needed": needed})
        return record(floor, FloorKind.NEEDS_ACCESSIBLE, about, by=by, now=now)
