"""Whether the database takes a write and the broker answers."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

OK, DOWN, LOCKED, FULL, READ_ONLY = "ok", "down", "locked", "disk full", "read only"
PATIENCE_MS = 2000
"""How long the write may wait for a lock."""
LEAST_FREE_BYTES = 32 * 1024 * 1024
"""Less free space beside a SQLite file counts as a full disk: a small write may still fit into its log."""

_STATE_BY_SQLSTATE = {"53100": FULL, "55P03": LOCKED, "57014": LOCKED, "25006": READ_ONLY}
_STATE_BY_SQLITE_MESSAGE = {"is locked": LOCKED, "disk is full": FULL, "readonly": READ_ONLY, "disk i/o": FULL}


_checking = threading.Lock()
_last_state: tuple[float, dict[str, str]] | None = None


def state() -> dict[str, str]:
    """Return the states of database and queue, not older than HEALTH_LASTS; one thread at a time looks."""
    global _last_state
    with _checking:
        if _last_state is None or time.monotonic() - _last_state[0] >= settings.HEALTH_LASTS:
            states = {"database": database_state(), "queue": queue_state()}
            _last_state = time.monotonic(), states
        return _last_state[1]


def database_state() -> str:
    """Write a row and delete it again, and return OK or what is wrong."""
    try:
        if connection.vendor == "sqlite" and _free_bytes() < LEAST_FREE_BYTES:
            return FULL
        with _impatient():
            # Unlike an update to the same value, this reaches the disk in both databases.
            probe = Session.objects.create(session_key=f"probe-{uuid4().hex}"[:40], expire_date=timezone.now())
            probe.delete()
    except (DatabaseError, OSError) as error:
        log.error("database_not_writable", error=str(error))
        return _state_of(error)
    return OK


def queue_state() -> str:
    """Return whether the broker answers. The site works without it, but nothing happens by itself."""
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1) as broker:
            broker.ping()
    except RedisError as error:
        log.warning("queue_unreachable", error=str(error))
        return DOWN
    return OK


@contextmanager
def _impatient() -> Iterator[None]:
    """A transaction in which a lock is waited for no longer than PATIENCE_MS."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}")
            cursor.execute(f"SET LOCAL statement_timeout = {PATIENCE_MS}")
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (usual,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            with transaction.atomic():
                yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


def _free_bytes() -> int:
    return shutil.disk_usage(Path(connection.settings_dict["NAME"]).parent).free


def _state_of(error: Exception) -> str:
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    if sqlstate:
        return _STATE_BY_SQLSTATE.get(sqlstate, DOWN)
    message = str(error).casefold()
    return next((state for text, state in _STATE_BY_SQLITE_MESSAGE.items() if text in message), DOWN)
