"""The values of the first sheet of a spreadsheet: `.xlsx`, `.ods`, or CSV as text.

Only values are read: no formulas, macros, links or styles, except what tells a date from a number in `.xlsx`.
Nothing is taken from the sizes that an archive states: bytes, rows, columns and cells are counted while they are read.
"""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any
from xml.parsers import expat

from engine.errors import Refused

MOST_MEBIBYTES = 5
MOST_BYTES = MOST_MEBIBYTES * 1024 * 1024
MOST_CELLS = 20_000
MOST_COLUMNS = 100
MOST_UNPACKED = 32 * 1024 * 1024
"""Bytes of one part of an archive."""
MOST_DEPTH = 60
DELIMITERS = ",;\t"
# Formats of numbers in .xlsx that are dates (ECMA-376, 18.8.30).
DATE_FORMATS = {*range(14, 18), 22, *range(27, 37), *range(50, 59)}
Rows = list[list[str]]


def read_spreadsheet(content: bytes) -> Rows:
    """Return the cells of the first sheet as text; dates as 2025-11-27, numbers with a decimal point.

    Empty rows are kept, so that row numbers are those of the file. Refused: `spreadsheet_too_large`,
    `spreadsheet_too_many_cells`, `spreadsheet_unreadable`.
    """
    if len(content) > MOST_BYTES:
        raise Refused("spreadsheet_too_large", mebibytes=MOST_MEBIBYTES)
    if not content.startswith(b"PK"):
        return read_csv(_decoded(content))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            if "content.xml" in names:
                return _Ods().read(archive)
            if "xl/workbook.xml" in names:
                return _read_xlsx(archive, names)
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, NotImplementedError, RuntimeError, ValueError):
        # RuntimeError: encrypted; NotImplementedError: an unknown compression.
        raise Refused("spreadsheet_unreadable") from None
    raise Refused("spreadsheet_unreadable")


def read_csv(text: str) -> Rows:
    """Return the cells of CSV with commas, semicolons or tabs. Refused: as for `read_spreadsheet`."""
    text = text.removeprefix("\ufeff").replace("\0", "")
    first = next((line for line in text.splitlines() if line.strip()), "")
    sheet = _Sheet()
    try:
        for row in csv.reader(io.StringIO(text), delimiter=max(DELIMITERS, key=first.count)):
            sheet.add_row([cell.strip() for cell in row])
    except csv.Error:
        raise Refused("spreadsheet_unreadable") from None
    return sheet.rows


def as_csv(rows: Rows) -> str:
    """Return rows as CSV that `read_csv` reads back."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([row or [""] for row in rows])
    return out.getvalue()


def _decoded(content: bytes) -> str:
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise Refused("spreadsheet_unreadable")


class _Sheet:
    """Rows that are added one by one and counted."""

    def __init__(self) -> None:
        self.rows: Rows = []
        self.cells = 0

    def add_row(self, row: list[str], times: int = 1) -> None:
        """Add a row, with nothing after its last value. Rows of a sheet after its last value are not stored."""
        while row and not row[-1]:
            row.pop()
        self.cells += max(1, len(row)) * times
        if self.cells > MOST_CELLS or len(row) > MOST_COLUMNS:
            raise Refused("spreadsheet_too_many_cells", most=MOST_CELLS, columns=MOST_COLUMNS)
        self.rows.extend(list(row) for _ in range(times))


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of one part of an archive, and never more than the limit."""
    with archive.open(name) as part:
        content = part.read(MOST_UNPACKED + 1)
    if len(content) > MOST_UNPACKED:
        raise Refused("spreadsheet_too_large", mebibytes=MOST_MEBIBYTES)
    return content


def _parse(content: bytes, start: Callable[..., None], end: Callable[[str], None], text: Callable[[str], None]) -> None:
    """Parse XML without document types, and so without entities, to a limited depth."""
    depth = 0

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise Refused("spreadsheet_unreadable")
        start(name.rpartition(":")[2], attributes)

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2])

    def refuse(*_declared: Any) -> None:
        raise Refused("spreadsheet_unreadable")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = text
    parser.Parse(content, True)


