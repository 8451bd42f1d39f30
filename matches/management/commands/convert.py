"""`./manage.py convert FILE --to mat|sgf|json`: the same as `barpoint convert`."""

from engine.commands import convert
from matches.management.delegated import DelegatedCommand


class Command(DelegatedCommand):
    help = convert.HELP
    command = convert
