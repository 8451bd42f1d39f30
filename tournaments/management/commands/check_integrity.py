"""`./manage.py check_integrity`: derive everything again and print every difference."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import MaintenanceCommand
from players.models import Club
from tournaments.state.integrity import Selection, counted, differences, is_empty

PROGRESS_EVERY = {"division": 50, "match": 20_000, "rating pool": 1}


class Command(MaintenanceCommand):
    """Print one line per difference, then what was checked; exit with status 1 if anything differs."""

    help = "Derive brackets, match states and ratings again from the facts and print every difference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--since", help="only what was created since this date, such as 2026-11-20")
        parser.add_argument("--club", help="only this club, by its slug")

    def handle(self, *args: Any, **options: Any) -> None:
        club = Club.objects.filter(slug=options["club"]).first() if options["club"] else None
        if options["club"] and club is None:
            raise CommandError(f"There is no club “{options['club']}”.")
        if is_empty():
            raise CommandError("The database is empty: there is nothing to check.")
        selection = Selection.of(since=_day(options["since"]), club=club)
        count = 0
        for difference in differences(selection, self._report):
            self.stdout.write(str(difference))
            count += 1
        self.stdout.write(f"Checked {selection}: {count or 'no'} difference{'' if count == 1 else 's'}.")
        if count:
            raise SystemExit(1)

    def _report(self, kind: str, count: int) -> None:
        """Write to standard error how many have been checked, now and then."""
        if count % PROGRESS_EVERY[kind] == 0:
            self.stderr.write(f"… {counted(kind, count)}")


def _day(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise CommandError(f"“{text}” is not a date such as 2026-11-20.") from None
