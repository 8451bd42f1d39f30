"""Messages to workers. A message is a hint, never the work: a sweep finds the row again if the message is lost."""

from collections.abc import Sequence
from datetime import timedelta
from time import monotonic
from types import SimpleNamespace

import structlog
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

URGENT, RECORDS, BACKGROUND = "celery", "records", "background"
"""The queues of work on this machine, the most urgent first: live play, pairing and all sweeps; checking records;
practice at levels, ratings and backups.

A worker takes a message of a later queue only when the earlier ones are empty. `make run` has one worker for the urgent
queue and one for the others, so that urgent work never waits for a long task to end.
"""
GUESTS = "guests"
"""The queue of what people without an account ask an analysis program; it is worked off when nothing else waits."""
OUTGOING = "outgoing"
"""The queue of e-mails and pushes, with a worker of its own: outside servers answer when they like, or not at all."""
ANALYSIS = "analysis"
"""Analyses take minutes of CPU and nobody waits for them: only workers started for this queue take them."""


def require_broker() -> None:
    """End the process if it has no broker: nothing would happen by itself, and nobody would know.

    With one line instead of a traceback, since whatever supervises the process starts it again and again.
    """
    if not settings.REDIS_URL:
        raise SystemExit(
            "REDIS_URL is empty. The web server, workers and beat need Valkey or Redis, such as redis://127.0.0.1:6379/0."
        )


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

    Without a broker nothing is lost: the sweep resends it. Commands may run without any (an empty REDIS_URL).
    """
    if not settings.REDIS_URL:
        return
    try:
        current_app.send_task(task, args=list(args), countdown=after.total_seconds() or None)
    except OperationalError as error:
        log.warning("hint_not_sent", task=task, args=args, error=str(error))


# Workers sign for their queues in the broker, so that everybody can see which queue nobody works on.


WORKERS = "barpoint-workers"
"""A hash of the broker: a queue, and the second since the epoch, by the broker's clock, at which a worker signed."""
SIGN_EVERY = 10.0
"""Seconds between two signatures of a worker."""
ABSENT_AFTER = 30.0
"""Seconds without a signature after which nobody works on a queue."""


def sign(client: Redis, queues: Sequence[str]) -> None:
    """Note that a worker of these queues can take messages now. Raises RedisError."""
    client.hset(WORKERS, mapping=dict.fromkeys(queues, client.time()[0]))


def signed_ago(queues: Sequence[str]) -> dict[str, float]:
    """Return how many seconds ago a worker of each queue signed. Raises RedisError.

    A broker that was just started has no signature yet; the time counts from the first question.
    """
    with broker(as_text=True) as client:
        now = client.time()[0]
        pipeline = client.pipeline(transaction=False)
        for queue in queues:
            pipeline.hsetnx(WORKERS, queue, now)
        *_, signatures = pipeline.hmget(WORKERS, list(queues)).execute()
    return {queue: max(0.0, now - float(at)) for queue, at in zip(queues, signatures, strict=True)}


def unattended(queues: Sequence[str]) -> list[str]:
    """Return the queues on which nobody works. Raises RedisError."""
    return [queue for queue, seconds in signed_ago(queues).items() if seconds > ABSENT_AFTER]


# When each sweep last ended, which `config.celery` notes.


SWEEPS = "barpoint-sweeps"
"""A hash of the broker: the name of a task and seconds since the epoch."""
STOPPED_AFTER = 60.0
"""Seconds without the end of a sweep after which all of them have stopped."""
_seen = SimpleNamespace(sweeps=None, at=0.0)


def sweeps_stopped() -> bool:
    """Return whether no sweep has ended for a minute while this process looked. Raises RedisError.

    No clock is compared with the times, which lie ahead of one that was set back.
    """
    with broker() as client:
        sweeps = client.hgetall(SWEEPS)
    if sweeps != _seen.sweeps:
        _seen.sweeps, _seen.at = sweeps, monotonic()
    return bool(monotonic() - _seen.at > STOPPED_AFTER)
