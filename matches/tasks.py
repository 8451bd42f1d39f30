"""Celery tasks; each calls a service."""

from celery import shared_task
from django.utils import timezone

from matches.lifecycle import finish
from matches.play.services import due
from matches.ratings.services import ratings
from matches.records.services import submissions
from matches.reporting.services import adjudication, deadlines, notifications, record_outcomes, records


@shared_task(name=submissions.ADJUDICATE)
def adjudicate(submission_id: int) -> None:
    """Check one submission, if it is still open."""
    adjudication.adjudicate_submission(submission_id=submission_id, now=timezone.now())


@shared_task(name="matches.sweep_submissions")
def sweep_submissions() -> None:
    """Publish the task again for submissions whose message was lost or whose worker crashed."""
    submissions.send_again(now=timezone.now())


@shared_task(name=ratings.REPLAY)
def replay_ratings(pool_id: int) -> None:
    """Replay a rating pool if it is out of date."""
    ratings.replay_pool(pool_id=pool_id, now=timezone.now())


@shared_task(name="matches.sweep_ratings")
def sweep_ratings() -> None:
    """Publish the task again for pools that wait for a replay or whose worker crashed."""
    ratings.send_again(now=timezone.now())


@shared_task(name=records.SETTLE_RECORD)
def settle_record(submission_id: int) -> None:
    """Apply the verdict of a checked record to its match."""
    record_outcomes.apply_verdict(submission_id=submission_id, now=timezone.now())


@shared_task(name=notifications.SEND_REPORT_EMAIL)
def send_report_email(claim_id: int) -> None:
    """Send an e-mail to the player who has to answer a report."""
    deadlines.send_report_email(claim_id=claim_id, now=timezone.now())


@shared_task(name="matches.sweep_claims")
def sweep_claims() -> None:
    """Accept reports whose waiting time has run out."""
    deadlines.accept_due_reports(now=timezone.now())


@shared_task(name="matches.sweep_untold_claims")
def sweep_untold_claims() -> None:
    """Publish the e-mail task again for reports whose message was lost."""
    deadlines.resend_report_emails(now=timezone.now())


@shared_task(name="matches.sweep_records")
def sweep_records() -> None:
    """Apply verdicts that a crash left unapplied."""
    deadlines.settle_waiting_records(now=timezone.now())


@shared_task(name=due.SETTLE_DUE)
def settle_live_due(match_id: int) -> None:
    """Let a fallen flag count in a match played here, or end its pause."""
    due.settle_due(match_id=match_id, now=timezone.now())


@shared_task(name="matches.sweep_live")
def sweep_live() -> None:
    """Hint workers at matches played here in which a flag has fallen or a pause has ended."""
    due.sweep_due(now=timezone.now())


@shared_task(name=finish.ANNOUNCE)
def announce_result(match_id: int) -> None:
    """Tell whatever made a match that it has a result."""
    finish.announce(match_id)


@shared_task(name="matches.sweep_unsettled")
def sweep_unsettled() -> None:
    """Send `match_settled` again for results that no receiver has acted on."""
    deadlines.announce_unsettled(now=timezone.now())
