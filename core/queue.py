"""Telling workers. A message is a hint, never the work: the row it names is found again by a sweep."""

from datetime import timedelta

import structlog
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)


def resend_after() -> timedelta:
    """How long work may go unclaimed before it is told of again."""
    return timedelta(seconds=settings.QUEUE_RESEND_AFTER)


def claim_lasts() -> timedelta:
    """How long a worker's claim holds before he is taken for dead."""
    return timedelta(seconds=settings.QUEUE_CLAIM_LASTS)


def hint(task: str, *args: int) -> None:
    """Tell a worker of a row; call it after the commit. Without a broker nothing is lost: the sweep tells again."""
    try:
        current_app.send_task(task, args=list(args))
    except OperationalError as error:
        log.warning("hint_not_sent", task=task, args=args, error=str(error))
