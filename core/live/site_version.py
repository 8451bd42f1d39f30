"""The version of everything that public pages show: a token in Redis, replaced with each commit.

A page may be stored under the version that was current before it was rendered, and shown while that is current, as
long as no commit was in progress. Each writer replaces the version *before* its commit and is listed as a writer until
after it:

- a page that was stored earlier has an older version, and is not shown once a commit has begun;
- a page that is rendered while a commit is in progress is not stored, since nobody knows which side of it was read;
- a process that dies between its commit and the end of this protocol stays listed for `WRITER_LASTS` seconds, in which
  pages are rendered for each request. No stale page is shown.

Without Redis nothing is stored or shown from the store. A version that was lost with a restart is replaced by one that
was never used.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from secrets import token_hex

import structlog
from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

log = structlog.get_logger(__name__)

VERSION = "barpoint-site-version"
WRITERS = "barpoint-site-writers"
"""A sorted set: the tokens of commits in progress, by the time at which they are forgotten."""
WRITER_LASTS = 10.0
"""Seconds for which a commit may be in progress."""
PATIENCE = 0.5
"""Seconds for which a commit waits for a server that hangs."""
PAUSE_AFTER_TIMEOUT = 2.0
"""Seconds in which a server that did not answer is not asked again."""
_paused_until = 0.0
_is_unseen = ContextVar("is_unseen", default=False)


@contextmanager
def unseen_writes() -> Iterator[None]:
    """Writes in the block change nothing that public pages show, so they do not make stored pages stale."""
    token = _is_unseen.set(True)
    try:
        yield
    finally:
        _is_unseen.reset(token)


def is_unseen() -> bool:
    """Whether public pages show nothing of what is written now."""
    return _is_unseen.get()


@contextmanager
def commit_in_progress(unknown_after: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Replace the version, and list a writer during the block, which contains the commit.

    After one of the exceptions `unknown_after` nobody knows whether the commit happened, so the writer stays listed.
    """
    token = token_hex(8)
    is_listed = _execute(("set", VERSION, token), ("zadd", WRITERS, {token: time.time() + WRITER_LASTS}))
    try:
        yield
    except unknown_after:
        is_listed = False
        raise
    finally:
        if is_listed:
            _execute(("zrem", WRITERS, token))


def replace() -> None:
    """Replace the version where pages change without a commit, because time has passed."""
    _execute(("set", VERSION, token_hex(8)))


def _execute(*commands: tuple[object, ...]) -> bool:
    """Send commands together; return whether they arrived. A commit never fails or waits for long without Redis."""
    global _paused_until
    if not settings.REDIS_URL or time.monotonic() < _paused_until:
        return False
    try:
        with _client().pipeline() as pipeline:
            for name, *arguments in commands:
                getattr(pipeline, str(name))(*arguments)
            pipeline.execute()
    except RedisError as error:
        if isinstance(error, RedisTimeoutError):
            _paused_until = time.monotonic() + PAUSE_AFTER_TIMEOUT
        log.warning("site_version_not_replaced", error=str(error))
        return False
    return True


@cache
def _client() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        # A connection that the server has closed meanwhile is opened again, once and at once.
        retry=Retry(NoBackoff(), 1),
    )
