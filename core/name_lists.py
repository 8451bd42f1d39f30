"""Names of players in a CSV file with any delimiter and common encodings and headers."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain

from core.names import fold
from engine.errors import Refused

WHOLE = ("name", "player", "full name", "player name", "display name")
FIRST = ("first name", "firstname", "given name", "forename")
LAST = ("last name", "lastname", "surname", "family name")
DELIMITERS = ",;\t|"
LONGEST_HEADER = 1000
"""Characters of a first line that may name columns."""
MOST_BYTES = 1024 * 1024
"""256 bytes for each name of the longest list."""


def names_in_csv(data: bytes) -> list[str]:
    """Return the names, in the order of the file.

    They are in the column that the header line names, or in its columns of first and last names; without a header
    line, in the first column. Refused: `csv_too_large`, `csv_not_text`, `csv_without_names`.

    >>> names_in_csv(b"Last name;First name\\nRistic;Elif\\n")
    ['Elif Ristic']
    """
    if len(data) > MOST_BYTES:
        raise Refused("csv_too_large", mebibytes=MOST_BYTES // 1024**2)
    try:
        names = list(_names(_text(data)))
    except csv.Error:
        # A cell of more than 128 KiB, as after a quotation mark that is never closed.
        raise Refused("csv_not_text") from None
    if not names:
        raise Refused("csv_without_names")
    return names


def names_in_lines(lines: Sequence[str]) -> list[str]:
    """Return the names of a list: the lines, or what is below `name` if the first one names the columns of a table.

    Refused: as `names_in_csv`.

    >>> names_in_lines(["name,rating", "Elif Ristic,1650"])
    ['Elif Ristic']
    """
    first = lines[0][:LONGEST_HEADER] if lines else ""
    header = next(csv.reader([first], delimiter=_delimiter(first)), [])
    is_table = len(header) > 1 and _columns(header)
    return names_in_csv("\n".join(lines).encode()) if is_table else list(lines)


def _names(text: str) -> Iterator[str]:
    lines = csv.reader(io.StringIO(text, newline=None), delimiter=_delimiter(text))
    rows = (row for row in lines if any(cell.strip() for cell in row))
    if (first := next(rows, None)) is None:
        return
    columns = _columns(first)
    for row in rows if columns else chain([first], rows):
        if name := " ".join(_cell(row, at) for at in columns or (0,)).strip():
            yield name


def _text(data: bytes) -> str:
    for encoding in ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise Refused("csv_not_text")


def _delimiter(text: str) -> str:
    """Return the delimiter that is most frequent in the first line."""
    first = text.lstrip().splitlines()[0] if text.strip() else ""
    return max(DELIMITERS, key=first.count)


def _columns(header: Sequence[str]) -> tuple[int, ...]:
    titles = [fold(cell) for cell in header]
    for at, title in enumerate(titles):
        if title in WHOLE:
            return (at,)
    first = next((at for at, title in enumerate(titles) if title in FIRST), None)
    last = next((at for at, title in enumerate(titles) if title in LAST), None)
    return tuple(at for at in (first, last) if at is not None)


def _cell(row: Sequence[str], at: int) -> str:
    return row[at].strip() if at < len(row) else ""
