"""`barpoint simulate`: simulate whole events without a database, to compare formats."""

import dataclasses
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from statistics import mean

from players.ratings import win_probability
from tournaments.formats.errors import Refused
from tournaments.formats.simulate import FORMATS, Chance, Report, Spec, coin, simulate

SUMMARY = "simulate whole events to compare formats"
HELP = "Simulate whole events of a format and count rematches, byes, score differences and seconds."

_MATCH_LENGTH = 7
_BEST, _RANGE = 2000.0, 600.0


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options: format, field, and how results are decided."""
    parser.add_argument("--format", required=True, choices=sorted(FORMATS))
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--rounds", type=int, help="number of rounds of a Swiss")
    parser.add_argument("--pattern", help="pattern of a lower bracket, such as A.B.|.C.X")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=1)
    parser.add_argument("--ratings", action="store_true", help="decide results by rating instead of evenly")
    parser.add_argument("--json", action="store_true", help="print one JSON object per event")


def run(options: Namespace) -> int:
    """Simulate the events: one JSON object each, or their averages. Exit status 1 if the format is refused."""
    spec = Spec(options.format, options.players, options.rounds, options.pattern, options.seed)
    chance = _by_rating(spec.players) if options.ratings else coin
    reports: list[Report] = []
    for event in range(1, options.events + 1):
        try:
            report = simulate(spec, event, chance)
        except Refused as refused:
            print(refused.message, file=sys.stderr)
            return 1
        reports.append(report)
        if options.json:
            print(json.dumps(dataclasses.asdict(report)))
    if reports and not options.json:
        print(_summary(reports))
    return 0


def _by_rating(players: int) -> Chance:
    """Return the win probability in 7-point matches between entries rated from 2000 (entry 1) down to 1400."""

    def rating(entry: int) -> float:
        return _BEST - _RANGE * (entry - 1) / max(1, players - 1)

    return lambda first, second: win_probability(rating(first), rating(second), _MATCH_LENGTH)


def _summary(reports: Sequence[Report]) -> str:
    """Format averages over the events, one figure per line."""
    figures = {
        "events": len(reports),
        "rounds": mean(report.rounds for report in reports),
        "matches": mean(report.matches for report in reports),
        "byes a player, at most": max(report.byes_per_player_max for report in reports),
        "unfair byes": mean(report.byes_unfair for report in reports),
        "rematches": mean(report.rematches for report in reports),
        "avoidable rematches": mean(report.rematches_avoidable for report in reports),
        "pairing seconds, at most": max(max(report.pairing_seconds) for report in reports),
    }
    return "\n".join(f"{name}: {value:g}" for name, value in figures.items())
