"""Fill a database from a backup."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from config.backup.archive import ArchivedTable, ArchiveReader, BrokenArchive
from config.backup.schema import FILLED_BY_MIGRATE, applied_migrations, create_tables, models_after
from config.backup.values import decoder

Row = list[Any]
ROWS_AT_ONCE = 1000


class NotRestorable(Exception):
    """The database is not fit for this backup; the message tells the operator why. Nothing was changed."""


def restore(archive: ArchiveReader, *, replace: bool = False) -> None:
    """Load every table in one transaction; the schema stays that of the backup.

    A database without tables gets those of the backup. One with rows is refused unless `replace`. Raises
    BrokenArchive, NotRestorable and UnknownMigrations.
    """
    archive.verify()
    migrations = archive.manifest.migrations
    if not applied_migrations():
        create_tables(migrations)
    elif applied_migrations() != migrations:
        raise NotRestorable("The database has other migrations than the backup: restore into one without tables.")
    models = models_after(migrations)
    if not replace and (filled := _filled(models)):
        raise NotRestorable(f"The database is not empty: there are rows in {', '.join(filled)}.")
    parts = {part.table: part for part in archive.manifest.parts}
    if parts.keys() != {model._meta.db_table for model in models}:
        raise BrokenArchive("The tables of the backup are not those of its migrations.")
    # SQLite can only suspend its checks outside a transaction; PostgreSQL checks deferred keys at the end by itself.
    with connection.constraint_checks_disabled(), transaction.atomic():
        _empty(models)
        for model in models:
            _load(model, archive, parts[model._meta.db_table])
        connection.check_constraints()
        _reset_sequences(models)


def _filled(models: Iterable[type[Model]]) -> list[str]:
    """Return the tables that have rows, save those that migrations fill."""
    tables = {model._meta.db_table: model for model in models if model._meta.db_table not in FILLED_BY_MIGRATE}
    return [table for table, model in tables.items() if QuerySet(model).exists()]


def _empty(models: Iterable[type[Model]]) -> None:
    tables = [connection.ops.quote_name(model._meta.db_table) for model in models]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(tables)}")
            return
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 (the name of our own table)


def _load(model: type[Model], archive: ArchiveReader, part: ArchivedTable) -> None:
    rows = archive.rows(part)
    columns = next(rows)
    fields = {field.attname: field for field in model._meta.local_concrete_fields}
    if set(columns) != fields.keys():
        raise BrokenArchive(f"The columns of {part.table} are not those of its migrations.")
    decoders = {place: decode for place, name in enumerate(columns) if (decode := decoder(fields[name])) is not None}

    def decoded() -> Iterator[Row]:
        for row in rows:
            for place, decode in decoders.items():
                row[place] = decode(row[place])
            yield row

    names = [connection.ops.quote_name(fields[name].column or name) for name in columns]
    _insert(connection.ops.quote_name(part.table), names, decoded())


def _insert(table: str, names: list[str], rows: Iterator[Row]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({', '.join(names)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(names))
        statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 (our own names)
        while batch := list(islice(rows, ROWS_AT_ONCE)):
            cursor.executemany(statement, batch)


def _reset_sequences(models: list[type[Model]]) -> None:
    """Let new rows follow the loaded ones; SQLite does so by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
