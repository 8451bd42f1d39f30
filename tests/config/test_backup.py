"""A whole club moves to another database and back, row by row and answer by answer."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from redis import Redis

from config import new_database
from config.backup import (
    MAX_MANIFEST,
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
    temporary_database,
)
from config.database import from_url
from core.live.site_version import VERSION
from core.queue import SWEEPS
from demo.club import load
from matches.models import Match, PlayerRating, Pulse
from matches.ratings.services import check_ratings, default_pool
from players.access import has_second_factor
from players.actors import SYSTEM
from players.models import AccountSession, LogEntry, Merge, Player, PushSubscription, RecoveryCode, User
from players.notifications import push
from players.people.erasure import erase_player
from players.people.services import claim_player, undo_merge
from tests.clock import NOON
from tests.config.test_new_database import tables_of
from tests.matches.ratings.history import played, player, replay
from tests.privacy import addresses as walk
from tests.privacy.addresses import ROUTES, addresses
from tests.tiers import TIER
from tournaments.models import Division

READABLE = [
    name
    for name, route in ROUTES.items()
    if name.startswith("api-")
    and name not in ("api-docs", "api-reference")
    and "get" in (getattr(route.callback, "actions", None) or dir(route.callback.cls))
]


@contextmanager
def sqlite_database(path: Path) -> Iterator[None]:
    """Use another database, of SQLite, with empty tables of this release."""
    before = connections[DEFAULT_DB_ALIAS]
    other: Any = DatabaseWrapper({**before.settings_dict, **from_url(f"sqlite:///{path}")}, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = other
    try:
        with other.constraint_checks_disabled(), other.schema_editor() as editor:
            for model in models_after(sorted(MigrationLoader(connection).graph.nodes)):
                if not model._meta.auto_created:
                    editor.create_model(model)
        call_command("migrate", fake=True, verbosity=0)
        yield
    finally:
        other.close()
        connections[DEFAULT_DB_ALIAS] = before


def api_answers() -> dict[str, Any]:
    """Return the content of every readable API route for the director, who sees all there is."""
    client = Client()
    client.force_login(User.objects.get(email="alice@example.org"))
    answers = {}
    for name in READABLE:
        for url in addresses(name):
            response = client.get(url)
            if response.status_code == 200:
                is_json = response.headers["Content-Type"].startswith("application/json")
                answers[url] = response.json() if is_json else b"".join(response)
    return answers


def parts_of(path: Path) -> list[ArchivedTable]:
    with ArchiveReader(path) as archive:
        return archive.manifest.parts


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("valkey")
def test_a_whole_club_moves_to_another_database_and_back(
    tmp_path: Path, password: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "TIER", TIER._replace(rows=1))
    load(password=password, now=NOON)
    call_command("backup", tmp_path / "first.zip")
    assert "verified." in capsys.readouterr().out
    before = api_answers()
    assert len(before) > 70

    with sqlite_database(tmp_path / "other.sqlite3"):
        call_command("restore", tmp_path / "first.zip")
        out = capsys.readouterr().out
        save(tmp_path / "second.zip")
        after = api_answers()
    assert {key for key in before if after.get(key) != before[key]} == set()
    assert f"Checked {Division.objects.count()} divisions, {Match.objects.count()} matches, 1 rating pool:" in out
    assert "no differences." in out

    with ArchiveReader(tmp_path / "second.zip") as archive:
        with pytest.raises(NotRestorable, match=r"not empty: there are rows in .*players_user"):
            restore(archive)
        restore(archive, replace=True)
    save(tmp_path / "third.zip")
    assert parts_of(tmp_path / "first.zip") == parts_of(tmp_path / "second.zip") == parts_of(tmp_path / "third.zip")
    newest = User.objects.order_by("pk").last()
    assert newest is not None
    assert User.objects.create_user("new@example.org", password).pk > newest.pk


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("valkey")
def test_a_claim_is_undone_after_a_restore_and_gives_the_name_back(tmp_path: Path, bob: User, carol: User) -> None:
    for user, name in ((bob, "Karl"), (carol, "Kim")):
        Player.objects.create(name=user.display_name, user=user)
        claim_player(player=Player.objects.create(name=name), user=user, by=SYSTEM, now=NOON)
    erase_player(player=Player.objects.get(user=bob), by=SYSTEM, now=NOON)
    save(tmp_path / "first.zip")
    with sqlite_database(tmp_path / "other.sqlite3"):
        with ArchiveReader(tmp_path / "first.zip") as archive:
            restore(archive)
        erase_player(player=Player.objects.get(user__email=carol.email), by=SYSTEM, now=NOON)
        for merge in Merge.objects.all():
            undo_merge(merge=merge, by=SYSTEM, now=NOON)
        assert sorted(Player.objects.filter(erased_at=None).values_list("name", flat=True)) == ["Karl", "Kim"]


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
    zeros = bytes(MAX_MANIFEST + 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", zeros)
    del zeros
    tracemalloc.start()
    with pytest.raises(BrokenArchive, match="no manifest"):
        ArchiveReader(path)
    assert tracemalloc.get_traced_memory()[1] < MAX_MANIFEST / 10
    tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_is_packed_in_another_way_is_refused(tmp_path: Path, method: int) -> None:
    write_archive(tmp_path / "barpoint.zip")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(tmp_path / "barpoint.zip") as source, zipfile.ZipFile(other, "w", method) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    with pytest.raises(BrokenArchive, match="packed in another way"):
        ArchiveReader(other)


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


def rewritten(path: Path, new: Path, table: str, change: Callable[[list[str], list[Any]], object], **of: Any) -> Path:
    """Write a backup again, with a change of one table's columns and rows, and of the manifest."""
    with ArchiveReader(path) as reader, new_archive(new, replace(reader.manifest, parts=[], **of)) as writer:
        for part in reader.manifest.parts:
            columns, *rows = reader.rows(part)
            if part.table == table:
                change(columns, rows)
            writer.add(part.table, columns, map(json.dumps, rows))
    return new


