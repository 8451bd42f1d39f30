"""Reads typed fields from decoded JSON, with the exact path of a wrong value."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, NoReturn, TypeVar

from engine.errors import Refused

MAX_TEXT_LENGTH = 1000
MAX_NUMBER = 10**9
MAX_DEPTH = 20

T = TypeVar("T")
Check = Callable[[Any, str], T]
"""Converts a decoded value at a path, or raises Refused (`bad_field`)."""


def bad_field(where: str, expected: str) -> NoReturn:
    """Refuse a value; `expected` is a plain description such as `a whole number`."""
    raise Refused("bad_field", where=where or "the file", expected=expected)


def whole_number(least: int = 0, most: int = MAX_NUMBER) -> Check[int]:
    def check(value: Any, where: str) -> int:
        if type(value) is not int or not least <= value <= most:
            bad_field(where, f"a whole number from {least} to {most}")
        return int(value)

    return check


def boolean(value: Any, where: str) -> bool:
    """A check for true or false."""
    if not isinstance(value, bool):
        bad_field(where, "true or false")
    return value


def text(value: Any, where: str) -> str:
    """A check for a text of reasonable length that can be written as UTF-8."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
        bad_field(where, f"a text of at most {MAX_TEXT_LENGTH} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        bad_field(where, "a text without broken characters")
    return value


def items(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    if not isinstance(value, list):
        bad_field(where, "a list")
    return ((item, f"{where}[{index}]") for index, item in enumerate(value))


def list_of(check: Check[T]) -> Check[tuple[T, ...]]:
    """A check for a list whose items all pass `check`."""
    return lambda value, where: tuple(check(item, path) for item, path in items(value, where))


def pair_of(check: Check[T]) -> Check[tuple[T, T]]:
    def checked(value: Any, where: str) -> tuple[T, T]:
        items = list_of(check)(value, where)
        if len(items) != 2:
            bad_field(where, "a list of two")
        return items[0], items[1]

    return checked


def plain_object(value: Any, where: str) -> dict[str, Any]:
    """A check for an object of any content that is not nested too deeply to be written again."""
    if not isinstance(value, dict):
        bad_field(where, "an object")
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        if not level:
            return value
        level = [inner for outer in level for inner in _contents(outer)]
    bad_field(where, f"an object with at most {MAX_DEPTH} levels")


def _contents(value: Any) -> Collection[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


class Fields:
    """The fields of one JSON object; each is taken once, and those left over are unknown."""

    def __init__(self, value: Any, where: str, unknown: list[str]) -> None:
        if not isinstance(value, dict):
            bad_field(where, "an object")
        self.values: dict[str, Any] = dict(value)
        self.where = where
        self.unknown = unknown

    def need(self, name: str, check: Check[T]) -> T:
        """Take a required field."""
        return check(self.values.pop(name, None), f"{self.where}.{name}" if self.where else name)

    def take(self, name: str, check: Check[T]) -> T | None:
        """Take a field that may be missing or null."""
        if self.values.get(name) is None:
            self.values.pop(name, None)
            return None
        return self.need(name, check)

    def done(self) -> None:
        """Add the fields that were not taken to `unknown`."""
        self.unknown += [f"{self.where}.{name}" if self.where else name for name in self.values]
