"""Management commands that run a command of the engine."""

import sys
from argparse import ArgumentParser, Namespace
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand


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
