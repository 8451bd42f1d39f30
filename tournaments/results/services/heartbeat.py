"""Whether beat, broker and workers are alive: beat asks for a sign every few seconds, and a worker gives it."""

from datetime import UTC, datetime
from typing import NamedTuple

from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

KEY = "tournaments.heartbeat"
EVERY = 5.0
"""Seconds between two signs."""
LATE = 30.0
"""Seconds without a sign until something is wrong."""
KEPT = 7 * 24 * 3600
QUEUE = "celery"


class Health(NamedTuple):
    """What is known of the workers."""

    seen_at: datetime | None
    broker: bool
    messages: int
    """Hints that no worker has taken yet."""


def beat(now: datetime) -> None:
    """A worker is alive, and beat has asked it."""
    cache.set(KEY, now.timestamp(), KEPT)


def health() -> Health:
    """When the last sign came, and what the broker says. Never fails: a broker that is away is what it tells."""
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
