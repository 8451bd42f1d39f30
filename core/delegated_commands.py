"""Management commands whose work is done by a command of the engine."""

import sys
from argparse import ArgumentParser, Namespace
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand


class DelegatedCommand(BaseCommand):
    """Runs such a command and exits with its status: no database, no server."""

    command: ModuleType
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the arguments of the command."""
        self.command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        status: int = self.command.run(Namespace(**options))
        sys.stdout.flush()
        sys.exit(status)
