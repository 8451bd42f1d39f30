"""The cache, on the Redis protocol: what it holds may always be lost, so a request never fails because it is away."""

from collections.abc import Callable
from typing import Any

import structlog
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)


class ForgivingRedisClient(RedisCacheClient):
    """Answers as an empty cache would while the server cannot be reached."""

    def _or(self, missing: Any, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return operation(*args, **kwargs)
        except RedisError as error:
            log.warning("cache_unreachable", error=str(error))
            return missing

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().add, *args, **kwargs)

    def get(self, key: str, default: Any) -> Any:
        return self._or(default, super().get, key, default)

    def get_many(self, keys: Any) -> Any:
        return self._or({}, super().get_many, keys)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(None, super().set, *args, **kwargs)

    def set_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._or([], super().set_many, *args, **kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> Any:
        return self._or(False, super().touch, *args, **kwargs)

    def has_key(self, key: str) -> Any:
        return self._or(False, super().has_key, key)

    def delete(self, key: str) -> Any:
        return self._or(False, super().delete, key)

    def delete_many(self, keys: Any) -> Any:
        return self._or(None, super().delete_many, keys)


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, which forgets instead of failing."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = ForgivingRedisClient
