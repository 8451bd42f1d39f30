"""Commands that need no server: `barpoint adjudicate`, `convert` and `play-out`, or `python -m engine adjudicate` …

Each is a module with `SUMMARY`, `HELP`, `add_arguments(parser)` and `run(options)`, which returns the exit status.
`./manage.py` offers the same commands.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from types import ModuleType

from engine.commands import adjudicate, convert, play_out

COMMANDS: Mapping[str, ModuleType] = {"adjudicate": adjudicate, "convert": convert, "play-out": play_out}


def main(argv: Sequence[str] | None = None, commands: Mapping[str, ModuleType] = COMMANDS) -> int:
    """Run the command named on the command line and return its exit status."""
    parser = ArgumentParser(prog="barpoint", description="Check, convert and generate records of backgammon matches.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in commands.items():
        subparser = subparsers.add_parser(name, help=command.SUMMARY, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    options = parser.parse_args(argv)
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character gets it escaped, not a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    status: int = options.run(options)
    return status
