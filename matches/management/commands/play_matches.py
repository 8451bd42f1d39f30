"""`./manage.py play_matches --count N --seed S --json`: whole matches through the services, in a scratch database."""

import json
import time
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from core.commands import scratch_database
from engine.actions import Act
from engine.verdict import Outcome
from matches.play.live import EventKind
from matches.play.simulation import is_conserved, play_matches

COUNTED = {"flags": Act.FLAG, "resignations": Act.RESIGN, "pauses": EventKind.PAUSE}
ACCEPTED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)


class Command(BaseCommand):
    help = "Play whole matches by simulated players and adjudicate each; the database is thrown away afterwards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how many matches, and the seed of their random decisions."""
        parser.add_argument("--count", type=int, default=10)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Play, and exit with 1 if a record is not accepted, points do not add up, or the integrity check fails."""
        counts: Counter[str] = Counter()
        failures: list[str] = []
        started = time.perf_counter()
        with scratch_database():
            for played in play_matches(options["count"], options["seed"]):
                counts.update(played.counts)
                counts["actions"] += played.counts.total()
                counts["one_sided"] += played.is_one_sided
                is_accepted = played.outcome in ACCEPTED
                counts["accepted"] += is_accepted
                if played.errors or not (is_accepted or played.is_one_sided):
                    failures.append(f"match {counts['matches']}: {played.outcome} {played.errors}")
                elif not is_conserved(played):
                    failures.append(f"match {counts['matches']}: points do not add up")
                counts["matches"] += 1
            call_command("check_integrity", stdout=self.stderr)
        figures = {name: counts[name] for name in ("matches", "accepted", "one_sided", "actions")}
        figures["actions_per_second"] = round(counts["actions"] / (time.perf_counter() - started))
        figures |= {name: counts[kind] for name, kind in COUNTED.items()}
        line = json.dumps(figures) if options["json"] else ", ".join(f"{name} {n}" for name, n in figures.items())
        self.stdout.write(line)
        for failure in failures:
            self.stderr.write(failure)
        if failures:
            raise SystemExit(1)
