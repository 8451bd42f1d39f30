"""`./manage.py restore FILE`: fill a database from an archive that `backup` wrote."""

import time
from pathlib import Path
from typing import Any

from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from redis.exceptions import RedisError

from config.backup import ArchiveReader, BrokenArchive, NotRestorable, UnknownMigrations, restore
from core.commands import MaintenanceCommand


class Command(MaintenanceCommand):
    """Verify the archive, load it in one transaction, apply newer migrations, and check the integrity."""

    help = "Fill an empty database from a backup. Stop the site first. Nothing is changed if the backup is damaged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--replace", action="store_true", help="delete everything in the database first")
        parser.add_argument("--verify", action="store_true", help="only read the archive and compare its checksums")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            with ArchiveReader(options["file"]) as archive:
                manifest = archive.manifest
                self.stdout.write(
                    f"Backup of {manifest.created_at} by release {manifest.release} from {manifest.database}: "
                    f"{manifest.rows:,} rows of {len(manifest.parts)} tables."
                )
                if options["verify"]:
                    archive.verify()
                    self.stdout.write("All checksums are right.")
                    return
                restore(archive, replace=options["replace"])
        except (OSError, BrokenArchive, NotRestorable, UnknownMigrations) as error:
            raise CommandError(f"Nothing was restored. {error}") from error
        self.stdout.write(f"Restored in {time.monotonic() - began:.1f} s.")
        call_command("migrate", interactive=False, verbosity=0)
        self._empty_cache()
        call_command("check_integrity", stdout=self.stdout)

    def _empty_cache(self) -> None:
        """Forget pages of the former database."""
        try:
            cache.clear()
        except RedisError as error:
            self.stderr.write(f"The cache could not be emptied ({error}): restart it before the site.")
