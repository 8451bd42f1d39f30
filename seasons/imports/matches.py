"""Rows of a club's old spreadsheet, read as matches; whatever could be read in two ways is a question."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from core.days import UnclearDay, day_order, read_day
from core.names import fold
from core.people_lists import MAX_TITLE_ROWS, TOTALS, folded, is_name, person_name
from core.spreadsheets import Rows, Sheet
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from matches.models.matches import MAX_MATCH
from seasons.imports.rows import TITLES, SheetOffer
from tournaments.results.lines import heading_of, result_of_two, without_marks

PEOPLE = ("player", "opponent", "winner", "loser")
POINTS = ("player_points", "opponent_points", "winner_points", "loser_points")
"""A score in two columns: the points of each of the two."""
PAIRS = (POINTS[:2], POINTS[2:])
NO_FIGURE = ("", "-", "–")
OTHERS = ("score", "length", "day", "event")
COLUMNS = (*PEOPLE, *POINTS, *OTHERS)
# What clubs call these columns, folded: English, German, French, Italian, Spanish, Danish, Dutch, Turkish.
MATCH_TITLES: dict[str, frozenset[str]] = {
    "player": TITLES["name"]
    | folded("player 1, player a, home, spieler 1, spieler a, heim, joueur 1, giocatore 1, jugador 1, spiller 1"),
    "opponent": folded(
        "opponent, against, vs, versus, player 2, player b, away, gegner, gegen, spieler 2, spieler b, gast,"
        "adversaire, joueur 2, avversario, giocatore 2, rival, oponente, jugador 2, modstander, spiller 2,"
        "tegenstander, rakip"
    ),
    "winner": folded(
        "winner, won, won by, sieger, gewinner, vainqueur, gagnant, vincitore, ganador, vinder, winnaar, kazanan"
    ),
    "loser": folded("loser, lost, beaten, verlierer, perdant, perdente, perdedor, taber, verliezer, kaybeden"),
    "player_points": folded(
        "points 1, points a, score 1, score a, player 1 points, player 1 score, points player 1, home points,"
        "home score, own points, own score, points for, punkte 1, punkte a, punkte spieler 1, punkte heim, heimpunkte,"
        "points joueur 1, score joueur 1, punti 1, puntos 1, point 1, punten 1, puan 1"
    ),
    "opponent_points": folded(
        "points 2, points b, score 2, score b, player 2 points, player 2 score, points player 2, away points,"
        "away score, opponent points, opponent score, opp points, points opponent, points against, punkte 2, punkte b,"
        "punkte spieler 2, punkte gegner, punkte gast, gastpunkte, points joueur 2, score joueur 2,"
        "points adversaire, punti 2, puntos 2, point 2, punten 2, puan 2"
    ),
    "winner_points": folded(
        "winner points, winners points, winner's points, winner’s points, winner score, winner's score, points winner,"
        "punkte sieger, siegerpunkte, punkte gewinner, points vainqueur, punti vincitore, puntos ganador, vinderpoint"
    ),
    "loser_points": folded(
        "loser points, losers points, loser's points, loser’s points, loser score, loser's score, points loser,"
        "punkte verlierer, verliererpunkte, points perdant, punti perdente, puntos perdedor, taberpoint"
    ),
    "score": folded(
        "score, result, final score, ergebnis, resultat, spielstand, punteggio, risultato, resultado, marcador,"
        "uitslag, skor, sonuç"
    ),
    "length": folded(
        "length, match length, points to, pts, points, länge, matchlänge, punkte, longueur, lunghezza, longitud,"
        "længde, lengte, uzunluk"
    ),
    "day": TITLES["day"],
    "event": TITLES["event"],
}
EITHER_POINTS = MATCH_TITLES["score"] | TITLES["points"]
"""Of the points of one of the two, where the other column says more, or has the same title."""
_POINTS = re.compile(r"(\d{1,2})(?:[.,]0+)?\s*(?:points?|pts|punkte?|pkt|p)?\.?", re.IGNORECASE)
_SCORE = re.compile(r"(\d{1,2})\s*(?:[-–—:/]|to|zu)\s*(\d{1,2})", re.IGNORECASE)
_LENGTH = re.compile(r"(\d{1,2})\s*(?:points?|pts|punkte|pkt|p|er|-pointer)?\.?", re.IGNORECASE)
_DAY_MONTH = re.compile(r"\d{1,2}\s*[./-]\s*\d{1,2}\s*\.?|\d{1,2}\.?\s+[^\W\d]+\.?")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
WON, LOST = folded("w, won, win, sieg, gewonnen"), folded("l, lost, loss, niederlage, verloren")
NOT_PLAYED = folded("wo, w/o, walkover, forfeit, no show, kampflos, ff, not played, nicht gespielt, forfait")
PARTICLES = folded("van,von,vom,zu,zur,de,der,den,del,della,di,da,do,dos,du,af,av,al,el,le,la,ter,ten,y,bin")
BYES = folded("bye, freilos, exempt, riposo, oversidder, -, –")


class MatchProblem(StrEnum):
    """Why a row is not imported as it is."""

    EMPTY = "empty"
    TOTAL = "total"
    BYE = "bye"
    NOT_PLAYED = "not_played"
    KNOWN = "known"
    NO_NAME = "no_name"
    LONG_NAME = "long_name"
    SAME_PLAYER = "same_player"
    NO_DAY = "no_day"
    BAD_DAY = "bad_day"
    UNCLEAR_DAY = "unclear_day"
    FUTURE = "future"
    BAD_SCORE = "bad_score"
    NO_WINNER = "no_winner"
    BAD_WINNER = "bad_winner"
    BAD_LENGTH = "bad_length"
    NO_LENGTH = "no_length"
    CONTRADICTION = "contradiction"
    REPEATED = "repeated"
    HEADING = "heading"
    NO_RESULT = "no_result"


SKIPPED = (
    MatchProblem.EMPTY,
    MatchProblem.TOTAL,
    MatchProblem.BYE,
    MatchProblem.NOT_PLAYED,
    MatchProblem.KNOWN,
    MatchProblem.HEADING,
)
"""Rows without a match that could be imported, which nobody has to be asked about."""


@dataclass(frozen=True, slots=True)
class MatchReading:
    """How a file is to be read. Numbers count from 1; what is left open is recognised."""

    columns: Mapping[str, int | None] = field(default_factory=dict)
    """The column of each of COLUMNS, 0 for none."""
    day_order: str = ""
    sheets: Sequence[int] = ()
    length: int | None = None
    """Of matches whose row gives neither a length nor a score that tells it."""
    day: date | None = None
    """Of matches whose row gives none."""


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A match in the file, or the problem with the cell `value`. `row` is its number in the file."""

    row: int
    sheet: str = ""
    winner: str = ""
    loser: str = ""
    score: tuple[int, int] | None = None
    """The winner's points first."""
    length: int = 0
    day: date | None = None
    event: str = ""
    problem: MatchProblem | None = None
    value: str = ""
    from_score: bool = False
    """Whether no length is given, so that it is the winner's points."""

    @property
    def names(self) -> tuple[str, str]:
        return self.winner, self.loser


