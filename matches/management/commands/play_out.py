"""`./manage.py play_out --seed S --length N --to mat|sgf|json`: the same as `barpoint play-out`."""

from core.commands import DelegatedCommand
from engine.commands import play_out


class Command(DelegatedCommand):
    help = play_out.HELP
    command = play_out
