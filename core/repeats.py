"""What protects a write that is sent twice. Each write declares it, and its description in the API says so."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema

Declaring = TypeVar("Declaring", bound=Callable[..., Any])


class Repeat(StrEnum):
    """What happens to a request that is sent again; with an `Idempotency-Key` it never does anything twice."""

    KEY = "key"
    """It would count again: a program sends a key, and the form of a page has one."""
    STATE = "state"
    """It is refused or changes nothing, since what it was based on has changed."""
    HARMLESS = "harmless"
    """It may be done again, and nobody is the worse for it."""
    OWN_KEY = "own key"
    """As `KEY`, and the key is stored with the fact itself for as long as that exists."""


WRITES = ("POST", "PUT", "PATCH", "DELETE")
UPDATES = ("PUT", "DELETE")
"""Methods after which a second request finds what the first one left."""


def repeated(protection: Repeat) -> Callable[[Declaring], Declaring]:
    """Declare what protects what a view or a service does."""

    def declare(function: Declaring) -> Declaring:
        function.repeat = protection  # type: ignore[attr-defined]
        return function

    return declare


def protection_of(view: Any, method: str) -> Repeat | None:
    """Return what a view, or its class, declares for a method; None if it declares nothing."""
    of_class = view if isinstance(view, type) else getattr(view, "cls", getattr(view, "view_class", None))
    handler = view if of_class is None else getattr(of_class, method.lower(), None)
    declarations = (getattr(part, "repeat", None) for part in (handler, of_class, view))
    declared: Repeat | None = next(filter(None, declarations), None)
    return declared or (Repeat.STATE if of_class is not None and method in UPDATES else None)


class OperationSchema(AutoSchema):
    def get_extensions(self) -> dict[str, Any]:
        protection = protection_of(type(self.view), self.method) if self.method in WRITES else None
        codes = getattr(self.view, "codes", ())
        return ({"x-repeat": protection} if protection else {}) | ({"x-codes": list(codes)} if codes else {})
