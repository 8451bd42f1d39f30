"""The values of spreadsheets: every sheet of `.xlsx` and `.ods`, or CSV as text.

Only values are read: no formulas or styles, except what tells a date from a number in `.xlsx`; macros and links to
other files are refused. Nothing is taken from the sizes that an archive states: bytes, elements, rows, columns, cells
and characters are counted while they are read, before anything that holds them grows. Files are read in a limited
process (`core.limited`), so this module imports no settings.

No library does that. openpyxl reads `.xlsx` alone and has not been released since 2024; python-calamine reads both
formats, but lays the used range of a sheet out as a full rectangle before anybody can count it, so that a file of 2 KB
with two distant cells ends the process (tafia/calamine#693), and 100 million repeated cells of `.ods` are within its
limit. Whoever counts first has parsed the file already, with `zipfile` and `expat`, as is done here.
"""

import csv
import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from xml.parsers import expat

from core.encodings import decoded
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused

MAX_MEBIBYTES = 5
MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024
MAX_CELLS = 20_000
"""Of all sheets together."""
MAX_COLUMNS = 100
MAX_SHEETS = 60
MAX_UNPACKED = 32 * 1024 * 1024
"""Bytes of all parts of an archive that are read."""
MAX_PARTS = 2000
"""Of an archive."""
MAX_ELEMENTS = 1_000_000
"""XML elements of all parts that are read; most of a long sheet are cells that have a style and no value."""
MAX_STYLES = 65_536
"""Excel itself has up to 65,490."""
MAX_TAG_LENGTH = 256 * 1024
"""Bytes of an element with its attributes."""
MAX_DEPTH = 60
CHUNK = 64 * 1024
DELIMITERS = "\t;|,"
"""Of CSV; of those that are in as many rows the first one separates the cells."""
LOOKED_AT = 50
"""Rows of CSV that are compared to find its delimiter."""
HEAD = 64 * 1024
"""Characters in which they are."""
MAX_TEXT_LENGTH = 400_000
"""Characters of all cells."""
NEW_SHEET = "\f"
"""Begins a row of text with the name of the sheet that follows."""
HIDDEN, SHOWN = "\x0e", "\x0f"
"""Before the name of a hidden sheet, or as the row above a hidden one: it is left out, or read all the same."""
# Formats of numbers in .xlsx that are dates (ECMA-376, 18.8.30).
DATE_FORMATS = {*range(14, 18), 22, *range(27, 37), *range(50, 59)}
# Parts of an archive that hold macros, and those that refer to other files.
ACTIVE_PARTS = re.compile(r"(?:.*/)?vbaProject\.bin|Basic/.+|Scripts/.+|xl/macrosheets/.+", re.IGNORECASE)
LINKING_PARTS = re.compile(r"xl/(?:externalLinks/.+|connections\.xml)", re.IGNORECASE)
LINKING_ELEMENTS = ("table-source", "cell-range-source", "dde-source", "dde-link")
CENTRAL_HEADER = b"PK\1\2"
"""Begins the entry of each part in the directory of an archive."""
OTHER_FILES = (
    (re.compile(rb"%PDF-"), "spreadsheet_is_pdf"),
    (
        re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|II\*\0|MM\0\*|.{4}ftyp", re.DOTALL),
        "spreadsheet_is_picture",
    ),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "spreadsheet_is_old"),
    (re.compile(rb"\x1f\x8b|Rar!\x1a|7z\xbc\xaf|\xfd7zXZ"), "spreadsheet_is_packed"),
)
"""How files begin that people take for tables, and the code that says what they are; the third is Excel’s `.xls`."""
_ESCAPED = re.compile(r"\A'(?=[=+\-@])")
"""Begins a text of our own files that a spreadsheet would take for a formula."""
CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1f]")
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""All that programs write; others take much memory to unpack."""
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, expat.ExpatError, EOFError, ValueError, OverflowError),
    *(NotImplementedError, RuntimeError),
)
"""What is raised for damaged archives and XML; the last two for encrypted parts, and versions of ZIP yet to come."""
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its name, empty for CSV, and its cells as text. Row numbers are those of the file.

    In a file, HIDDEN begins the name of a hidden sheet, and the first cell of a hidden row; in text such a row is an
    empty cell.
    """

    name: str
    rows: Rows
    is_hidden: bool = False
    """Whether it is hidden in the file and read all the same."""


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """How many hidden sheets, and hidden rows of the others, are left out of a text, and the text that has them."""

    sheets: int
    rows: int
    text: str


