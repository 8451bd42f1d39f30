"""Asking workers to call matches where the autopilot calls by itself. A hint is never the work: a sweep repeats it."""

from functools import partial

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform

from core.queue import hint
from tournaments.models import Autopilot, Floor, FloorEvent, FloorKind, Tournament

CALL_READY = "tournaments.call_ready"
OPEN = (Tournament.Status.PUBLISHED, Tournament.Status.RUNNING)


def self_calling() -> QuerySet[Floor]:
    """Return the floors of open events whose autopilot calls by itself."""
    switched = FloorEvent.objects.filter(tournament=OuterRef("tournament"), kind=FloorKind.AUTOPILOT, undone_by=None)
    mode = switched.order_by("-pk").values(mode=KeyTextTransform("mode", "params"))[:1]
    floors = Floor.objects.filter(tournament__status__in=OPEN)
    return floors.annotate(mode=Subquery(mode)).filter(mode=Autopilot.CALL.value)


def hint_on_commit(tournament_id: int) -> None:
    """Ask a worker, after the commit, to call what can be called."""
    transaction.on_commit(partial(hint_if_self_calling, tournament_id), robust=True)


def hint_if_self_calling(tournament_id: int) -> None:
    """Ask a worker to call what can be called at an event, if its autopilot calls by itself."""
    if self_calling().filter(tournament=tournament_id).exists():
        hint(CALL_READY, tournament_id)