# Going back to an older release.


def table_names() -> set[str]:
    return set(connection.introspection.table_names())


@pytest.fixture
def migrated(transactional_db: None, settings: Any, valkey: Redis) -> Iterator[None]:
    """A database with migrations, as those of sites are; the usual one of the tests is made without."""
    if connection.vendor != "sqlite":
        pytest.skip("tests/config/postgresql restores there")
    settings.MIGRATION_MODULES = {}
    with temporary_database("site"):
        new_database.create(Path(connection.settings_dict["NAME"]))
        # What the script lacks.
        call_command("migrate", verbosity=0)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("migrated")
def test_a_backup_replaces_a_database_that_a_newer_release_has_migrated(tmp_path: Path) -> None:
    User.objects.create_user("bob@example.org", "x")
    save(tmp_path / "before-upgrade.zip")
    replaces_what_a_newer_release_has_migrated(tmp_path / "before-upgrade.zip")


def replaces_what_a_newer_release_has_migrated(before: Path) -> None:
    """A newer release comes after the backup of this database, and is taken back."""
    tables, again = table_names(), before.with_name("before-newer.zip")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE players_trophy (id bigint PRIMARY KEY, owner bigint REFERENCES players_user)")
        cursor.execute("INSERT INTO players_trophy SELECT id, id FROM players_user")
    MigrationRecorder(connection).record_applied("players", "0999_trophies")

    with pytest.raises(CommandError, match="other migrations than the backup: --replace"):
        call_command("restore", before)
    broken = rewritten(before, before.with_name("broken.zip"), "tournaments_tournament", lambda names, _: names.pop())
    with pytest.raises(CommandError, match="columns of tournaments_tournament are not those of its migrations"):
        call_command("restore", broken, replace=True)
    assert table_names() == tables | {"players_trophy"}, "it is as it was"
    assert User.objects.exists()

    call_command("restore", before, replace=True)
    assert table_names() == tables
    assert ("players", "0999_trophies") not in applied_migrations()
    save(again)
    assert parts_of(again) == parts_of(before)


ROOT = Path(__file__).resolve().parents[2]
LANDED = "4bb9aaaf509fd454d2385ea23a8ee233d65299cf"
"""A commit before backups could replace a database with other migrations."""
OLDER = Path(__file__).with_name("older-release.zip")
"""The demo club of that commit, from SQLite: fewer tables, and archives of the first format."""


