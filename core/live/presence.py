"""Who has a topic's page open: signs of life in Redis, by any number of tabs, streams and requests.

A page that closes says goodbye, which ends one life of it: signs of that life that arrive later are ignored, and a page
that comes back begins another. One that falls silent has lost its network. Nothing is known while the broker is down,
nor for a while after a web process or the broker has started, since everybody has to come back first. The broker's own
run is the epoch of what it knows, so that a broker which starts from an old dump is not believed.
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
from redis.connection import AbstractConnection
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
_EPOCH = f"{_PREFIX}epoch"
"""The run of the broker, and when signs of life were first collected in it or a web process last started."""
_CLOSED = "closed"
_ENDED = "!"
"""Stands before a life that has ended; no life is called so."""
ENDED_FOR = 600.0
"""Seconds in which signs of an ended life may still be under way."""
Member = tuple[str, str]
"""A topic and a member of it, such as a side of a match."""


class PagePresence(NamedTuple):
    online: bool | None
    """None: not known."""
    since: float | None = None
    """When the last sign of an absent member came, in seconds since the epoch."""
    closed: bool = False
    """The page was closed, where `online` is False; otherwise its network was lost."""
    lost: float | None = None
    """When the last sign came of a page that has not said goodbye, where `online` is False; None if all have."""


UNKNOWN = PagePresence(None)


class RecentActivity(NamedTuple):
    """A sign of life: a page of a member is open, and will be for `lasts` seconds unless it says goodbye."""

    member: Member
    life: str
    lasts: float


def note_activity(sign: RecentActivity, *, now: float) -> None:
    with _noting() as pipeline:
        _note(pipeline, sign, now)


def _note(pipeline: Pipeline, sign: RecentActivity, now: float) -> None:
    key = _key(sign.member)
    pipeline.hset(key, sign.life, f"{now}:{now + sign.lasts}")
    pipeline.expire(key, KEPT)


def goodbye(
    member: Member, lives: Iterable[str], *, now: float, forget_after: float = ENDED_FOR, prefix: str = ""
) -> None:
    """Note that these lives of a member's pages have ended, for good.

    Lives whose names begin with `prefix` are forgotten `forget_after` seconds after they ended or fell silent.
    """
    key = _key(member)
    with _noting() as pipeline:
        for name in (_CLOSED, *(_ENDED + life for life in lives)):
            pipeline.hset(key, name, f"{now}:{now}")
        pipeline.expire(key, KEPT)
        pipeline.hgetall(key)
        answers = _execute_noting(pipeline)
        old = _outlived(_signs(answers[-1]) if answers else {}, now - forget_after, prefix)
        if old:
            pipeline.hdel(key, *old)


def note_start(*, now: float) -> None:
    """Note that a web process has started: for a while nobody counts as absent."""
    with _noting() as pipeline:
        pipeline.ping()
        if _execute_noting(pipeline):
            pipeline.set(_EPOCH, _epoch(now))


def presences(members: Sequence[Member], *, now: float, sign: RecentActivity | None = None) -> list[PagePresence]:
    """Return who is there; `UNKNOWN` for all while the broker is down, and for whoever has never been there.

    A sign of life given with it is noted first, in the same round trip.
    """
    return presences_after((), members, now=now, sign=sign)[1]


Command = tuple[str | int | float, ...]
"""A command for the broker, with its arguments."""


def presences_after(
    commands: Sequence[Command], members: Sequence[Member], *, now: float, sign: RecentActivity | None = None
) -> tuple[list[Any], list[PagePresence]]:
    """Send commands in the same round trip; return their answers, none without a broker, and what `presences` does."""
    try:
        pipeline = _client().pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
        if sign is not None:
            _note(pipeline, sign, now)
        pipeline.get(_EPOCH)
        for member in members:
            pipeline.hgetall(_key(member))
        answers = _execute(pipeline)
        epoch, *lives_of_members = answers[-1 - len(members) :]
        run, _, started = (epoch or b"").decode().partition(":")
        if run != _broker.run:
            pipeline.set(_EPOCH, _epoch(now))
            _execute(pipeline)
            started = str(now)
    except RedisError as error:
        log.warning("presence_unknown", error=str(error))
        return [], [UNKNOWN] * len(members)
    return answers[: len(commands)], [_presence(_signs(lives), float(started), now) for lives in lives_of_members]


Signs = dict[str, tuple[float, float]]
"""By life: when its last sign came, and how long that lasts, in seconds since the epoch."""


def _signs(lives: dict[bytes, bytes]) -> Signs:
    """Read what is stored of a member: `last:until` of each life."""
    signs = {}
    for name, value in lives.items():
        last, _, until = value.partition(b":")
        signs[name.decode()] = (float(last), float(until))
    return signs


def _presence(signs: Signs, started: float, now: float) -> PagePresence:
    closed_at = signs.get(_CLOSED, (0.0, 0.0))[0]
    ended = {_CLOSED, *(life for life in signs if life.startswith(_ENDED) or _ENDED + life in signs)}
    living = [sign for life, sign in signs.items() if life not in ended]
    if any(until >= now for _, until in living):
        return PagePresence(True)
    last = max([closed_at, *(last for last, _ in living)])
    if not last or now < started + UNKNOWN_AFTER_START:
        return UNKNOWN
    return PagePresence(False, last, closed_at == last, max((last for last, _ in living), default=None))


def _outlived(signs: Signs, before: float, prefix: str) -> set[str]:
    """The stored lives that ended or fell silent so long ago that no sign of them is still under way."""
    old = {life for life, (_, until) in signs.items() if life != _CLOSED and until < before}
    old |= {life.removeprefix(_ENDED) for life in old}
    return {life for life in old if life.removeprefix(_ENDED).startswith(prefix)}


def _epoch(now: float) -> str:
    return f"{_broker.run}:{now}"


def _key(member: Member) -> str:
    topic, name = member
    return f"{_PREFIX}{topic}:{name}"


@contextmanager
def _noting() -> Iterator[Pipeline]:
    """Commands that are sent together at the end; without a broker presence is unknown anyway."""
    pipeline = _client().pipeline(transaction=False)
    yield pipeline
    _execute_noting(pipeline)


def _execute_noting(pipeline: Pipeline) -> list[Any]:
    """Send commands now; nothing is returned without a broker."""
    try:
        return _execute(pipeline)
    except RedisError as error:
        log.warning("presence_not_noted", error=str(error))
        return []


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


class _Broker:
    """The run of the broker that this process is connected to: another one after each start of it."""

    run = ""


_broker = _Broker()


def _greet(connection: AbstractConnection) -> None:
    """Learn the run of the broker with each connection, which is made again after the broker was away."""
    # As without our callback: authenticates, selects the database, sets the name of the client.
    connection.on_connect()  # type: ignore[no-untyped-call]
    connection.send_command("INFO", "server")  # type: ignore[no-untyped-call]
    lines = connection.read_response().decode().splitlines()
    _broker.run = next(line.removeprefix("run_id:") for line in lines if line.startswith("run_id:"))


@cache
def _client() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, redis_connect_func=_greet
    )
