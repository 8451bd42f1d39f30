"""`./manage.py simulate`: the same as `barpoint simulate`."""

from core.commands import DelegatedCommand
from formats.command_line import simulate


class Command(DelegatedCommand):
    help = simulate.HELP
    command = simulate
