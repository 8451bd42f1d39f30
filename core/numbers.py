"""Numbers as people type them, with a decimal point or comma, and with or without separated thousands."""

import re
from decimal import Decimal

UNCLEAR = "unclear_amount"
"""The code of the question which of several numbers is meant."""
MAX_LENGTH = 40
_SIGNED = re.compile(r"([+\-−]?) *+(.*)")
_DECIMALS = re.compile(r"(.*)([.,٫])([0-9]+)")
_WHOLE = re.compile(r"[0-9]+|[1-9][0-9]{0,2}([.,٬'’ ])[0-9]{3}(\1[0-9]{3})*")


class UnclearNumberError(ValueError):
    """A text that may have separated thousands or decimals."""

    def __init__(self, readings: list[Decimal]) -> None:
        """`readings` are the numbers that it can be: one only if the other has more decimals than are possible."""
        super().__init__(f"unclear: {readings}")
        self.readings = readings


def read_number(text: str, places: int, bounds: tuple[float, float] | None = None) -> Decimal:
    """Return the number that a text means, with up to so many decimal places.

    One to three digits, a separator and three digits, such as 1,500, are thousands where there are no decimals, and
    decimals where there are three of them. Otherwise they are unclear, unless only one reading lies within `bounds`.
    Raises UnclearNumberError, and ValueError for what is no number or has too many decimals.

    >>> read_number("−1.060,5", 2), read_number("12,000", 0), read_number("1,650", 2, (100, 5000))
    (Decimal('-1060.5'), Decimal('12000'), Decimal('1650'))
    """
    match = _SIGNED.fullmatch(re.sub(r"\s", " ", text.strip())) if len(text) <= MAX_LENGTH else None
    minus, unsigned = (match[1] in ("-", "−"), match[2]) if match else (False, "")
    whole, decimals = _whole(unsigned), ""
    found = [] if whole is None else [whole]
    if (parts := _DECIMALS.fullmatch(unsigned)) and (before := _whole(parts[1] or "0", other_than=parts[2])):
        decimals = parts[3]
        # 1.500, which may be 1500, may also be 1.50; 0.500 has a decimal too many.
        if len(decimals if whole is None else decimals.rstrip("0")) <= places:
            found.append(f"{before}.{decimals}")
    if not found:
        raise ValueError(f"not a number: {text!r}")
    readings = [Decimal(f"-{number}" if minus else number) for number in found]
    if whole is None or not decimals or places == 0:
        return readings[0]
    if places == len(decimals):
        return readings[-1]
    within = [reading for reading in readings if bounds and bounds[0] <= reading <= bounds[1]]
    if len(within) == 1:
        return within[0]
    raise UnclearNumberError(readings)


def _whole(text: str, other_than: str = "") -> str | None:
    """Return the digits of a whole number whose thousands have another separator than this; None if it is none."""
    match = _WHOLE.fullmatch(text)
    if match is None or (match[1] and match[1] == other_than):
        return None
    return "".join(letter for letter in text if letter.isdecimal())
