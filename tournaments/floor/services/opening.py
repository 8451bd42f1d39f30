"""Opening the floor of an event, and its tables and settings."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.floor.facts import FloorSettings
from tournaments.floor.services.journal import announce, create_tables, lock_floor
from tournaments.models import Floor, Table, Tournament

MOST_TABLES = 200


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What a table is to be called and used for; without `table`, a new one."""

    label: str
    category: str
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """The settings and tables that a floor is to have. No table is removed, since facts refer to it."""

    settings: FloorSettings
    tables: tuple[TablePlan, ...]


def open_floor(*, tournament: Tournament, by: Actor, now: datetime) -> Floor:
    """Open the floor of an event, with as many tables as the event has if it has none yet.

    Refused: `tournament_not_open`.
    """
    with transaction.atomic():
        existed = Floor.objects.filter(tournament=tournament).exists()
        floor = lock_floor(tournament.pk, now)
        create_tables(floor.tournament)
        if not existed:
            log(by, "floor_opened", floor.tournament.topic, club=floor.tournament.club)
            announce(floor, None)
    return floor


def save_floor(*, tournament: Tournament, plan: FloorPlan, by: Actor, now: datetime) -> None:
    """Change the settings and tables of a floor in one step; open it if it is not open.

    Refused: `tournament_not_open`, `table_label_taken`, `too_many_tables`.
    """
    with transaction.atomic():
        change_settings(tournament=tournament, settings=plan.settings, by=by, now=now)
        for row in plan.tables:
            if row.table is not None:
                change_table(table=row.table, label=row.label, category=row.category, by=by, now=now)
            else:
                add_table(tournament=tournament, label=row.label, category=row.category, by=by, now=now)


def change_settings(*, tournament: Tournament, settings: FloorSettings, by: Actor, now: datetime) -> Floor:
    """Change the settings of a floor. Refused: `tournament_not_open`."""
    values = {
        "rest_minutes": settings.rest,
        "second_call_minutes": settings.second_call,
        "no_show_minutes": settings.no_show,
        "penalty_points": settings.penalty_points,
        "penalty_first_minutes": settings.penalty_first,
        "penalty_each_minutes": settings.penalty_each,
    }
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        changes = {
            name: [getattr(floor, name), value] for name, value in values.items() if getattr(floor, name) != value
        }
        if changes:
            for name, value in values.items():
                setattr(floor, name, value)
            floor.seq += 1
            floor.save(update_fields=["seq", *changes])
            log(by, "floor_changed", floor.tournament.topic, club=floor.tournament.club, changes=changes)
            announce(floor, None)
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
        if len(rows) >= MOST_TABLES:
            raise Refused("too_many_tables", most=MOST_TABLES)
        order = max((order for _name, order in rows), default=0) + 1
        table = Table.objects.create(tournament=floor.tournament, label=label, order=order, category=category)
        log(by, "floor_table_added", floor.tournament.topic, club=floor.tournament.club, table=label)
        announce(floor, None)
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
        log(by, "floor_table_changed", floor.tournament.topic, club=floor.tournament.club, was=before, table=label)
        announce(floor, None)
    return row
