"""Exact numbers: fractions, roots and logarithms rounded once, and rounding as a plan asks for it."""

import re
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any

from formats.errors import Refused

DIGITS_OF_ROOTS = 9
"""√length and log2 of a field are rounded to as many decimals, half even, so that they are equal on every machine."""
MAX_AS_FRACTION = 1000
"""The largest denominator that is written as a fraction; other numbers are written with nine decimals."""
MAX_DIGITS = 9
MOST = 10**12
"""Numbers in plans are below it."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{1,30})?(?:/[1-9]\d{0,11})?|\d{1,60}/[1-9]\d{0,59})")
"""A decimal or a fraction; a fraction of whole numbers may be as long as any that is written of one that was read."""


class Rounding(StrEnum):
    HALF_UP = "half_up"
    HALF_EVEN = "half_even"
    FLOOR = "floor"
    CEIL = "ceil"


def number(value: Any, where: str) -> Fraction:
    """Read 2, 0.5, "0.333" or "1/3". Raises Refused with `series_number`, naming `where` in the plan it stands."""
    if isinstance(value, Fraction):
        return value
    text = _text(value)
    if not _NUMBER.fullmatch(text):
        raise Refused("series_number", where=where, value=short(value))
    upper, _, lower = text.partition("/")
    exact = Fraction(upper) / (Fraction(lower) if lower else 1)
    if abs(exact) >= MOST:
        raise Refused("series_number", where=where, value=short(value))
    return exact


def _text(value: Any) -> str:
    """A number as it is written; empty if it is none, or far too long."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < MOST else ""
    # Not 1e-05.
    return format(Decimal(repr(value)), "f")


def short(value: Any) -> str:
    """The beginning of a value that was refused, for the sentence that says so."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= MOST:
        return "1000000000000…"
    if isinstance(value, list | tuple | dict):
        return "[…]" if isinstance(value, list | tuple) else "{…}"
    return str(value)[:40]


def whole(value: Any, where: str, *, least: int = 0, most: int = 100_000) -> int:
    """Read a whole number, also as text. Raises Refused with `series_number` or `series_range`."""
    exact = number(value, where)
    if exact.denominator != 1:
        raise Refused("series_number", where=where, value=short(value))
    if not least <= exact <= most:
        raise Refused("series_range", where=where, value=int(exact), least=least, most=most)
    return int(exact)


def written(value: Fraction) -> str:
    """Write a number as plans and results do: 2, 19/10, or nine decimals where a fraction would be unreadable."""
    if value.denominator <= MAX_AS_FRACTION:
        return str(value)
    return format_number(value, DIGITS_OF_ROOTS)


def format_number(value: Fraction, digits: int) -> str:
    """Write a number with this many decimals, half up away from zero."""
    scaled = rounded(abs(value), Rounding.HALF_UP, digits)
    sign = "-" if value < 0 and scaled else ""
    upper, lower = divmod(int(scaled * 10**digits), 10**digits)
    return f"{sign}{upper}.{lower:0{digits}d}" if digits else f"{sign}{upper}"


def rounded(value: Fraction, rounding: Rounding, digits: int = 0) -> Fraction:
    """Round to `digits` decimals; decided on the exact value."""
    scale = 10**digits
    scaled = value * scale
    floor = scaled.numerator // scaled.denominator
    rest = scaled - floor
    if rounding is Rounding.CEIL:
        floor += rest > 0
    elif rounding is Rounding.HALF_UP:
        floor += rest >= Fraction(1, 2)
    elif rounding is Rounding.HALF_EVEN:
        floor += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1)
    return Fraction(floor, scale)


@cache
def root(length: int) -> Fraction:
    """√length, rounded to nine decimals."""
    with localcontext() as context:
        context.prec = 40
        return _nine(Decimal(length).sqrt())


@cache
def log2(players: int) -> Fraction:
    """log2(players), rounded to nine decimals; 0 for an empty field."""
    if players < 1:
        return Fraction(0)
    whole_part = players.bit_length() - 1
    if players == 1 << whole_part:
        return Fraction(whole_part)
    with localcontext() as context:
        context.prec = 40
        return _nine(Decimal(players).ln() / Decimal(2).ln())


def _nine(value: Decimal) -> Fraction:
    return Fraction(value.quantize(Decimal(1).scaleb(-DIGITS_OF_ROOTS), rounding=ROUND_HALF_EVEN))