@dataclass(frozen=True, slots=True)
class MatchSheet:
    titles: Sequence[str]
    columns: Mapping[str, int]
    rows: Sequence[PastMatch]
    sheets: Sequence[SheetOffer] = ()
    unused: Sequence[str] = ()
    is_of_lines: bool = False
    """Whether the results are lines as people write them, without columns."""

    @property
    def lacks_columns(self) -> bool:
        """Whether nobody knows yet where the players and the results are."""
        return not self.is_of_lines and not _is_enough(self.columns)

    @property
    def good(self) -> list[PastMatch]:
        return [row for row in self.rows if row.problem is None]


def _is_enough(columns: Mapping[str, int]) -> bool:
    pair = {"player", "opponent"} <= set(columns)
    return {"winner", "loser"} <= set(columns) or (pair and bool({"score", "winner", "player_points"} & set(columns)))


def has_matches(sheets: Sequence[Sheet]) -> bool:
    """Whether a sheet of the file has titles of matches: two players a row, and who won; or lines of results."""
    return _is_table(sheets) or bool(_lines_of(sheets))


def _is_table(sheets: Sequence[Sheet]) -> bool:
    return any(_is_enough(_header(sheet.rows)[2]) for sheet in sheets)


def _lines_of(sheets: Sequence[Sheet]) -> list[str]:
    """Return the lines of a text of which a third or more are results; none of a table."""
    # A comma, as between two names, was taken for the end of a cell.
    lines = [", ".join(row) for sheet in sheets for row in sheet.rows]
    results = sum(result_of_two(line) is not None for line in lines)
    return lines if results and 3 * results >= sum(map(bool, lines)) and not _is_table(sheets) else []


