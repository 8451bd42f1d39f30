"""A circuit breaker: an outside host that does not answer is left alone for a while, then tried by one worker."""

import hashlib
import time
from datetime import timedelta
from typing import cast

from django.core.cache import cache

from core.throttle import HOUR, CountingCache

FAILURES = 3
"""After so many failures within an hour, with no success between them, a host is left alone."""
SHORTEST, LONGEST = 60, 15 * 60
"""How long a host is left alone in seconds: the shortest time at first, twice as long after each further failure of an
attempt that began since."""


class LeftAlone(OSError):
    """Nothing was tried, since the host of this name did not answer before; it may be tried again after `wait`."""

    def __init__(self, name: str, wait: timedelta) -> None:
        super().__init__(f"{name} did not answer and is tried again later")
        self.name, self.wait = name, wait


def check(name: str) -> float:
    """Return when an attempt begins, for `failed`. Raises LeftAlone while a host is left alone.

    After that the first worker to ask may try it, once.
    """
    now = time.time()
    failures = cache.get(_failures(name), 0)
    if failures >= FAILURES:
        pause = _pause(failures)
        if not cache.add(_paused(name), now, pause):
            until = cache.get(_paused(name), now) + pause
            raise LeftAlone(name, timedelta(seconds=min(pause, max(1.0, until - now))))
    return now


def failed(name: str, began: float) -> None:
    """Count an attempt that began then, unless a host is left alone since: those under way fail for the same reason."""
    if cache.get(_paused(name), began) > began:
        return
    failures, _ = cast("CountingCache", cache).count(_failures(name), HOUR)
    if failures >= FAILURES:
        cache.set(_paused(name), time.time(), _pause(failures))


def succeeded(name: str) -> None:
    cache.delete_many([_failures(name), _paused(name)])


def _pause(failures: int) -> int:
    return min(LONGEST, SHORTEST << (failures - FAILURES))


def _failures(name: str) -> str:
    return f"breaker-failures:{_digest(name)}"


def _paused(name: str) -> str:
    """Return the key of when a host was last left alone, or when the attempt that tries it again began."""
    return f"breaker-paused:{_digest(name)}"


def _digest(name: str) -> str:
    # A browser names the host of its push service, as long as it likes.
    return hashlib.sha256(name.encode()).hexdigest()[:32]
