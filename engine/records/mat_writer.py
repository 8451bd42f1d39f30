"""Writes match records in text (`.mat`).

The canonical form is read by GNU Backgammon, eXtreme Gammon and all sites: gnubg's layout, `bar` and `off` as words,
repeats as `(2)`, and a star for each hit that the transcript marks. The other styles make sample data look like real
files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from engine.errors import Refused
from engine.records.mat_cells import name_of, one_line
from engine.records.mat_header import header_of
from engine.transcript import ENDINGS, Event, Game, Kind, Move, StatedResult, Transcript

LEFT, RIGHT = 0, 1
NARROWEST = 27
"""Characters of the left column, as gnubg writes it."""
_ABOUT_A_RESIGNATION = frozenset({Kind.RESIGN, Kind.ACCEPT, Kind.REFUSE})
_RESIGN_WORDS = {1: "single", 2: "gammon", 3: "backgammon"}


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How a program writes its files."""

    bom: bool = False
    newline: str = "\n"
    indent: str = " "
    """Before `N point match`."""
    colon: str = " : "
    bar: str = "bar"
    off: str = "off"
    stars: bool = True
    repeats: bool = True
    """`8/5(2)` in place of `8/5 8/5`."""
    dance: str = ""
    hidden: str = "????"
    cube_indent: str = " "
    plural: bool = True
    """Whether `Wins 2 points` is written, and not always `point`."""
    match_words: str = " and the match"
    resign: str = "Resigns"
    """The word for a resignation; empty if the program shows it and its answer only in the result."""
    blank_lines: int = 1


_PLAIN = FileStyle(bar="25", off="0", repeats=False)
STYLES: dict[str, FileStyle] = {
    "canonical": FileStyle(),
    "gnubg": replace(_PLAIN, match_words="", resign=""),
    "xg": replace(
        _PLAIN, bom=True, newline="\r\n", indent="", stars=False, hidden="???", plural=False, resign="", blank_lines=3
    ),
    "xg-text": FileStyle(
        bom=True, newline="\r\n", indent="", bar="Bar", off="Off", dance="Cannot Move", plural=False, blank_lines=3,
        resign="",
    ),
    "galaxy": replace(_PLAIN, indent="", stars=False, plural=False, resign="Losses"),
    "studio": FileStyle(indent="", dance="Cannot Move", plural=False, match_words="", blank_lines=2, resign=""),
    "opengammon": replace(_PLAIN, indent="", colon=": ", stars=False, cube_indent="", resign="Resigned Game"),
}  # fmt: skip
"""Style by name of the dialect."""


def _moves(moves: Iterable[Move], style: FileStyle) -> str:
    """Return the moves of a cell; a style with `(2)` writes equal ones in a row once."""
    words: list[str] = []
    # Only the first of equal moves can hit: the star in `8/5*(2)` is that of the first.
    for move, group in groupby(moves, key=lambda move: move.points) if style.repeats else ():
        words += _repeated(move, list(group), style)
    if not style.repeats:
        words = [_move(move, style) for move in moves]
    return " ".join(words)


def _repeated(points: tuple[int, ...], group: list[Move], style: FileStyle) -> Iterator[str]:
    """Yield equal moves, as many to a word as can be read back: at most four, with only the first starred."""
    while group:
        times = 1
        while times < min(4, len(group)) and not any(group[times].hits):
            times += 1
        yield _move(group[0], style) + (f"({times})" if times > 1 else "")
        group = group[times:]


def _move(move: Move, style: FileStyle) -> str:
    words = [style.bar if move.points[0] == 25 else str(move.points[0])]
    hits = move.hits or (False,) * (len(move.points) - 1)
    for point, hit in zip(move.points[1:], hits, strict=False):
        words.append((style.off if point == 0 else str(point)) + ("*" if hit and style.stars else ""))
    return "/".join(words)


class _Rows:
    """The numbered rows of a game, filled event by event."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.right_taken = True

    def add(self, side: int, text: str) -> None:
        if side == RIGHT and not self.right_taken:
            self.rows[-1][RIGHT] = text
        else:
            self.rows.append([text, ""] if side == LEFT else ["", text])
        self.right_taken = side == RIGHT

    def remark(self, text: str) -> None:
        """Add a line that is not a row; the next event starts a new row."""
        self.rows.append([text])
        self.right_taken = True


def _cell(event: Event, claim: StatedResult | None, style: FileStyle) -> str:
    """Return the text of an event; empty if this style leaves it out."""
    kind, value = event.kind, event.value
    if kind is Kind.PLAY:
        return _play(event, style)
    if kind is Kind.ILLEGAL:
        dice = f"{event.dice[0]}{event.dice[1]}: " if event.dice else ""
        return f"{dice}Illegal play ({_snowie(event)})"
    if kind in _ABOUT_A_RESIGNATION and not style.resign and claim is not None:
        return ""
    if kind is Kind.RESIGN:
        return _resignation(event, claim, style)
    words = {
        Kind.DOUBLE: "Doubles",
        Kind.BEAVER: "Beavers",
        Kind.TAKE: "Takes",
        Kind.DROP: "Drops",
        Kind.ACCEPT: "Accepts",
        Kind.REFUSE: "Refuses",
        Kind.CONCEDE: "Resigns the match",
        Kind.FLAG: "Loses on time",
    }
    return style.cube_indent + words[kind] + (f" => {value}" if value is not None else "")


def _play(event: Event, style: FileStyle) -> str:
    if event.dice is None and event.moves == ():
        return "Cannot Move"
    roll = f"{event.dice[0]}{event.dice[1]}:" if event.dice else "00:"
    if event.moves is None:
        return f"{roll} {style.hidden}"
    return f"{roll} {_moves(event.moves, style) or style.dance}".rstrip()


def _resignation(event: Event, claim: StatedResult | None, style: FileStyle) -> str:
    if style.resign == "Losses":
        stated = claim.points if claim and claim.points else 1
        return f" Losses {event.points or stated} point"
    if style.resign != "Resigns" and style.resign:
        return style.cube_indent + style.resign
    level = f" {_RESIGN_WORDS.get(event.value, '')}" if event.value is not None else ""
    points = f" {event.points} points" if event.points is not None else ""
    return style.cube_indent + "Resigns" + level + points


def _snowie(event: Event) -> str:
    """Return the forty fields of Snowie's position line, seen by the player next on roll; unknown ones are 0."""
    if event.position is None:
        return ""
    counts = event.position.swapped().counts
    fields = [0, 0, 0, 0, 1 - event.side, "", "", 0, 0, 0, 1, 0, counts[0], *counts[1:25], counts[25], 0, 0]
    return ";".join(str(field) for field in fields) + ";"


