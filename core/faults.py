"""A fault stays where it is: a row that fails keeps no other row of a sweep from its turn.

Of pages, `core.left_out` does the same. Celery's settings need this module, so that it has no texts.
"""

import time
from collections.abc import Callable, Collection, Iterable
from contextvars import ContextVar
from itertools import islice
from typing import NamedTuple, TypeVar

import structlog
from django.conf import settings
from django.db import DataError, Error, IntegrityError
from redis.exceptions import RedisError

from core.queue import broker

T = TypeVar("T")
R = TypeVar("R")
log = structlog.get_logger(__name__)

FAILING = "barpoint-failing"
"""A hash of the broker: kind and id of what fails in a sweep, and when it first and last did (seconds of the epoch)."""
FORGOTTEN_AFTER = 120.0
"""Seconds without a failure after which an item that is not due any more is no longer listed. One that failed may be
claimed for a minute before it is due again."""
handled: ContextVar[list[Exception] | None] = ContextVar("handled", default=None)
"""What went wrong in the item of a sweep and was caught there, so that the rest of the item is done; None outside."""
_looked: dict[str, float] = {}
"""Kind -> when this process last asked the broker what fails (seconds of the epoch): without anything due, seldom."""


class ItemsFailed(ExceptionGroup[Exception]):
    """What failed in a sweep that did everything else. Each failure was logged and listed when it occurred."""


def each(kind: str, items: Iterable[T], act: Callable[[T], R], *, at_most: int | None = None) -> list[R]:
    """Call `act` for each item of a sweep, whichever of them fail; return what it returned where it succeeded.

    An item is a row, the id of a row, or a function; one with faults that it `handled` fails, too. Items that failed
    before come last, so that they take no place among `at_most`. Failures are logged, listed until the item succeeds or
    is no longer due, and raised together at the end as ItemsFailed. What says that the database cannot be used is
    raised at once.
    """
    due = {_id(item): item for item in items}
    if not due and abs(time.time() - _looked.get(kind, 0.0)) < FORGOTTEN_AFTER:
        return []
    _looked[kind] = time.time()
    listed = {row.id: row for row in failing() if row.kind == kind}
    failed: dict[str, Exception] = {}
    inner: list[Exception] = []
    done = {row.id for row in listed.values() if row.id not in due and time.time() - row.failed_at > FORGOTTEN_AFTER}
    results = []
    for pk, item in islice(sorted(due.items(), key=lambda row: row[0] in listed), at_most):
        faults: list[Exception] = []
        token = handled.set(faults)
        try:
            results.append(act(item))
            if faults:
                failed[pk] = faults[0]
            else:
                done.add(pk)
        except ItemsFailed as failures:
            inner += failures.exceptions
            done.add(pk)
        except Exception as failure:
            if isinstance(failure, Error) and not isinstance(failure, IntegrityError | DataError):
                raise
            log.exception("sweep_item_failed", kind=kind, id=pk)
            failed[pk] = failure
        finally:
            handled.reset(token)
    _list(kind, {pk: listed[pk].since if pk in listed else time.time() for pk in failed}, done & listed.keys())
    if failed or inner:
        raise ItemsFailed(f"{kind}: items that failed", [*failed.values(), *inner])
    return results


class FailingItem(NamedTuple):
    """Something that fails in each run of a sweep."""

    kind: str
    id: str
    since: float
    """Seconds since the epoch."""
    failed_at: float
    """When it last did."""


def failing() -> list[FailingItem]:
    """Return what fails in the sweeps, longest first; nothing without the broker."""
    if not settings.REDIS_URL:
        return []
    try:
        with broker(as_text=True) as client:
            rows = client.hgetall(FAILING).items()
    except RedisError as error:
        log.warning("failing_items_unknown", error=str(error))
        return []
    items = [FailingItem(*name.split(":", 1), *map(float, times.split())) for name, times in rows]
    return sorted(items, key=lambda item: item.since)


def _list(kind: str, since: dict[str, float], done: Collection[str]) -> None:
    """List what failed, by id with its first failure, and take off the list what is done."""
    if not settings.REDIS_URL or not (since or done):
        return
    try:
        with broker() as client:
            for pk in done:
                client.hdel(FAILING, f"{kind}:{pk}")
            for pk, first in since.items():
                client.hset(FAILING, f"{kind}:{pk}", f"{first} {time.time()}")
    except RedisError as error:
        log.warning("failing_items_not_listed", kind=kind, error=str(error))


def _id(item: object) -> str:
    return str(getattr(item, "pk", getattr(item, "__name__", item)))
