"""`./manage.py rebuild`: write all derived state again. Facts are never changed."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.commands import MaintenanceCommand
from matches.lifecycle.opening import rebuild_beginnings
from matches.models import RatingPool
from matches.ratings.services import rebuild_pool
from players.models import Pair
from players.people.pairs import rename_pairs
from tournaments.models import Division
from tournaments.state.settle import settle_division


class Command(MaintenanceCommand):
    """Settle every drawn division, derive which matches have begun, name all pairs and replay every rating pool."""

    help = "Derive brackets and ratings again and write them. Results are never changed."

    def handle(self, *args: Any, **options: Any) -> None:
        drawn = Division.objects.filter(status__in=[Division.Status.RUNNING, Division.Status.FINISHED])
        for pk in drawn.order_by("pk").values_list("pk", flat=True):
            settled = settle_division(division_id=pk, now=timezone.now())
            if settled.fixtures:
                self.stdout.write(f"division {pk}: {len(settled.fixtures)} fixtures rewritten")
        corrected = rebuild_beginnings()
        if corrected:
            self.stdout.write(f"{corrected} matches: begun_at rewritten")
        with transaction.atomic():
            rename_pairs(Pair.objects.values_list("first", flat=True))
        for pool in RatingPool.objects.order_by("pk"):
            replayed = rebuild_pool(pool=pool, now=timezone.now())
            if replayed is not None and replayed.written:
                self.stdout.write(f"pool {pool}: {replayed.written} rows rewritten")
