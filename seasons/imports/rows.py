"""Rows of a club's old spreadsheet, read as placings and points; whatever could be read in two ways is a question."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from itertools import accumulate

from core.days import MONTHS, UnclearDay, day_order, read_day
from core.names import fold
from core.numbers import UnclearNumberError, read_number
from core.people_lists import MAX_TITLE_ROWS, NAMES, TOTALS, folded, is_name, joined_names, person_name, whole_names
from core.spreadsheets import Rows, Sheet
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused

COLUMNS = ("name", "event", "day", "place", "points")
# What clubs call these columns, folded: English, German, French, Italian, Spanish, Danish, Dutch, Turkish.
TITLES: dict[str, frozenset[str]] = {
    "name": NAMES,
    "event": folded(
        "event, tournament, evening, night, club night, turnier, abend, tournoi, torneo, turnering, toernooi, turnuva"
    ),
    "day": folded("date, day, finished, datum, tag, jour, data, giorno, fecha, dato, dag, tarih"),
    "place": folded(
        "place, placing, pos, position, rank, finish, rang, platz, platzierung, classement, posizione, puesto, plads,"
        "placering, plaats, sıra"
    ),
    "points": folded("points, pts, score, punkte, punkt, point, punti, puntos, pointtal, punten, puan"),
}
MAX_PLACE = 9999
MAX_POINTS = Decimal(999_999)
MAX_WITHOUT_NUMBER = 0.3
"""Share of the cells of a column of a night that may be no numbers."""
SUMS_AGREE = 0.8
"""Share of the rows whose total is the sum of their nights, from which on the cells are points."""
PLACES, POINTS = "places", "points"
_PLACE = re.compile(r"(\d{1,4})\s*(?:\.|st|nd|rd|th|º|ª|e|er)?")
_TIED = re.compile(r"(\d{1,4}) ?\.? ?[-–=/] ?\d{1,4}\.?|[=T](\d{1,4})", re.IGNORECASE)
_UNIT = re.compile(r"(?<=\d) ?(?:points?|pts|punkte|pkt|p)\.?", re.IGNORECASE)
_DAY_WITHOUT_YEAR = re.compile(r"\d{1,2}\s*[./-]\s*\d{1,2}\s*[./-]?")


class RowProblem(StrEnum):
    EMPTY = "empty"
    TOTAL = "total"
    ABSENT = "absent"
    NO_NAME = "no_name"
    LONG_NAME = "long_name"
    BAD_DAY = "bad_day"
    UNCLEAR_DAY = "unclear_day"
    BAD_PLACE = "bad_place"
    BAD_POINTS = "bad_points"
    UNCLEAR_POINTS = "unclear_points"
    NOTHING = "nothing"
    REPEATED = "repeated"
    SAME = "same"


SKIPPED = (RowProblem.EMPTY, RowProblem.TOTAL, RowProblem.ABSENT, RowProblem.SAME)
"""Rows without a result, or with that of another row, which nobody has to be asked about."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read. Numbers count from 1; what is left open is recognised."""

    columns: Mapping[str, int | None] = field(default_factory=dict)
    """The column of each of COLUMNS, 0 for none."""
    day_order: str = ""
    """dmy or mdy, for days such as 3/4/2024 where the column does not tell which it is."""
    sheets: Sequence[int] = ()
    nights: Sequence[int] | None = None
    """The columns that are a night each; empty if every row is a result of its own."""
    cells: str = ""
    """What the columns of nights contain: places or points."""


@dataclass(frozen=True, slots=True)
class PastRow:
    """A result in the file, or the problem with the cell `value`. `row` is its number in the file.

    A row with a column for each night has a result for each.
    """

    row: int
    name: str = ""
    event: str = ""
    day: date | None = None
    place: int | None = None
    points: Decimal | None = None
    problem: RowProblem | None = None
    value: str = ""
    sheet: str = ""
    """The name of its sheet, if several are read."""
    from_above: bool = False
    """Whether its event or day stands in another row: left out, or merged with it."""

    @property
    def decimals(self) -> int:
        """How many decimals of its points say something."""
        return decimals_of(self.points)


