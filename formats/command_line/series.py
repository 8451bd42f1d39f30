"""`./manage.py series`: the points and the table of a season, computed without a database."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from formats.errors import Refused
from formats.series.facts import events_from
from formats.series.numbers import format_number, written
from formats.series.plan import plan_from
from formats.series.table import Season, season, season_json

SUMMARY = "compute the points and the table of a season"
HELP = "Compute the points of each event and the table of a season, from a file with a plan and one with events."


class _Unreadable(Exception):
    """A file that cannot be opened, or is not JSON; its text is the sentence that says so."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options: the two files, which may be the same, and the form of the output."""
    parser.add_argument("--plan", required=True, help='a JSON file that is a plan, or has one under "plan"')
    parser.add_argument(
        "--events", required=True, help='a JSON file that is a list of events, or has one under "events"'
    )
    parser.add_argument("--json", action="store_true", help="print points and table as one JSON object")


def run(options: Namespace) -> int:
    """Evaluate the season and print it. Exit status 1, with a sentence and a code, if a file is refused."""
    try:
        evaluated = season(plan_from(_read(options.plan)), events_from(_read(options.events)))
    except _Unreadable as problem:
        print(f"{problem} [series_file]", file=sys.stderr)
        return 1
    except Refused as refused:
        print(f"{refused.message} [{refused.code}]", file=sys.stderr)
        return 1
    print(json.dumps(season_json(evaluated, written)) if options.json else _table(evaluated))
    return 0


def _read(path: str) -> Any:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file)
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
    except json.JSONDecodeError as problem:
        reason = f"it is not JSON from line {problem.lineno}, column {problem.colno} on"
    except UnicodeDecodeError:
        reason = "it is not text in UTF-8"
    except RecursionError:
        reason = "it has lists or objects within one another, far too deep"
    except ValueError:
        reason = "it has a number that is far too long"
    raise _Unreadable(f"The file {path} cannot be read: {reason}.")


def _table(evaluated: Season) -> str:
    """Format the table, one row per line: rank, player, total, events that count."""
    digits = evaluated.plan.show_digits
    return "\n".join(
        f"{row.rank or '':>4}  {format_number(row.total, digits):>10}  {row.player}  ({', '.join(row.counted)})"
        for row in evaluated.rows
    )
