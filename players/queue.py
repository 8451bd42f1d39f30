"""Telling workers. A message is a hint, never the work: the row it names is found again by a sweep."""

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)


def hint(task: str, *args: int) -> None:
    """Tell a worker of a row; call it after the commit. Without a broker nothing is lost: the sweep tells again."""
    try:
        current_app.send_task(task, args=list(args))
    except OperationalError as error:
        log.warning("hint_not_sent", task=task, args=args, error=str(error))
