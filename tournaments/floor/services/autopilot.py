"""The autopilot that calls matches by itself.

Whenever something changes, a hint asks a worker to call what can be called; a sweep does the same where hints were
lost. Both derive the state of the floor again under its lock, so that nothing is called twice.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.models import Match
from players.actors import SYSTEM
from tournaments.floor.services.journal import About, lock_fixture, lock_floor, read_state, record
from tournaments.floor.state import AttentionKind, FloorState
from tournaments.models import Autopilot, Fixture, FloorEvent, FloorKind, Table


def call_ready(*, tournament_id: int, now: datetime) -> list[FloorEvent]:
    """Call the matches that are ready, and make second calls that are due, if the autopilot calls by itself.

    Each call is a transaction of its own. Nothing happens in an event that is over.
    """
    called: list[FloorEvent] = []
    while (event := _call_next(tournament_id, now)) is not None:
        called.append(event)
    return called


def _call_next(tournament_id: int, now: datetime) -> FloorEvent | None:
    with transaction.atomic():
        try:
            floor = lock_floor(tournament_id, now)
        except Refused:
            return None
        state = read_state(floor, now)
        if state.autopilot != Autopilot.CALL or state.pause is not None:
            return None
        for fixture, about, kind in _due(state):
            try:
                locked, match = lock_fixture(fixture)
            except Refused:
                continue
            # A result may have come in since the state was read; then the match is called no more.
            if match.state == Match.State.OPEN and match.begun_at is None:
                return record(floor, kind, About(fixture=locked, table=about), by=SYSTEM, now=now)
    return None


def _due(state: FloorState) -> Iterable[tuple[Fixture, Table | None, FloorKind]]:
    for suggestion in state.suggestions:
        yield Fixture.objects.get(pk=suggestion.fixture), Table.objects.get(pk=suggestion.table), FloorKind.CALLED
    for item in state.attention:
        if item.kind == AttentionKind.SECOND_CALL:
            yield Fixture.objects.get(pk=item.fixture), None, FloorKind.CALLED_AGAIN
