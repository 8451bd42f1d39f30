"""`./manage.py convert FILE --to mat|sgf|json`: the same as `barpoint convert`."""

from core.commands import DelegatedCommand
from engine.commands import convert


class Command(DelegatedCommand):
    help = convert.HELP
    command = convert
