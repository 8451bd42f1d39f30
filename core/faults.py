"""A fault stays where it is.

A row that fails keeps no other row of a sweep from its turn, and a division that cannot be derived keeps no other from
being shown.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import structlog
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import DatabaseError, DataError, Error, IntegrityError
from django.http import Http404
from redis.exceptions import RedisError

from core.messages import sentence
from core.queue import broker
from engine.errors import Refused

T = TypeVar("T")
R = TypeVar("R")
Answer = TypeVar("Answer")
log = structlog.get_logger(__name__)

# Sweeps.


FAILING = "barpoint-failing"
"""A hash of the broker: kind and id of what fails in a sweep, and when it first and last did (seconds of the epoch)."""
FORGOTTEN_AFTER = 120.0
"""Seconds without a failure after which an item that is not due any more is no longer listed. One that failed may be
claimed for a minute before it is due again."""
_looked: dict[str, float] = {}
"""Kind -> when this process last asked the broker what fails (seconds of the epoch): without anything due, seldom."""


class ItemsFailed(ExceptionGroup[Exception]):
    """What failed in a sweep that did everything else. Each failure was logged and listed when it occurred."""


def each(kind: str, items: Iterable[T], act: Callable[[T], R], *, at_most: int | None = None) -> list[R]:
    """Call `act` for each item of a sweep, whichever of them fail; return what it returned where it succeeded.

    An item is a row, the id of a row, or a function. Items that failed before come last, so that they take no place
    among `at_most`. Failures are logged, listed until the item succeeds or is no longer due, and raised together at the
    end as ItemsFailed. What says that the database cannot be used is raised at once.
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
        try:
            results.append(act(item))
            done.add(pk)
        except ItemsFailed as failures:
            inner += failures.exceptions
            done.add(pk)
        except Exception as failure:
            if isinstance(failure, Error) and not isinstance(failure, IntegrityError | DataError):
                raise
            log.exception("sweep_item_failed", kind=kind, id=pk)
            failed[pk] = failure
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


# Pages of an event of which one division cannot be derived.


class DivisionBroken(Refused):
    """Raised instead of an error in what is derived of a division; the error is in the log with `reference`."""

    def __init__(self, division: Any, reference: str) -> None:
        super().__init__("division_broken", division=division.name, reference=reference)
        self.pk, self.public_id = division.pk, division.public_id

    @property
    def sentence(self) -> str:
        """The message in the active language."""
        return sentence(self.code, self.params)


@contextmanager
def within_division(part: Any) -> Iterator[None]:
    """Raise DivisionBroken for whatever goes wrong in what is derived of a division or of a stage, but for refusals.

    An error of the database passes: no other division could be read, either.
    """
    try:
        yield
    except (DatabaseError, Refused, PermissionDenied, Http404):
        raise
    except Exception as error:
        if settings.RAISE_FAULTS:
            raise
        row = getattr(part, "division", part)
        reference = structlog.contextvars.get_contextvars().get("request_id") or uuid4().hex
        log.exception("division_broken", division=row.public_id, reference=reference)
        raise DivisionBroken(row, reference) from error


_left_out: ContextVar[tuple[DivisionBroken, ...]] = ContextVar("left_out", default=())


def left_out() -> Sequence[DivisionBroken]:
    """Return the divisions that are left out of what is being shown, because they cannot be."""
    return _left_out.get()


@contextmanager
def complete() -> Iterator[None]:
    """Begin with nothing left out, and end so."""
    token = _left_out.set(())
    try:
        yield
    finally:
        _left_out.reset(token)


def shown(render: Callable[[], Answer]) -> Answer:
    """Return what is rendered after a write, without the divisions that cannot be shown."""
    try:
        return render()
    except DivisionBroken as broken:
        return show_the_rest(broken, render)


def show_the_rest(broken: DivisionBroken, render: Callable[[], Answer] | None) -> Answer:
    """Return what is rendered without the divisions that cannot be shown, which are left out until `complete` ends.

    Raises DivisionBroken if nothing can be rendered again, or if it is about such a division or sums up over all.
    """
    while broken.pk not in {row.pk for row in left_out()}:
        _left_out.set((*left_out(), broken))
        try:
            if render is not None:
                return render()
        except DivisionBroken as other:
            broken = other
        except (Http404, ObjectDoesNotExist):
            break
    raise broken


def refuse_gaps() -> None:
    """Raise DivisionBroken if a division is left out of what is decided or summed up over all of them."""
    for broken in left_out():
        raise broken
