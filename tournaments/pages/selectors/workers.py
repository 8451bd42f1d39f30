"""The state of beat, broker and workers, and what is queued."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Min
from django.utils.translation import gettext as _

from matches.models import Claim, Match, RatingPool, Submission
from tournaments.models import Draw, Fixture
from tournaments.results.services import heartbeat
from tournaments.results.services.overdue import GRACE


class Queue(NamedTuple):
    """Rows waiting for a worker."""

    name: str
    waiting: int
    oldest: datetime | None


def status_page(now: datetime) -> dict[str, Any]:
    """Return the context of the status page."""
    health = heartbeat.health()
    age = (now - health.seen_at).total_seconds() if health.seen_at else None
    return {"health": health, "age": None if age is None else max(0, round(age)), "verdict": verdict(health, age),
            "late": heartbeat.LATE, "every": heartbeat.EVERY, "queues": queues(now), "now": now}  # fmt: skip


def short(now: datetime) -> str:
    """Return the verdict alone, for the head of a page."""
    health = heartbeat.health()
    return verdict(health, (now - health.seen_at).total_seconds() if health.seen_at else None)


def verdict(health: heartbeat.Health, age: float | None) -> str:
    """Return "well", or what is missing: "broker", "worker" or "beat"."""
    if not health.broker:
        return "broker"
    if age is not None and age < heartbeat.LATE:
        return "well"
    return "worker" if health.messages else "beat"


def queues(now: datetime) -> list[Queue]:
    """Return what is queued, by kind of work."""
    draws = Draw.objects.filter(state=Draw.State.REQUESTED)
    records = Submission.objects.filter(state__in=["queued", "working"])
    unsettled = Match.objects.filter(unsettled=True)
    claims = Claim.objects.filter(state=Claim.State.OPEN, stands_at__lte=now)
    due = Fixture.objects.filter(
        status=Fixture.Status.READY, deadline_done=False, due_at__lte=now - GRACE, stage__division__status="running"
    )
    pools = RatingPool.objects.filter(marks__isnull=False).distinct()
    return [
        Queue(_("Draws to make"), draws.count(), draws.aggregate(at=Min("made_at"))["at"]),
        Queue(_("Records to check"), records.count(), records.aggregate(at=Min("created_at"))["at"]),
        Queue(
            _("Results to apply to their division"), unsettled.count(), unsettled.aggregate(at=Min("finished_at"))["at"]
        ),
        Queue(_("Unanswered reports to accept"), claims.count(), claims.aggregate(at=Min("stands_at"))["at"]),
        Queue(_("Deadlines to apply"), due.count(), due.aggregate(at=Min("due_at"))["at"]),
        Queue(_("Rating pools to recalculate"), pools.count(), None),
    ]
