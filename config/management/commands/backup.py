"""`./manage.py backup FILE`: write the whole database to one portable archive."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.backup import BrokenArchive, UnknownMigrations, save
from core.commands import MaintenanceCommand


class Command(MaintenanceCommand):
    """Write an archive while the site runs, and verify it."""

    help = "Write the whole database to one archive that SQLite and PostgreSQL can restore. The site may run meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the archive, such as barpoint.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        began = time.monotonic()
        try:
            manifest = save(path)
        except (OSError, BrokenArchive, UnknownMigrations) as error:
            raise CommandError(f"No backup was written. {error}") from error
        size, seconds = path.stat().st_size / 1e6, time.monotonic() - began
        tables = f"{manifest.rows:,} rows of {len(manifest.parts)} tables"
        self.stdout.write(f"{path}: {tables}, {size:,.1f} MB, {seconds:.1f} s, verified.")
