"""The current version of the site, as the event loop reads it."""

import asyncio
import time
from dataclasses import dataclass
from secrets import token_hex

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from core.live.site_version import VERSION, WRITERS

log = structlog.get_logger(__name__)

POLL = 0.005
"""Seconds between two looks at a commit in progress."""
MOST_POLLS = 10
PAUSE = 1.0
"""Seconds in which a server that failed is not asked again."""


@dataclass(frozen=True)
class Version:
    """A version, and whether a commit is in progress that may or may not be seen."""

    token: str
    is_settled: bool


class SiteVersion:
    """Looks up the version for all requests that arrive while another look-up is under way."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._running: asyncio.Task[Version | None] | None = None
        self._waiting: asyncio.Task[Version | None] | None = None
        self._paused_until = 0.0

    async def settled(self) -> str | None:
        """Return the version, once no commit is in progress; None without Redis, or after a short wait."""
        for _ in range(MOST_POLLS):
            version = await self._current()
            if version is None or version.is_settled:
                return version.token if version is not None else None
            await asyncio.sleep(POLL)
        return None

    async def _current(self) -> Version | None:
        """Return the version as of now: a look-up that has begun already might miss a commit since then."""
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._look_up_after(self._running))
        return await asyncio.shield(self._waiting)

    async def _look_up_after(self, running: "asyncio.Task[Version | None] | None") -> Version | None:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._waiting = self._waiting, None
        if time.monotonic() < self._paused_until:
            return None
        try:
            return await self._look_up()
        except (RedisError, OSError) as error:
            self._paused_until = time.monotonic() + PAUSE
            log.warning("site_version_unknown", error=str(error))
            return None

    async def _look_up(self) -> Version | None:
        async with self._client.pipeline(transaction=True) as pipeline:
            pipeline.get(VERSION)
            pipeline.zcount(WRITERS, time.time(), "+inf")
            token, writers = await pipeline.execute()
        if token is None:
            # Lost with a restart, or never written.
            await self._client.set(VERSION, token_hex(8), nx=True)
            return None
        return Version(token.decode(), is_settled=writers == 0)
