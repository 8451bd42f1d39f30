"""The cache, over the Redis protocol. Its contents may always be lost, so a request never fails without it."""

import time
from collections.abc import Callable
from typing import Any

import structlog
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

log = structlog.get_logger(__name__)


# A server that hangs would delay every look-up; after a timeout it is not asked again for so many seconds.
PAUSE_AFTER_TIMEOUT = 2.0


class ForgivingRedisClient(RedisCacheClient):
    """Behaves like an empty cache while the server cannot be reached."""

    paused_until = 0.0

    def _or(self, missing: Any, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < self.paused_until:
            return missing
        try:
            return operation(*args, **kwargs)
        except RedisError as error:
            if isinstance(error, RedisTimeoutError):
                self.paused_until = time.monotonic() + PAUSE_AFTER_TIMEOUT
            log.warning("cache_unreachable", error=str(error))
            return missing

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().add, *args, **kwargs)

    def get(self, key: Any, default: Any) -> Any:
        return self._or(default, super().get, key, default)

    def get_many(self, keys: Any) -> Any:
        return self._or({}, super().get_many, keys)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(None, super().set, *args, **kwargs)

    def set_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._or([], super().set_many, *args, **kwargs)

    def incr(self, key: Any, delta: int) -> Any:
        return self._or(delta, super().incr, key, delta)

    def touch(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().touch, *args, **kwargs)

    def has_key(self, key: Any) -> Any:
        return self._or(False, super().has_key, key)

    def delete(self, key: Any) -> Any:
        return self._or(False, super().delete, key)

    def delete_many(self, keys: Any) -> Any:
        return self._or(None, super().delete_many, keys)


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, which forgets instead of failing."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = ForgivingRedisClient
