"""Parsing starting ratings and past matches from CSV; errors name their row."""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from typing import NamedTuple

from django.utils.dateparse import parse_date

from engine.errors import Refused
from matches.models.matches import LONGEST_MATCH
from matches.ratings.services.pools import LEAST_RATING, MOST_EXPERIENCE, MOST_RATING

MOST_ROWS = 5000
LONGEST_NUMBER = 8
STARTS = ("name", "rating", "experience")
MATCHES = ("date", "winner", "loser", "length")
DELIMITERS = ",;\t"


class StartRow(NamedTuple):
    """A starting rating; `row` is its row number in the file."""

    row: int
    name: str
    rating: float
    experience: int


class MatchRow(NamedTuple):
    """A past match."""

    row: int
    at: datetime
    winner: str
    loser: str
    length: int


def start_rows(text: str) -> list[StartRow]:
    """Parse starting ratings from the columns name, rating and (optional) experience.

    Refused: `import_empty`, `import_too_long`, `import_bad_row`, `import_unreadable_row`.
    """
    return [
        StartRow(
            row,
            _name(row, "name", cells),
            _number(row, "rating", cells, LEAST_RATING, MOST_RATING),
            int(_number(row, "experience", cells, 0, MOST_EXPERIENCE, empty="0")),
        )
        for row, cells in _rows(text, STARTS)
    ]


def match_rows(text: str) -> list[MatchRow]:
    """Parse past matches from the columns date (2025-11-27), winner, loser and length. Refused: as for `start_rows`.

    Matches of one day keep the order of the file.
    """
    matches = []
    for row, cells in _rows(text, MATCHES):
        at = datetime.combine(_day(row, cells), time(12), UTC) + timedelta(seconds=row)
        length = int(_number(row, "length", cells, 1, LONGEST_MATCH))
        matches.append(MatchRow(row, at, _name(row, "winner", cells), _name(row, "loser", cells), length))
    return matches


def _rows(text: str, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    lines = text.removeprefix("\ufeff").strip().splitlines()
    first = lines[0] if lines else ""
    delimiter = max(DELIMITERS, key=first.count)
    titles = [title.strip().casefold() for title in next(_cells([first], delimiter, 1), [])]
    needed = [column for column in columns if column != "experience"]
    if len(lines) < 2 or not set(needed) <= set(titles):
        raise Refused("import_empty", columns=", ".join(columns))
    if len(lines) - 1 > MOST_ROWS:
        raise Refused("import_too_long", most=MOST_ROWS, count=len(lines) - 1)
    reader = _cells(io.StringIO("\n".join(lines[1:])), delimiter, 2)
    for row, cells in enumerate(reader, start=2):
        if any(cell.strip() for cell in cells):
            yield row, {title: cell.strip() for title, cell in zip(titles, cells, strict=False)}


def _cells(lines: Iterable[str], delimiter: str, row: int) -> Iterator[list[str]]:
    """Yield the cells of each row, the first of which has the number `row`. Refused: `import_unreadable_row`."""
    reader = csv.reader(lines, delimiter=delimiter)
    for number in count(row):
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            # A cell of more than 128 KiB, as after a quotation mark that is never closed.
            raise Refused("import_unreadable_row", row=number) from None


def _name(row: int, column: str, cells: dict[str, str]) -> str:
    if not (name := cells.get(column, "")):
        raise Refused("import_bad_row", row=row, column=column, value="")
    return name


def _number(row: int, column: str, cells: dict[str, str], least: float, most: float, *, empty: str = "") -> float:
    text = (cells.get(column, "") or empty).replace(",", ".")
    digits = text.replace(".", "", 1)
    whole = column != "rating"
    if not digits.isascii() or not digits.isdecimal() or len(text) > LONGEST_NUMBER or (whole and "." in text):
        raise Refused("import_bad_row", row=row, column=column, value=text)
    if not least <= float(text) <= most:
        raise Refused("import_bad_row", row=row, column=column, value=text)
    return float(text)


def _day(row: int, cells: dict[str, str]) -> date:
    text = cells.get("date", "")
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise Refused("import_bad_row", row=row, column="date", value=text)
    return day