def landed(folder: Path) -> Path:
    """Return a checkout of LANDED."""
    git = shutil.which("git")
    if git is None or subprocess.run([git, "cat-file", "-e", LANDED], cwd=ROOT, capture_output=True).returncode:
        pytest.skip(f"no git here, or no commit {LANDED[:8]}")
    folder.mkdir()
    source = subprocess.run([git, "archive", LANDED], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], input=source, cwd=folder, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("migrated")
def test_one_command_goes_back_to_the_landed_commit_and_an_upgrade_makes_the_tables_of_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    """The only test that applies all migrations to a database of SQLite, which takes most of its time."""
    path = Path(connection.settings_dict["NAME"])
    from_script, migrations = tables_of(path), applied_migrations()
    with ArchiveReader(OLDER) as archive:
        older = archive.manifest
    User.objects.create_user("late@example.org", "x")
    call_command("restore", OLDER, replace=True, go_back=True)
    assert "Check out the commit that wrote the backup" in capsys.readouterr().out

    with subtests.test("the older release works with it"):
        env = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "BARPOINT_VAR": str(tmp_path)}
        backup = [sys.executable, "manage.py", "backup", tmp_path / "after.zip"]
        subprocess.run(
            backup, cwd=landed(tmp_path / "landed"), env=env | {"DATABASE_URL": f"sqlite:///{path}"}, check=True
        )
        with ArchiveReader(tmp_path / "after.zip") as archive:
            assert (archive.manifest.migrations, archive.manifest.parts) == (older.migrations, older.parts)

    call_command("migrate", verbosity=0)
    assert tables_of(path) == from_script
    assert applied_migrations() == migrations
    rows = {part.table: part.rows for part in older.parts}
    assert (User.objects.count(), Match.objects.count()) == (rows["players_user"], rows["matches_match"])


# A site that is running.


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("bob")
def test_a_restore_refuses_while_the_site_runs_and_says_what_was_seen_when(tmp_path: Path, valkey: Redis) -> None:
    save(tmp_path / "barpoint.zip")
    now = timezone.now()
    beat_at = now - timedelta(seconds=2)
    Pulse.objects.create(pk=Pulse.ONLY, beat_at=beat_at)
    with pytest.raises(CommandError, match=rf"running: a web process at {beat_at:%H:%M:%S} UTC, \d s ago\. Stop it"):
        call_command("restore", tmp_path / "barpoint.zip", replace=True)
    assert Pulse.objects.exists()

    Pulse.objects.update(beat_at=now - timedelta(minutes=1))
    valkey.hset(SWEEPS, mapping={"matches.sweep_live": now.timestamp(), "matches.sweep_claims": now.timestamp() - 5})
    with pytest.raises(CommandError, match=r"running: a worker \(matches\.sweep_live\) at .* UTC, \d s ago\. Stop it"):
        call_command("restore", tmp_path / "barpoint.zip", replace=True)

    call_command("restore", tmp_path / "barpoint.zip", replace=True, even_if_running=True)
    assert not Pulse.objects.exists()
    valkey.delete(SWEEPS)
    call_command("restore", tmp_path / "barpoint.zip", replace=True)


@pytest.mark.slow
@pytest.mark.usefixtures("migrated")
def test_a_restore_that_finds_differences_names_the_command_that_mends_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(player("Bob"), player("Carol"))
    replay()
    PlayerRating.objects.update(rating=1999)
    save(tmp_path / "old.zip")
    with pytest.raises(SystemExit) as ended:
        call_command("restore", tmp_path / "old.zip", replace=True)
    out = capsys.readouterr().out
    assert re.search(r"[1-9] differences?\.", out)
    assert (ended.value.code, "`./manage.py rebuild`" in out) == (1, True)
    assert check_ratings(default_pool())
    call_command("rebuild", verbosity=0)
    assert not check_ratings(default_pool())


# Rehearsals.


