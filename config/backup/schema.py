"""The tables of the database, as they are after any set of migrations."""

from collections.abc import Iterable

from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

Migrations = list[tuple[str, str]]

FILLED_BY_MIGRATE = {"django_content_type", "auth_permission"}
"""Tables that are not empty in a new database."""


class UnknownMigrations(Exception):
    """This release does not know some migrations; the message names them."""


def applied_migrations() -> Migrations:
    """Return the migrations that have been applied to the database, sorted; those that others replace left out."""
    loader = MigrationLoader(connection)
    replaced = {key for migration in (loader.disk_migrations or {}).values() for key in migration.replaces}
    return sorted(set(MigrationRecorder(connection).applied_migrations()) - replaced)


def models_after(migrations: Migrations) -> list[type[Model]]:
    """Return the models as they are once these migrations are applied, one for each table, sorted by table.

    Raises UnknownMigrations.
    """
    loader = MigrationLoader(connection)
    _check_known(loader, migrations)
    if set(migrations) >= set(loader.graph.nodes):
        classes: Iterable[type[Model]] = apps.get_models(include_auto_created=True)
    else:
        classes = loader.project_state(_latest(loader, migrations)).apps.get_models(include_auto_created=True)
    tables = {model._meta.db_table: model for model in classes if model._meta.managed and not model._meta.proxy}
    return [tables[name] for name in sorted(tables)]


def create_tables(migrations: Migrations) -> None:
    """Create the tables as they are after these migrations, in a database without any. Raises UnknownMigrations."""
    executor = MigrationExecutor(connection)
    _check_known(executor.loader, migrations)
    executor.migrate(_latest(executor.loader, migrations))


def _check_known(loader: MigrationLoader, migrations: Migrations) -> None:
    assert loader.disk_migrations is not None  # noqa: S101 (the constructor has read them)
    if unknown := [f"{app}.{name}" for app, name in migrations if (app, name) not in loader.disk_migrations]:
        raise UnknownMigrations(
            f"This release does not know the migrations {', '.join(unknown)}: use the release that wrote the backup."
        )


def _latest(loader: MigrationLoader, migrations: Migrations) -> Migrations:
    """Return those migrations that no other one of the same app depends on."""
    chosen = set(migrations)
    return [
        key
        for key in migrations
        if not any(child.key in chosen and child.key[0] == key[0] for child in loader.graph.node_map[key].children)
    ]
