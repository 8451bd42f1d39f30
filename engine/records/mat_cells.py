"""The cells of a `.mat` row.

A row is `number) left cell   right cell`. Columns are unreliable (a cell with four steps overflows its own), so a row
is split where a cell *starts*: at a roll `64:` or at one of the words below.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from engine.errors import Refused
from engine.notation import moves_of_word
from engine.position import Position
from engine.transcript import Move

NEAR = 3
"""Blanks between a roll and a word that still belongs to it (`64: Cannot Move`)."""
MAX_TEXT_LENGTH = 1000
MAX_NAME_LENGTH = 200
SHOWN = 80
"""Characters of a line that a problem quotes."""

_START = re.compile(
    r"(?=[0-9a-z?])(?<![^\s)])(?:(?P<roll>\d\d) ?:|(?P<row>\d{1,4}\))(?!\S)|(?P<illegal>Illegal play ?\([^)]{0,400}\))"
    r"|(?P<hidden>\?{2,9})(?!\S)|(?P<word>[a-z']{4,9}|no)(?P<second> (?:move|play|on time|out))?\b)",
    re.IGNORECASE | re.ASCII,
)
"""A possible start of a cell: a roll, a marker, `????`, or a word, which may be unknown."""
_SORTS = {
    "no_move": ("cannot move", "can't move", "no move", "no play", "dance", "dances"),
    "double": ("double", "doubles", "redouble", "redoubles"),
    "beaver": ("beaver", "beavers", "raccoon", "raccoons"),
    "take": ("take", "takes", "accept", "accepts"),
    "drop": ("drop", "drops", "pass", "passes"),
    "refuse": ("refuse", "refuses", "decline", "declines", "reject", "rejects"),
    "resign": ("resign", "resigns", "resigned", "losses", "loses", "concede", "concedes"),
    "flag": ("loses on time", "lost on time", "timed out", "times out", "time out"),
    "wins": ("wins",),
}
_SORT_OF_WORD = {word: sort for sort, words in _SORTS.items() for word in words}

_UNNUMBERED = re.compile(
    r"(?:\d\d ?:|(?:wins|losses|loses)(?: +(?:\d|and the match)|[ \t]*$)|(?:loses|lost) on time"
    r"|(?:resign(?:s|ed)?|concedes)(?: +(?:\d|game|match|the match|single|gammon|backgammon|wins)|[ \t]*$))",
    re.IGNORECASE | re.ASCII,
)
_NO_MOVE = re.compile(
    r"(?:cannot move|can't move|no move|no play|dances?|-+|\(?no legal move\)?)\.?", re.IGNORECASE | re.ASCII
)
_HIDDEN = re.compile(r"\?+")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_RESIGN_LEVELS = (("backgammon", 3), ("gammon", 2), ("single", 1))


class Cell(NamedTuple):
    sort: str
    """roll, illegal, hidden (`????` without a roll), row (another row number inside a row), or a key of _SORTS."""
    word: str
    text: str
    """The text after the word."""
    column: int
    """Counted from 0."""
    gap: int
    """Blanks before this cell."""

    @property
    def shown(self) -> str:
        """The cell as a problem quotes it."""
        return quoted(self.word + self.text)


def one_line(text: str, longest: int = MAX_TEXT_LENGTH) -> str:
    """Return a name or remark fit for one line: trimmed, without control characters, at most `longest` characters."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return printable.strip()[:longest].strip()


def name_of(text: str) -> str:
    """Return a player's name fit for one line."""
    return one_line(text, MAX_NAME_LENGTH)


def quoted(text: str) -> str:
    """Return a text as a problem quotes it."""
    return text.strip()[:SHOWN]


def _starts(line: str, offset: int) -> list[tuple[str, str, int]]:
    """Return where the cells of a row start: (sort, word, column)."""
    starts = []
    for match in _START.finditer(line, offset):
        sort = match.lastgroup or ""
        word = match[0]
        if sort in ("word", "second"):
            sort = _SORT_OF_WORD.get(word.lower(), "")
            if not sort and match["second"]:
                word = match["word"]
                sort = _SORT_OF_WORD.get(word.lower(), "")
        if sort:
            starts.append((sort, word, match.start()))
    return starts


