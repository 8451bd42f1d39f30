"""Reads match records in text: Jellyfish `.mat` and its variants by other programs.

The form may vary, but nothing is dropped silently: a cell that is not understood becomes a Problem. Whether a play is
possible is not checked here.
"""

import re
from functools import lru_cache

from engine.errors import Refused
from engine.position import Position
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_cells import (
    DICE,
    NEAR,
    Cell,
    cells_of,
    first_number,
    moves_of,
    name_of,
    one_line,
    quoted,
    resign_level,
    snowie_position,
    starts_with_cell,
)
from engine.records.mat_dialects import dialect_of, without_ratings
from engine.records.mat_header import Header, header_of
from engine.transcript import ENDINGS, Event, Game, Kind, Move, Place, Problem, StatedResult, Transcript

LEFT, RIGHT, CENTRED = 0, 1, -1
MAX_LINE_LENGTH = 2000
"""Characters; the longest row seen, which contains a position, has 200."""
USUAL_GAME = frozenset(("backgammon", "standard", "normal", ""))
MIN_RIGHT_START = 10
"""Leftmost start of a right column."""
MAX_LEFT_START = 20
"""Rightmost start of a left column, however far a long name moves the right half of the header."""

GALAXY_MONEY_LENGTH = 16

_TWO_PLAYS = re.compile(
    r"[ \t]*[0-9]{1,4}\) {0,4}([0-9]{2}):([0-9A-Za-z/*() \t]*)[ \t]([0-9]{2}):([0-9A-Za-z/*() \t]*)"
).fullmatch
"""By far the most common row: a play in each column."""
_ROW = re.compile(r"[ \t]*[0-9]{1,4}\)").match
_GAME = re.compile(r"[ \t]*Game[ \t]+(\d{1,6})[ \t]*+:?[ \t]*+", re.IGNORECASE | re.ASCII).fullmatch
_LENGTH = re.compile(r"[ \t]*(\d{1,4})[ \t]*-?points?[ \t]+match\b", re.IGNORECASE | re.ASCII).match
_MONEY = re.compile(
    r"[ \t]*(?:money (?:session|game|match)|unlimited(?: games?| match)?)[ \t]*", re.IGNORECASE
).fullmatch
_REMARK = re.compile(r"[ \t]*;[ \t]*\[[ \t]*+([^\"\]]+)\"(.*)\"[ \t]*+\][ \t]*+").fullmatch
_SET_POSITION = re.compile(r"[ \t]*;[ \t]*Set Pos[ \t]*=[ \t]*([-A-Oa-o]{26})", re.IGNORECASE | re.ASCII).match
_SET_CUBE = re.compile(
    r"[ \t]*;[ \t]*Set Cube[ \t]*=[ \t]*(\d{1,9})[ \t]+(left|right|centre)\b", re.IGNORECASE | re.ASCII
).match
_LOOKS_PLAYED = re.compile(r"(?<![\d/])(?:\d{1,2}|bar)/(?:\d{1,2}|off)(?![\d/])", re.IGNORECASE | re.ASCII).search
_MARK = re.compile(
    r"(/(?:\d{1,2}|off)\*?(?:\(\d\))?\*?|=> ?\d{1,9}|\b(?:doubles|takes|drops|passes))([ \t]{0,3}[?!]{1,2})(?!\S)",
    re.IGNORECASE | re.ASCII,
)
"""A mark of a commentator behind a play or a cube action, e.g. `?!`, which is no part of it."""
_AND_THE_MATCH = re.compile(r"\bthe match\b", re.IGNORECASE | re.ASCII).search

_KINDS = {
    "double": Kind.DOUBLE,
    "beaver": Kind.BEAVER,
    "take": Kind.TAKE,
    "drop": Kind.DROP,
    "refuse": Kind.REFUSE,
    "flag": Kind.FLAG,
}
_TURNS = (Kind.PLAY, Kind.ILLEGAL)


