"""`./manage.py restore FILE`: fill a database from an archive that `backup` wrote, or rehearse it."""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from redis.exceptions import RedisError

from config.backup import (
    ALIVE,
    DRILLS,
    ArchiveReader,
    BrokenArchive,
    NotRestorable,
    UnknownMigrations,
    applied_migrations,
    backups,
    is_sealed_otherwise,
    recent_activity,
    restore,
    temporary_database,
)
from core.commands import MaintenanceCommand
from core.live.site_version import unseen_writes
from players.actors import SYSTEM, log
from players.notifications import push
from tournaments.state.integrity import is_empty


class Command(MaintenanceCommand):
    """Verify the archive, load it in one transaction, apply newer migrations, and check the integrity."""

    help = "Fill an empty database from a backup. Stop the site first. Nothing is changed if the backup is damaged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", nargs="?", help="by default the newest of BACKUP_DIR")
        parser.add_argument("--replace", action="store_true", help="delete everything in the database first")
        parser.add_argument(
            "--go-back",
            action="store_true",
            help="leave the tables as the release of the backup knows them, to check out that release next",
        )
        parser.add_argument(
            "--even-if-running", action="store_true", help="do not look for processes that use the database"
        )
        parser.add_argument(
            "--without-second-factors",
            action="store_true",
            help="restore a backup that was written with another SECRET_KEY, without second factors and sessions",
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--verify", action="store_true", help="only read the archive and compare its checksums")
        what.add_argument(
            "--drill", action="store_true", help="restore into a throw-away database, check it, and note the time taken"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"] or _newest()
        began = time.monotonic()
        try:
            with ArchiveReader(path) as archive:
                manifest = archive.manifest
                self.stdout.write(
                    f"Backup of {manifest.created_at} by release {manifest.release} from {manifest.database}: "
                    f"{manifest.rows:,} rows of {len(manifest.parts)} tables."
                )
                if options["verify"]:
                    archive.verify()
                    self.stdout.write("All checksums are right.")
                elif options["drill"]:
                    with unseen_writes():
                        self._drill(archive, path, began, options)
                else:
                    self._restore(archive, began, options)
        except (OSError, BrokenArchive, NotRestorable, UnknownMigrations) as error:
            raise CommandError(f"Nothing was restored. {error}") from error

    def _restore(self, archive: ArchiveReader, began: float, options: dict[str, Any]) -> None:
        if not options["even_if_running"] and (signs := recent_activity(timezone.now())):
            raise CommandError(
                f"Nothing was restored. The site is running: {' and '.join(signs)}. Stop it and wait {ALIVE.seconds} "
                "seconds, or add --even-if-running."
            )
        self._load(archive, began, options)
        self._empty_cache()
        if options["go_back"]:
            self.stdout.write(
                f"The tables are as release {archive.manifest.release} knows them. Check out the commit that wrote the "
                "backup before the site starts; `./manage.py migrate` would bring them to this one again."
            )
            return
        try:
            self._check(archive)
        except SystemExit:
            self.stdout.write(
                "The backup is restored all the same. `./manage.py rebuild` writes what is derived again, and never a "
                "result. If `./manage.py check_integrity` still finds a difference then, keep its output and the file."
            )
            raise

    def _drill(self, archive: ArchiveReader, path: Path, began: float, options: dict[str, Any]) -> None:
        with temporary_database("drill"):
            self._load(archive, began, options)
            self._check(archive)
        seconds = round(time.monotonic() - began, 1)
        self.stdout.write(f"The drill succeeded: {archive.manifest.rows:,} rows in {seconds:.1f} s.")
        if applied_migrations():
            log(SYSTEM, "restore_drill", DRILLS, seconds=seconds, rows=archive.manifest.rows, backup=path.name)

    def _load(self, archive: ArchiveReader, began: float, options: dict[str, Any]) -> None:
        restore(archive, replace=options["replace"], without_keyed=options["without_second_factors"])
        self.stdout.write(f"Restored in {time.monotonic() - began:.1f} s.")
        if is_sealed_otherwise(archive.manifest):
            self.stdout.write("Second factors must be set up again, and everybody has to sign in again.")

    def _check(self, archive: ArchiveReader) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if is_sealed_otherwise(archive.manifest):
            push.forget_sessions(now=timezone.now())
        if is_empty():
            self.stdout.write("The backup has no division and no match: there is nothing to check.")
        else:
            call_command("check_integrity", stdout=self.stdout)

    def _empty_cache(self) -> None:
        """Forget pages of the former database."""
        try:
            cache.clear()
        except RedisError as error:
            self.stderr.write(f"The cache could not be emptied ({error}): restart it before the site.")


def _newest() -> Path:
    archives = backups(settings.BACKUP_DIR) if settings.BACKUP_DIR else {}
    if not archives:
        raise CommandError("Name a backup: there is none in BACKUP_DIR.")
    return archives[max(archives)]
