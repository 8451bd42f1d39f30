"""A whole club moves to another database and back, row by row and answer by answer."""

import json
import threading
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config.backup import (
    MOST_MANIFEST,
    ArchivedTable,
    ArchiveReader,
    BrokenArchive,
    Manifest,
    NotRestorable,
    applied_migrations,
    back_up_if_due,
    backups,
    models_after,
    new_archive,
    restore,
    save,
    snapshot,
)
from config.database import from_url
from matches.models import Match
from players.models import User
from tests.privacy import addresses as walk
from tests.privacy.addresses import ROUTES, addresses
from tests.tiers import TIER
from tournaments.demo import load

READABLE = [
    name
    for name, route in ROUTES.items()
    if name.startswith("api-")
    and name not in ("api-docs", "api-reference")
    and "get" in (getattr(route.callback, "actions", None) or dir(route.callback.cls))
]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@contextmanager
def other_database(path: Path) -> Iterator[None]:
    """Use another database, of SQLite and with empty tables."""
    migrations, models = MigrationRecorder(connection).applied_migrations(), models_after(applied_migrations())
    before = connections[DEFAULT_DB_ALIAS]
    other = DatabaseWrapper({**before.settings_dict, **from_url(f"sqlite:///{path}")}, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = other
    try:
        with other.constraint_checks_disabled(), other.schema_editor() as editor:
            for model in models:
                if not model._meta.auto_created:
                    editor.create_model(model)
        recorder = MigrationRecorder(other)
        recorder.ensure_schema()
        for app, name in migrations:
            recorder.record_applied(app, name)
        yield
    finally:
        other.close()
        connections[DEFAULT_DB_ALIAS] = before


def api_answers() -> dict[tuple[str, str], Any]:
    """Return the content of every readable API route, for the director and for anybody."""
    clients = {"anybody": Client(), "Alice": Client()}
    clients["Alice"].force_login(User.objects.get(email="alice@example.org"))
    answers = {}
    for name in READABLE:
        for url in addresses(name):
            for reader, client in clients.items():
                response = client.get(url)
                if response.status_code == 200:
                    is_json = response.headers["Content-Type"].startswith("application/json")
                    answers[url, reader] = response.json() if is_json else b"".join(response)
    return answers


def parts_of(path: Path) -> list[ArchivedTable]:
    with ArchiveReader(path) as archive:
        return archive.manifest.parts


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_whole_club_moves_to_another_database_and_back(
    tmp_path: Path, password: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "TIER", TIER._replace(rows=1))
    load(password=password, now=NOON)
    call_command("backup", tmp_path / "first.zip")
    assert "verified." in capsys.readouterr().out
    before = api_answers()
    assert len(before) > 80

    with other_database(tmp_path / "other.sqlite3"):
        call_command("restore", tmp_path / "first.zip")
        out = capsys.readouterr().out
        save(tmp_path / "second.zip")
        after = api_answers()
    assert {key for key in before if after.get(key) != before[key]} == set()
    assert f"Checked 8 divisions, {Match.objects.count()} matches, 1 rating pool: no differences." in out

    with ArchiveReader(tmp_path / "second.zip") as archive:
        with pytest.raises(NotRestorable, match=r"not empty: there are rows in .*players_user"):
            restore(archive)
        restore(archive, replace=True)
    save(tmp_path / "third.zip")
    assert parts_of(tmp_path / "first.zip") == parts_of(tmp_path / "second.zip") == parts_of(tmp_path / "third.zip")
    newest = User.objects.order_by("pk").last()
    assert newest is not None
    assert User.objects.create_user("new@example.org", password).pk > newest.pk


@pytest.mark.django_db(transaction=True)
def test_a_backup_shows_one_moment_and_keeps_nobody_from_writing() -> None:
    def sign_up() -> None:
        User.objects.create_user("late@example.org", "x")
        connection.close()

    with snapshot():
        assert not User.objects.exists()
        writer = threading.Thread(target=sign_up)
        writer.start()
        writer.join(10)
        assert not writer.is_alive(), "the writer waits for the backup"
        assert not User.objects.exists()
    assert User.objects.exists()
    if connection.vendor == "sqlite":
        assert connection.transaction_mode == "IMMEDIATE"


@pytest.mark.django_db(transaction=True)
def test_backups_are_written_when_due_and_the_oldest_are_removed(tmp_path: Path) -> None:
    folder, day = tmp_path / "backups", timedelta(days=1)
    folder.mkdir()
    (folder / ".barpoint-killed.zip.part").write_bytes(b"")
    (folder / "barpoint-by-hand.zip").write_bytes(b"")
    written = [
        back_up_if_due(folder, every=day, keep=2, now=NOON + after)
        for after in (timedelta(0), timedelta(hours=23), day, 2 * day)
    ]
    assert [path is not None for path in written] == [True, False, True, True]
    assert sorted(backups(folder)) == [NOON + day, NOON + 2 * day]
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock",
        "barpoint-20261121T120000Z.zip",
        "barpoint-20261122T120000Z.zip",
        "barpoint-by-hand.zip",
    ]
    assert {path.stat().st_mode & 0o777 for path in backups(folder).values()} == {0o600}