class _Draft:
    def __init__(self, number: int, place: Place) -> None:
        self.number = number
        self.place = place
        self.header: Header | None = None
        self.events: list[Event] = []
        self.places: list[Place] = []
        self.claim: StatedResult | None = None
        self.claim_place = Place()
        self.loose_resignation: int | None = None
        """Index of the last resignation, whose column does not show who resigned if a result follows."""
        self.turned = False
        """The header has the right player of the match on the left."""
        self.ends_blank = False
        """Nothing follows the last roll, not even words that say that it could not be played."""

    @property
    def squeezed(self) -> bool:
        """Whether blanks were lost, so that columns mean nothing."""
        return self.header is not None and self.header.squeezed

    def winner_without_column(self) -> int | None:
        """Return who must have won, if columns mean nothing; otherwise None."""
        if not self.squeezed or not self.events:
            return None
        last = self.events[-1]
        return last.side if last.kind is Kind.PLAY and last.moves is not None else 1 - last.side

    def on_turn(self) -> int | None:
        """Return the side that has not played last; None before the first play."""
        return next((1 - event.side for event in reversed(self.events) if event.kind in _TURNS), None)

    def add(self, event: Event, place: Place) -> None:
        self.events.append(event)
        self.places.append(place)

    def finished(self) -> Game:
        if self.squeezed and len(self.events) > 1:
            first, second = self.events[:2]
            # Without blanks, a single first cell looks like a left one, unless the left player also moves next.
            if (
                first.side == second.side == LEFT
                and first.kind is Kind.PLAY
                and second.kind in (Kind.PLAY, Kind.DOUBLE)
            ):
                self.events[0] = first._replace(side=RIGHT)
        if self.claim is not None and self.loose_resignation == len(self.events) - 1:
            self.events[-1] = self.events[-1]._replace(side=1 - self.claim.winner)
        if self.ends_blank:
            self._forget_last_play()
        start, claim, events = self.header.score if self.header else None, self.claim, tuple(self.events)
        if self.turned:
            start = None if start is None else (start[RIGHT], start[LEFT])
            claim = None if claim is None else claim._replace(winner=1 - claim.winner)
            events = tuple(event if event.side == CENTRED else event._replace(side=1 - event.side) for event in events)
        return Game(
            number=self.number,
            events=events,
            start=start,
            claim=claim,
            places=tuple(self.places),
            place=self.place,
            claim_place=self.claim_place,
        )

    def _forget_last_play(self) -> None:
        """Make an empty last cell a play that was not recorded: before the end of a game it need not be a dance."""
        last = next((at for at, event in reversed(list(enumerate(self.events))) if event.kind not in ENDINGS), None)
        if last is not None and self.events[last].moves == () and self.events[last].dice is not None:
            self.events[last] = self.events[last]._replace(moves=None)