def decimals_of(value: Decimal | None) -> int:
    """Return how many decimals of a number are not zeros at its end.

    >>> decimals_of(Decimal("2.5000")), decimals_of(Decimal(10))
    (1, 0)
    """
    exponent = value.normalize().as_tuple().exponent if value else 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


@dataclass(frozen=True, slots=True)
class SheetOffer:
    """A sheet of the file: whether it is read, and whether names and results were recognised in it."""

    number: int
    name: str
    rows: int
    is_read: bool
    is_recognised: bool


@dataclass(frozen=True, slots=True)
class NightOffer:
    column: int
    title: str
    is_read: bool


@dataclass(frozen=True, slots=True)
class PastSheet:
    titles: Sequence[str]
    columns: Mapping[str, int]
    """The number of the column, from 1, of each of COLUMNS that there is."""
    rows: Sequence[PastRow]
    sheets: Sequence[SheetOffer] = ()
    nights: Sequence[NightOffer] = ()
    cells: str = ""
    """What the columns of nights contain; empty if there are none, or nobody has said so."""
    unused: Sequence[str] = ()
    """The titles of the columns that are not read."""

    @property
    def is_wide(self) -> bool:
        """Whether columns are read as nights."""
        return any(night.is_read for night in self.nights)

    @property
    def lacks_columns(self) -> bool:
        """Whether nobody knows yet where names and results are."""
        return "name" not in self.columns or not (self.is_wide or {"place", "points"} & set(self.columns))

    @property
    def lacks_cells(self) -> bool:
        """Whether nobody knows yet what the columns of nights contain."""
        return self.is_wide and not self.cells

    @property
    def good(self) -> list[PastRow]:
        return [row for row in self.rows if row.problem is None]

    @property
    def unclear(self) -> list[PastRow]:
        """The rows that somebody has to look at."""
        return [row for row in self.rows if row.problem is not None and row.problem not in SKIPPED]

    @property
    def skipped(self) -> list[PastRow]:
        """Rows that say nothing about anybody: empty ones, totals, and people who came to no night."""
        return [row for row in self.rows if row.problem in SKIPPED]


def read_past(sheets: Sequence[Sheet], reading: Reading) -> PastSheet:
    """Read placings and points from a file.

    Several sheets are read only where that was decided; each is then an event of its own, unless it says otherwise.
    Refused: `past_no_columns` if the choice of columns or sheets makes no sense.
    """
    sheets = [replace(sheet, rows=joined_names(sheet.rows)) for sheet in sheets]
    headers = [_header(sheet.rows) for sheet in sheets]
    chosen = [number for number in dict.fromkeys(reading.sheets) if number]
    if any(not 1 <= number <= len(sheets) for number in chosen):
        raise Refused("past_no_columns")
    first_known = next((number for number, header in enumerate(headers, 1) if header.is_recognised), 1)
    read = chosen or [first_known] if sheets else []
    parts = []
    for number in read:
        header = headers[number - 1]
        same = header.titles == headers[read[0] - 1].titles
        label = sheets[number - 1].name if len(read) > 1 else ""
        own = reading if same else replace(reading, columns={}, nights=None)
        parts.append(_read_sheet(sheets[number - 1].rows, header, own, label))
    offers = [
        SheetOffer(number, sheet.name, sum(map(any, sheet.rows)), number in read, header.is_recognised)
        for number, (sheet, header) in enumerate(zip(sheets, headers, strict=True), 1)
    ]
    if not parts:
        return PastSheet([], {}, [], offers)
    unused = dict.fromkeys(title for part in parts for title in part.unused)
    rows = marked([row for part in parts for row in part.rows], {})
    return replace(parts[0], rows=rows, sheets=offers, unused=list(unused))


@dataclass(frozen=True, slots=True)
class _Header:
    """The titles of a sheet, in one row or two, and what is recognised in them."""

    below: int
    """Index of the first row below."""
    titles: list[str]
    groups: list[str]
    """For each column the title above its own, if there is one."""
    columns: dict[str, int]
    nights: list[int]
    """The columns that look like nights."""
    may_be_nights: list[int]
    pairs: bool = False
    """Whether each night has a column of its own for places and one for points."""

    @property
    def is_recognised(self) -> bool:
        """Whether there are names and results."""
        return "name" in self.columns and bool(self.nights or {"place", "points"} & set(self.columns))


