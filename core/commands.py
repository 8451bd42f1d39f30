"""What management commands share."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

# Management commands that run a command of the engine.


class DelegatedCommand(BaseCommand):
    """Run a command of the engine and exit with its status, without database or server."""

    command: ModuleType
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        status: int = self.command.run(Namespace(**options))
        sys.stdout.flush()
        sys.exit(status)


# Management commands that check, rewrite or copy a whole database.


class MaintenanceCommand(BaseCommand):
    """A command for the site's own database; on a server it refuses to run without DATABASE_URL."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        if settings.IMPLICIT_DATABASE_REFUSED:
            raise CommandError(
                "BARPOINT_PROFILE is server, but DATABASE_URL is not set. Set it to the database of the site, "
                "sqlite:///… or postgresql://…; the environment of the services usually names it."
            )
        return super().execute(*args, **options)


# A database for simulations, which is thrown away afterwards.


@contextmanager
def scratch_database() -> Iterator[None]:
    """Use a new, empty database beside the configured one, and destroy it at the end."""
    name = connection.settings_dict["NAME"]
    test = connection.settings_dict.setdefault("TEST", {})
    before, test["NAME"] = test.get("NAME"), f"{name}_scratch_{os.getpid()}"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(str(name), verbosity=0)
    finally:
        test["NAME"] = before
