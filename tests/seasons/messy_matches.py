"""Lists of matches as people keep them, with the truth about every row, written apart from the reader."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from tests.seasons.messy import NAMES
from tests.seasons.workbooks import Cell

PLAYERS = NAMES[:8]
Told = tuple[date, str, str, int, tuple[int, int] | None, str]
"""Day, winner, loser, length, the winner's score first, event."""


@dataclass
class MessyMatches:
    """Sheets by name, and what has to come of them."""

    sheets: dict[str, list[list[Cell]]] = field(default_factory=dict)
    truth: list[Told] = field(default_factory=list)
    asked: set[tuple[str, int]] = field(default_factory=set)
    """Sheet and number of each row that is not clear."""
    skipped: set[tuple[str, int]] = field(default_factory=set)


def messy_matches(chance: Random, count: int = 300) -> MessyMatches:
    """Three years, a sheet each and each kept in another way, with as many rows in all."""
    book = MessyMatches()
    book.sheets["2017"] = [["Date", "Winner", "Loser", "Score", "Length", "Tournament"]]
    book.sheets["League 2018"] = [["Harbour league"], [], ["Tag", "Spieler", "Gegner", "Ergebnis", "Länge", "Turnier"]]
    book.sheets["2019"] = [["Event", "Player 1", "Player 2", "Result", "Points to", "Winner", "Date", "Phone"]]
    for index in range(count):
        name = list(book.sheets)[index * 3 // count]
        year = int(name[-4:])
        # A day of its own for each row, so that no match is told twice by chance.
        day = date(year, 1, 3) + timedelta(days=index % (count // 3))
        _row(book, chance, name, day)
    return book


def _row(book: MessyMatches, chance: Random, sheet: str, day: date) -> None:  # noqa: C901, one fault after another
    winner, loser = chance.sample(PLAYERS, 2)
    length = chance.choice([3, 5, 7, 9, 11])
    won, lost = length, chance.randrange(length)
    event = chance.choice(["Spring Cup", "Club night", "Ligue d’été"])
    first_wins = True if sheet == "2017" else chance.random() < 0.5
    first, second = (winner, loser) if first_wins else (loser, winner)
    points = (won, lost) if first_wins else (lost, won)
    separator = chance.choice(["-", ":", " – ", " : ", "/"])
    score: Cell = f"{points[0]}{separator}{points[1]}"
    shown: Cell = chance.choice([length, str(length), f"{length} pts", f"{length} Punkte"])
    expected: tuple[int, int] | None = (won, lost)
    named: Cell = chance.choice([None, winner, winner.upper()])
    when = _day(day, chance, sheet)
    fault = chance.randrange(40)
    is_asked = is_skipped = False
    if fault == 0:
        score, named, is_asked = f"{won}-{won}", None, True
    elif fault == 1:
        score, is_asked = "close", True
    elif fault == 2:
        shown, is_asked = "long", True
    elif fault == 3:
        second, is_asked = first, True
    elif fault == 4:
        when, is_asked = "31.2.2018", True
    elif fault == 5:
        first, is_asked = "", True
    elif fault == 6:
        score, is_skipped = chance.choice(["w/o", "Walkover", "kampflos"]), True
    elif fault == 7:
        second, is_skipped = "Bye", True
    elif fault == 8:
        # More points than the match had are those of a last game that won too many.
        score = str(score).replace(str(won), str(won + 1)) if won != lost + 1 and won > 3 else score
        expected = (won + 1, lost) if str(won + 1) in str(score) else expected
    elif fault == 9:
        shown = None
    elif fault == 10 and sheet == "2017":
        score, expected = None, None
    elif fault == 11 and sheet == "2017":
        score, shown, is_asked = None, None, True
    elif fault == 12:
        score, is_asked = date(2018, 7, 3), True
    elif fault == 13 and sheet == "2019":
        named, is_asked = loser, True
    elif fault == 14 and sheet != "2017":
        score, expected = ("W" if first_wins else "lost"), None
    elif fault == 15:
        when, is_asked = f"{chance.randrange(1, 13)}/{chance.randrange(1, 13)}/20{sheet[-2:]}", True
        month, day_of_month = when.split("/")[:2]
        is_asked = month != day_of_month
        if not is_asked:
            day = date(int(sheet[-4:]), int(month), int(month))
    elif fault == 16:
        shown, is_asked = lost or 30, True
    cells: dict[str, list[Cell]] = {
        "2017": [when, _spelled(first, chance), _spelled(second, chance), score, shown, event],
        "League 2018": [when, _spelled(first, chance), _spelled(second, chance), score, shown, event],
        "2019": [event, _spelled(first, chance), _spelled(second, chance), score, shown, named, when, "555"],
    }
    rows = book.sheets[sheet]
    rows.append(cells[sheet])
    if is_asked:
        book.asked.add((sheet, len(rows)))
    elif is_skipped:
        book.skipped.add((sheet, len(rows)))
    else:
        book.truth.append((day, winner, loser, length, expected, event))
    if chance.random() < 0.05:
        rows.append([])
        book.skipped.add((sheet, len(rows)))


def messy_points(chance: Random, count: int = 300) -> MessyMatches:
    """Three years with the points of each player in a column of their own, each kept in another way."""
    book = MessyMatches()
    book.sheets["2017"] = [["Date", "Winner", "Points", "Loser", "Points", "Length", "Tournament"]]
    book.sheets["League 2018"] = [["Tag", "Heim", "Gast", "Punkte Heim", "Punkte Gast", "Sieger", "Länge", "Turnier"]]
    book.sheets["2019"] = [
        ["Event", "Player 1", "Player 2", "Loser points", "Winner points", "Winner", "Date", "Match length"]
    ]
    for index in range(count):
        name = list(book.sheets)[index * 3 // count]
        day = date(int(name[-4:]), 1, 3) + timedelta(days=index % (count // 3))
        _row_of_points(book, chance, name, day)
    return book


def _row_of_points(book: MessyMatches, chance: Random, sheet: str, day: date) -> None:  # noqa: C901, one fault after another
    winner, loser = chance.sample(PLAYERS, 2)
    length = chance.choice([3, 5, 7, 9, 11])
    won, lost = length, chance.randrange(length)
    event = chance.choice(["Spring Cup", "Club night"])
    first_wins = sheet == "2017" or chance.random() < 0.5
    first, second = (winner, loser) if first_wins else (loser, winner)
    expected: tuple[int, int] | None = (won, lost)
    named: Cell = winner if sheet == "2019" else chance.choice([None, winner, winner.upper()])
    by_outcome: list[Cell] = [won, lost]
    fault = chance.randrange(20)
    is_asked = is_skipped = False
    if fault == 0:
        by_outcome, is_asked = [won, won], True
    elif fault == 1:
        by_outcome[chance.randrange(2)], is_asked = None, True
    elif fault == 2:
        by_outcome[chance.randrange(2)], is_asked = chance.choice(["close", "7-3", "?", "107"]), True
    elif fault == 3:
        # The column of the winner, or the place of the names, says one thing, and the points another.
        by_outcome, named, is_asked = [lost, won], winner, True
    elif fault == 4:
        by_outcome, expected, named = [None, "-"], None, winner
    elif fault == 5:
        by_outcome, named, is_asked = [None, None], None, sheet != "2017"
        expected = None
    elif fault == 6:
        by_outcome, is_skipped = [chance.choice(["w/o", "Walkover"]), None], True
    elif fault == 7:
        by_outcome = [f"{won} pts", f"{lost}.0"]
    elif fault == 8:
        # Fewer points than the match was to: it was broken off.
        by_outcome, is_asked = [length - 1, length - 2], True
    elif fault == 9:
        by_outcome, expected = [won + 1, lost], (won + 1, lost)
    own, other = by_outcome if first_wins else by_outcome[::-1]
    names = [_spelled(first, chance), _spelled(second, chance)]
    cells: dict[str, list[Cell]] = {
        "2017": [day, names[0], own, names[1], other, length, event],
        "League 2018": [day, *names, own, other, named, length, event],
        "2019": [event, *names, by_outcome[1], by_outcome[0], named, day, length],
    }
    rows = book.sheets[sheet]
    rows.append(cells[sheet])
    if is_asked:
        book.asked.add((sheet, len(rows)))
    elif is_skipped:
        book.skipped.add((sheet, len(rows)))
    else:
        book.truth.append((day, winner, loser, length, expected, event))


def _spelled(name: str, chance: Random) -> str:
    if not name or name == "Bye":
        return name
    first, _space, last = name.rpartition(" ")
    return chance.choice([name, name, name.upper(), f" {name}  ", f"{last}, {first}", name.lower()])


def _day(day: date, chance: Random, sheet: str) -> Cell:
    forms: list[Cell] = [
        day, day.isoformat(), f"{day.day}.{day.month}.{day.year % 100:02}", f"{day.day} {day:%B %Y}",
        f"{day:%b} {day.day}, {day.year}", f"{day:%a} {day.day}.{day.month}.{day.year}",
        f"{day.day}.{day.month}.", f"{day.day} {day:%b}",
    ]  # fmt: skip
    return chance.choice(forms)
