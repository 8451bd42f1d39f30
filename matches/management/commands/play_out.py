"""`./manage.py play_out --seed S --length N --to mat|sgf|json`: the same as `barpoint play-out`."""

from engine.commands import play_out
from matches.management.delegated import DelegatedCommand


class Command(DelegatedCommand):
    help = play_out.HELP
    command = play_out
