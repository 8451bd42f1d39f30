"""Whether the machinery behind an event is alive, and what waits for it."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Min
from django.utils.translation import gettext as _

from matches.models import Claim, Match, RatingPool, Submission
from tournaments.models import Draw, Fixture
from tournaments.results.services import heartbeat
from tournaments.results.services.overdue import GRACE


class Queue(NamedTuple):
    """Rows that wait for a worker."""

    name: str
    waiting: int
    oldest: datetime | None


def status_page(now: datetime) -> dict[str, Any]:
    """Workers, broker and queues."""
    health = heartbeat.health()
    age = (now - health.seen_at).total_seconds() if health.seen_at else None
    return {"health": health, "age": None if age is None else max(0, round(age)), "verdict": verdict(health, age),
            "late": heartbeat.LATE, "every": heartbeat.EVERY, "queues": queues(now), "now": now}  # fmt: skip


def short(now: datetime) -> str:
    """The verdict alone, for the corner of a page."""
    health = heartbeat.health()
    return verdict(health, (now - health.seen_at).total_seconds() if health.seen_at else None)


def verdict(health: heartbeat.Health, age: float | None) -> str:
    """well, broker, worker or beat: who is missing."""
    if not health.broker:
        return "broker"
    if age is not None and age < heartbeat.LATE:
        return "well"
    return "worker" if health.messages else "beat"


def queues(now: datetime) -> list[Queue]:
    """What waits, by kind of work."""
    draws = Draw.objects.filter(state=Draw.State.REQUESTED)
    records = Submission.objects.filter(state__in=["queued", "working"])
    unsettled = Match.objects.filter(unsettled=True)
    claims = Claim.objects.filter(state=Claim.State.OPEN, stands_at__lte=now)
    due = Fixture.objects.filter(
        status=Fixture.Status.READY, deadline_done=False, due_at__lte=now - GRACE, stage__division__status="running"
    )
    pools = RatingPool.objects.filter(marks__isnull=False).distinct()
    return [
        Queue(_("draws to be made"), draws.count(), draws.aggregate(at=Min("made_at"))["at"]),
        Queue(_("records to be checked"), records.count(), records.aggregate(at=Min("created_at"))["at"]),
        Queue(_("results to be passed on"), unsettled.count(), unsettled.aggregate(at=Min("finished_at"))["at"]),
        Queue(_("claims whose time has run out"), claims.count(), claims.aggregate(at=Min("stands_at"))["at"]),
        Queue(_("deadlines to be applied"), due.count(), due.aggregate(at=Min("due_at"))["at"]),
        Queue(_("rating pools to be replayed"), pools.count(), None),
    ]