def _header(rows: Rows) -> _Header:
    """Return the titles of a sheet: the first row, or pair of rows, in which they are recognised."""
    filled = [index for index, row in enumerate(rows[:MAX_TITLE_ROWS]) if sum(map(bool, row)) > 1]
    headers = [_header_at(rows, index) for index in filled]
    unknown = headers[0] if headers else _Header(len(rows), [], [], {}, [], [])
    return next((header for header in headers if header.is_recognised), unknown)


def _header_at(rows: Rows, index: int) -> _Header:
    own, lower = rows[index], rows[index + 1] if index + 1 < len(rows) else []
    width = max(len(row) for row in rows[index:])
    results = TITLES["place"] | TITLES["points"]
    is_double = sum(fold(title) in results for title in lower) > 1 and not any(fold(title) in results for title in own)
    if is_double:
        filled = list(accumulate(_padded(own, width), _title_or_before))
        below = _padded(lower, width)
        titles = [title or above for title, above in zip(below, _padded(own, width), strict=True)]
        groups = [group if title else "" for title, group in zip(below, filled, strict=True)]
        if max(sum(fold(title) in TITLES[name] for title in below) for name in ("place", "points")) > 1:
            columns = {
                name: number for name, number in _recognised(titles, rows[index + 2 :]).items() if name == "name"
            }
            pairs = [number for number, title in enumerate(below, 1) if fold(title) in results and groups[number - 1]]
            return _Header(index + 2, titles, groups, columns, pairs, pairs, pairs=True)
        return _Header(index + 2, titles, [""] * width, _recognised(titles, rows[index + 2 :]), [], [])
    titles = _padded(own, width)
    above = rows[index - 1] if index and sum(map(bool, rows[index - 1])) > 1 else []
    groups = list(accumulate(_padded(above, width), _title_or_before))
    columns = _recognised(titles, rows[index + 1 :])
    nights, others = _night_columns(titles, columns, rows[index + 1 :])
    return _Header(index + 1, titles, groups, columns, nights, others)


def _title_or_before(before: str, title: str) -> str:
    """Return the title of a column; one without a title continues the column to its left."""
    return title or before


def _padded(row: Sequence[str], width: int) -> list[str]:
    return [*row[:width], *[""] * (width - len(row))]


def _recognised(titles: Sequence[str], below: Rows) -> dict[str, int]:
    """Return the number of the column of each of COLUMNS that there is; none for names that several may have."""
    whole = whole_names(titles, below)
    columns = {"name": whole[0] + 1} if len(whole) == 1 else {}
    for name in COLUMNS[1:]:
        for number, title in enumerate(titles, 1):
            if number not in columns.values() and fold(title) in TITLES[name]:
                columns[name] = number
                break
    return columns


def _night_columns(
    titles: Sequence[str], columns: Mapping[str, int], below: Sequence[Sequence[str]]
) -> tuple[list[int], list[int]]:
    """Return the columns that look like nights, and all that may be some: those with numbers and no known title."""
    known = frozenset().union(TOTALS, *TITLES.values())
    numbers = [
        number
        for number, title in enumerate(titles, 1)
        if title and fold(title) not in known and _has_numbers([_cell(row, number) for row in below])
    ]
    if {"event", "day"} & set(columns) and {"place", "points"} & set(columns):
        return [], numbers
    kinds = {number: _kind_of_title(titles[number - 1]) for number in numbers}
    counts = Counter(kind for kind in kinds.values() if kind)
    nights = [number for number, kind in kinds.items() if counts[kind] > 1]
    return nights if nights or {"place", "points"} & set(columns) else numbers, numbers


