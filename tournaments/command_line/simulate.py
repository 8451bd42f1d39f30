"""`barpoint simulate`: whole events without a database, to judge a format by."""

import dataclasses
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from statistics import mean

from players.ratings import win_probability
from tournaments.formats.errors import Refused
from tournaments.formats.simulate import FORMATS, Chance, Report, Spec, coin, simulate

SUMMARY = "play whole events, to judge a format by"
HELP = "Simulate whole events of a format and count rematches, byes, score differences and seconds."

_MATCH_LENGTH = 7
_BEST, _RANGE = 2000.0, 600.0


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the format, the field and how results are decided."""
    parser.add_argument("--format", required=True, choices=sorted(FORMATS))
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--rounds", type=int, help="rounds of a Swiss")
    parser.add_argument("--pattern", help="of a lower bracket, as A.B.|.C.X")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=1)
    parser.add_argument("--ratings", action="store_true", help="results by rating instead of a coin")
    parser.add_argument("--json", action="store_true", help="one JSON object an event")


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
    """Chances of a 7-point match between entries rated evenly from 2000 (entry 1) down to 1400."""

    def rating(entry: int) -> float:
        return _BEST - _RANGE * (entry - 1) / max(1, players - 1)

    return lambda first, second: win_probability(rating(first), rating(second), _MATCH_LENGTH)


def _summary(reports: Sequence[Report]) -> str:
    """Averages over the events, one figure a line."""
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