def number_text(value: str) -> str:
    """Return a number as text. Three decimals get a zero, since “1.234” would also be read as 1,234.

    >>> number_text("12.50"), number_text("3.0"), number_text("1.234")
    ('12.5', '3', '1.2340')
    """
    number = f"{float(value):.9f}".rstrip("0").rstrip(".")
    return number + "0" if len(number.partition(".")[2]) == 3 else number


# OpenDocument.


class _Ods:
    """The first table of an OpenDocument spreadsheet."""

    def __init__(self) -> None:
        self.sheet = _Sheet()
        self.tables = self.skipped = self.repeat_row = self.repeat_cell = self.empty_rows = 0
        self.row: list[str] = []
        self.pending = 0
        self.value: str | None = None
        self.text: list[str] = []

    def read(self, archive: zipfile.ZipFile) -> Rows:
        _parse(_part(archive, "content.xml"), self._start, self._end, self._text)
        return self.sheet.rows

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self.tables += 1
        elif name == "table-row":
            self.row, self.pending = [], 0
            self.repeat_row = _times(attributes, "table:number-rows-repeated")
        elif name in ("table-cell", "covered-table-cell"):
            self.text, self.value = [], None
            self.repeat_cell = _times(attributes, "table:number-columns-repeated")
            kind = attributes.get("office:value-type", "")
            if kind == "date":
                self.value = attributes.get("office:date-value", "")[:10]
            elif kind in ("float", "percentage", "currency"):
                self.value = number_text(attributes.get("office:value", "0"))
        elif name == "annotation":
            self.skipped += 1
        elif name == "p" and self.text:
            self.text.append(" ")

    def _text(self, text: str) -> None:
        if not self.skipped:
            self.text.append(text)

    def _end(self, name: str) -> None:
        if name == "annotation":
            self.skipped -= 1
        elif self.tables != 1:
            return
        elif name in ("table-cell", "covered-table-cell"):
            value = self.value if self.value is not None else " ".join("".join(self.text).split())
            if not value:
                self.pending += self.repeat_cell
            elif self.pending + self.repeat_cell + len(self.row) > MOST_COLUMNS:
                raise Refused("spreadsheet_too_many_cells", most=MOST_CELLS, columns=MOST_COLUMNS)
            else:
                self.row += [""] * self.pending + [value] * self.repeat_cell
                self.pending = 0
        elif name == "table-row":
            self._end_row()

    def _end_row(self) -> None:
        if not self.row:
            self.empty_rows += self.repeat_row
            return
        if self.empty_rows:
            self.sheet.add_row([], min(self.empty_rows, MOST_CELLS + 1))
            self.empty_rows = 0
        self.sheet.add_row(self.row, min(self.repeat_row, MOST_CELLS + 1))


def _times(attributes: dict[str, str], name: str) -> int:
    """Return how often a cell or a row is repeated; more than any limit counts as just over it."""
    digits = attributes.get(name, "1")
    return 1 if not digits.isdecimal() else max(1, min(int(digits[:9]), 10**7))


# Office Open XML.


def _read_xlsx(archive: zipfile.ZipFile, names: set[str]) -> Rows:
    sheet = _first_sheet(archive, names)
    strings = _shared_strings(archive) if "xl/sharedStrings.xml" in names else []
    dates = _date_styles(archive) if "xl/styles.xml" in names else []
    workbook = _part(archive, "xl/workbook.xml")
    reader = _Xlsx(strings, dates, starts_1904=b'date1904="1"' in workbook)
    _parse(_part(archive, sheet), reader.start, reader.end, reader.text)
    return reader.sheet.rows