def _kind_of_title(title: str) -> str:
    """Return what columns of nights have in common: they are days, months, or differ by a number."""
    try:
        read_day(title, "dmy")
    except ValueError:
        words = re.findall(r"[^\W\d]+", fold(title))
        if _DAY_WITHOUT_YEAR.fullmatch(title) or (words and words[-1] in MONTHS and len(words) == 1):
            return "day"
        numbered = re.sub(r"\d+", "#", fold(title))
        return numbered if "#" in numbered else ""
    return "day"


def _has_numbers(cells: Sequence[str]) -> bool:
    values = [cell for cell in cells if cell not in ("", "-", "–")]
    others = sum(_points(cell)[0] is None and _place(cell)[0] is None for cell in values)
    return bool(values) and others <= MAX_WITHOUT_NUMBER * len(values)


def _read_sheet(rows: Rows, header: _Header, reading: Reading, sheet: str) -> PastSheet:
    recognised = header.nights if header.is_recognised and not _chooses_results(reading) else []
    nights = recognised if reading.nights is None else sorted({number for number in reading.nights if number})
    if any(not 1 <= number <= len(header.titles) for number in nights):
        raise Refused("past_no_columns")
    columns = _columns(header, reading.columns)
    if nights:
        columns = {"name": columns["name"]} if "name" in columns else {}
    used = {*columns.values(), *nights}
    titles = [
        f"{group} {title}".strip() if header.pairs or number in nights else title
        for number, (group, title) in enumerate(zip(header.groups, header.titles, strict=True), 1)
    ]
    offers = [
        NightOffer(number, titles[number - 1], number in nights)
        for number in sorted({*header.may_be_nights, *nights} - set(columns.values()))
    ]
    part = PastSheet(
        header.titles,
        columns,
        [],
        nights=offers,
        unused=[title for number, title in enumerate(titles, 1) if title and number not in used],
    )
    if part.lacks_columns:
        return part
    below = list(enumerate(rows[header.below :], header.below + 1))
    if not nights:
        return replace(part, rows=_rows(below, columns, reading.day_order, sheet))
    cells = reading.cells or _meaning(below, header, nights)
    if not cells:
        return part
    return replace(part, cells=cells, rows=_night_rows(below, header, columns["name"], nights, cells, reading, sheet))


def _chooses_results(reading: Reading) -> bool:
    """Whether a column of places or points was chosen, so that no column is a night unless that was chosen, too."""
    return any(reading.columns.get(name) for name in ("place", "points"))


def _columns(header: _Header, chosen: Mapping[str, int | None]) -> dict[str, int]:
    columns = {name: number for name, number in chosen.items() if number}
    taken = set(columns.values())
    if len(taken) < len(columns) or any(number > len(header.titles) for number in taken):
        raise Refused("past_no_columns")
    recognised = {
        name: number for name, number in header.columns.items() if chosen.get(name) is None and number not in taken
    }
    return columns | recognised


def _cell(row: Sequence[str], column: int) -> str:
    return row[column - 1].strip() if 0 < column <= len(row) else ""


def _named(number: int, row: Sequence[str], name: str, sheet: str) -> PastRow:
    name, _rating = person_name(name)
    start = PastRow(number, name, sheet=sheet)
    if not any(row):
        return replace(start, problem=RowProblem.EMPTY)
    first = next(filter(None, row))
    if fold(name.rstrip(":")) in TOTALS or (not name and fold(first.rstrip(":")) in TOTALS):
        return replace(start, problem=RowProblem.TOTAL, value=name or first)
    if not name:
        return replace(start, problem=RowProblem.NO_NAME)
    if len(name) > MAX_NAME_LENGTH:
        return replace(start, problem=RowProblem.LONG_NAME, value=name)
    return start if is_name(name) else replace(start, problem=RowProblem.NO_NAME, value=name)


def _rows(
    below: Sequence[tuple[int, Sequence[str]]], columns: Mapping[str, int], order: str, sheet: str
) -> list[PastRow]:
    texts = [(number, row, {name: _cell(row, column) for name, column in columns.items()}) for number, row in below]
    order = order or day_order(cells.get("day", "") for _number, _row, cells in texts)
    rows = [_row(number, row, cells, order, sheet) for number, row, cells in texts]
    return _with_events(rows, {"event", "day"} & set(columns), sheet)


