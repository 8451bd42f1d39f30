"""What a request changes in the database: the rows of all tables, before and after."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from celery.worker import state as worker
from django.apps import apps
from django.db import connection, transaction

IGNORED = {"players_idempotencykey", "players_accountsession"}
"""Tables of the keys themselves, and of when a browser was seen."""
NOT_COUNTED = {"last_used_on", "last_seen_at", "last_login"}
"""Columns that say when somebody was here."""
PAUSE = 0.03
"""Seconds between two looks at the rows that workers may still change."""
PATIENCE = 60

Rows = Mapping[str, Mapping[Any, tuple[Any, ...]]]


class Table(NamedTuple):
    """A table of a model."""

    name: str
    columns: tuple[str, ...]
    """The primary key first."""
    counted: tuple[int, ...]


def tables() -> Iterator[Table]:
    """Yield the tables of all models."""
    for model in apps.get_models(include_auto_created=True):
        meta = model._meta
        if meta.managed and not meta.proxy and meta.db_table not in IGNORED and meta.pk is not None:
            others = [field.column for field in meta.concrete_fields if not field.primary_key]
            columns = (meta.pk.column, *others)
            counted = tuple(at for at, column in enumerate(columns) if column not in NOT_COUNTED)
            yield Table(meta.db_table, columns, counted)


def all_rows() -> Rows:
    """Return every row of every table by its key."""
    rows = {}
    with connection.cursor() as cursor:
        for table in tables():
            names = ", ".join(f'"{column}"' for column in table.columns)
            cursor.execute(f'SELECT {names} FROM "{table.name}"')
            rows[table.name] = {row[0]: tuple(map(_plain, row)) for row in cursor.fetchall()}
    return rows


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def settled_rows(is_idle: Callable[[], bool]) -> Rows:
    """Return all rows once the workers are idle and change nothing more."""
    rows, until = all_rows(), time.monotonic() + PATIENCE
    while True:
        time.sleep(PAUSE)
        was_idle, again = is_idle() and not worker.active_requests, all_rows()
        if was_idle and again == rows:
            return rows
        assert time.monotonic() < until, "the workers find no end"
        rows = again


def changes(before: Rows, after: Rows) -> Counter[str]:
    """Return how many rows were added, removed and changed in each table, such as `players_club added`."""
    found: Counter[str] = Counter()
    for table in tables():
        old, new = before[table.name], after[table.name]
        both = old.keys() & new.keys()
        found[f"{table.name} added"] += len(new.keys() - both)
        found[f"{table.name} removed"] += len(old.keys() - both)
        differ = (key for key in both if old[key] != new[key])
        found[f"{table.name} changed"] += sum(
            any(old[key][at] != new[key][at] for at in table.counted) for key in differ
        )
    return +found


def restore(before: Rows) -> None:
    """Put all rows back as they were; foreign keys are checked at the end of the transaction."""
    now = all_rows()
    with transaction.atomic(), connection.cursor() as cursor:
        wrong = [
            (table, key)
            for table in tables()
            for key in before[table.name].keys() | now[table.name].keys()
            if before[table.name].get(key) != now[table.name].get(key)
        ]
        for table, key in wrong:
            cursor.execute(f'DELETE FROM "{table.name}" WHERE "{table.columns[0]}" = %s', [key])
        for table, key in wrong:
            if (row := before[table.name].get(key)) is not None:
                names = ", ".join(f'"{column}"' for column in table.columns)
                values = ", ".join(["%s"] * len(row))
                cursor.execute(f'INSERT INTO "{table.name}" ({names}) VALUES ({values})', row)
