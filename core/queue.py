"""Messages to workers. A message is a hint, never the work: a sweep finds the row again if the message is lost."""

from datetime import timedelta

import structlog
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)


def resend_after() -> timedelta:
    """Return how long work may go unclaimed before its message is sent again."""
    return timedelta(seconds=settings.QUEUE_RESEND_AFTER)


def claim_lasts() -> timedelta:
    """Return how long a worker's claim lasts before the worker is considered dead."""
    return timedelta(seconds=settings.QUEUE_CLAIM_LASTS)


def broker(*, as_text: bool = False) -> Redis:
    """Return a connection to the broker that gives up after a second; `as_text` decodes what it answers."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, decode_responses=as_text)


def messages_in(queue: str) -> int:
    """Return how many messages of a queue no worker has taken; 0 if the broker does not answer."""
    try:
        with broker() as client:
            return int(client.llen(queue))
    except RedisError as error:
        log.warning("queue_unreachable", error=str(error))
        return 0


def hint(task: str, *args: int | str, after: timedelta = timedelta()) -> None:
    """Send a task to the workers, to be run `after` a while; call it after the commit.

    Without a broker nothing is lost: the sweep resends it.
    """
    try:
        current_app.send_task(task, args=list(args), countdown=after.total_seconds() or None)
    except OperationalError as error:
        log.warning("hint_not_sent", task=task, args=args, error=str(error))
