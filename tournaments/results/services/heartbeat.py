"""Whether beat, broker and workers are alive: beat sends a task every few seconds, and a worker stores the time."""

from datetime import UTC, datetime
from functools import cache as cache_function
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

KEY = "tournaments.heartbeat"
EVERY = 5.0
"""Seconds between two heartbeats."""
LATE = 30.0
"""Seconds without a heartbeat after which something is wrong."""
KEPT = 7 * 24 * 3600
QUEUE = "celery"
PATIENCE = 1.0
"""Seconds to wait for a broker that does not answer."""


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
    if not settings.REDIS_URL:
        return None
    try:
        return int(_client().llen(QUEUE))
    except RedisError:
        return None


@cache_function
def _client() -> Redis:
    # Without pauses between attempts, which would delay each page of a director while the broker is down.
    retry = Retry(NoBackoff(), 1)
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=retry)
