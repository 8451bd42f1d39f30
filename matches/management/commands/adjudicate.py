"""`./manage.py adjudicate FILE... [--json]`: the same as `barpoint adjudicate`."""

from engine.commands import adjudicate
from matches.management.delegated import DelegatedCommand


class Command(DelegatedCommand):
    help = adjudicate.HELP
    command = adjudicate
