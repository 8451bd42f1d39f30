"""Write a backup of the whole database while the site runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction
from django.db.models import BinaryField, Model, QuerySet
from django.utils import timezone

from config.backup.archive import Manifest, new_archive
from config.backup.schema import applied_migrations, models_after
from config.backup.values import encode
from config.version import VERSION

ROWS_AT_ONCE = 2000
FILES_AT_ONCE = 20
"""Rows of a table with files, each of which may have several megabytes."""


def save(path: Path) -> Manifest:
    """Write the archive and return its manifest; a file of that name is replaced once the new one is verified."""
    with snapshot():
        migrations = applied_migrations()
        manifest = Manifest(VERSION, timezone.now().isoformat(), connection.vendor, migrations)
        with new_archive(path, manifest) as archive:
            for model in models_after(migrations):
                columns = [field.attname for field in model._meta.local_concrete_fields]
                archive.add(model._meta.db_table, columns, _rows(model, columns))
    return manifest


def _rows(model: type[Model], columns: list[str]) -> Iterator[str]:
    rows: QuerySet[Model] = QuerySet(model).order_by("pk")
    has_files = any(isinstance(field, BinaryField) for field in model._meta.local_concrete_fields)
    at_once = FILES_AT_ONCE if has_files else ROWS_AT_ONCE
    yield from map(encode, rows.values_list(*columns).iterator(at_once))


@contextmanager
def snapshot() -> Iterator[None]:
    """Read one state of the database, whatever is written meanwhile, without blocking writers."""
    connection.ensure_connection()
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Otherwise the transaction would be IMMEDIATE and keep out every writer.
    mode = connection.transaction_mode  # type: ignore[attr-defined] # of SQLite's connections
    connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            yield
    finally:
        connection.transaction_mode = mode  # type: ignore[attr-defined]
