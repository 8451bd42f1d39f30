"""`./manage.py play_matches --count N --seed S --json`: whole matches through the services, in a scratch database."""

import json
import os
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from engine.actions import Act
from engine.verdict import Outcome
from matches.play.live import Kind
from matches.play.simulation import is_conserved, play_matches

COUNTED = {"flags": Act.FLAG, "resignations": Act.RESIGN, "pauses": Kind.PAUSE}
ACCEPTED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)


class Command(BaseCommand):
    help = "Play whole matches by simulated players and adjudicate each; the database is thrown away afterwards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how many matches, and the seed of their random decisions."""
        parser.add_argument("--count", type=int, default=10)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Play, and exit with 1 if a match is not adjudicated without error or its points do not add up."""
        counts: Counter[str] = Counter()
        failures: list[str] = []
        started = time.perf_counter()
        with _database_of_its_own():
            for played in play_matches(options["count"], options["seed"]):
                counts.update(played.counts)
                counts["actions"] += played.counts.total()
                counts["accepted"] += played.outcome in ACCEPTED
                if played.errors or not is_conserved(played):
                    failures.append(f"match {counts['matches']}: {played.errors or 'points do not add up'}")
                counts["matches"] += 1
        figures = {name: counts[name] for name in ("matches", "accepted", "actions")}
        figures["actions_per_second"] = round(counts["actions"] / (time.perf_counter() - started))
        figures |= {name: counts[kind] for name, kind in COUNTED.items()}
        line = json.dumps(figures) if options["json"] else ", ".join(f"{name} {n}" for name, n in figures.items())
        self.stdout.write(line)
        for failure in failures:
            self.stderr.write(failure)
        if failures:
            raise SystemExit(1)


@contextmanager
def _database_of_its_own() -> Iterator[None]:
    """A database beside the configured one, created now and destroyed at the end."""
    name = connection.settings_dict["NAME"]
    test = connection.settings_dict.setdefault("TEST", {})
    before, test["NAME"] = test.get("NAME"), f"{name}_play_{os.getpid()}"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(str(name), verbosity=0)
    finally:
        test["NAME"] = before