def _row(number: int, cells: Sequence[str], texts: Mapping[str, str], order: str, sheet: str) -> PastRow:
    row = replace(
        _named(number, cells, texts["name"], sheet), event=" ".join(texts.get("event", "").split())[:MAX_NAME_LENGTH]
    )
    day, problem = _day(texts.get("day", ""), order)
    if row.problem:
        return replace(row, day=day)
    if problem:
        return replace(row, problem=problem, value=texts["day"])
    row = replace(row, day=day)
    place, problem = _place(texts.get("place", ""))
    if problem:
        return replace(row, problem=problem, value=texts["place"])
    points, problem = _points(texts.get("points", ""))
    if problem:
        return replace(row, problem=problem, value=texts["points"])
    if place is None and points is None:
        return replace(row, problem=RowProblem.NOTHING)
    return replace(row, place=place, points=points)


def _with_events(rows: Sequence[PastRow], present: set[str], sheet: str) -> list[PastRow]:
    """Complete events and days that are written once for several rows: above them, or beside the same event or day.

    Without a column for them, a sheet among several is an event of its own.
    """
    if not present:
        day, _problem = _day(sheet, "")
        return [replace(row, event=sheet, day=day) for row in rows]
    days, events = defaultdict(set), defaultdict(set)
    for row in rows:
        if row.event and row.day and row.problem not in SKIPPED:
            days[fold(row.event)].add(row.day)
            events[row.day].add(row.event)
    complete = []
    event, day = "", None
    for row in rows:
        is_bare = not row.event and not row.day
        if row.problem in SKIPPED or (is_bare and not event and not day):
            complete.append(row)
            continue
        if is_bare and row.problem is not RowProblem.UNCLEAR_DAY and row.problem is not RowProblem.BAD_DAY:
            complete.append(replace(row, event=event, day=day, from_above=True))
            continue
        own_days, own_events = days[fold(row.event)], events[row.day] if row.day else set()
        filled = replace(
            row,
            day=next(iter(own_days)) if row.day is None and len(own_days) == 1 and not row.problem else row.day,
            event=next(iter(own_events)) if not row.event and len(own_events) == 1 else row.event,
        )
        event, day = filled.event, filled.day
        complete.append(replace(filled, from_above=filled != row))
    return complete


def _meaning(below: Sequence[tuple[int, Sequence[str]]], header: _Header, nights: Sequence[int]) -> str:
    """Return whether the cells of nights are places or points, or nothing if they could be both.

    They are points if one is zero or has decimals, or if their sums are the totals of the rows.
    """
    if header.pairs:
        return POINTS
    totals = [
        number
        for number, title in enumerate(header.titles, 1)
        if fold(title) in TOTALS or number == header.columns.get("points")
    ]
    agreeing = counted = 0
    for _number, row in below:
        values = [value for number in nights if (value := _points(_cell(row, number))[0]) is not None]
        if any(value <= 0 or value % 1 for value in values):
            return POINTS
        sums = {_points(_cell(row, number))[0] for number in totals} - {None}
        if values and sums and fold(_cell(row, header.columns.get("name", 0))) not in TOTALS:
            counted += 1
            agreeing += sum(values) in sums
    return POINTS if counted > 1 and agreeing >= SUMS_AGREE * counted else ""


@dataclass(frozen=True, slots=True)
class _Night:
    """A night with the columns of its places and points, 0 for none."""

    event: str
    day: date | None
    problem: RowProblem | None
    place: int
    points: int


def _nights(header: _Header, columns: Sequence[int], cells: str, order: str, sheet: str) -> list[_Night]:
    titles = {
        column: header.groups[column - 1]
        if header.pairs
        else f"{header.groups[column - 1]} {header.titles[column - 1]}".strip()
        for column in columns
    }
    order = order or day_order(header.titles[column - 1] for column in columns)
    nights: dict[str, _Night] = {}
    for column, title in titles.items():
        is_place = fold(header.titles[column - 1]) in TITLES["place"] if header.pairs else cells == PLACES
        key = title if header.pairs else str(column)
        day, problem = _day(title if header.pairs else header.titles[column - 1], order)
        problem = problem if problem is RowProblem.UNCLEAR_DAY else None
        event = "" if day else f"{sheet} {title}".strip()[:MAX_NAME_LENGTH]
        before = nights.get(key, _Night(event, day, problem, 0, 0))
        nights[key] = replace(before, place=column) if is_place else replace(before, points=column)
    return list(nights.values())