def starts_with_cell(line: str) -> bool:
    """Whether a line without a number starts with a cell as real files have it, and not with prose."""
    start = line.lstrip()
    return _UNNUMBERED.match(start) is not None


def cells_of(line: str, offset: int) -> tuple[str, list[Cell]]:
    """Return the text before the first cell of a row (usually none), and its cells in order."""
    starts = _starts(line, offset)
    lead = line[offset : starts[0][2]] if starts else line[offset:]
    cells: list[Cell] = []
    end = offset
    ends = [*(column for _, _, column in starts[1:]), len(line)]
    for (sort, word, column), next_column in zip(starts, ends, strict=False):
        text = line[column + len(word) : next_column]
        cell = Cell(sort, word, text, column, column - end)
        end = next_column - len(text) + len(text.rstrip())
        before = cells[-1] if cells else None
        if before and before.sort == "roll" and len(before.text) <= NEAR and not before.text.strip():
            cell = _completed(before, cell)
            if cell.column == before.column:
                cells.pop()
        cells.append(cell)
    return quoted(lead).strip("."), cells


def _completed(roll: Cell, cell: Cell) -> Cell:
    """Merge the two cells of `64: Cannot Move`, `64: ????` or `11: Illegal play (…)`; otherwise return the second."""
    if cell.sort in ("no_move", "hidden"):
        return roll._replace(text=cell.word)
    if cell.sort == "illegal":
        return roll._replace(sort="illegal", text=cell.word)
    return cell


@lru_cache(maxsize=1024)
def moves_of_words(text: str) -> tuple[Move, ...] | None:
    """Return the moves after a roll where they are not a plain list; None if they were not recorded.

    Raises Refused (`bad_notation`).
    """
    text = text.strip()
    if _HIDDEN.fullmatch(text):
        return None
    if _NO_MOVE.fullmatch(text):
        return ()
    moves: list[Move] = []
    for token in text.replace(",", " ").split():
        moves += moves_of_word(token)
    return tuple(moves)


def moves_of(text: str) -> tuple[Move, ...] | None:
    """Return the moves in the text after a roll; None if they were not recorded (`????`).

    An empty cell is a dance: (). Raises Refused (`bad_notation`).
    """
    moves: tuple[Move, ...] = ()
    try:
        for token in text.split():
            moves += moves_of_word(token)
    except Refused:
        return moves_of_words(text)
    return moves


DICE: dict[str, tuple[int, int] | None] = {
    f"{first}{second}": (first, second) for first in range(10) for second in range(10)
} | {"00": None}
"""The dice of a roll as written; some programs write `00:` for an unknown roll."""


def first_number(text: str) -> int | None:
    """Return the first whole number in a cell's text, if any: `=> 4`, `==> 4`, ` 2 points`."""
    match = _WHOLE_NUMBER.search(text)
    return int(match[0]) if match else None


def resign_level(text: str) -> int | None:
    """Return how many times the cube is resigned, if the cell says so."""
    lowered = text.lower()
    return next((level for word, level in _RESIGN_LEVELS if word in lowered), None)


def snowie_position(text: str) -> tuple[Position, str] | None:
    """Return the position in an `Illegal play (…)` marker, seen by the player then on roll, and that player's name.

    The marker contains a line of Snowie's text format, forty fields separated by semicolons: 5 is the name of the
    player on roll, 12 the opponent's bar, 13–36 the points seen by the player on roll (own checkers positive), 37 the
    bar of the player on roll. None if it has another form. Source: `export position snowietxt` of GNU Backgammon.
    """
    fields = text[text.index("(") + 1 :].rstrip(") ").split(";")
    if len(fields) < 38:
        return None
    try:
        numbers = [int(field) for field in fields[12:38]]
        position = Position.from_counts((-abs(numbers[0]), *numbers[1:25], abs(numbers[25])))
    except (ValueError, Refused):
        return None
    return position, fields[5].strip()
