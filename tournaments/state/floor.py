"""What the floor means to other packages: when its matches began, and hints to its autopilot."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import F, Min, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from core.queue import hint
from matches.lifecycle.begun import derive_begun
from matches.models import Match
from tournaments.models import Autopilot, Floor, FloorEvent, FloorKind, Tournament

# When matches began on the floor: started, or with a running score. `matches.lifecycle.begun` needs to know it.


BEGINNINGS = (FloorKind.STARTED, FloorKind.RUNNING_SCORE, FloorKind.ADJOURNED)


def beginnings_of(matches: Collection[int]) -> Mapping[int, datetime]:
    """Return match id -> when it was started or first had a running score, as far as that was not undone.

    What is recorded of an earlier match of the same two in the same fixture counts, as on the floor.
    """
    rows = FloorEvent.objects.filter(kind__in=BEGINNINGS, undone_by=None).order_by()
    own = rows.filter(match__in=matches).values_list("match").annotate(first=Min("at"))
    again = rows.filter(
        fixture__match__in=matches, match__player_0=F("fixture__match__player_0"),
        match__player_1=F("fixture__match__player_1"),
    ).exclude(match=F("fixture__match"))  # fmt: skip
    began: dict[int, datetime] = {}
    for match, at in own.union(again.values_list("fixture__match").annotate(first=Min("at"))):
        began[match] = min(at, began.get(match, at))
    return began


def save_beginning(match: Match) -> None:
    """Derive again whether a locked match has begun, after a fact about it, and save that if it differs.

    Its `seq` stays: a result or a report of somebody who has not seen the start yet is not outdated.
    """
    before = match.begun_at
    derive_begun(match)
    if match.begun_at != before:
        match.save(update_fields=["begun_at"])


# Asking workers to call matches where the autopilot calls by itself. A hint is never the work: a sweep repeats it.


CALL_READY = "tournaments.call_ready"
OPEN = (Tournament.Status.PUBLISHED, Tournament.Status.RUNNING)


CLOSING_FOR = timedelta(hours=12)
"""How long after the end of an event its directors may still hear of that."""
_SWITCHED = FloorEvent.objects.filter(
    tournament=OuterRef("tournament"), kind=FloorKind.AUTOPILOT, undone_by=None
).order_by("-pk")


def self_calling() -> QuerySet[Floor]:
    """Return the floors of open events whose autopilot calls by itself."""
    mode = _SWITCHED.values(mode=KeyTextTransform("mode", "params"))[:1]
    floors = Floor.objects.filter(tournament__status__in=OPEN)
    return floors.annotate(mode=Subquery(mode)).filter(mode=Autopilot.CALL.value)


def at_closing_time(now: datetime) -> QuerySet[Floor]:
    """Return the floors of open events that have ended, unless somebody has switched the autopilot since."""
    ended = Floor.objects.filter(tournament__status__in=OPEN, tournament__ends_at__range=(now - CLOSING_FOR, now))
    opened_at = Coalesce(Subquery(_SWITCHED.values("at")[:1]), "opened_at")
    return ended.annotate(switched_at=opened_at).filter(switched_at__lt=F("tournament__ends_at"))


def hint_on_commit(*tournaments: int) -> None:
    """After commit, ask workers to call what can be called; one query."""
    transaction.on_commit(partial(hint_self_calling, *tournaments), robust=True)


def hint_self_calling(*tournaments: int) -> None:
    """Ask workers to call what can be called at those of these events whose autopilot calls by itself; one query."""
    for tournament in self_calling().filter(tournament__in=tournaments).values_list("tournament", flat=True):
        hint(CALL_READY, tournament)
