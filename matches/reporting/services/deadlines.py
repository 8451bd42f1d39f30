"""What happens because time has passed: sweeps over rows that are due, each row in a transaction of its own.

A sweep may run twice, or be killed half way: each step locks its match and looks again.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import F, Q

from core.queue import hint, resend_after
from matches.lifecycle.finish import announce
from matches.models import Claim, Match, Submission
from matches.reporting.mail import send_claim
from matches.reporting.services import notices, proofs
from matches.reporting.services import outcomes as report_outcomes

AT_ONCE = 100
"""Rows that one sweep takes; the next comes soon."""
GRACE = timedelta(milliseconds=500)
"""An answer counts from its arrival, so a deadline waits for those on their way."""


def stand_due_claims(*, now: datetime) -> int:
    """Let the claims stand whose time has run out; how many."""
    due = Claim.objects.filter(
        state=Claim.State.OPEN, stands_at__lte=now - GRACE, match__state=Match.State.CLAIMED
    ).order_by("stands_at", "pk")
    ids = due.values_list("pk", flat=True)[:AT_ONCE]
    return _each(ids, lambda pk: report_outcomes.stand_unanswered(claim_id=pk, now=now))


def tell_of_claim(*, claim_id: int, now: datetime) -> bool:
    """Write to the player who is asked to answer a report; whether an e-mail went out.

    An e-mail alone starts no waiting time: it may never be read.
    """
    report = (
        Claim.objects.select_related("match__club", "match__player_0__user", "match__player_1__user")
        .filter(pk=claim_id, state=Claim.State.OPEN, emailed_at__isnull=True)
        .first()
    )
    address = notices.address_of(report.match, notices.asked_by(report)) if report is not None else ""
    if report is None or not address:
        return False
    send_claim(report, address)
    Claim.objects.filter(pk=claim_id).update(emailed_at=now)
    return True


def tell_again(*, now: datetime) -> int:
    """Hint once more at reports of which nobody was written to though they could be; how many."""
    asks_the_loser = Q(side=F("winner")) | Q(side__isnull=True)
    reachable = Q(winner=0, match__player_1__user__is_active=True) | Q(winner=1, match__player_0__user__is_active=True)
    untold = Claim.objects.filter(
        asks_the_loser, reachable, state=Claim.State.OPEN, emailed_at__isnull=True, created_at__lte=now - resend_after()
    ).order_by("pk")
    return _each(untold.values_list("pk", flat=True)[:AT_ONCE], lambda pk: hint(notices.TELL_OF_CLAIM, pk))


def settle_waiting_records(*, now: datetime) -> int:
    """Apply the verdicts that a crash has left without effect; how many."""
    waiting = Submission.objects.filter(
        standing=Submission.Standing.WAITING, state__in=[Submission.State.DONE, Submission.State.FAILED]
    ).order_by("pk")
    return _each(
        waiting.values_list("pk", flat=True)[:AT_ONCE], lambda pk: proofs.apply_verdict(submission_id=pk, now=now)
    )


def announce_unsettled(*, now: datetime) -> int:
    """Tell the room above again of results it has not acted on; how many."""
    unsettled = Match.objects.filter(unsettled=True).exclude(results__at__gt=now - resend_after()).order_by("pk")
    return _each(unsettled.values_list("pk", flat=True)[:AT_ONCE], announce)


def _each(ids: Iterable[int], act: Callable[[int], object]) -> int:
    """Act on every row; one that fails does not hold up the others, and is reported at the end."""
    done, failures = 0, []
    for pk in ids:
        try:
            act(pk)
        except Exception as failure:  # noqa: BLE001, raised again below
            failures.append(failure)
        else:
            done += 1
    if failures:
        raise ExceptionGroup("rows that could not be settled", failures)
    return done
