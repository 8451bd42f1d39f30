"""A new database from the script has what `migrate` writes in one, and no data.

That its tables are those of all migrations is found where these are applied, in test_backup.py.
"""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.contrib.auth.management import _get_all_permissions

from config import new_database


def read(path: Path, query: str) -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return set(database.execute(query))


def tables_of(path: Path) -> set[tuple[str, ...]]:
    """The statements that create the tables and indexes of a database."""
    return read(path, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")


def test_the_script_is_one_of_a_new_database(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    new_database.create(path)
    assert new_database.script_of(path) == new_database.SCRIPT.read_text()
    assert list(tmp_path.iterdir()) == [path]
    names = [name for (name,) in read(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    filled = {name for name in names if read(path, f'SELECT 1 FROM "{name}"')}
    assert filled == {
        "django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"
    }, "without data, and with no secret"  # fmt: skip
    assert not re.search(r"\d{4}-\d\d-\d\d \d\d:", new_database.SCRIPT.read_text()), "when they were applied"


def test_the_script_knows_models_and_permissions_as_migrate_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    new_database.create(path)
    # Newer models are added by `migrate`.
    known = read(path, "SELECT app_label, model FROM django_content_type")
    models = [model for model in apps.get_models() if (model._meta.app_label, model._meta.model_name) in known]
    assert len(models) == len(known) > 100
    assert read(
        path,
        "SELECT app_label, model, codename, p.name FROM auth_permission p "
        "JOIN django_content_type c ON p.content_type_id = c.id",
    ) == {
        (model._meta.app_label, model._meta.model_name, *permission)
        for model in models
        for permission in _get_all_permissions(model._meta)
    }
