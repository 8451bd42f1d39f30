"""`./manage.py series`: a season from files, without a database."""

from core.commands import DelegatedCommand
from formats.command_line import series


class Command(DelegatedCommand):
    help = series.HELP
    command = series
