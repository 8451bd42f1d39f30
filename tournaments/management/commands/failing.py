"""`./manage.py failing`: what fails in each run of a sweep."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.results.workers import failing_in_events


class Command(BaseCommand):
    help = "List what fails in each run of a sweep: since when, kind, id, and the event. The log has the tracebacks."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write one line an item, the longest failing first; nothing if nothing fails."""
        for item, event in failing_in_events():
            since = datetime.fromtimestamp(item.since, UTC)
            place = f"{event.club.slug}/{event.slug}" if event is not None else "no event"
            self.stdout.write(f"{since:%Y-%m-%d %H:%M:%S} UTC  {item.kind} {item.id}  {place}")
