"""`./manage.py simulate_cash`: random evenings at the cash desk, which must reconcile."""

import dataclasses
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from prizes.simulation import simulate_evenings


class Command(BaseCommand):
    help = "Simulate random evenings at the cash desk and compare the ledger with the money itself."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the number of evenings, the seed and the format of the output."""
        parser.add_argument("--evenings", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the totals. Raises CommandError if an evening does not reconcile."""
        totals = simulate_evenings(options["evenings"], options["seed"])
        if options["json"]:
            self.stdout.write(json.dumps(dataclasses.asdict(totals)))
        else:
            self.stdout.write(
                f"{totals.evenings} evenings, {totals.payments} payments, {totals.corrections} corrections, "
                f"{totals.splits} agreed splits, {len(totals.differences)} differences"
            )
        if totals.differences:
            raise CommandError(totals.differences[0])
