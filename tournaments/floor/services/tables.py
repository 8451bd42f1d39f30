"""Freeing tables, and taking them out of use."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from tournaments.floor.services.journal import About, lock_floor, read_state, record
from tournaments.models import Fixture, FloorEvent, FloorKind, Table


def free_table(*, table: Table, by: Actor, now: datetime) -> FloorEvent:
    """Free a table. A match that was only called there is no longer called; one that goes on has no table then.

    Refused: `tournament_not_open`, `table_free`.
    """
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        row = read_state(floor, now).tables[table.pk]
        if row.fixture is None:
            raise Refused("table_free", table=row.label)
        fixture = Fixture.objects.select_related("match", "stage__division").get(pk=row.fixture)
        return record(floor, FloorKind.FREED, About(fixture=fixture, table=table), by=by, now=now)


def take_out_of_use(*, table: Table, reason: str, by: Actor, now: datetime) -> FloorEvent:
    """Take a table out of use. A match that is there stays. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        about = About(table=table, params={"reason": reason.strip()})
        return record(floor, FloorKind.TABLE_OUT, about, by=by, now=now)


def back_in_use(*, table: Table, by: Actor, now: datetime) -> FloorEvent:
    """Put a table back into use. Refused: `tournament_not_open`."""
    with transaction.atomic():
        floor = lock_floor(table.tournament_id, now)
        return record(floor, FloorKind.TABLE_BACK, About(table=table), by=by, now=now)
