"""The console script `barpoint`: the commands of the engine, and `simulate` where its extra is installed."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from engine.commands import COMMANDS
from engine.commands import main as run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named on the command line and return its exit status."""
    commands = dict(COMMANDS)
    if find_spec("rustworkx") is not None:
        commands["simulate"] = import_module("formats.command_line.simulate")
    return run_command(argv, commands)