def _rows_of_lines(lines: Sequence[str], reading: MatchReading, today: date) -> list[PastMatch]:
    """Read results as people write them, with days and headings in lines of their own."""
    order = reading.day_order or day_order(lines)
    rows: list[PastMatch] = []
    day = heading = ""
    for number, line in enumerate(lines, 1):
        start = PastMatch(number, event=heading)
        result, bare = result_of_two(line), without_marks(line)
        if result and result.score and all(map(_may_be_name, result.names)):
            score = "–".join(map(str, result.score))
            cells = {"player": result.names[0], "opponent": result.names[1], "score": score, "day": day}
            rows.append(_match(replace(start, event=result.value or heading), cells, order, "", reading, today))
        elif _dated(start, bare, order, "", None, today).problem not in (MatchProblem.BAD_DAY, MatchProblem.NO_DAY):
            day, heading = bare, ""
            rows.append(_problem(start, MatchProblem.HEADING, line))
        elif line.endswith(":"):
            heading = heading_of(line)[:MAX_NAME_LENGTH]
            rows.append(_problem(start, MatchProblem.HEADING, line))
        else:
            unread = MatchProblem.NO_RESULT if bare else MatchProblem.EMPTY
            rows.append(_problem(start, MatchProblem.NOT_PLAYED if result and not result.score else unread, line))
    return rows


def _may_be_name(text: str) -> bool:
    """Whether it is no pair and has no words of a sentence: in small letters, beside a capital."""
    words = {word for word in text.split() if word[0].islower()}
    return not set(text) & {"&", "+"} and (words <= PARTICLES or text == text.lower())


def _header(rows: Rows) -> tuple[int, list[str], dict[str, int]]:
    """Return the index below the titles, the titles, and the columns recognised in them."""
    filled = [index for index, row in enumerate(rows[:MAX_TITLE_ROWS]) if sum(map(bool, row)) > 1]
    headers = [(index + 1, list(rows[index]), _recognised(rows[index])) for index in filled]
    unknown = headers[0] if headers else (len(rows), [], {})
    return next((header for header in headers if _is_enough(header[2])), unknown)


def _recognised(row: Sequence[str]) -> dict[str, int]:
    titles = list(map(fold, row))
    columns = _points_columns(titles, _named(titles, PEOPLE, {}))
    counts = Counter(titles)
    # Of several columns with the same title, nobody knows which one is the score or the length.
    repeated = {title for title in EITHER_POINTS if counts[title] > 1}
    columns = _named(["" if title in repeated else title for title in titles], OTHERS, columns)
    if "winner" in columns and "loser" in columns:
        # A column of names beside them would be somebody else: the scorer, perhaps.
        columns.pop("player", None)
        columns.pop("opponent", None)
    return columns


