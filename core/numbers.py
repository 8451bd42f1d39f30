"""Numbers in query strings, form fields and headers."""

from typing import overload

MOST_DIGITS = 9


@overload
def parse_int(text: str | None) -> int | None: ...


@overload
def parse_int(text: str | None, default: int) -> int: ...


def parse_int(text: str | None, default: int | None = None) -> int | None:
    """Return the whole number that `text` spells in at most nine digits, or the default for any other text.

    >>> parse_int("12"), parse_int("-1"), parse_int("1e3", 1)
    (12, None, 1)
    """
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else default
