"""The demo club is restored into PostgreSQL and out of it, in every way that an operator can; nothing differs."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connection

from config.backup import ArchivedTable, ArchiveReader, applied_migrations, models_after, save, temporary_database
from demo.club import load
from players.models import LogEntry, Player, User
from tests.config.test_backup import (
    OLDER,
    parts_of,
    replaces_what_a_newer_release_has_migrated,
    sqlite_database,
    table_names,
)
from tests.conftest import ValkeyServer
from tests.event_cast import NOON

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL"),
    pytest.mark.postgresql,
    pytest.mark.slow,
]


@pytest.fixture
def migrations_as_on_sites(transactional_db: None, settings: Any) -> None:
    """Have databases of our own made by migrations; the usual one of the tests is made without."""
    settings.MIGRATION_MODULES = {}


@pytest.fixture
def archive(migrations_as_on_sites: None, valkey_server: ValkeyServer, tmp_path: Path) -> Path:
    """A backup of the demo club from SQLite."""
    path = tmp_path / "demo.zip"
    with sqlite_database(tmp_path / "demo.sqlite3"):
        load(password="crawford-1969", now=NOON)
        call_command("rebuild")
        # For the migrations that were only noted as applied.
        emit_post_migrate_signal(verbosity=0, interactive=False, db=DEFAULT_DB_ALIAS)
        save(path)
    return path


def ids_given_twice() -> list[str]:
    """Return the tables in which the next row would get an id that is taken."""
    taken = []
    with connection.cursor() as cursor:
        for model in models_after(applied_migrations()):
            table, column = model._meta.db_table, model._meta.pk.column
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table, column])
            (sequence,) = cursor.fetchone()
            if sequence is not None:
                cursor.execute(f"SELECT nextval('{sequence}') <= max({column}) FROM {table}")
                taken += [table] if cursor.fetchone()[0] else []
    return taken


def test_the_demo_club_moves_to_postgresql_and_back(
    archive: Path, tmp_path: Path, subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    def is_restored(*arguments: object, **options: object) -> bool:
        capsys.readouterr()
        call_command("restore", *arguments, **options)
        return "no differences." in capsys.readouterr().out

    def written_again() -> list[ArchivedTable]:
        save(tmp_path / "again.zip")
        return parts_of(tmp_path / "again.zip")

    with temporary_database("site"):
        with subtests.test("into an empty database"):
            assert is_restored(archive)
            assert written_again() == parts_of(archive)
            assert ids_given_twice() == []
            assert User.objects.create_user("new@example.org", "x").pk

        with subtests.test("replacing another content"):
            LogEntry.objects.all().delete()
            Player.objects.create(name="Nobody")
            assert is_restored(archive, replace=True)
            assert written_again() == parts_of(archive)
            assert ids_given_twice() == []

        with subtests.test("replacing what a newer release has migrated"):
            replaces_what_a_newer_release_has_migrated(archive)

        with subtests.test("a drill"):
            before = table_names()
            assert is_restored(tmp_path / "again.zip", drill=True)
            assert table_names() == before
            assert LogEntry.objects.filter(verb="restore_drill").count() == 1

    with subtests.test("back to SQLite"), sqlite_database(tmp_path / "back.sqlite3"):
        assert is_restored(tmp_path / "again.zip")
        assert written_again() == parts_of(archive)


@pytest.mark.usefixtures("migrations_as_on_sites")
def test_the_site_goes_back_to_an_older_release_and_forward_again(
    capsys: pytest.CaptureFixture[str], valkey_server: ValkeyServer
) -> None:
    with ArchiveReader(OLDER) as older:
        manifest = older.manifest
    with temporary_database("site"):
        call_command("restore", OLDER, go_back=True)
        assert applied_migrations() == manifest.migrations
        assert "Check out the commit that wrote the backup" in capsys.readouterr().out

        call_command("migrate", verbosity=0, interactive=False)
        call_command("check_integrity")
        assert "no differences." in capsys.readouterr().out
        assert ids_given_twice() == []
