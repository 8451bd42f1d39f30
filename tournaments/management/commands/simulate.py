"""`./manage.py simulate`: whole events without a database, to judge a format by."""

import dataclasses
import json
from argparse import ArgumentParser
from statistics import mean
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.messages import sentence
from players.ratings import win_probability
from tournaments.formats.errors import Refused
from tournaments.formats.simulate import FORMATS, Chance, Report, Spec, coin, simulate

MATCH_LENGTH = 7
BEST, STEP = 2000.0, 600.0


class Command(BaseCommand):
    """Prints one JSON object an event, or with several events and no --json their averages."""

    help = "Simulate whole events of a format and count rematches, byes, score differences and seconds."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of issue 4, §4."""
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--players", type=int, required=True)
        parser.add_argument("--rounds", type=int, help="rounds of a Swiss")
        parser.add_argument("--pattern", help="of a lower bracket, as A.B.|.C.X")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--events", type=int, default=1)
        parser.add_argument("--ratings", action="store_true", help="results by rating instead of a coin")
        parser.add_argument("--json", action="store_true", help="one JSON object an event")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the events one after the other."""
        spec = Spec(options["format"], options["players"], options["rounds"], options["pattern"], options["seed"])
        chance = by_rating(spec.players) if options["ratings"] else coin
        reports: list[Report] = []
        for event in range(1, options["events"] + 1):
            try:
                report = simulate(spec, event, chance)
            except Refused as refusal:
                raise CommandError(sentence(refusal.code, refusal.params)) from refusal
            reports.append(report)
            if options["json"]:
                self.stdout.write(json.dumps(dataclasses.asdict(report)))
        if not options["json"]:
            self.stdout.write(summary(reports))


def by_rating(players: int) -> Chance:
    """Chances of a 7-point match between entries rated evenly from 2000 (entry 1) down to 1400."""

    def rating(entry: int) -> float:
        return BEST - STEP * (entry - 1) / max(1, players - 1)

    return lambda first, second: win_probability(rating(first), rating(second), MATCH_LENGTH)


def summary(reports: list[Report]) -> str:
    """Averages over the events, one figure a line."""
    figures = {
        "events": len(reports),
        "rounds": mean(report.rounds for report in reports),
        "matches": mean(report.matches for report in reports),
        "byes a player, at most": max((report.byes_per_player_max for report in reports), default=0),
        "unfair byes": mean(report.byes_unfair for report in reports),
        "rematches": mean(report.rematches for report in reports),
        "avoidable rematches": mean(report.rematches_avoidable for report in reports),
        "pairing seconds, at most": max(max(report.pairing_seconds) for report in reports),
    }
    return "\n".join(f"{name}: {value:g}" for name, value in figures.items())
