"""A new database from the script has what the migrations make, also where some of them are newer than the script."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from config import new_database

ROOT = Path(__file__).resolve().parents[2]
ROWS = {
    "django_migrations": "SELECT app, name FROM django_migrations",
    "django_content_type": "SELECT app_label, model FROM django_content_type",
    "auth_permission": (
        "SELECT app_label, model, codename, p.name FROM auth_permission p JOIN django_content_type c "
        "ON p.content_type_id = c.id"
    ),
}
"""How the rows that `migrate` writes are read without ids, which depend on the order in which a site met them."""
Contents = tuple[set[str], dict[str, list[tuple[object, ...]]]]


def migrated(folder: Path) -> Contents:
    """The tables and rows of a folder's database after `migrate`; the order of columns tells nothing."""
    environ = {**os.environ, "BARPOINT_VAR": str(folder), "BARPOINT_PROFILE": "local", "LOG_LEVEL": "CRITICAL"}
    environ.pop("DATABASE_URL", None)
    command = [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}, check=True)
    return contents(folder / "barpoint.sqlite3")


def contents(path: Path) -> Contents:
    with closing(sqlite3.connect(path)) as database:
        tables = {text for (text,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        rows = {}
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if name != "sqlite_sequence":
                found = database.execute(ROWS.get(name, f'SELECT * FROM "{name}"'))
                rows[name] = sorted(found.fetchall())
    return tables, rows


@pytest.mark.slow
def test_the_script_and_what_it_lacks_are_all_migrations(tmp_path: Path) -> None:
    scripted, plain = tmp_path / "scripted", tmp_path / "plain"
    scripted.mkdir()
    plain.mkdir()
    new_database.create(scripted / "barpoint.sqlite3")
    assert len(contents(scripted / "barpoint.sqlite3")[1]["django_migrations"]) > 100
    assert migrated(scripted) == migrated(plain)


def test_the_script_is_one_of_a_new_database(tmp_path: Path) -> None:
    new_database.create(tmp_path / "new.sqlite3")
    assert new_database.script_of(tmp_path / "new.sqlite3") == new_database.SCRIPT.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["new.sqlite3"]
    _tables, rows = contents(tmp_path / "new.sqlite3")
    assert {name for name, found in rows.items() if found} == set(ROWS), "without data, and with no secret"
    assert not re.search(r"\d{4}-\d\d-\d\d \d\d:", new_database.SCRIPT.read_text()), "when they were applied"
