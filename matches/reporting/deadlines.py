"""Sweeps over rows that are due; each row is handled in a transaction of its own.

A sweep may run twice or be killed half-way: each step locks its match and checks again.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from core.queue import resend_after
from matches.lifecycle import provisional
from matches.lifecycle.finish import announce
from matches.models import Claim, Match, Objection, Provisional, Submission
from matches.reporting import notifications, records, reports

BATCH_SIZE = 100
"""Most rows that one sweep handles."""
GRACE = timedelta(milliseconds=500)
"""An answer counts from its arrival, so a deadline waits a little for requests in progress."""


def accept_due_reports(*, now: datetime) -> int:
    """Accept the reports whose waiting time has run out; return how many."""
    due = Claim.objects.filter(
        state=Claim.State.OPEN, stands_at__lte=now - GRACE, match__state=Match.State.CLAIMED
    ).order_by("stands_at", "pk")
    ids = due.values_list("pk", flat=True)[:BATCH_SIZE]
    return _each(ids, lambda pk: reports.accept_unanswered(claim_id=pk, now=now))


def end_due_results(*, now: datetime) -> int:
    """End the provisional results whose time is over; return how many were due."""
    is_objected = Objection.objects.filter(result=OuterRef("result"))
    due = Provisional.objects.filter(ended_at=None, ends_at__lte=now - GRACE, result__match__provisional=True)
    due = due.exclude(Exists(is_objected), result__match__club__isnull=False).order_by("ends_at", "pk")
    return _each(
        due.values_list("pk", flat=True)[:BATCH_SIZE],
        lambda pk: provisional.end_due(provisional_id=pk, now=now),
    )


def notify_of_results(*, now: datetime) -> int:
    """Tell players of provisional results against them; return how many results there were."""
    unsent = Provisional.objects.filter(ended_at=None, notified_at=None, result__match__provisional=True)
    return _each(
        unsent.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE],
        lambda pk: notifications.notify_provisional(provisional_id=pk, now=now),
    )


def settle_waiting_records(*, now: datetime) -> int:
    """Apply the verdicts that a crash left unapplied; return how many."""
    waiting = Submission.objects.filter(
        standing=Submission.Standing.WAITING, state__in=[Submission.State.DONE, Submission.State.FAILED]
    ).order_by("pk")
    return _each(
        waiting.values_list("pk", flat=True)[:BATCH_SIZE],
        lambda pk: records.apply_verdict(submission_id=pk, now=now),
    )


def announce_unsettled(*, now: datetime) -> int:
    """Send `match_settled` for results whose time has come, and again where no receiver acted; return how many."""
    is_due = Q(settle_at__lte=now) | Q(settle_at=None) & ~Q(results__at__gt=now - resend_after())
    unsettled = Match.objects.filter(is_due, unsettled=True).order_by("pk")
    return _each(unsettled.values_list("pk", flat=True)[:BATCH_SIZE], announce)


def _each(ids: Iterable[int], act: Callable[[int], object]) -> int:
    """Call `act` for every row and return how many succeeded. Failures are raised together at the end."""
    succeeded, failures = 0, []
    for pk in ids:
        try:
            act(pk)
        except Exception as failure:  # noqa: BLE001, raised again below
            failures.append(failure)
        else:
            succeeded += 1
    if failures:
        raise ExceptionGroup("rows that failed", failures)
    return succeeded
