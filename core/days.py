"""Days as people type them into lists and spreadsheets."""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from core.names import fold

# English, German, French, Italian, Spanish, Danish, Dutch, Turkish.
_MONTHS = (
    "january januar janvier gennaio enero januari ocak",
    "february februar fevrier febbraio febrero februari subat",
    "march marz maerz mars marzo marts maart mart",
    "april avril aprile abril nisan",
    "may mai maggio mayo maj mei mayis",
    "june juni juin giugno junio haziran",
    "july juli juillet luglio julio temmuz",
    "august aout agosto augustus agustos",
    "september septembre settembre septiembre eylul",
    "october oktober octobre ottobre octubre ekim",
    "november novembre noviembre kasim",
    "december dezember decembre dicembre diciembre aralik",
)
MAX_LENGTH = 200
"""Characters of a day with what stands beside it."""
SHORTEST = 3
"""Letters of the shortest abbreviation of a month."""
_TIME = r"(?:[T ,]+\d{1,2}[:.h]\d{2}(?::\d{2})?.*)?"
_ISO = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_TIME}")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_NUMBERS = re.compile(rf"(\d{{1,2}})\s*([./-])\s*(\d{{1,2}})\s*[./-]\s*(\d{{4}}|\d{{2}}){_TIME}")
_NUMBERS_IN_TEXT = re.compile(rf"(?<!\d){_NUMBERS.pattern}")
"""Not those in 2019-01-31, which would be the 19th."""
_DAY_MONTH = re.compile(
    rf"(\d{{1,2}})(?:\.|st|nd|rd|th|er)?[\s-]*(?:of |de )?([^\W\d]+)\.?,?[\s-]*(?:de )?'?(\d{{4}}|\d{{2}}){_TIME}"
)
_MONTH_DAY = re.compile(rf"([^\W\d]+)\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?(?:,\s*|\s+)(\d{{4}}){_TIME}")
_WEEKDAY = re.compile(r"[^\W\d]+\.?,?\s+(?=.*\d)")


class UnclearDay(ValueError):
    """A day such as 3/4/2024, which is in March or in April."""


def _by_abbreviation() -> dict[str, int]:
    months: dict[str, set[int]] = defaultdict(set)
    for number, names in enumerate(_MONTHS, 1):
        for name in names.split():
            for length in range(SHORTEST, len(name) + 1):
                months[name[:length]].add(number)
    return {name: numbers.pop() for name, numbers in months.items() if len(numbers) == 1}


MONTHS = _by_abbreviation()
"""Name of a month, or what it can be cut to without being another one -> its number."""


def read_day(text: str, order: str = "") -> date:
    """Read a day with its year; a time after it and a weekday before it are left out.

    3.4.2024 is the third of April. 3/4/2024 and 3-4-2024 depend on `order`, dmy or mdy. Raises ValueError, or
    UnclearDay if it can be two days and there is no order.

    >>> read_day("Tue 3 Dec 2024"), read_day("12/31/24")
    (datetime.date(2024, 12, 3), datetime.date(2024, 12, 31))
    """
    text = " ".join(text.split())
    if len(text) > MAX_LENGTH:
        raise ValueError(text[:MAX_LENGTH])
    while (day := _day(text, order)) is None:
        if (weekday := _WEEKDAY.match(text)) is None:
            raise ValueError(text)
        text = text[weekday.end() :]
    return day


def _day(text: str, order: str) -> date | None:
    """Return the day with which a text begins; None if it does not. Raises as `read_day`."""
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        return date(int(match[1]), int(match[2]), int(match[3]))
    if (match := _MONTH_DAY.fullmatch(text)) and (month := MONTHS.get(fold(match[1]))):
        return date(int(match[3]), month, int(match[2]))
    if (match := _DAY_MONTH.fullmatch(text)) and (month := MONTHS.get(fold(match[2]))):
        return date(_year(match[3]), month, int(match[1]))
    if match := _NUMBERS.fullmatch(text):
        first, second = int(match[1]), int(match[3])
        if match[2] != "." and not order and first != second and max(first, second) <= 12:
            raise UnclearDay(text)
        is_american = match[2] != "." and (order == "mdy" if order else second > 12)
        month, day = (first, second) if is_american else (second, first)
        return date(_year(match[4]), month, day)
    return None


def day_order(texts: Iterable[str]) -> str:
    """Return dmy or mdy if the days of a column with slashes or hyphens can only be one of them, otherwise nothing."""
    pairs = [
        (int(match[1]), int(match[3])) for text in texts if (match := _NUMBERS_IN_TEXT.search(text)) and match[2] != "."
    ]
    is_first, is_second = any(first > 12 for first, _ in pairs), any(second > 12 for _, second in pairs)
    return "" if is_first == is_second else "dmy" if is_first else "mdy"


def _year(digits: str) -> int:
    year = int(digits)
    return year if len(digits) == 4 else year + (2000 if year < 70 else 1900)