def _letters(event: Event) -> str:
    """Return a position as the 26 letters of an XGID, with capitals and numbering of the left player."""
    if event.position is None:
        return "-" * 26
    position = event.position if event.side == LEFT else event.position.swapped()
    return position.letters


def _rows_of(game: Game, style: FileStyle) -> list[list[str]]:
    rows = _Rows()
    last = next((event for event in reversed(game.events) if event.kind not in ENDINGS), None)
    for event in game.events:
        if event is last and event.kind is Kind.PLAY and event.moves == () and event.dice is not None:
            # Without words the last roll of a game would be one that was not played.
            rows.add(event.side, f"{event.dice[0]}{event.dice[1]}: Cannot Move")
        elif event.kind is Kind.SET_POSITION:
            rows.remark(f"; Set Pos={_letters(event)}")
        elif event.kind is Kind.SET_CUBE:
            owner = {LEFT: "left", RIGHT: "right"}.get(event.side, "centre")
            rows.remark(f"; Set Cube={event.value} {owner}")
        elif cell := _cell(event, game.claim, style):
            rows.add(event.side, cell)
    if game.claim and _belongs_beside_drop(game):
        rows.add(RIGHT, _result(game.claim, style))
    return rows.rows


def _result(claim: StatedResult, style: FileStyle) -> str:
    plural = "s" if style.plural and claim.points != 1 else ""
    points = f" {claim.points} point{plural}" if claim.points is not None else ""
    return f" Wins{points}{style.match_words if claim.match else ''}"


def _belongs_beside_drop(game: Game) -> bool:
    """Whether the result belongs on the row of the last event: a drop by the left player.

    gnubg would end the game at the drop, and again at a result on a row of its own.
    """
    if game.claim is None or not game.events:
        return False
    last = game.events[-1]
    return last.kind is Kind.DROP and last.side == LEFT and game.claim.winner == RIGHT


def _game(game: Game, players: tuple[str, str], style: FileStyle) -> list[str]:
    rows = _rows_of(game, style)
    start = game.start
    left = f" {players[LEFT]}{style.colon}{start[LEFT]}" if start else ""
    cells = [len(row[LEFT]) for row in rows if len(row) == 2]
    width = max([NARROWEST, len(left) - 3, *cells]) + 1
    column = width + 5
    lines = [f" Game {game.number}"]
    if start:
        lines.append(f"{left:<{column}}{players[RIGHT]}{style.colon}{start[RIGHT]}")
    number = 0
    for row in rows:
        if len(row) == 1:
            lines += row
            continue
        number += 1
        lines.append(f"{number:3d}) {row[LEFT]:<{width}}{row[RIGHT]}".rstrip())
    if game.claim and not _belongs_beside_drop(game):
        indent = 5 if game.claim.winner == LEFT else column
        lines.append(" " * indent + _result(game.claim, style))
    return lines


def _remarks(transcript: Transcript, players: tuple[str, str], style: FileStyle) -> dict[str, str]:
    """Return the header remarks, with those added that are needed to read the rest."""
    remarks = dict(transcript.info)
    if not transcript.crawford_rule:
        remarks["Crawford"] = "Off"
    if transcript.jacoby:
        remarks["Jacoby"] = "On"
    line = f" {players[LEFT]}{style.colon}0        {players[RIGHT]}{style.colon}0"
    header = header_of(line, {""})
    has_headers = any(game.start for game in transcript.games)
    if players != (header.players if header and has_headers else ("", "")):
        for key, name in zip(("Player 1", "Player 2"), players, strict=True):
            if name:
                remarks.setdefault(key, name)
    return remarks


def write_mat(transcript: Transcript, dialect: str = "canonical") -> bytes:
    """Return the match as a `.mat` file in UTF-8; `dialect` is a key of STYLES.

    What `.mat` does not have (clocks, the mark of a Crawford game) is left out. The canonical form gives back
    everything that was read from a `.mat` file. Raises Refused (`cannot_write`).
    """
    style = STYLES.get(dialect)
    if style is None:
        raise Refused("cannot_write", format=dialect)
    left, right = (name_of(name) for name in transcript.players)
    players = (left, right)
    lines = [f'; [{one_line(k)} "{one_line(v)}"]' for k, v in _remarks(transcript, players, style).items()]
    if lines:
        lines.append("")
    if transcript.length is not None:
        lines += [f"{style.indent}{transcript.length} point match", ""]
    for game in transcript.games:
        lines += _game(game, players, style)
        lines += [""] * style.blank_lines
    text = style.newline.join(lines) + style.newline
    return (("\ufeff" if style.bom else "") + text).encode()