def _first_sheet(archive: zipfile.ZipFile, names: set[str]) -> str:
    """Return the path of the first sheet in the order of the workbook."""
    ids: list[str] = []
    targets: dict[str, str] = {}

    def sheets(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            ids.append(next((value for key, value in attributes.items() if key.endswith(":id")), ""))

    def relations(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parse(_part(archive, "xl/workbook.xml"), sheets, lambda _name: None, lambda _text: None)
    if "xl/_rels/workbook.xml.rels" in names:
        content = _part(archive, "xl/_rels/workbook.xml.rels")
        _parse(content, relations, lambda _name: None, lambda _text: None)
    target = targets.get(ids[0] if ids else "", "worksheets/sheet1.xml")
    path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    if path not in names:
        raise Refused("spreadsheet_unreadable")
    return path


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    strings: list[list[str]] = []
    inside = {"t": 0, "rPh": 0}

    def start(name: str, _attributes: dict[str, str]) -> None:
        if name == "si":
            strings.append([])
        elif name in inside:
            inside[name] += 1

    def end(name: str) -> None:
        if name in inside:
            inside[name] -= 1

    def text(characters: str) -> None:
        if strings and inside["t"] and not inside["rPh"]:
            strings[-1].append(characters)

    _parse(_part(archive, "xl/sharedStrings.xml"), start, end, text)
    return [" ".join("".join(parts).split()) for parts in strings]


def _date_styles(archive: zipfile.ZipFile) -> list[bool]:
    """Return for each cell style whether its numbers are dates."""
    formats: dict[str, bool] = {}
    styles: list[bool] = []
    inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        if name == "numFmt":
            code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", attributes.get("formatCode", "")).casefold()
            formats[attributes.get("numFmtId", "")] = any(letter in code for letter in "dy")
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            number = attributes.get("numFmtId", "0")
            styles.append(formats.get(number, number.isdecimal() and int(number[:6]) in DATE_FORMATS))

    def end(name: str) -> None:
        nonlocal inside
        inside = inside and name != "cellXfs"

    _parse(_part(archive, "xl/styles.xml"), start, end, lambda _text: None)
    return styles


class _Xlsx:
    """The cells of a sheet."""

    def __init__(self, strings: list[str], dates: list[bool], *, starts_1904: bool) -> None:
        self.strings, self.dates = strings, dates
        self.epoch = datetime(1904, 1, 1) if starts_1904 else datetime(1899, 12, 30)  # noqa: DTZ001, a day
        self.sheet = _Sheet()
        self.row: list[str] = []
        self.attributes: dict[str, str] = {}
        self.parts: list[str] = []
        self.taken = self.skipped = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            number = attributes.get("r", "")
            missing = int(number) - 1 - len(self.sheet.rows) if number.isdecimal() and len(number) < 9 else 0
            if missing > MOST_CELLS:
                raise Refused("spreadsheet_too_many_cells", most=MOST_CELLS, columns=MOST_COLUMNS)
            if missing > 0:
                self.sheet.add_row([], missing)
            self.row = []
        elif name == "c":
            self.attributes, self.parts = attributes, []
        elif name in ("v", "t"):
            self.taken += 1
        elif name == "rPh":
            self.skipped += 1

    def text(self, text: str) -> None:
        if self.taken and not self.skipped:
            self.parts.append(text)

    def end(self, name: str) -> None:
        if name == "row":
            self.sheet.add_row(self.row)
        elif name == "c":
            if value := self._value("".join(self.parts)):
                column = _column(self.attributes.get("r", ""), len(self.row))
                self.row += [""] * (column - len(self.row)) + [value]
        elif name in ("v", "t"):
            self.taken -= 1
        elif name == "rPh":
            self.skipped -= 1

    def _value(self, text: str) -> str:
        kind = self.attributes.get("t", "n")
        if kind == "s":
            number = int(text or 0)
            if not 0 <= number < len(self.strings):
                raise Refused("spreadsheet_unreadable")
            return self.strings[number]
        if kind == "d":
            return text[:10]
        if kind != "n" or not text:
            return " ".join(text.split())
        style = self.attributes.get("s", "")
        if style.isdecimal() and int(style[:6]) < len(self.dates) and self.dates[int(style[:6])]:
            days = float(text)
            if not 1 <= days < 2_900_000:
                raise Refused("spreadsheet_unreadable")
            return (self.epoch + timedelta(days=int(days))).date().isoformat()
        return number_text(text)


def _column(reference: str, following: int) -> int:
    """Return the index of the column of a cell such as C7; without one it is the next."""
    letters = re.match(r"[A-Z]{1,3}", reference)
    if letters is None:
        return following
    column = 0
    for letter in letters[0]:
        column = column * 26 + ord(letter) - 64
    if column > MOST_COLUMNS:
        raise Refused("spreadsheet_too_many_cells", most=MOST_CELLS, columns=MOST_COLUMNS)
    return max(column - 1, following)


def titles_of(rows: Iterable[list[str]]) -> tuple[int, list[str]]:
    """Return the index and the cells of the first row with at least two values; (0, []) without one."""
    return next(((index, row) for index, row in enumerate(rows) if sum(map(bool, row)) > 1), (0, []))
