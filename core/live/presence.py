"""Who has a topic's page open: signs of life in Redis, by any number of tabs, streams and requests.

A page that closes says goodbye; one that falls silent has lost its network. Nothing is known while the broker is down,
nor for a while after a web process or the broker has started, since everybody has to come back first.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

log = structlog.get_logger(__name__)

UNKNOWN_AFTER_START = 90.0
"""Seconds after a start in which nobody counts as absent."""
KEPT = 7 * 24 * 3600
"""Seconds for which the last sign of life is kept."""
PATIENCE = 1.0
PAUSE_AFTER_TIMEOUT = 2.0
"""Seconds in which a broker that did not answer is not asked again: else every request would wait for it."""
_PREFIX = "barpoint-presence:"
_STARTED = f"{_PREFIX}started"
_CLOSED = "closed"
Member = tuple[str, str]
"""A topic and a member of it, such as a side of a match."""


class Presence(NamedTuple):
    """Whether a member has the page open."""

    online: bool | None
    """None: not known."""
    since: float | None = None
    """When the last sign of an absent member came, in seconds since the epoch."""
    closed: bool = False
    """The page was closed, where `online` is False; otherwise its network was lost."""


UNKNOWN = Presence(None)


class Sign(NamedTuple):
    """A sign of life: a tab of a member is open, and will be for `lasts` seconds unless it says goodbye."""

    member: Member
    tab: str
    lasts: float


def sign_of_life(sign: Sign, *, now: float) -> None:
    """Note a sign of life."""
    with _noting() as pipeline:
        _note(pipeline, sign, now)


def _note(pipeline: Pipeline, sign: Sign, now: float) -> None:
    key = _key(sign.member)
    pipeline.hset(key, sign.tab, f"{now}:{now + sign.lasts}")
    pipeline.expire(key, KEPT)


def goodbye(member: Member, tabs: Iterable[str], *, now: float) -> None:
    """Note that tabs of a member were closed."""
    with _noting() as pipeline:
        pipeline.hdel(_key(member), *tabs)
        pipeline.hset(_key(member), _CLOSED, f"{now}:{now}")
        pipeline.expire(_key(member), KEPT)


def note_start(*, now: float) -> None:
    """Note that a web process has started: for a while nobody counts as absent."""
    with _noting() as pipeline:
        pipeline.set(_STARTED, now)


def presences(members: Sequence[Member], *, now: float, sign: Sign | None = None) -> list[Presence]:
    """Return who is there; `UNKNOWN` for all while the broker is down, and for whoever has never been there.

    A sign of life given with it is noted first, in the same round trip.
    """
    try:
        pipeline = _client().pipeline(transaction=False)
        if sign is not None:
            _note(pipeline, sign, now)
        pipeline.set(_STARTED, now, nx=True)
        pipeline.get(_STARTED)
        for member in members:
            pipeline.hgetall(_key(member))
        answers = _execute(pipeline)
    except RedisError as error:
        log.warning("presence_unknown", error=str(error))
        return [UNKNOWN] * len(members)
    started, *tabs_of_members = answers[-1 - len(members) :]
    return [_presence(tabs, float(started), now) for tabs in tabs_of_members]


def _presence(tabs: dict[bytes, bytes], started: float, now: float) -> Presence:
    """Read the tabs of one member: `last:until` each, in seconds since the epoch."""
    signs = {name.decode(): tuple(map(float, value.split(b":"))) for name, value in tabs.items()}
    closed_at = signs.pop(_CLOSED, (0.0, 0.0))[0]
    if any(until >= now for _, until in signs.values()):
        return Presence(True)
    last = max([closed_at, *(last for last, _ in signs.values())])
    if not last or now < started + UNKNOWN_AFTER_START:
        return UNKNOWN
    return Presence(False, last, closed_at == last)


def _key(member: Member) -> str:
    topic, name = member
    return f"{_PREFIX}{topic}:{name}"


@contextmanager
def _noting() -> Iterator[Pipeline]:
    """Commands that are sent together at the end; without a broker presence is unknown anyway."""
    pipeline = _client().pipeline(transaction=False)
    yield pipeline
    try:
        _execute(pipeline)
    except RedisError as error:
        log.warning("presence_not_noted", error=str(error))


def _execute(pipeline: Pipeline) -> list[Any]:
    """Send commands. Raises RedisError, without waiting again if the broker did not answer a moment ago."""
    if monotonic() < _pause.ends_at:
        raise RedisError("The broker did not answer a moment ago.")
    try:
        return pipeline.execute()
    except RedisTimeoutError:
        _pause.ends_at = monotonic() + PAUSE_AFTER_TIMEOUT
        raise


class _Pause:
    """Until when this process does not ask the broker."""

    ends_at = 0.0


_pause = _Pause()


@cache
def _client() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
