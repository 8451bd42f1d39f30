"""`./manage.py demo`: create the demonstration club, once, or remove it."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tournaments.demo import is_loaded, load
from tournaments.demo.removal import InUse, remove

LOGINS = "demo-logins.txt"
WORDS = ("anchor", "bar", "blot", "checker", "cube", "dice", "gammon", "harbour", "pip", "point", "prime", "roll")


class Command(BaseCommand):
    """Create the club if it does not exist, and print its logins.

    Each installation gets a random password, stored beside its database and readable by its owner only.
    """

    help = "Create the demonstration club if it does not exist, and print its logins."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", action="store_true", help="remove the club, its people and all they did")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.VAR_DIR) / LOGINS
        if options["remove"]:
            self._remove(path)
            return
        if not is_loaded():
            password = "-".join(secrets.choice(WORDS) for _ in range(3)) + f"-{secrets.randbelow(9000) + 1000}"
            logins = load(password=password, now=timezone.now())
            lines = [f"{login.email:24}{password:28}{login.role}" for login in logins]
            with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600), encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        if path.exists() and options["verbosity"] > 0:
            self.stdout.write(f"Demo club, sign in as:\n{path.read_text(encoding='utf-8')}")

    def _remove(self, logins: Path) -> None:
        if not is_loaded():
            raise CommandError("There is no demo club.")
        try:
            count = remove()
        except InUse as error:
            raise CommandError(f"Nothing was removed: people of the demo club are also in {error}.") from error
        logins.unlink(missing_ok=True)
        self.stdout.write(f"The demo club is removed, {count:,} rows.")
