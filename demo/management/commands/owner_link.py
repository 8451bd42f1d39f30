"""`./manage.py owner_link`: print a new link for the installation's owner."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from demo import owner


class Command(BaseCommand):
    """Replace the link of the installation's owner by a new one, and print it."""

    help = "Print a new link for the owner of this installation. It works once; earlier ones no longer work."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(settings.SITE_URL + owner.renew(now=timezone.now()))
