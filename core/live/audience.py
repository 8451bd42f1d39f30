"""How many browsers are watching something: each open stream is noted in Redis, and forgotten when it falls silent."""

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from secrets import token_hex

import structlog
from django.conf import settings
from django.http import HttpRequest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from core.live.presence import Command

log = structlog.get_logger(__name__)

LASTS = 40
"""Seconds for which a stream counts after its last heartbeat."""
PATIENCE = 1.0
_PREFIX = "barpoint-audience:"
_NOTED = "barpoint.audiences"


def add_to_audience(request: HttpRequest, name: str) -> None:
    """Note, while a stream is authorised, that its reader belongs to the audience of `name`."""
    request.META.setdefault(_NOTED, set()).add(name)


def audiences_of(request: HttpRequest) -> frozenset[str]:
    """The audiences that the reader of a stream belongs to."""
    return frozenset(request.META.get(_NOTED, ()))


class Attendance:
    def __init__(self, client: AsyncRedis, names: frozenset[str]) -> None:
        self._client, self._names, self._stream = client, names, token_hex(8)

    async def confirm(self) -> None:
        """Count for some more seconds."""
        until = time.time() + LASTS
        await self._write(("zadd", name, {self._stream: until}) for name in self._names)

    async def leave(self) -> None:
        await self._write(("zrem", name, self._stream) for name in self._names)

    async def _write(self, commands: Iterable[tuple[str, str, object]]) -> None:
        if not self._names:
            return
        pipeline = self._client.pipeline(transaction=False)
        for command, name, value in commands:
            getattr(pipeline, command)(_PREFIX + name, value)
            pipeline.expire(_PREFIX + name, LASTS)
        try:
            await pipeline.execute()
        except RedisError as error:
            log.warning("audience_not_noted", error=str(error))


@asynccontextmanager
async def attending(names: frozenset[str]) -> AsyncIterator[Attendance]:
    """Count a stream among these audiences while it is open; call `confirm` with each heartbeat."""
    client = AsyncRedis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
    attendance = Attendance(client, names)
    try:
        await attendance.confirm()
        yield attendance
    finally:
        await attendance.leave()
        await client.aclose()


def size(name: str) -> int | None:
    """The number of browsers that watch; None without a broker."""
    try:
        return int(_client().zcount(_PREFIX + name, time.time(), "+inf"))
    except RedisError as error:
        log.warning("audience_unknown", error=str(error))
        return None


def size_command(name: str) -> Command:
    return "ZCOUNT", _PREFIX + name, time.time(), "+inf"


def sizes(names: Sequence[str]) -> dict[str, int]:
    """The numbers of browsers that watch each of these, read at once; empty without a broker."""
    if not names:
        return {}
    pipeline = _client().pipeline(transaction=False)
    for name in names:
        pipeline.zcount(_PREFIX + name, time.time(), "+inf")
    try:
        return dict(zip(names, pipeline.execute(), strict=True))
    except RedisError as error:
        log.warning("audience_unknown", error=str(error))
        return {}


@cache
def _client() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
