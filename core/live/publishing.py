"""Tell watchers that a topic has changed."""

from functools import cache, partial

import structlog
from django.conf import settings
from django.db import transaction
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

CHANNEL = "barpoint-live:"
PATIENCE = 1.0
"""Seconds until a server that does not answer is given up; watchers catch up when they connect again."""


def publish_on_commit(topic: str, seq: int) -> None:
    """Publish the new number of a topic once the transaction has committed."""
    transaction.on_commit(partial(publish, topic, seq), robust=True)


def publish(topic: str, seq: int) -> None:
    """Publish the new number of a topic. Without a broker nothing is lost: watchers ask again when they reconnect."""
    try:
        _client().publish(CHANNEL + topic, seq)
    except RedisError as error:
        log.warning("change_not_published", topic=topic, error=str(error))


@cache
def _client() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