def _points_columns(titles: Sequence[str], players: Mapping[str, int]) -> dict[str, int]:
    """Return the columns of players, and with them those of a score in two columns, if both are recognised.

    Titles are folded.
    """
    columns = _named(titles, POINTS, players)
    free = [number for number, title in enumerate(titles, 1) if number not in columns.values() and title]
    either = [number for number in free if titles[number - 1] in EITHER_POINTS]
    for own, other in PAIRS:
        if other in columns and own not in columns and len(either) == 1:
            columns[own] = either.pop()
    same = {titles[number - 1] for number in either}
    if not set(POINTS) & set(columns) and len(either) == 2 and len(same) == 1:
        # They stand in the order of the two names.
        pair = ("winner", "loser") if {"winner", "loser"} <= set(players) else ("player", "opponent")
        ordered = sorted(pair, key=lambda name: columns.get(name, len(titles)))
        if set(pair) <= set(players):
            columns |= {f"{name}_points": number for name, number in zip(ordered, either, strict=True)}
    for own, other in PAIRS:
        if (own in columns) != (other in columns):
            columns.pop(own, None)
            columns.pop(other, None)
    return columns


def _named(titles: Sequence[str], names: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    columns = dict(known)
    for name in names:
        if name in columns:
            continue
        for number, title in enumerate(titles, 1):
            if number not in columns.values() and title in MATCH_TITLES[name]:
                columns[name] = number
                break
    return columns


def read_past_matches(sheets: Sequence[Sheet], reading: MatchReading, today: date) -> MatchSheet:
    """Read matches from every sheet that has their titles, or from those chosen.

    The name of a sheet tells the year of days without one. Refused: `past_no_columns` if the choice of columns or
    sheets makes no sense.
    """
    headers = [_header(sheet.rows) for sheet in sheets]
    if not any(reading.columns.values()) and (lines := _lines_of(sheets)):
        return MatchSheet([], {}, _rows_of_lines(lines, reading, today), is_of_lines=True)
    known = [number for number, header in enumerate(headers, 1) if _is_enough(header[2])]
    chosen = [number for number in dict.fromkeys(reading.sheets) if number]
    if any(not 1 <= number <= len(sheets) for number in chosen):
        raise Refused("past_no_columns")
    read = chosen or known or ([1] if sheets else [])
    offers = [
        SheetOffer(number, sheet.name, sum(map(any, sheet.rows)), number in read, number in known)
        for number, sheet in enumerate(sheets, 1)
    ]
    if not read:
        return MatchSheet([], {}, [], offers)
    titles = headers[read[0] - 1][1]
    first = _columns(headers[read[0] - 1], reading.columns)
    rows: list[PastMatch] = []
    unused: dict[str, None] = {}
    for number in read:
        below, own_titles, _recognised_columns = header = headers[number - 1]
        columns = first if own_titles == titles else _columns(header, {})
        unused |= dict.fromkeys(
            title for column, title in enumerate(own_titles, 1) if title and column not in columns.values()
        )
        if _is_enough(columns):
            sheet = sheets[number - 1]
            rows += _rows(sheet, below, columns, replace(reading, columns={}), today, several=len(read) > 1)
    return MatchSheet(titles, first, rows, offers, list(unused))


def _columns(header: tuple[int, list[str], dict[str, int]], chosen: Mapping[str, int | None]) -> dict[str, int]:
    _below, titles, recognised = header
    columns = {name: number for name, number in chosen.items() if number}
    taken = set(columns.values())
    if len(taken) < len(columns) or any(number > len(titles) for number in taken):
        raise Refused("past_no_columns")
    return columns | {
        name: number for name, number in recognised.items() if chosen.get(name) is None and number not in taken
    }


def _rows(
    sheet: Sheet, below: int, columns: Mapping[str, int], reading: MatchReading, today: date, *, several: bool
) -> list[PastMatch]:
    texts = [
        (number, row, {name: _cell(row, column) for name, column in columns.items()})
        for number, row in enumerate(sheet.rows[below:], below + 1)
    ]
    order = reading.day_order or day_order(cells.get("day", "") for _number, _row, cells in texts)
    years = set(_YEAR.findall(sheet.name))
    year = years.pop() if len(years) == 1 else ""
    rows: list[PastMatch] = []
    above: tuple[str, str] = "", ""
    for number, row, cells in texts:
        start = PastMatch(number, sheet.name if several else "")
        if not any(row):
            rows.append(replace(start, problem=MatchProblem.EMPTY))
            continue
        # The day and the event are often written once for the rows below.
        day, event = cells.get("day", ""), " ".join(cells.get("event", "").split())
        above = (day or above[0], event or ("" if day and day != above[0] else above[1]))
        start = replace(start, event=above[1][:MAX_NAME_LENGTH])
        rows.append(_match(start, cells | {"day": above[0]}, order, year, reading, today))
    return rows


def _cell(row: Sequence[str], column: int) -> str:
    return row[column - 1].strip() if 0 < column <= len(row) else ""


def _problem(start: PastMatch, problem: MatchProblem, value: str = "") -> PastMatch:
    return replace(start, problem=problem, value=value)


def _match(
    start: PastMatch, cells: Mapping[str, str], order: str, year: str, reading: MatchReading, today: date
) -> PastMatch:
    is_decided = "loser" in cells
    first, second = _name(cells["winner"], cells["loser"]) if is_decided else _name(cells["player"], cells["opponent"])
    score = cells.get("score", "")
    if fold(first.rstrip(":")) in TOTALS:
        return _problem(start, MatchProblem.TOTAL, first)
    if fold(first) in BYES or fold(second) in BYES:
        return _problem(start, MatchProblem.BYE, f"{first} – {second}")
    for text in (score, *(cells.get(name, "") for name in POINTS)):
        if fold(text) in NOT_PLAYED:
            return _problem(start, MatchProblem.NOT_PLAYED, text)
    if not first or not second:
        return _problem(start, MatchProblem.NO_NAME, first or second)
    if longest := next((name for name in (first, second) if len(name) > MAX_NAME_LENGTH), ""):
        return _problem(start, MatchProblem.LONG_NAME, longest)
    if unclear := next((name for name in (first, second) if not is_name(name)), ""):
        return _problem(start, MatchProblem.NO_NAME, unclear)
    start = replace(start, winner=first, loser=second)
    if fold(first) == fold(second):
        return _problem(start, MatchProblem.SAME_PLAYER, first)
    dated = _dated(start, cells["day"], order, year, reading.day, today)
    if dated.problem:
        return dated
    decided = _decided(dated, cells, None if is_decided else cells.get("winner", ""), is_decided)
    return decided if decided.problem else _of_length(decided, cells.get("length", ""), reading.length)


def _name(first: str, second: str) -> tuple[str, str]:
    return person_name(first)[0], person_name(second)[0]


def _dated(start: PastMatch, text: str, order: str, year: str, missing: date | None, today: date) -> PastMatch:
    if not text and missing is None:
        return _problem(start, MatchProblem.NO_DAY)
    if year and _DAY_MONTH.fullmatch(text):
        separator = "/" if "/" in text else "-" if "-" in text else "." if "." in text.rstrip(".") else " "
        text = f"{text.rstrip('. ')}{separator}{year}"
    try:
        day = read_day(text, order) if text else missing
    except UnclearDay:
        return _problem(start, MatchProblem.UNCLEAR_DAY, text)
    except ValueError:
        return _problem(start, MatchProblem.BAD_DAY, text)
    assert day is not None  # noqa: S101, a row without one has been refused above.
    return _problem(start, MatchProblem.FUTURE, text) if day > today else replace(start, day=day)


@dataclass(frozen=True, slots=True)
class _Score:
    """A score as a row tells it: that of the first of its two players first, or with `by_outcome` the winner's."""

    text: str
    points: tuple[int, int] | None
    """None if these are no numbers."""
    by_outcome: bool = False

    def problem(self, start: PastMatch) -> PastMatch | None:
        """Return the row with what is wrong with the score alone."""
        if self.points is None:
            return _problem(start, MatchProblem.BAD_SCORE, self.text)
        own, other = self.points
        if own == other:
            return _problem(start, MatchProblem.NO_WINNER, self.text)
        is_reversed = self.by_outcome and own < other
        return _problem(start, MatchProblem.CONTRADICTION, self.text) if is_reversed else None


def _scores(cells: Mapping[str, str], is_decided: bool) -> Iterator[_Score]:
    """Yield the score of a row, and a second one if it is told in other columns as well."""
    for own, other in PAIRS:
        pair = cells.get(own, ""), cells.get(other, "")
        if any(cell not in NO_FIGURE for cell in pair):
            points = [int(match[1]) for cell in pair if (match := _POINTS.fullmatch(cell))]
            read = (points[0], points[1]) if len(points) == 2 else None
            yield _Score("–".join(pair), read, own == "winner_points" and not is_decided)
    text = cells.get("score", "")
    is_word = fold(text) in WON | LOST and not is_decided
    if text not in NO_FIGURE and not is_word:
        match = _SCORE.fullmatch(text)
        yield _Score(text, (int(match[1]), int(match[2])) if match else None)


def _decided(start: PastMatch, cells: Mapping[str, str], named: str | None, is_decided: bool) -> PastMatch:
    """Return the match with its winner first. `named` is the cell that names the winner, if there is one.

    What a row tells twice, such as the winner in a column and by the score, must agree.
    """
    first, second = start.names
    winners: set[bool] = {True} if is_decided else set()
    if named:
        named, _rating = person_name(named)
        if fold(named) not in (fold(first), fold(second)):
            return _problem(start, MatchProblem.BAD_WINNER, named)
        winners.add(fold(named) == fold(first))
    scores = list(_scores(cells, is_decided))
    if problem := next(filter(None, (score.problem(start) for score in scores)), None):
        return problem
    read = [score.points for score in scores if score.points is not None]
    winners |= {score.points[0] > score.points[1] for score in scores if score.points and not score.by_outcome}
    if fold(cells.get("score", "")) in WON | LOST and not is_decided:
        winners.add(fold(cells["score"]) in WON)
    if not winners:
        return _problem(start, MatchProblem.NO_WINNER, " · ".join(score.text for score in scores))
    if len(winners) > 1 or len({(max(points), min(points)) for points in read}) > 1:
        contradictory = (named, cells.get("score", ""), *(score.text for score in scores))
        return _problem(start, MatchProblem.CONTRADICTION, " · ".join(dict.fromkeys(filter(None, contradictory))))
    winner, loser = (first, second) if winners.pop() else (second, first)
    # 1-0 beside longer matches only says who won.
    score = next(((max(points), min(points)) for points in read if max(points) > 1), None)
    return replace(start, winner=winner, loser=loser, score=score)


def _of_length(start: PastMatch, text: str, missing: int | None) -> PastMatch:
    """Return the match with its length, which its score must fit.

    Without a length, an odd number of points of the winner is the length: matches of even lengths are rare, and the
    last game may win more points than are needed.
    """
    length, from_score = missing, False
    if text and text not in ("-", "–", "?"):
        match = _LENGTH.fullmatch(text)
        length = int(match[1]) if match else 0
        if not 1 <= length <= MAX_MATCH:
            return _problem(start, MatchProblem.BAD_LENGTH, text)
    elif start.score is not None and start.score[0] % 2:
        length, from_score = start.score[0], True
    if length is None:
        return _problem(start, MatchProblem.NO_LENGTH, "–".join(map(str, start.score or ())))
    if not 1 <= length <= MAX_MATCH:
        return _problem(start, MatchProblem.BAD_LENGTH, str(length))
    if start.score is not None and not start.score[1] < length <= start.score[0]:
        return _problem(start, MatchProblem.CONTRADICTION, f"{start.score[0]}–{start.score[1]} · {length}")
    return replace(start, length=length, from_score=from_score)
