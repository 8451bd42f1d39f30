"""Management commands that check, rewrite or copy a whole database."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError


class MaintenanceCommand(BaseCommand):
    """A command for the site's own database; it refuses to take one by default where a server is expected."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        if settings.IMPLICIT_DATABASE_REFUSED:
            raise CommandError(
                "BARPOINT_PROFILE is server, but DATABASE_URL is not set. Set it to the database of the site, "
                "sqlite:///… or postgresql://…; the environment of the services usually names it."
            )
        return super().execute(*args, **options)
