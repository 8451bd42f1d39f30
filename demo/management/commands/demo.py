"""`./manage.py demo`: create the demonstration club, once, or remove it."""

import os
import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from core.messages import sentence
from demo.club import accounts, is_loaded, load, logins_file
from demo.removal import decline, is_declined
from engine.errors import Refused

WORDS = ("anchor", "bar", "blot", "checker", "cube", "dice", "gammon", "harbour", "pip", "point", "prime", "roll")


class Command(BaseCommand):
    """Create the club if it does not exist, and print its logins.

    Each installation gets a random password, stored beside its database and readable by its owner only.
    """

    help = "Create the demonstration club if it does not exist, and print its logins."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", action="store_true", help="remove the club, its people and all they did")
        parser.add_argument(
            "--unless-declined", action="store_true", help="do not create it again once it was removed or declined"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["remove"]:
            self._remove()
            return
        if options["unless_declined"] and is_declined() and not is_loaded():
            return
        path = logins_file()
        if not is_loaded():
            self.stdout.write("Creating the demo club, once: half a minute")
            password = "-".join(secrets.choice(WORDS) for _ in range(3)) + f"-{secrets.randbelow(9000) + 1000}"
            logins = load(password=password, now=timezone.now(), with_year=True, language="da")
            lines = [f"{email:24}{password}  {role}" for email, role in logins]
            with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600), encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        if path.exists() and options["verbosity"] > 0:
            self.stdout.write(f"Demo club, sign in as:\n{path.read_text(encoding='utf-8')}")

    def _remove(self) -> None:
        if not accounts().exists():
            raise CommandError("There is no demo club.")
        try:
            count = decline(now=timezone.now())
        except Refused as refused:
            raise CommandError(sentence(refused.code, refused.params)) from refused
        self.stdout.write(f"The demo club is removed, {count:,} rows.")
