"""Find migrations that break processes of the release before, which still run while they are applied.

    python -m tools.lint_migrations

A migration is exempt if it is part of the release before, whose last migration of each app is in RELEASED. Update it
with each release. A migration that is safe for a reason this check cannot see says so in `safe_because`.
"""

import os
import sys
from collections.abc import Iterator
from typing import Any

from django.db import models
from django.db.migrations import Migration, operations
from django.db.models.fields import NOT_PROVIDED

from core.packages import PACKAGES

RELEASED: dict[str, str] | None = None
"""The last migration of each app in the latest release; None before the first, into which all are squashed."""

GONE = {
    operations.RemoveField: "old processes still read the column: stop using it in one release, remove it in the next",
    operations.DeleteModel: "old processes still read the table: stop using it in one release, delete it in the next",
    operations.RenameField: "old processes use the old name: add the new column, copy, remove the old one later",
    operations.RenameModel: "old processes use the old name: keep it with `db_table`",
    operations.AlterModelTable: "old processes use the old table",
}


def faults(migration: Migration) -> Iterator[str]:
    """Yield each operation that old processes do not survive, with what to do instead."""
    if getattr(migration, "safe_because", ""):
        return
    created: set[str] = set()
    for operation in migration.operations:
        if isinstance(operation, operations.CreateModel):
            created.add(operation.name_lower)
        if reason := _reason(operation, created):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}: {reason}"


def _reason(operation: Any, created: set[str]) -> str | None:
    if getattr(operation, "model_name_lower", None) in created:
        return None
    for kind, reason in GONE.items():
        if isinstance(operation, kind):
            return reason
    if isinstance(operation, operations.AddField) and _is_required(operation.field):
        return "old processes insert rows without it: give it `db_default` or `null=True`"
    if isinstance(operation, operations.RunSQL | operations.RunPython) and not operation.reversible:
        return "it cannot be taken back: give it a reverse, if only `noop`"
    return None


def _is_required(field: "models.Field[Any, Any]") -> bool:
    """Whether the database refuses a row without a value."""
    return not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED)


def main() -> int:
    """Print the faults of all migrations since the release; return the exit status."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.db.migrations.loader import MigrationLoader

    if RELEASED is None:
        print("Nothing was released yet: migrations need not be safe while old processes run.")
        return 0
    disk = MigrationLoader(None).disk_migrations or {}
    new = [disk[key] for key in sorted(disk) if key[0] in PACKAGES and key[1] > RELEASED.get(key[0], "")]
    unsafe = [fault for migration in new for fault in faults(migration)]
    print("\n".join(unsafe) or f"{len(new)} migrations since the release, all safe.")
    return 1 if unsafe else 0


if __name__ == "__main__":
    sys.exit(main())
