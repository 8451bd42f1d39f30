"""A page is shown without a division that cannot be derived, because of a fault of the program or of what is stored.

What sums up over all divisions, or decides, is refused then.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from uuid import uuid4

import structlog
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import DatabaseError
from django.http import Http404

from core.faults import handled
from core.messages import sentence
from engine.errors import Refused

Answer = TypeVar("Answer")
log = structlog.get_logger(__name__)


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
        if (faults := handled.get()) is not None:
            faults.append(error)
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