@pytest.mark.slow
@pytest.mark.usefixtures("migrated")
def test_a_drill_restores_the_newest_backup_elsewhere_and_ends_in_metrics(
    tmp_path: Path, settings: Any, client: Client, capsys: pytest.CaptureFixture[str], valkey: Redis
) -> None:
    settings.BACKUP_DIR = tmp_path
    with pytest.raises(CommandError, match="there is none in BACKUP_DIR"):
        call_command("restore", drill=True)
    assert "restore_drill" not in metrics(client)
    back_up_if_due(tmp_path, every=timedelta(days=1), keep=2, now=NOON)
    newest = back_up_if_due(tmp_path, every=timedelta(days=1), keep=2, now=NOON + timedelta(days=1))
    assert newest is not None
    User.objects.create_user("carol@example.org", "x")
    User.objects.create_user("dave@example.org", "x")
    before, version = table_names(), valkey.get(VERSION)

    call_command("restore", drill=True)
    assert valkey.get(VERSION) == version is not None, "stored pages stay"
    out = capsys.readouterr().out
    assert "no division and no match: there is nothing to check" in out, "an empty site is no error"
    assert "The drill succeeded" in out
    assert User.objects.count() == 2
    assert table_names() == before
    assert LogEntry.objects.get(verb="restore_drill").params["backup"] == newest.name
    figures = dict(line.split() for line in metrics(client).splitlines() if line.startswith("barpoint_restore_drill"))
    assert 0 <= float(figures["barpoint_restore_drill_age_seconds"]) < 60
    assert float(figures["barpoint_restore_drill_seconds"]) > 0

    settings.SECRET_KEY = "another-" + "y" * 40
    with pytest.raises(CommandError, match="another SECRET_KEY"):
        call_command("restore", drill=True)
    assert LogEntry.objects.filter(verb="restore_drill").count() == 1, "only what succeeds is noted"


def metrics(client: Client) -> str:
    return client.get("/metrics", headers={"Authorization": "Bearer only-for-tests"}).content.decode()


# A stolen backup.


@pytest.mark.slow
@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("valkey")
def test_a_stolen_backup_opens_no_account(
    tmp_path: Path, bob: User, client: Client, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    device = TOTPDevice.objects.create(user=bob, confirmed=True)
    RecoveryCode.objects.create(user=bob, code_hash="0" * 64)
    client.force_login(bob)
    session = AccountSession.objects.get()
    shown = {"user": bob, "endpoint": "https://push.example.org/1", "p256dh": "p", "auth": "a", "device": "phone"}
    push.subscribe(**shown, session=push.session_id(client.session), now=timezone.now())
    path = tmp_path / "barpoint.zip"
    call_command("backup", path)
    with zipfile.ZipFile(path) as archive:
        content = b"".join(map(archive.read, archive.namelist())).decode()
    assert "bob@example.org" in content
    assert device.key not in content
    assert session.session_key not in content

    call_command("restore", path, replace=True)
    assert TOTPDevice.objects.get().key == device.key
    assert PushSubscription.objects.get().unbound_since is None
    assert client.get("/account/notifications/").status_code == 200
    assert has_second_factor(bob)

    capsys.readouterr()
    settings.SECRET_KEY = "another-" + "y" * 40
    with pytest.raises(CommandError, match=r"another SECRET_KEY\. Set that key; or .*by their password alone"):
        call_command("restore", path, replace=True)
    assert TOTPDevice.objects.exists()
    call_command("restore", path, replace=True, without_second_factors=True)
    assert "Second factors must be set up again" in capsys.readouterr().out
    assert User.objects.get() == bob
    assert not TOTPDevice.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert not AccountSession.objects.exists()
    assert PushSubscription.objects.get().unbound_since is not None, "no session is left with which it would end"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("valkey")
def test_a_backup_of_the_first_format_is_restored(tmp_path: Path, bob: User) -> None:
    TOTPDevice.objects.create(user=bob, key="5" * 40, confirmed=True)
    save(tmp_path / "new.zip")

    def open_key(columns: list[str], rows: list[list[Any]]) -> None:
        rows[0][columns.index("key")] = "5" * 40

    changes = {"key_check": "", "format_version": 1}
    old = rewritten(tmp_path / "new.zip", tmp_path / "old.zip", "otp_totp_totpdevice", open_key, **changes)
    call_command("restore", old, replace=True)
    assert TOTPDevice.objects.get().key == "5" * 40
