"""`./manage.py simulate_evening`: whole evenings through the services, in a database that is thrown away."""

import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from statistics import mean
from typing import Any

from django.core.management.base import BaseCommand

from core.commands import scratch_database
from demo.cellar import simulate_cellar
from demo.evenings import EveningReport, simulate_evening, simulate_two_events
from formats.settings import PairingMode

PUBLISHED = 0.9
"""The chance with which pages say that an evening is over by a time."""

FAULTS = (
    "double_booked_players",
    "double_booked_tables",
    "absent_called",
    "called_twice",
    "wall_differences",
    "idle_with_ready",
    "integrity_differences",
)
"""The figures of a report that are 0 in every evening."""


class Command(BaseCommand):
    help = "Play whole evenings with the autopilot and report on tables, players and forecasts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the size of an evening, how many, and the seed of their random course."""
        parser.add_argument("--players", type=int, default=64)
        parser.add_argument("--tables", type=int, default=20)
        parser.add_argument("--events", type=int, default=10)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument(
            "--pairing", choices=[mode.value for mode in PairingMode], default=PairingMode.ROUNDS.value,
            help="continuous: two lives, and whoever is free plays",
        )  # fmt: skip
        parser.add_argument("--shared", action="store_true", help="two events in one hall, with one person in both")
        parser.add_argument(
            "--cellar",
            type=int,
            metavar="SEED",
            help="evenings from this seed on with cut lines and a server that dies",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Simulate; exit with 1 if any of the `FAULTS` was found, or anything in a cellar."""
        if options["cellar"] is not None:
            self._play_cellars(options["cellar"], options["events"])
            return
        with scratch_database():
            seeds = range(options["events"])
            size = {name: options[name] for name in ("players", "tables")}
            reports = [
                report
                for number in (seeds if options["shared"] else ())
                for report in simulate_two_events(**size, seed=1000 * options["seed"] + 2 * number)
            ] or [
                simulate_evening(
                    **size,
                    seed=1000 * options["seed"] + number,
                    continuous=options["pairing"] == PairingMode.CONTINUOUS,
                )
                for number in seeds
            ]
        figures = summary(reports)
        if options["json"]:
            self.stdout.write(json.dumps(figures))
        else:
            for name, value in figures.items():
                self.stdout.write(f"{name}: {value}")
            for (after, chance), rate in calibration(reports).items():
                self.stdout.write(f"after {after:.0%} of the matches the {chance:.0%} forecast held in {rate:.0%}")
        if any(figures[name] for name in FAULTS):
            raise SystemExit(1)

    def _play_cellars(self, seed: int, events: int) -> None:
        """Play evenings in a cellar, and print how to repeat those in which something is wrong."""
        counts, failed = Counter[str](), 0
        with scratch_database():
            for number in range(seed, seed + events):
                report = simulate_cellar(number)
                counts += report.counts
                failed += bool(report.findings)
                for finding in report.findings:
                    self.stdout.write(f"{report.format}, {report.players} players: {finding}")
                if report.findings:
                    self.stdout.write(f"Repeat with ./manage.py simulate_evening --cellar {number} --events 1")
        self.stdout.write(f"{events} evenings, {failed} with findings")
        for name, count in sorted(counts.items()):
            self.stdout.write(f"{name}: {count}")
        if failed:
            raise SystemExit(1)


def summary(reports: list[EveningReport]) -> dict[str, float]:
    """Return the figures of several evenings; `finish_gain_minutes` is the mean against first come, first served."""
    hits = [row.held for report in reports for row in report.forecasts if row.chance == PUBLISHED]
    return {
        "events": len(reports),
        **{name: sum(getattr(report, name) for report in reports) for name in FAULTS},
        "forecast_90_hit_rate": round(mean(hits), 3) if hits else 0.0,
        "finish_gain_minutes": round(mean(report.ended_first_come - report.ended for report in reports), 1),
    }


def calibration(reports: list[EveningReport]) -> dict[tuple[float, float], float]:
    """Return (share of the matches that were over, chance) -> how often the forecast made then for it held."""
    hits: dict[tuple[float, float], list[bool]] = defaultdict(list)
    for report in reports:
        for row in report.forecasts:
            hits[row.after, row.chance].append(row.held)
    return {key: mean(rows) for key, rows in sorted(hits.items())}
