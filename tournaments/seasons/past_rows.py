"""Rows of a club's old spreadsheet, read as placings and points; whatever could be read in two ways is a question."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum

from core.names import fold
from core.spreadsheets import Rows, titles_of
from core.text_lengths import LONGEST_NAME
from engine.errors import Refused


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split(",")))


COLUMNS = ("name", "event", "day", "place", "points")
# What clubs call these columns, folded: English, German, French, Italian, Spanish, Danish, Dutch, Turkish.
TITLES: dict[str, frozenset[str]] = {
    "name": _folded(
        "name, player, players, player name, full name, member, spieler, spielername, mitglied, joueur, nom, giocatore,"
        "nome, jugador, nombre, spiller, navn, speler, naam, oyuncu, isim"
    ),
    "event": _folded(
        "event, tournament, evening, night, club night, turnier, abend, tournoi, torneo, turnering, toernooi, turnuva"
    ),
    "day": _folded("date, day, datum, tag, jour, data, giorno, fecha, dato, dag, tarih"),
    "place": _folded(
        "place, placing, pos, position, rank, finish, rang, platz, platzierung, classement, posizione, puesto, plads,"
        "placering, plaats, sıra"
    ),
    "points": _folded("points, pts, score, punkte, punkt, point, punti, puntos, pointtal, punten, puan"),
}
TOTALS = _folded(
    "total, totals, grand total, sum, average, mean, subtotal, summe, gesamt, gesamtsumme, schnitt, durchschnitt,"
    "zwischensumme, somme, moyenne, totale, somma, suma, i alt, totaal, toplam"
)
MOST_PLACE = 9999
MOST_POINTS = Decimal(999_999)
_DOTTED = re.compile(r"(\d{1,2})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{4}|\d{2})")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_PLACE = re.compile(r"(\d{1,4})\s*(?:\.|st|nd|rd|th|º|ª|e|er)?")
_TIED = re.compile(r"(\d{1,4})\s*\.?\s*[-–=/]\s*\d{1,4}\.?|[=T](\d{1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


class Problem(StrEnum):
    """Why a row is not imported as it is."""

    EMPTY = "empty"
    TOTAL = "total"
    NO_NAME = "no_name"
    LONG_NAME = "long_name"
    BAD_DAY = "bad_day"
    UNCLEAR_DAY = "unclear_day"
    BAD_PLACE = "bad_place"
    BAD_POINTS = "bad_points"
    UNCLEAR_POINTS = "unclear_points"
    NOTHING = "nothing"
    REPEATED = "repeated"


SKIPPED = (Problem.EMPTY, Problem.TOTAL)
"""Rows without a result, which nobody has to be asked about."""


@dataclass(frozen=True, slots=True)
class PastRow:
    """A row of the file: what it says, or the problem with the cell `value`. `row` is its number in the file."""

    row: int
    name: str = ""
    event: str = ""
    day: date | None = None
    place: int | None = None
    points: Decimal | None = None
    problem: Problem | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class PastSheet:
    """The rows of a file below its titles."""

    titles: Sequence[str]
    columns: Mapping[str, int]
    """The number of the column, from 1, of each of COLUMNS that there is."""
    rows: Sequence[PastRow]

    @property
    def unused(self) -> list[str]:
        """The titles of the columns that are not read."""
        used = set(self.columns.values())
        return [title for number, title in enumerate(self.titles, 1) if title and number not in used]

    @property
    def good(self) -> list[PastRow]:
        """The rows that can be imported."""
        return [row for row in self.rows if row.problem is None]

    @property
    def unclear(self) -> list[PastRow]:
        """The rows that somebody has to look at."""
        return [row for row in self.rows if row.problem is not None and row.problem not in SKIPPED]

    @property
    def skipped(self) -> list[PastRow]:
        """Rows that name nobody: empty ones and totals."""
        return [row for row in self.rows if row.problem in SKIPPED]


def read_past(cells: Rows, chosen: Mapping[str, int | None], day_order: str = "") -> PastSheet:
    """Read placings and points from the cells of a sheet.

    `chosen` gives the numbers of columns that were chosen, 0 for none; the others are recognised by their titles.
    `day_order` is dmy or mdy, for days such as 3/4/2024 where the column does not tell which it is.
    Refused: `past_no_columns`.
    """
    start, titles = titles_of(cells)
    columns = _columns(titles, chosen)
    if "name" not in columns or not {"place", "points"} & set(columns):
        raise Refused("past_no_columns")
    below = [
        (number, {name: _cell(row, column) for name, column in columns.items()}, any(row))
        for number, row in enumerate(cells[start + 1 :], start + 2)
    ]
    order = day_order or _day_order([texts.get("day", "") for _number, texts, _filled in below])
    return PastSheet(titles, columns, _marked([_row(number, texts, filled, order) for number, texts, filled in below]))


def _columns(titles: Sequence[str], chosen: Mapping[str, int | None]) -> dict[str, int]:
    columns = {name: number for name, number in chosen.items() if number}
    taken = set(columns.values())
    if len(taken) < len(columns) or any(number > len(titles) for number in taken):
        raise Refused("past_no_columns")
    for name in COLUMNS:
        if chosen.get(name) is None:
            for number, title in enumerate(titles, 1):
                if number not in taken and fold(title) in TITLES[name]:
                    columns[name] = number
                    taken.add(number)
                    break
    return columns


def _cell(row: Sequence[str], column: int) -> str:
    return row[column - 1].strip() if column <= len(row) else ""


def _day_order(texts: Sequence[str]) -> str:
    """Return dmy or mdy if the days of a column can only be one of them, otherwise nothing."""
    pairs = [(int(day[1]), int(day[2])) for text in texts if (day := _DOTTED.fullmatch(text)) and "." not in text]
    first, second = any(pair[0] > 12 for pair in pairs), any(pair[1] > 12 for pair in pairs)
    return "" if first == second else "dmy" if first else "mdy"


def _row(number: int, texts: Mapping[str, str], filled: bool, day_order: str) -> PastRow:
    name = " ".join(texts["name"].split())
    row = PastRow(number, name, " ".join(texts.get("event", "").split())[:LONGEST_NAME])
    if not filled:
        return replace(row, problem=Problem.EMPTY)
    if fold(name.rstrip(":")) in TOTALS or (not name and fold(texts.get("event", "").rstrip(":")) in TOTALS):
        return replace(row, problem=Problem.TOTAL, value=name or row.event)
    if not name:
        return replace(row, problem=Problem.NO_NAME)
    if len(name) > LONGEST_NAME:
        return replace(row, problem=Problem.LONG_NAME, value=name)
    day, problem = _day(texts.get("day", ""), day_order)
    if problem:
        return replace(row, problem=problem, value=texts["day"])
    place, problem = _place(texts.get("place", ""))
    if problem:
        return replace(row, problem=problem, value=texts["place"])
    points, problem = _points(texts.get("points", ""))
    if problem:
        return replace(row, problem=problem, value=texts["points"])
    if place is None and points is None:
        return replace(row, problem=Problem.NOTHING)
    return replace(row, day=day, place=place, points=points)


def _day(text: str, order: str) -> tuple[date | None, Problem | None]:
    """Read a day. 3.4.2024 is always the third of April; 3/4/2024 depends on the order, unless it can be only one."""
    if not text:
        return None, None
    if match := _ISO.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
    elif match := _DOTTED.fullmatch(text):
        first, second, year = (int(part) for part in match.groups())
        year += 2000 if year < 70 else 1900 if year < 100 else 0
        if "." not in text and not order and first != second and first <= 12 and second <= 12:
            return None, Problem.UNCLEAR_DAY
        is_american = "." not in text and (order == "mdy" if order else second > 12)
        month, day = (first, second) if is_american else (second, first)
    else:
        return None, Problem.BAD_DAY
    try:
        return date(year, month, day), None
    except ValueError:
        return None, Problem.BAD_DAY


def _place(text: str) -> tuple[int | None, Problem | None]:
    """Read a place: 3, 3., 3rd; the first of shared places such as 3–4 or =3."""
    if not text or text in ("-", "–"):
        return None, None
    match = _PLACE.fullmatch(text) or _TIED.fullmatch(text)
    place = int(next(filter(None, match.groups()), 0)) if match else 0
    return (place, None) if 1 <= place <= MOST_PLACE else (None, Problem.BAD_PLACE)


def _points(text: str) -> tuple[Decimal | None, Problem | None]:
    """Read points with a decimal point or comma. 1,234 and 1.234 alone could be either, so they are a question."""
    text = text.replace(" ", "").replace("\u00a0", "").replace("'", "").replace("−", "-")
    if not text or text in ("-", "–"):
        return None, None
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", text):
        return None, Problem.UNCLEAR_POINTS
    decimal = max(".,", key=text.rfind)
    number = text.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    if not _NUMBER.fullmatch(number) or len(number) > 16 or len(number.partition(".")[2]) > 4:
        return None, Problem.BAD_POINTS
    points = Decimal(number)
    return (points, None) if abs(points) <= MOST_POINTS else (None, Problem.BAD_POINTS)


def _marked(rows: Sequence[PastRow]) -> list[PastRow]:
    """Mark all rows that name somebody who has another row for the same event."""
    keys = Counter((fold(row.name), fold(row.event), row.day) for row in rows if row.problem is None)
    return [
        replace(row, problem=Problem.REPEATED, value=row.name)
        if row.problem is None and keys[fold(row.name), fold(row.event), row.day] > 1
        else row
        for row in rows
    ]
