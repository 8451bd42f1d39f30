"""Sweeps over rows that are due; each row is handled in a transaction of its own.

A sweep may run twice or be killed half-way: each step locks its match and checks again.
"""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from core.faults import each
from core.queue import resend_after
from matches.lifecycle import provisional
from matches.lifecycle.finish import match_settled
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
    ids = due.values_list("pk", flat=True)
    return len(each("reports", ids, lambda pk: reports.accept_unanswered(claim_id=pk, now=now), at_most=BATCH_SIZE))


def end_due_results(*, now: datetime) -> int:
    """End the provisional results whose time is over; return how many were due."""
    is_objected = Objection.objects.filter(result=OuterRef("result"))
    due = Provisional.objects.filter(ended_at=None, ends_at__lte=now - GRACE, result__match__provisional=True)
    due = due.exclude(Exists(is_objected), result__match__club__isnull=False).order_by("ends_at", "pk")
    ids = due.values_list("pk", flat=True)
    return len(
        each("provisional-results", ids, lambda pk: provisional.end_due(provisional_id=pk, now=now), at_most=BATCH_SIZE)
    )


def notify_of_results(*, now: datetime) -> int:
    """Tell players of provisional results against them; return how many results there were."""
    unsent = Provisional.objects.filter(ended_at=None, notified_at=None, result__match__provisional=True)
    ids = unsent.order_by("pk").values_list("pk", flat=True)
    return len(
        each(
            "news-of-results",
            ids,
            lambda pk: notifications.notify_provisional(provisional_id=pk, now=now),
            at_most=BATCH_SIZE,
        )
    )


def settle_waiting_records(*, now: datetime) -> int:
    """Apply the verdicts that a crash left unapplied; return how many."""
    waiting = Submission.objects.filter(
        standing=Submission.Standing.WAITING, state__in=[Submission.State.DONE, Submission.State.FAILED]
    ).order_by("pk")
    ids = waiting.values_list("pk", flat=True)
    return len(each("records", ids, lambda pk: records.apply_verdict(submission_id=pk, now=now), at_most=BATCH_SIZE))


def announce_unsettled(*, now: datetime) -> int:
    """Send `match_settled` for results whose time has come, and again where no receiver acted; return how many."""
    is_due = Q(settle_at__lte=now) | Q(settle_at=None) & ~Q(results__at__gt=now - resend_after())
    unsettled = Match.objects.filter(is_due, unsettled=True).order_by("pk")
    ids = unsettled.values_list("pk", flat=True)
    # Unlike after a commit, a receiver that fails is noticed.
    return len(each("unsettled", ids, lambda pk: match_settled.send(sender=Match, match_id=pk), at_most=BATCH_SIZE))
