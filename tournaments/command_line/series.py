"""`./manage.py series`: the points and the table of a season, computed without a database."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from tournaments.formats.errors import Refused
from tournaments.formats.series.facts import events_from
from tournaments.formats.series.numbers import shown, written
from tournaments.formats.series.plan import plan_from
from tournaments.formats.series.table import Season, season, season_json

SUMMARY = "compute the points and the table of a season"
HELP = "Compute the points of each event and the table of a season, from a file with a plan and one with events."


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options: the two files, which may be the same, and the form of the output."""
    parser.add_argument("--plan", required=True, help='a JSON file that is a plan, or has one under "plan"')
    parser.add_argument(
        "--events", required=True, help='a JSON file that is a list of events, or has one under "events"'
    )
    parser.add_argument("--json", action="store_true", help="print points and table as one JSON object")


def run(options: Namespace) -> int:
    """Evaluate the season and print it. Exit status 1, with a sentence, if a file is unreadable or refused."""
    try:
        evaluated = season(plan_from(_read(options.plan)), events_from(_read(options.events)))
        text = json.dumps(season_json(evaluated, written), ensure_ascii=False) if options.json else _table(evaluated)
    except RecursionError:
        print("A file has lists or objects within one another, far too deep.", file=sys.stderr)
        return 1
    except Refused as refused:
        print(refused.message, file=sys.stderr)
        return 1
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(text)
    return 0


def _read(path: str) -> Any:
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def _table(evaluated: Season) -> str:
    """Format the table, one row per line: rank, player, total, events that count."""
    digits = evaluated.plan.show_digits
    return "\n".join(
        f"{row.rank or '':>4}  {shown(row.total, digits):>10}  {row.player}  ({', '.join(row.counted)})"
        for row in evaluated.rows
    )
