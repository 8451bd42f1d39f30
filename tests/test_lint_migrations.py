"""The check of migrations finds what breaks processes of the release before."""

from typing import Any

import pytest
from django.db import models
from django.db.migrations import AddField, CreateModel, DeleteModel, Migration, RemoveField, RunPython, operations

from tools.lint_migrations import faults

OPTIONAL, REQUIRED = models.TextField(null=True), models.TextField(default="")


def migration(*performed: Any, **attributes: Any) -> Migration:
    attributes |= {"operations": list(performed)}
    return type("Migration", (Migration,), attributes)("0099_planted", "players")


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (RemoveField("club", "city"), "old processes still read the column"),
        (DeleteModel("Club"), "old processes still read the table"),
        (operations.RenameField("club", "city", "town"), "old processes use the old name"),
        (AddField("club", "motto", REQUIRED), "old processes insert rows without it"),
        (RunPython(lambda apps, editor: None), "it cannot be taken back"),
    ],
)
def test_what_old_processes_do_not_survive_is_found(operation: Any, reason: str) -> None:
    (fault,) = faults(migration(operation))
    assert fault.startswith("players.0099_planted: ")
    assert reason in fault
    assert list(faults(migration(operation, safe_because="the column is read by nobody since 1.1"))) == []


def test_what_they_survive_is_accepted() -> None:
    safe = migration(
        AddField("club", "motto", OPTIONAL),
        AddField("club", "colour", models.TextField(db_default="")),
        AddField("club", "friends", models.ManyToManyField("players.Club")),
        CreateModel("Badge", fields=[("id", models.BigAutoField(primary_key=True))]),
        AddField("badge", "name", REQUIRED),
        RunPython(lambda apps, editor: None, RunPython.noop),
    )
    assert list(faults(safe)) == []
