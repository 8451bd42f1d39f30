"""What workers do for this room; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from matches.lifecycle import finish
from matches.play.services import due
from matches.ratings.services import ratings
from matches.records.services import submissions
from matches.reporting.services import adjudication, deadlines, notifications, record_outcomes, records


@shared_task(name=submissions.ADJUDICATE)
def adjudicate(submission_id: int) -> None:
    """Adjudicate one submission, if it is still to be done."""
    adjudication.adjudicate_submission(submission_id=submission_id, now=timezone.now())


@shared_task(name="matches.sweep_submissions")
def sweep_submissions() -> None:
    """Tell workers again of what a crash or a lost message left."""
    submissions.send_again(now=timezone.now())


@shared_task(name=ratings.REPLAY)
def replay_ratings(pool_id: int) -> None:
    """Bring one pool of ratings in step with the results, if it is not."""
    ratings.replay_pool(pool_id=pool_id, now=timezone.now())


@shared_task(name="matches.sweep_ratings")
def sweep_ratings() -> None:
    """Tell workers again of pools that wait, or whose worker is gone."""
    ratings.send_again(now=timezone.now())


@shared_task(name=records.SETTLE_RECORD)
def settle_record(submission_id: int) -> None:
    """Let a checked record have its effect on its match."""
    record_outcomes.apply_verdict(submission_id=submission_id, now=timezone.now())


@shared_task(name=notifications.SEND_REPORT_EMAIL)
def send_report_email(claim_id: int) -> None:
    """Write to the player who has to answer a claim."""
    deadlines.send_report_email(claim_id=claim_id, now=timezone.now())


@shared_task(name="matches.sweep_claims")
def sweep_claims() -> None:
    """Let the claims stand whose time has run out."""
    deadlines.accept_due_reports(now=timezone.now())


@shared_task(name="matches.sweep_untold_claims")
def sweep_untold_claims() -> None:
    """Have those told of a claim whose letter was lost on its way to a worker."""
    deadlines.resend_report_emails(now=timezone.now())


@shared_task(name="matches.sweep_records")
def sweep_records() -> None:
    """Apply the verdicts that a crash has left without effect."""
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
    """Tell the room above again of results it has not acted on."""
    deadlines.announce_unsettled(now=timezone.now())
