"""Analyses that were given up because no program was installed, and are taken up again once one is.

Only a worker of the queue `analysis` knows whether a program runs where it is. The sweep sends it one of the rows, and
if it has a program, it puts all of them back into the queue.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.queue import hint
from matches.analysis.services.queue import ANALYSE, SWEEP_AT_ONCE
from matches.analysis.topics import announce
from matches.models import Analysis

NO_PROGRAM = "no_analysis_backend"


def try_given_up(*, now: datetime) -> int:
    """Send the latest of these analyses to a worker, which may have a program by now; return how many were sent."""
    latest = _given_up().order_by("-pk").first()
    if latest is None:
        return 0
    Analysis.objects.filter(pk=latest.pk).update(sent_at=now)
    hint(ANALYSE, latest.pk)
    return 1


def queue_given_up(*, now: datetime) -> int:
    """Put the analyses back into the queue, a bounded number at a time; return how many. For a worker with a program.

    Two workers that do it at once do no harm: a row is put back once.
    """
    rows = list(_given_up().order_by("pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])
    return sum(_queue_again(pk, now) for pk in rows)


def _given_up() -> QuerySet[Analysis]:
    """The rows that no other analysis of the same record or match has replaced."""
    same = Q(submission=OuterRef("submission")) | Q(submission=None, match=OuterRef("match"))
    newer = Q(pk__gt=OuterRef("pk")) | Q(state__in=[Analysis.State.QUEUED, Analysis.State.WORKING])
    others = Analysis.objects.filter(same, newer, origin=OuterRef("origin")).exclude(pk=OuterRef("pk"))
    return Analysis.objects.filter(~Exists(others), state=Analysis.State.FAILED, failure=NO_PROGRAM)


@transaction.atomic
def _queue_again(pk: int, now: datetime) -> int:
    changed = (
        _given_up()
        .filter(pk=pk)
        .update(state=Analysis.State.QUEUED, failure="", attempts=0, claimed_at=None, finished_at=None, sent_at=now)
    )
    if changed:
        announce(Analysis.objects.get(pk=pk))
        transaction.on_commit(lambda: hint(ANALYSE, pk), robust=True)
    return changed
