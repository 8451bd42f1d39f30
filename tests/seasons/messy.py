"""A club's spreadsheet as people keep one, with the truth about every row, written apart from the reader."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from tests.seasons.workbooks import Cell

NAMES = (
    "Zoë Ångström", "Łukasz Żak", "Øyvind Dahl", "Çağla Şen", "Jan Novák", "Maria da Silva", "O’Brien Patrick",
    "Ann-Kathrin Weiß", "Beatrix van den Berg", "Dimitris Papadopoulos", "Elif Yıldız", "Friederike Mühlbauer",
)  # fmt: skip
TYPOS = {"Dimitris Papadopoulos": "Dimitris Papadopulos", "Friederike Mühlbauer": "F. Mühlbauer"}
TITLES: list[list[Cell]] = [
    ["Harbour club, season 2018/19"],
    [],
    ["Person", None, "Evening", None, "Result", None, "Private"],
    ["Nr.", "Spieler", "Turnier", "Datum", "Platz", "Punkte", "Telefon"],
]
Result = tuple[str, date, int, Decimal]


@dataclass
class Messy:
    """A sheet, and what has to come of it."""

    rows: list[list[Cell]] = field(default_factory=lambda: [list(row) for row in TITLES])
    truth: list[Result] = field(default_factory=list)
    """Name, day, place and points of each clear row."""
    asked: set[int] = field(default_factory=set)
    """Numbers of rows that are not clear."""
    typos: dict[str, str] = field(default_factory=dict)
    """Misspelled name -> the right one."""


def messy(chance: Random, count: int = 300) -> Messy:
    """As many rows: evenings of twelve people, some of whom come, and all that people do to a sheet."""
    sheet, night = Messy(), 0
    while len(sheet.rows) < count:
        night += 1
        _night(sheet, chance, night, date(2018, 9, 4) + timedelta(weeks=night))
    return sheet


def _night(sheet: Messy, chance: Random, night: int, day: date) -> None:
    present = chance.sample(NAMES, chance.randrange(5, 11))
    written_once = chance.random() < 0.5
    for place, name in enumerate(present, 1):
        first = place == 1
        points = Decimal(4 * (12 - place) + chance.randrange(4)) / 4
        event = f"Night {night}" if first or not written_once else None
        row: list[Cell] = [
            place, _spelled(name, chance), event, _written(day, chance) if event else None,
            chance.choice([place, f"{place}.", str(place)]), _points(points, chance), "555 123",
        ]  # fmt: skip
        number = len(sheet.rows) + 1
        fault = chance.randrange(25) if not first else -1
        if fault == 0:
            row[4] = "?"
        elif fault == 1:
            row[5] = "lots"
        elif fault == 2:
            row[1] = None
        elif fault == 3 and event:
            row[3] = "Tuesday"
        elif fault == 4 and event:
            row[3] = "31.2.2019"
        elif fault == 5 and name in TYPOS:
            row[1] = TYPOS[name]
            sheet.typos[TYPOS[name]] = name
        sheet.rows.append(row)
        if row[4] == "?" or row[5] == "lots" or row[1] is None or row[3] in ("Tuesday", "31.2.2019"):
            sheet.asked.add(number)
        else:
            sheet.truth.append((name, day, place, points))
    sheet.rows.append(
        chance.choice([[], [None, "Summe", None, None, None, 99], ["Total", None, None, None, None, "99"]])
    )


def _spelled(name: str, chance: Random) -> str:
    first, _space, last = name.rpartition(" ")
    return chance.choice([name, name.upper(), f"  {name} ", name.replace(" ", "  "), f"{last}, {first}", name.lower()])


def _written(day: date, chance: Random) -> Cell:
    forms: list[Cell] = [
        day, day.isoformat(), f"{day.day}.{day.month}.{day.year % 100:02}", f"{day.day} {day:%B %Y}",
        f"{day:%b} {day.day}, {day.year}",
    ]  # fmt: skip
    return chance.choice(forms)


def _points(points: Decimal, chance: Random) -> Cell:
    forms: list[Cell] = [
        float(points),
        str(points),
        str(points).replace(".", ","),
        f" {points} pts",
        f"{points} Punkte",
    ]
    return chance.choice(forms)


def wide(truth: list[Result]) -> list[list[Cell]]:
    """The same results with a column for the points of each evening, and the totals."""
    days = sorted({day for _name, day, _place, _points in truth})
    points = {(name, day): value for name, day, _place, value in truth}
    rows: list[list[Cell]] = [["Harbour club"], ["Rank", "Name", *days, "Total"]]
    for rank, name in enumerate(sorted({result[0] for result in truth}), 1):
        own = [points.get((name, day)) for day in days]
        cells: list[Cell] = [None if value is None else float(value) for value in own]
        rows.append([rank, name, *cells, float(sum(value for value in own if value is not None))])
    return [*rows, [None, "Total", *[1.0 for _day in days]]]