class _Reader:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.length: int | None = None
        self.players: tuple[str, str] | None = None
        self.info: dict[str, str] = {}
        self.games: list[Game] = []
        self.game: _Draft | None = None
        self.wants_header = False
        self.right_column = 0
        self.counts_from_zero = False
        self.problems: list[Problem] = []
        self.plies = 0
        self.line_number = 0

    def problem(self, severity: str, code: str, column: int | None = None, /, **params: object) -> None:
        """Note what was skipped, up to the limit."""
        if len(self.problems) < self.limits.problems:
            place = Place(self.line_number, None if column is None else column + 1)
            self.problems.append(Problem(severity, code, params, place, self.game.number if self.game else None))

    def read(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            self.line_number = number
            if number > self.limits.lines:
                raise Refused("too_many_lines", limit=self.limits.lines)
            row = _TWO_PLAYS(line)
            if row is not None and self.game is not None and self._two_plays(self.game, row):
                continue
            if not line or line.isspace():
                continue
            if len(line) > MAX_LINE_LENGTH:
                self.problem("error", "line_too_long", characters=len(line))
            elif self._line(line):
                break
        self._close_game()

    def _two_plays(self, game: _Draft, row: re.Match[str]) -> bool:
        """Read a row of two plays; return False, without reading anything, if it is not just that."""
        left_roll, left, right_roll, right = row.groups()
        right = right.strip()
        try:
            game.events += (_play_of(LEFT, left_roll, left.strip()), _play_of(RIGHT, right_roll, right))
        except Refused:
            return False
        game.ends_blank = not right
        line = self.line_number
        game.places += (Place(line, row.start(1) + 1), Place(line, row.start(3) + 1))
        self.wants_header = False
        self._count(2)
        return True

    def _count(self, plies: int) -> None:
        self.plies += plies
        if self.plies > self.limits.plies:
            raise Refused("too_many_plies", limit=self.limits.plies)

    def _line(self, line: str) -> bool:
        """Read a line that is not just two plays; return True if the first match of the file has ended."""
        line = line.expandtabs(8)
        # A name may look like anything, so a header is tried first where one is due.
        if header := self._expected_header(line):
            self._take_header(header)
        elif line.lstrip().startswith(";"):
            self._remark(line)
        elif row := _ROW(line):
            self._cells(line, row.end())
        elif game := _GAME(line):
            self._open_game(int(game[1]))
        elif (length := _LENGTH(line)) or _MONEY(line):
            if self.games or self.game:
                self.problem("note", "several_matches")
                return True
            self.length = int(length[1]) if length else 0
        elif self.game is not None:
            self._unnumbered(line)
        return False

    def _expected_header(self, line: str) -> Header | None:
        if not self.wants_header and self.game is not None:
            return None
        known = set(self.players or ()) | {self.info.get("Player 1", ""), self.info.get("Player 2", "")}
        return header_of(line, known)

    def _open_game(self, number: int) -> _Draft:
        self._close_game()
        if len(self.games) >= self.limits.games:
            raise Refused("too_many_games", limit=self.limits.games)
        self.counts_from_zero = self.counts_from_zero or number == 0
        self.game = _Draft(number + self.counts_from_zero, Place(self.line_number, 1))
        self.wants_header = True
        return self.game

    def _close_game(self) -> None:
        if self.game is not None:
            self.games.append(self.game.finished())
            self.game = None

    def _take_header(self, header: Header) -> None:
        game = self.game or self._open_game(1)
        game.header = header
        self.right_column = header.right_column
        self.wants_header = False
        if self.players is None:
            self.players = header.players
        elif self.players != header.players:
            game.turned = self.players == (header.players[RIGHT], header.players[LEFT])
        if self.players != header.players and not game.turned:
            self.problem("warning", "names_change", 0, left=header.players[0], right=header.players[1])

    def _remark(self, line: str) -> None:
        if remark := _REMARK(line):
            if self.game is None and not self.games:
                self.info.setdefault(one_line(remark[1]), one_line(remark[2]))
        elif self.game is not None and (placed := _SET_POSITION(line)):
            position = self._position(placed)
            self.game.add(Event(LEFT, Kind.SET_POSITION, position=position), Place(self.line_number, 1))
        elif self.game is not None and (cube := _SET_CUBE(line)):
            owner = {"left": LEFT, "right": RIGHT}.get(cube[2].lower(), CENTRED)
            self.game.add(Event(owner, Kind.SET_CUBE, value=int(cube[1])), Place(self.line_number, 1))

    def _position(self, placed: re.Match[str]) -> Position | None:
        """Return the position of a `Set Pos` line, seen by the left player; None if it is impossible."""
        try:
            return Position.from_letters(placed[1])
        except Refused:
            self.problem("error", "unreadable_position", placed.start(1), text=placed[1])
            return None

    def _unnumbered(self, line: str) -> None:
        """Read a line without a number inside a game: a result, a resignation, or a remark."""
        if starts_with_cell(line):
            self._cells(line, 0, numbered=False)
        elif _LOOKS_PLAYED(line):
            self.problem("warning", "unreadable_line", 0, text=quoted(line))

    def _cells(self, line: str, offset: int, numbered: bool = True) -> None:
        """Read the cells of a row, from `offset` on."""
        game = self.game or self._open_game(len(self.games) + 1)
        self.wants_header = False
        lead, cells = cells_of(_MARK.sub(lambda mark: mark[1] + " " * len(mark[2]), line), offset)
        if lead:
            self.problem("error", "unreadable_cell", offset, text=lead)
        right_from = max(MIN_RIGHT_START, min(self.right_column // 2, MAX_LEFT_START))
        side: int | None = None
        # `64: Resigns` is the turn of one player; after a roll that was played, the other player resigns.
        unplayed = False
        for cell in cells:
            if cell.sort == "row":
                right_from += cell.column
                side = None
                continue
            if side is None:
                side = RIGHT if cell.column > right_from else LEFT
            elif cell.sort != "resign" or cell.gap > NEAR or not unplayed:
                side = 1 - side
            if cell.sort == "hidden" and (on_turn := game.on_turn()) is not None:
                side = on_turn  # A turn of which nothing is known stands in either column.
            self._cell(game, side, cell, numbered)
            unplayed = cell.sort == "roll" and not cell.text.strip(" ?")

    def _cell(self, game: _Draft, side: int, cell: Cell, numbered: bool) -> None:
        """Add a cell as an event of the game, or as its result."""
        if cell.sort == "wins":
            winner = None if numbered else game.winner_without_column()
            self._claim(game, side if winner is None else winner, cell)
            return
        if cell.sort == "resign" and (not numbered or cell.word[:6].lower() == "resign"):
            game.loose_resignation = len(game.events)
        beside_result = cell.sort == "resign" and game.claim_place.line == self.line_number
        if game.claim is not None and not beside_result:
            self.problem("warning", "after_result", cell.column, text=cell.shown)
        last = game.events[-1] if game.events else None
        answers_resignation = last is not None and last.kind is Kind.RESIGN and last.side != side
        accepts = cell.sort == "take" and answers_resignation
        event = Event(side, Kind.ACCEPT) if accepts else self._event(game, side, cell)
        if event.kind is Kind.PLAY:
            game.ends_blank = cell.sort == "roll" and not cell.text.strip()
        game.add(event, Place(self.line_number, cell.column + 1))
        self._count(1)

    def _event(self, game: _Draft, side: int, cell: Cell) -> Event:
        text = cell.text
        match cell.sort:
            case "roll":
                return Event(side, Kind.PLAY, DICE[cell.word[:2]], self._moves(cell))
            case "no_move":
                return Event(side, Kind.PLAY, None, ())
            case "hidden":
                return Event(side, Kind.PLAY)
            case "illegal":
                return self._illegal(game, side, cell)
            case "resign":
                points = first_number(text)
                if points is None and (_AND_THE_MATCH(text) or text.strip().lower() == "match"):
                    return Event(side, Kind.CONCEDE)
                return Event(side, Kind.RESIGN, value=resign_level(text), points=points)
            case "double" | "beaver":
                return Event(side, _KINDS[cell.sort], value=first_number(text))
        return Event(side, _KINDS[cell.sort])

    def _moves(self, cell: Cell) -> tuple[Move, ...] | None:
        try:
            return moves_of(cell.text)
        except Refused:
            self.problem("error", "unreadable_cell", cell.column, text=cell.shown)
            return None

    def _illegal(self, game: _Draft, side: int, cell: Cell) -> Event:
        """Return the event of an `Illegal play (…)` marker, with or without a roll before it.

        Before the first play it stands for a position that was set up, as GNU Backgammon writes one, unless it has a
        roll with which the opponent's checkers stayed where they were or were hit.
        """
        dice = DICE[cell.word[:2]] if cell.word[:2].isdecimal() else None
        marker = cell.text if "(" in cell.text else cell.word
        after_play = snowie_position(marker)
        if after_play is None:
            self.problem("error", "unreadable_position", cell.column, text=quoted(marker))
            return Event(side, Kind.ILLEGAL, dice)
        position, on_roll = after_play
        names = game.header.players if game.header else ("", "")
        mover_is_on_roll = on_roll != "" and on_roll == names[side] != names[1 - side]
        position = position if mover_is_on_roll else position.swapped()
        if game.on_turn() is None and (dice is None or _moves_opponent(position)):
            return Event(side, Kind.SET_POSITION, position=position)
        return Event(side, Kind.ILLEGAL, dice, position=position)

    def _claim(self, game: _Draft, side: int, cell: Cell) -> None:
        claim = StatedResult(side, first_number(cell.text), _AND_THE_MATCH(cell.text) is not None)
        if game.claim is None:
            game.claim = claim
            game.claim_place = Place(self.line_number, cell.column + 1)
        elif game.claim != claim:
            self.problem("error", "second_result", cell.column, text=cell.shown)


def _moves_opponent(position: Position) -> bool:
    """Whether the opponent has more checkers on some point than at the start."""
    points = zip(position.counts[1:25], Position.start().counts[1:25], strict=True)
    return any(now < min(before, 0) for now, before in points)


@lru_cache(maxsize=8192)
def _play_of(side: int, roll: str, text: str) -> Event:
    """Return a roll and its play; cached, as many cells recur. Raises Refused (`bad_notation`)."""
    return Event(side, Kind.PLAY, DICE[roll], moves_of(text))


def read_mat(text: str, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read a match in text.

    If a file contains several matches, as some programs append them, the first is read, with a note
    (`several_matches`).
    Raises Refused (`no_match`, `too_many_games`, `too_many_plies`, `too_many_lines`).
    """
    reader = _Reader(limits)
    reader.read(text.replace("\r\n", "\n").replace("\r", "\n"))
    if not reader.games:
        raise Refused("no_match")
    players = reader.players or (name_of(reader.info.get("Player 1", "")), name_of(reader.info.get("Player 2", "")))
    players, info = without_ratings(players, reader.info)
    if info.get("Variation", "Backgammon").strip().lower() not in USUAL_GAME:
        reader.problems.append(Problem("error", "other_variant", {"name": quoted(info["Variation"])}))
    dialect = dialect_of(text, info, rated=players != reader.players and reader.players is not None)
    money = dialect == "galaxy" and _is_galaxy_money_game(reader)
    if money:
        reader.problems.append(Problem("note", "money_game", {"length": reader.length}))
        info = {**info, "Jacoby": "On"}
    return Transcript(
        players=players,
        length=0 if money else reader.length,
        games=tuple(reader.games),
        crawford_rule=info.get("Crawford", "On").strip().lower() != "off",
        jacoby=money or info.get("Jacoby", "Off").strip().lower() == "on",
        info=info,
        format="mat",
        dialect=dialect,
        problems=tuple(reader.problems),
    )


def _is_galaxy_money_game(reader: _Reader) -> bool:
    """Backgammon Galaxy records a single money game as a match to 16 points that one game does not end."""
    if reader.length != GALAXY_MONEY_LENGTH or len(reader.games) != 1 or reader.games[0].start != (0, 0):
        return False
    claim = reader.games[0].claim
    return claim is None or not claim.match
