"""Names of players in a CSV file with any delimiter and common encodings and headers."""

import csv
import io
from collections.abc import Sequence

from core.names import fold
from engine.errors import Refused

WHOLE = ("name", "player", "full name", "player name", "display name")
FIRST = ("first name", "firstname", "given name", "forename")
LAST = ("last name", "lastname", "surname", "family name")
DELIMITERS = ",;\t|"


def names_in_csv(data: bytes) -> list[str]:
    """Return the names, in the order of the file.

    They are in the column that the header line names, or in its columns of first and last names; without a header
    line, in the first column. Refused: `csv_not_text`, `csv_without_names`.

    >>> names_in_csv(b"Last name;First name\\nRistic;Elif\\n")
    ['Elif Ristic']
    """
    text = _text(data)
    rows = [
        row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if any(cell.strip() for cell in row)
    ]
    if not rows:
        raise Refused("csv_without_names")
    columns = _columns(rows[0])
    body = rows[1:] if columns else rows
    names = [" ".join(_cell(row, at) for at in columns or (0,)).strip() for row in body]
    kept = [name for name in names if name]
    if not kept:
        raise Refused("csv_without_names")
    return kept


def _text(data: bytes) -> str:
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("csv_not_text")
    for encoding in ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
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
