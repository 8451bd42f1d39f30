"""`./manage.py adjudicate FILE... [--json]`: the same as `barpoint adjudicate`."""

from core.commands import DelegatedCommand
from engine.commands import adjudicate


class Command(DelegatedCommand):
    help = adjudicate.HELP
    command = adjudicate
