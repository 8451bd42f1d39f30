"""The cache, over the Redis protocol. Its contents may always be lost, so a request never fails without it."""

import time
from collections.abc import Callable
from typing import Any, cast

import structlog
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

log = structlog.get_logger(__name__)


# A server that hangs would delay every look-up; after a timeout it is not asked again for so many seconds.
PAUSE_AFTER_TIMEOUT = 2.0


_SHARED: dict[tuple[str, ...], tuple[dict[int, Any], dict[Any, Any]]] = {}
"""The pools of connections of this process, and their clients, by the URLs of the servers."""


class ForgivingRedisClient(RedisCacheClient):
    """Behaves like an empty cache while the server cannot be reached."""

    paused_until = 0.0

    def __init__(self, servers: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(servers, *args, **kwargs)
        # Django makes a cache for each context, which here is each request; the connections outlive it.
        self._pools, self._clients = _SHARED.setdefault(tuple(servers), ({}, {}))

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """Return the client of a pool of connections, which threads may share; Django creates one for each command."""
        # Django's own names; the stubs leave out what begins with an underscore.
        pool = self._get_connection_pool(write)  # type: ignore[attr-defined]
        if pool not in self._clients:
            self._clients[pool] = self._client(connection_pool=pool)  # type: ignore[attr-defined]
        return self._clients[pool]

    def _or(self, missing: Any, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < self.paused_until:
            return missing
        try:
            return operation(*args, **kwargs)
        except RedisError as error:
            if isinstance(error, RedisTimeoutError):
                # For all threads, each of which has a client of its own.
                ForgivingRedisClient.paused_until = time.monotonic() + PAUSE_AFTER_TIMEOUT
            log.warning("cache_unreachable", error=str(error))
            return missing

    def _if_known(self, missing: Any, operation: Callable[..., Any], *args: Any) -> Any:
        """Read as missing what another release has stored, if its class is now elsewhere or gone."""
        try:
            return operation(*args)
        except (ImportError, AttributeError) as error:
            log.info("cache_of_another_release", error=str(error))
            return missing

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().add, *args, **kwargs)

    def get(self, key: Any, default: Any) -> Any:
        return self._or(default, self._if_known, default, super().get, key, default)

    def get_many(self, keys: Any) -> Any:
        return self._or({}, self._if_known, {}, super().get_many, keys)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(None, super().set, *args, **kwargs)

    def set_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._or([], super().set_many, *args, **kwargs)

    def incr(self, key: Any, delta: int) -> Any:
        return self._or(delta, super().incr, key, delta)

    def count(self, key: Any, window: int, by: int = 1) -> tuple[int, float]:
        """Count up within a window of so many seconds, which opens with the first call.

        Return the count and the seconds until the window closes; 0 and the whole window while the server is down.
        """
        count, left = self._or((0, 1000 * window), self._count, key, window, by)
        return count, left / 1000

    def _count(self, key: Any, window: int, by: int) -> tuple[int, int]:
        # One round trip. In a transaction, so that the count cannot expire between the commands.
        with self.get_client(key, write=True).pipeline() as pipeline:
            pipeline.set(key, 0, ex=window, nx=True).incr(key, by).pttl(key)
            _, count, left = pipeline.execute()
        return count, left

    def touch(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().touch, *args, **kwargs)

    def has_key(self, key: Any) -> Any:
        return self._or(False, super().has_key, key)

    def delete(self, key: Any) -> Any:
        return self._or(False, super().delete, key)

    def delete_many(self, keys: Any) -> Any:
        return self._or(None, super().delete_many, keys)


class NoCache(DummyCache):
    """The cache of a command that runs without a server."""

    def count(self, _key: str, window: int, by: int = 1) -> tuple[int, float]:
        return 0, float(window)


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, which forgets instead of failing."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = ForgivingRedisClient

    def count(self, key: str, window: int, by: int = 1) -> tuple[int, float]:
        """Count up within a window of so many seconds; return the count and the seconds until the window closes."""
        client = cast("ForgivingRedisClient", self._cache)
        return client.count(self.make_and_validate_key(key), window, by)