def _night_rows(
    below: Sequence[tuple[int, Sequence[str]]],
    header: _Header,
    name_column: int,
    columns: Sequence[int],
    cells: str,
    reading: Reading,
    sheet: str,
) -> list[PastRow]:
    """Read rows that have a column for each night, or two."""
    nights = _nights(header, columns, cells, reading.day_order, sheet)
    rows = []
    for number, row in below:
        start = _named(number, row, _cell(row, name_column), sheet)
        if start.problem:
            rows.append(start)
            continue
        results = [result for night in nights if (result := _night_row(start, row, night))]
        rows += results or [replace(start, problem=RowProblem.ABSENT, value=start.name)]
    return rows


def _night_row(start: PastRow, row: Sequence[str], night: _Night) -> PastRow | None:
    """Return what a row says about a night; None if the person was not there."""
    result = replace(start, event=night.event, day=night.day)
    place, place_problem = _place(_cell(row, night.place))
    points, points_problem = _points(_cell(row, night.points))
    if problem := place_problem or points_problem:
        return replace(result, problem=problem, value=_cell(row, night.place if place_problem else night.points))
    if place is None and points is None:
        return None
    if night.problem:
        return replace(result, problem=night.problem, value=night.event)
    return replace(result, place=place, points=points)


def _day(text: str, order: str) -> tuple[date | None, RowProblem | None]:
    if not text:
        return None, None
    try:
        return read_day(text, order), None
    except UnclearDay:
        return None, RowProblem.UNCLEAR_DAY
    except ValueError:
        return None, RowProblem.BAD_DAY


def _place(text: str) -> tuple[int | None, RowProblem | None]:
    """Read a place: 3, 3., 3rd; the first of shared places such as 3–4 or =3."""
    if not text or text in ("-", "–"):
        return None, None
    match = _PLACE.fullmatch(text) or _TIED.fullmatch(text)
    place = int(next(filter(None, match.groups()), 0)) if match else 0
    return (place, None) if 1 <= place <= MAX_PLACE else (None, RowProblem.BAD_PLACE)


def _points(text: str) -> tuple[Decimal | None, RowProblem | None]:
    """Read points with a decimal point or comma. 1,234 and 1.234 alone could be either, so they are a question."""
    text = _UNIT.sub("", text).strip()
    if not text or text in ("-", "–", "−"):
        return None, None
    try:
        points = read_number(text, 4)
    except UnclearNumberError:
        return None, RowProblem.UNCLEAR_POINTS
    except ValueError:
        return None, RowProblem.BAD_POINTS
    return (points, None) if abs(points) <= MAX_POINTS else (None, RowProblem.BAD_POINTS)


def marked(rows: Sequence[PastRow], people: Mapping[str, Hashable]) -> list[PastRow]:
    """Mark the rows of somebody who has another row for the same event: all, or those after the first of equal ones.

    `people` has for each folded name whom it means, where that is known.
    """
    results, seen = defaultdict(set), set()
    for row in rows:
        if row.problem is None:
            results[_key(row, people)].add((row.place, row.points))
    checked = []
    for row in rows:
        key = _key(row, people)
        if row.problem is None and len(results[key]) > 1:
            row = replace(row, problem=RowProblem.REPEATED, value=row.name)
        elif row.problem is None and key in seen:
            row = replace(row, problem=RowProblem.SAME, value=row.name)
        elif row.problem is None:
            seen.add(key)
        checked.append(row)
    return checked


def _key(row: PastRow, people: Mapping[str, Hashable]) -> Hashable:
    name = fold(row.name)
    return people.get(name, name), fold(row.event), row.day
