"""`./manage.py club_owner SLUG EMAIL`: make an account an owner of a club that nobody can run."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from core.locks import lock_row
from players.accounts.services import ensure_player
from players.actors import SYSTEM
from players.handover.services import appoint
from players.models import Club, User


class Command(BaseCommand):
    """Appoint an owner, as the site's staff do; the members are told."""

    help = "Make an account an owner of a club, and a member if it is none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="of the club, as in its address")
        parser.add_argument("email", metavar="EMAIL", help="of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        club = Club.objects.filter(slug=options["slug"]).first()
        if club is None:
            raise CommandError(f"There is no club “{options['slug']}”.")
        user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody can sign in as “{options['email']}”.")
        with transaction.atomic():
            lock_row(User, user.pk)
            appoint(club=club, player=ensure_player(user=user, by=SYSTEM), by=SYSTEM, now=timezone.now())
        self.stdout.write(f"{user} is an owner of {club}.")