def archive_of(path: Path) -> Path:
    """Write an archive by hand, with a part that differs from its checksum."""
    part = {"table": "players_user", "rows": 1, "size": 11, "sha256": "0" * 64}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tables/players_user.jsonl", '["id"]\n[1]\n')
        archive.writestr("manifest.json", json.dumps({**vars(Manifest("1.0", "2026", "sqlite", [])), "parts": [part]}))
    return path


def test_a_damaged_archive_is_refused_before_anything_is_changed(tmp_path: Path) -> None:
    damaged = archive_of(tmp_path / "damaged.zip")
    with (
        ArchiveReader(damaged) as archive,
        pytest.raises(BrokenArchive, match=r"players_user\.jsonl differs from its checksum"),
    ):
        restore(archive)
    (tmp_path / "text.zip").write_text("not a backup")
    with zipfile.ZipFile(tmp_path / "incomplete.zip", "w") as incomplete:
        incomplete.writestr("tables/players_user.jsonl", "[]")
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as foreign:
        foreign.writestr("manifest.json", '{"format": "other"}')
    for name in ("text", "incomplete", "foreign"):
        with pytest.raises(BrokenArchive):
            ArchiveReader(tmp_path / f"{name}.zip")


def write_archive(path: Path, *, is_right: bool = True) -> None:
    manifest = Manifest("1.0", "2026", "sqlite", [])
    with new_archive(path, manifest) as archive:
        archive.add("players_user", ["id", "name"], ['[1,"Bob"]', '[2,"Carol"]'])
        if not is_right:
            manifest.parts = [ArchivedTable("players_user", 2, 0, "0" * 64)]


def test_a_backup_that_is_not_readable_does_not_replace_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "barpoint.zip"
    write_archive(path)
    before = path.read_bytes()
    with pytest.raises(BrokenArchive, match="is not as long as the manifest says"):
        write_archive(path, is_right=False)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_that_unpacks_to_far_more_is_refused_without_unpacking_it(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    zeros = bytes(MOST_MANIFEST + 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", zeros)
    del zeros
    tracemalloc.start()
    with pytest.raises(BrokenArchive, match="no manifest"):
        ArchiveReader(path)
    assert tracemalloc.get_traced_memory()[1] < MOST_MANIFEST / 10
    tracemalloc.stop()


def test_whichever_byte_is_damaged_the_operator_reads_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "barpoint.zip"
    write_archive(path)
    content = path.read_bytes()
    refused = 0
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            with ArchiveReader(path) as archive:
                archive.verify()
        except (BrokenArchive, OSError):
            # The commands print the message of either.
            refused += 1
    assert refused > len(content) / 2
