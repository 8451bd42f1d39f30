"""What workers do for this room; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from matches.services import ratings, submissions


@shared_task(name=submissions.ADJUDICATE)
def adjudicate(submission_id: int) -> None:
    """Adjudicate one submission, if it is still to be done."""
    submissions.adjudicate_submission(submission_id=submission_id, now=timezone.now())


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
