"""Whether beat, broker and workers are alive: beat sends a task every few seconds, and a worker stores the time."""

from datetime import UTC, datetime
from typing import NamedTuple

from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

KEY = "tournaments.heartbeat"
EVERY = 5.0
"""Seconds between two heartbeats."""
LATE = 30.0
"""Seconds without a heartbeat after which something is wrong."""
KEPT = 7 * 24 * 3600
QUEUE = "celery"


class Health(NamedTuple):
    """The state of the queue; `seen_at` is the time of the last heartbeat."""

    seen_at: datetime | None
    broker: bool
    messages: int
    """Messages that no worker has taken yet."""


def beat(now: datetime) -> None:
    """Store the time of a heartbeat; runs in a worker."""
    cache.set(KEY, now.timestamp(), KEPT)


def health() -> Health:
    """Return the last heartbeat and the state of the broker; an unreachable broker is reported, not raised."""
    messages = _messages()
    stamp = cache.get(KEY) if messages is not None else None
    seen_at = datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, float) else None
    return Health(seen_at, messages is not None, messages or 0)


def _messages() -> int | None:
    try:
        with current_app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1, timeout=1)
            return int(connection.default_channel.client.llen(QUEUE))
    except (OperationalError, RedisError, OSError):
        return None
