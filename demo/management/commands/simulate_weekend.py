"""`./manage.py simulate_weekend`: whole weekends through the services, in a database that is thrown away."""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from django.core.management.base import BaseCommand

from core.commands import scratch_database
from demo.weekends import FAULTS, WeekendReport, simulate_weekend


class Command(BaseCommand):
    help = "Play weekends of several events with the same people, and report on tables, lists, money and waits."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the size of a weekend, how many, the seed of their random course, and how pairs are entered."""
        parser.add_argument("--people", type=int, default=64)
        parser.add_argument("--tables", type=int, default=16)
        parser.add_argument("--weekends", type=int, default=1)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--hold", type=int, default=15, help="minutes; 0: no match is held back for a better one")
        parser.add_argument(
            "--as-one", action="store_true", help="the control: pairs are single players with two names, called twice"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Simulate; exit with 1 if any of the `FAULTS` was found, also in the control."""
        size = {name: options[name] for name in ("people", "tables", "hold", "as_one")}
        reports = []
        with scratch_database():
            for seed in range(options["seed"], options["seed"] + options["weekends"]):
                report = simulate_weekend(**size, seed=seed)
                reports.append(report)
                for finding in () if options["json"] else report.findings:
                    self.stdout.write(f"seed {seed}, {finding}")
        figures = summary(reports)
        if options["json"]:
            self.stdout.write(json.dumps(figures))
        else:
            for name, value in figures.items():
                self.stdout.write(f"{name}: {value}")
        if any(figures[name] for name in FAULTS):
            raise SystemExit(1)


def summary(reports: Sequence[WeekendReport]) -> dict[str, Any]:
    """Return the figures of several weekends; ends and waits by event are means in minutes."""
    names = sorted({name for report in reports for name in report.ends})
    waits = {name: [wait for report in reports for wait in report.waits[name]] for name in names}
    return {
        "weekends": len(reports),
        **{name: sum(getattr(report, name) for report in reports) for name in FAULTS},
        "counts": dict(sorted(sum((report.counts for report in reports), Counter[str]()).items())),
        "ends": {name: round(mean(row.ends[name] for row in reports if name in row.ends)) for name in names},
        "waits": {name: round(mean(rows)) for name, rows in waits.items() if rows},
    }
