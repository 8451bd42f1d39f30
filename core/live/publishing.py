"""Tell watchers that a topic has changed."""

from collections.abc import Iterable, Sequence
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


def publish_all_on_commit(changes: Iterable[tuple[str, int]]) -> None:
    """Publish the new numbers of several topics at once, when the transaction has committed."""
    transaction.on_commit(partial(_publish_all, list(changes)), robust=True)


def _publish_all(changes: Sequence[tuple[str, int]]) -> None:
    pipeline = _client().pipeline(transaction=False)
    for topic, seq in changes:
        pipeline.publish(CHANNEL + topic, seq)
    try:
        pipeline.execute()
    except RedisError as error:
        log.warning("change_not_published", topics=len(changes), error=str(error))


@cache
def _client() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