def hidden_in(text: str) -> HiddenPart | None:
    """Return what is left out of a text, if anything is.

    >>> hidden_in("\\fNames\\nAnn\\n\\x0e\\nBen\\n\\f\\x0e2019\\nCem\\n")
    HiddenPart(sheets=1, rows=1, text='\\x0cNames\\nAnn\\n\\x0f\\nBen\\n\\x0c\\x0f2019\\nCem\\n')
    """
    first, *others = text.split(NEW_SHEET)
    seen = [first, *(part for part in others if not part.startswith(HIDDEN))]
    sheets = 1 + len(others) - len(seen)
    rows = sum(line == HIDDEN for part in seen for line in part.splitlines())
    return HiddenPart(sheets, rows, text.replace(HIDDEN, SHOWN)) if sheets or rows else None


def read_spreadsheet(content: bytes) -> list[Sheet]:
    """Return the sheets that have cells, as text; dates as 2025-11-27, numbers with a decimal point.

    Empty rows are kept, so that row numbers are those of the file.
    Refused: `spreadsheet_too_large`, `spreadsheet_too_many_cells`, `spreadsheet_too_long`, `spreadsheet_unreadable`,
    `spreadsheet_not_plain`, `encoding_unclear`, and for what is no table those of `OTHER_FILES`.
    """
    if len(content) > MAX_BYTES:
        raise _too_large()
    for beginning, code in OTHER_FILES:
        if beginning.match(content):
            raise Refused(code)
    if not content.startswith(b"PK"):
        return read_text(_decoded(content).replace(NEW_SHEET, " "))
    if content.count(CENTRAL_HEADER) > MAX_PARTS:
        raise Refused("spreadsheet_unreadable")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            archive = _Archive(file)
            if "content.xml" in archive.parts:
                return _Ods().read(archive)
            if "xl/workbook.xml" in archive.parts:
                return _read_xlsx(archive)
    except DAMAGE:
        raise Refused("spreadsheet_unreadable") from None
    raise Refused("spreadsheet_unreadable")


def read_text(text: str) -> list[Sheet]:
    """Return the sheets of text as `as_text` writes it, or of CSV. Refused: as for `read_spreadsheet`."""
    workbook = _Workbook()
    first, *others = text.removeprefix("\ufeff").replace("\0", "").split(NEW_SHEET)
    if first.strip() or not others:
        _read_csv(first, workbook, "")
    for part in others:
        name, _newline, rows = part.partition("\n")
        if not name.startswith(HIDDEN):
            _read_csv(rows, workbook, name.strip(), is_hidden=name.startswith(SHOWN))
    return workbook.with_cells()


def as_text(sheets: Sequence[Sheet]) -> str:
    """Return sheets as text that `read_text` reads back: CSV, with a row for the name of each that has one."""
    out = io.StringIO()
    for sheet in sheets:
        if sheet.name or len(sheets) > 1:
            out.write(f"{NEW_SHEET}{sheet.name}\n")
        writer = csv.writer(out, lineterminator="\n")
        for row in sheet.rows:
            first, *others = row or [""]
            if first.startswith(HIDDEN):
                out.write(f"{HIDDEN}\n")
            writer.writerow([first.removeprefix(HIDDEN), *others])
    return out.getvalue()


def spreadsheet_text(content: bytes) -> str:
    """Return a spreadsheet as text, for a form that shows it before it is used; what is text stays as it was written.

    Refused: as for `read_spreadsheet`, and `spreadsheet_too_long`.
    """
    sheets = read_spreadsheet(content)
    text = as_text(sheets) if content.startswith(b"PK") else _decoded(content).replace(NEW_SHEET, " ")
    if len(text) > MAX_TEXT_LENGTH:
        raise Refused("spreadsheet_too_long", most=MAX_TEXT_LENGTH)
    return text


def _read_csv(text: str, workbook: "_Workbook", name: str, *, is_hidden: bool = False) -> None:
    """Read CSV with commas, semicolons, tabs or bars; a first row such as “sep=;” names the delimiter."""
    first, _newline, below = text.partition("\n")
    if stated := re.fullmatch(r'"?sep=([,;\t|])"?', first.strip(" \r")):
        delimiter, text = stated[1], f"\n{below}"
    else:
        delimiter = _delimiter(text)
    workbook.begin(name.removeprefix(SHOWN), is_hidden=is_hidden)
    mark = ""
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row in ([HIDDEN], [SHOWN]):
                mark = row[0]
                continue
            cells = [""] if mark == HIDDEN else [_ESCAPED.sub("", cell_text(cell)) for cell in row]
            workbook.add_row(cells, is_kept=mark == HIDDEN)
            mark = ""
    except csv.Error:
        raise Refused("spreadsheet_unreadable") from None


