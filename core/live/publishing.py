"""Topics that browsers watch, and telling them that a topic has changed."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial

import structlog
from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpRequest
from redis import Redis
from redis.exceptions import RedisError

from core.live.presence import Command

# What can be watched: apps register a kind of topic with the function that authorises it.


Check = Callable[[HttpRequest, str], int]
"""Return the current number of a topic for whoever asks; raise Http404 or PermissionDenied."""

_checks: dict[str, Check] = {}


def register(kind: str, check: Check) -> None:
    """Make topics `kind:name` watchable. Raises ValueError if the kind is registered with another function."""
    if _checks.setdefault(kind, check) is not check:
        raise ValueError(f"two checks for topics of kind {kind!r}")


def authorise(request: HttpRequest, topic: str) -> int:
    """Return the current number of a topic. Raises Http404 if there is no such topic, or not for this request."""
    kind, _, name = topic.partition(":")
    check = _checks.get(kind)
    if check is None or not name:
        raise Http404
    return check(request, name)


# Tell watchers that a topic has changed.


log = structlog.get_logger(__name__)

CHANNEL = "barpoint-live:"
TOUCHED = "barpoint-touched:"
READ_BEFORE = 2000
"""Milliseconds between the first query for a page and its rendering."""
TOUCHED_FOR = 24 * 3600
"""Seconds."""
AUTHORISE_AGAIN = -1
"""Published instead of a number: the streams of the topic end."""
PATIENCE = 1.0
"""Seconds until a server that does not answer is given up; watchers catch up when they connect again."""


Content = Callable[[], str]
"""Returns the new state of a topic as a JSON object, or nothing where watchers have to read it again."""


def publish_on_commit(topic: str, seq: int, content: Content | None = None) -> None:
    """After commit, publish the new number of a topic, with its content if given.

    The content must be for everybody who may watch the topic.
    """

    def send() -> None:
        publish(topic, seq, content() if content is not None else "")

    transaction.on_commit(send, robust=True)


def publish(topic: str, seq: int, content: str = "") -> None:
    """Publish the new number of a topic. Without a broker nothing is lost: watchers ask again when they reconnect."""
    if not settings.REDIS_URL:
        return
    try:
        _client().publish(CHANNEL + topic, f"{seq} {content}" if content else seq)
    except RedisError as error:
        log.warning("change_not_published", topic=topic, error=str(error))


def publish_command(topic: str, seq: int, content: str) -> Command:
    return "PUBLISH", CHANNEL + topic, f"{seq} {content}" if content else seq


def touch(*topics: str) -> None:
    """Publish a change behind topics without a number of their own; their number is the time in ms.

    The number is lost with the broker; then it is 0 until the next change.
    """
    if not settings.REDIS_URL:
        return
    now = time.time_ns() // 1_000_000
    pipeline = _client().pipeline(transaction=False)
    for topic in topics:
        pipeline.set(TOUCHED + topic, now, ex=TOUCHED_FOR)
        pipeline.publish(CHANNEL + topic, now)
    try:
        pipeline.execute()
    except RedisError as error:
        log.warning("change_not_published", topics=topics, error=str(error))


def touch_on_commit(*topics: str) -> None:
    """After commit, publish a change behind these topics, as `touch` does."""
    if topics:
        transaction.on_commit(partial(touch, *topics), robust=True)


def now_shown() -> int:
    """The number that a page shows of a touched topic: a little early, since its data may have been read before."""
    return time.time_ns() // 1_000_000 - READ_BEFORE


def last_touch(topic: str) -> int:
    """Return when a topic was touched last, in ms since the epoch; 0 if not in the last day, or without a broker."""
    try:
        return int(_client().get(TOUCHED + topic) or 0)
    except RedisError as error:
        log.warning("touches_unknown", topic=topic, error=str(error))
        return 0


def last_touches(topics: Sequence[str]) -> list[int]:
    """Return when each of several topics was touched last, as `last_touch` does."""
    try:
        return [int(number or 0) for number in _client().mget([TOUCHED + topic for topic in topics])]
    except RedisError as error:
        log.warning("touches_unknown", topics=len(topics), error=str(error))
        return [0] * len(topics)


def authorise_again_on_commit(topic: str) -> None:
    """After commit, end the streams of a topic, because fewer people may watch it from now on.

    Their clients connect again.
    """
    publish_on_commit(topic, AUTHORISE_AGAIN)


def publish_all_on_commit(changes: Iterable[tuple[str, int]]) -> None:
    """After commit, publish the new numbers of several topics at once."""
    transaction.on_commit(partial(publish_all, list(changes)), robust=True)


def publish_all(changes: Sequence[tuple[str, int]]) -> None:
    """Publish the new numbers of several topics at once."""
    if not settings.REDIS_URL:
        return
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