def cell_text(cell: str) -> str:
    """Return the lines of a cell that have something in them, with single spaces."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in cell.splitlines())))


def _delimiter(text: str) -> str:
    """Return the delimiter that most of the first rows contain outside quotation marks."""
    rows = [re.sub(r'"[^"]*"', "", line) for line in text[:HEAD].splitlines() if line.strip()][:LOOKED_AT]
    counts = Counter(delimiter for row in rows for delimiter in set(row))
    return max(DELIMITERS, key=lambda delimiter: counts[delimiter])


def _decoded(content: bytes) -> str:
    """Return the text of a file. Refused: as `decoded`."""
    is_wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    if _is_binary(content[:HEAD].decode("utf-16" if is_wide else "latin-1", errors="replace")):
        raise Refused("spreadsheet_unreadable")
    return decoded(content)


def _is_binary(text: str) -> bool:
    """Whether text has more control characters than slip into lists; zeros do not count, which are half of UTF-16."""
    head = text.replace("\0", "")
    return bool(text) and (not head or len(CONTROLS.findall(head)) > 1 + len(head) // 100)


class _Workbook:
    """Sheets whose rows are added one by one and counted."""

    def __init__(self) -> None:
        self.sheets: list[Sheet] = []
        self.cells = self.characters = 0

    def begin(self, name: str, *, is_hidden: bool = False) -> None:
        if len(self.sheets) == MAX_SHEETS:
            raise _too_many_cells()
        self.sheets.append(Sheet(" ".join(name.split())[:MAX_NAME_LENGTH], [], is_hidden))

    def add_row(self, row: list[str], times: int = 1, *, is_kept: bool = False) -> None:
        """Add a row, with nothing after its last value. Rows of a sheet after its last value are not stored."""
        while row and not row[-1] and not is_kept:
            row.pop()
        self.cells += max(1, len(row)) * times
        if self.cells > MAX_CELLS or len(row) > MAX_COLUMNS:
            raise _too_many_cells()
        self.characters += sum(map(len, row)) * times
        if self.characters > MAX_TEXT_LENGTH:
            raise Refused("spreadsheet_too_long", most=MAX_TEXT_LENGTH)
        self.sheets[-1].rows.extend(list(row) for _ in range(times))

    def with_cells(self) -> list[Sheet]:
        return [sheet for sheet in self.sheets if any(sheet.rows)]


def _too_many_cells() -> Refused:
    return Refused("spreadsheet_too_many_cells", most=MAX_CELLS, columns=MAX_COLUMNS)


def _too_large() -> Refused:
    return Refused("spreadsheet_too_large", mebibytes=MAX_MEBIBYTES)


def _skip(*_parsed: Any) -> None:
    """Leave out what a part has besides that which is wanted of it."""


class _Archive:
    """The parts of an archive without macros and links to other files; what they unpack to is counted."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self.file = file
        self.parts = {part.filename: part for part in file.infolist()}
        self.left = MAX_UNPACKED
        self.elements = 0
        if any(ACTIVE_PARTS.fullmatch(name) or LINKING_PARTS.fullmatch(name) for name in self.parts):
            raise Refused("spreadsheet_not_plain")

    def parse(
        self,
        name: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] = _skip,
        text: Callable[[str], None] = _skip,
    ) -> None:
        """Parse a part while it is unpacked: XML without document types, and so without entities."""
        parser = self._parser(start, end, text)
        unpacked = 0
        for chunk in self._chunks(name):
            parser.Parse(chunk, False)
            unpacked += len(chunk)
            if unpacked - parser.CurrentByteIndex > MAX_TAG_LENGTH:
                raise _too_large()
        parser.Parse(b"", True)

    def _chunks(self, name: str) -> Iterator[bytes]:
        if self.parts[name].compress_type not in COMPRESSIONS:
            raise Refused("spreadsheet_unreadable")
        with self.file.open(self.parts[name]) as part:
            while chunk := part.read(CHUNK):
                self.left -= len(chunk)
                if self.left < 0:
                    raise _too_large()
                yield chunk

    def _parser(
        self,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> expat.XMLParserType:
        depth = 0

        def opened(name: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            self.elements += 1
            if depth > MAX_DEPTH:
                raise Refused("spreadsheet_unreadable")
            if self.elements > MAX_ELEMENTS:
                raise _too_many_cells()
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
        return parser


def number_text(value: str) -> str:
    """Return a number as text. Three decimals get a zero, since “1.234” would also be read as 1,234.

    >>> number_text("12.50"), number_text("3.0"), number_text("1.234")
    ('12.5', '3', '1.2340')
    """
    number = f"{float(value):.9f}".rstrip("0").rstrip(".")
    return number + "0" if len(number.partition(".")[2]) == 3 else number


# OpenDocument.


class _Ods:
    def __init__(self) -> None:
        self.workbook = _Workbook()
        self.depth = self.skipped = self.repeat_row = self.repeat_cell = self.empty_rows = 0
        self.is_row_hidden = False
        self.style = ""
        self.hidden_styles: set[str] = set()
        """Of sheets."""
        self.groups: list[bool] = []
        """Whether each group of rows around this one is collapsed."""
        self.row: list[str] = []
        self.pending = 0
        self.value: str | None = None
        self.text: list[str] = []

    def read(self, archive: _Archive) -> list[Sheet]:
        archive.parse("content.xml", self._start, self._end, self._text)
        return self.workbook.with_cells()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in LINKING_ELEMENTS:
            raise Refused("spreadsheet_not_plain")
        if name == "table":
            self.depth += 1
            if self.depth == 1:
                self.empty_rows = 0
                mark = HIDDEN if attributes.get("table:style-name") in self.hidden_styles else ""
                self.workbook.begin(mark + attributes.get("table:name", ""))
        elif name == "table-row":
            self.row, self.pending = [], 0
            self.is_row_hidden = any(self.groups) or attributes.get("table:visibility") in ("collapse", "filter")
            self.repeat_row = _times(attributes, "table:number-rows-repeated")
        elif name in ("table-cell", "covered-table-cell"):
            self.text, self.value = [], None
            self.repeat_cell = _times(attributes, "table:number-columns-repeated")
            kind = attributes.get("office:value-type", "")
            if kind == "date":
                self.value = attributes.get("office:date-value", "")[:10]
            elif kind in ("float", "percentage", "currency"):
                self.value = number_text(attributes.get("office:value", "0"))
        else:
            self._start_other(name, attributes)

    def _start_other(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self.style = attributes.get("style:name", "")
        elif name == "table-properties" and attributes.get("table:display") == "false":
            self.hidden_styles.add(self.style)
        elif name == "table-row-group":
            self.groups.append(attributes.get("table:display") == "false")
        elif name == "annotation":
            self.skipped += 1
        elif name in ("s", "tab", "line-break"):
            self._text(" ")
        elif name == "p" and self.text and not self.skipped:
            self.text.append("\n")

    def _text(self, text: str) -> None:
        if not self.skipped:
            self.text.append(" ".join(text.split("\n")))

    def _end(self, name: str) -> None:
        if name == "annotation":
            self.skipped -= 1
        elif name == "table":
            self.depth -= 1
        elif name == "table-row-group":
            self.groups.pop()
        elif self.depth != 1:
            return
        elif name in ("table-cell", "covered-table-cell"):
            value = self.value if self.value is not None else cell_text("".join(self.text))
            if not value:
                self.pending += self.repeat_cell
            elif self.pending + self.repeat_cell + len(self.row) > MAX_COLUMNS:
                raise _too_many_cells()
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
            self.workbook.add_row([], min(self.empty_rows, MAX_CELLS + 1))
            self.empty_rows = 0
        if self.is_row_hidden:
            self.row[0] = HIDDEN + self.row[0]
        self.workbook.add_row(self.row, min(self.repeat_row, MAX_CELLS + 1))


def _times(attributes: dict[str, str], name: str) -> int:
    """Return how often a cell or a row is repeated; more than any limit counts as just over it."""
    digits = attributes.get(name, "1")
    return 1 if not digits.isdecimal() else max(1, min(int(digits[:9]), 10**7))


# Office Open XML.


def _read_xlsx(archive: _Archive) -> list[Sheet]:
    sheets, starts_1904 = _sheets(archive)
    strings = _shared_strings(archive) if "xl/sharedStrings.xml" in archive.parts else []
    dates = _date_styles(archive) if "xl/styles.xml" in archive.parts else []
    reader = _Xlsx(strings, dates, starts_1904=starts_1904)
    for name, part in sheets:
        reader.workbook.begin(name)
        archive.parse(part, reader.start, reader.end, reader.text)
    return reader.workbook.with_cells()


def _sheets(archive: _Archive) -> tuple[list[tuple[str, str]], bool]:
    """Return name and part of each sheet in the order of the workbook, and whether its days count from 1904.

    Charts have no cells.
    """
    sheets: list[tuple[str, str]] = []
    starts_1904 = False

    def workbook(name: str, attributes: dict[str, str]) -> None:
        nonlocal starts_1904
        if name == "sheet":
            if len(sheets) == MAX_PARTS:
                raise _too_many_cells()
            id_ = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            mark = HIDDEN if attributes.get("state") in ("hidden", "veryHidden") else ""
            sheets.append((mark + attributes.get("name", ""), id_))
        elif name == "workbookPr":
            starts_1904 = attributes.get("date1904") in ("1", "true")

    archive.parse("xl/workbook.xml", workbook)
    targets = _targets(archive) if "xl/_rels/workbook.xml.rels" in archive.parts else {}
    parts = []
    for name, id_ in sheets or [("", "")]:
        target = targets.get(id_, "worksheets/sheet1.xml")
        part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        if part not in archive.parts:
            raise Refused("spreadsheet_unreadable")
        if not part.startswith("xl/chartsheets/"):
            parts.append((name, part))
    return parts, starts_1904


def _targets(archive: _Archive) -> dict[str, str]:
    """Return the part that each id of the workbook refers to."""
    targets: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            if len(targets) == MAX_PARTS:
                raise Refused("spreadsheet_unreadable")
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    archive.parse("xl/_rels/workbook.xml.rels", start)
    return targets


def _shared_strings(archive: _Archive) -> list[str]:
    strings: list[list[str]] = []
    inside = {"t": 0, "rPh": 0}

    def start(name: str, _attributes: dict[str, str]) -> None:
        if name == "si":
            if len(strings) == MAX_CELLS:
                raise _too_many_cells()
            strings.append([])
        elif name in inside:
            inside[name] += 1

    def end(name: str) -> None:
        if name in inside:
            inside[name] -= 1

    def text(characters: str) -> None:
        if strings and inside["t"] and not inside["rPh"]:
            strings[-1].append(characters)

    archive.parse("xl/sharedStrings.xml", start, end, text)
    return [cell_text("".join(parts)) for parts in strings]


def _date_styles(archive: _Archive) -> list[bool]:
    """Return for each cell style whether its numbers are dates."""
    formats: dict[str, bool] = {}
    styles: list[bool] = []
    inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        if len(formats) + len(styles) > MAX_STYLES:
            raise _too_many_cells()
        if name == "numFmt":
            code = re.sub(r'"[^"]*"|\[[^\[\]]*\]|\\.', "", attributes.get("formatCode", "")).casefold()
            formats[attributes.get("numFmtId", "")] = any(letter in code for letter in "dy")
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            number = attributes.get("numFmtId", "0")
            styles.append(formats.get(number, number.isdecimal() and int(number[:6]) in DATE_FORMATS))

    def end(name: str) -> None:
        nonlocal inside
        inside = inside and name != "cellXfs"

    archive.parse("xl/styles.xml", start, end)
    return styles


class _Xlsx:
    def __init__(self, strings: list[str], dates: list[bool], *, starts_1904: bool) -> None:
        self.strings, self.dates = strings, dates
        self.epoch = datetime(1904, 1, 1) if starts_1904 else datetime(1899, 12, 30)  # noqa: DTZ001, a day
        self.workbook = _Workbook()
        self.row: list[str] = []
        self.attributes: dict[str, str] = {}
        self.parts: list[str] = []
        self.taken = self.skipped = 0
        self.is_row_hidden = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            number = attributes.get("r", "")
            missing = (
                int(number) - 1 - len(self.workbook.sheets[-1].rows) if number.isdecimal() and len(number) < 9 else 0
            )
            if missing > MAX_CELLS:
                raise _too_many_cells()
            if missing > 0:
                self.workbook.add_row([], missing)
            self.row = []
            self.is_row_hidden = attributes.get("hidden") in ("1", "true")
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
            if self.is_row_hidden and self.row:
                self.row[0] = HIDDEN + self.row[0]
            self.workbook.add_row(self.row)
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
            return cell_text(text)
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
    column = 0
    for letter in letters[0] if letters else "":
        column = column * 26 + ord(letter) - 64
    index = max(column - 1, following)
    if index >= MAX_COLUMNS:
        raise _too_many_cells()
    return index
