"""Reads eXtreme Gammon's binary files (`.xg`): fixed records of 2,560 bytes, one for each thing that happened.

A record has two pointers, a byte for its kind, and fields at fixed offsets (Pascal alignment). Points are counted
from 0 (the 1-point) to 24 (the bar); a negative number is off, by as much as the die was larger than needed. The
first board of a game is seen by player 1, the board after a play by the player who made it. Analysis is skipped.
Source: the format published at extremegammon.com/xgformat.aspx. What it leaves open was worked out from real files:
in `Moves`, eight zeros are a play that was never shown; `Double` is −2 if the side may not double.

How a game ended (`Termination`): 0 dropped, 1 single, 2 gammon, 3 backgammon; +100 by resignation; +1000 settled.
The undocumented 104 was seen once, at the end of a match, for exactly the points that were needed. It is read as a
resignation of those points.
"""

import struct
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from engine.cube import Score
from engine.errors import Refused
from engine.position import Position
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_cells import one_line
from engine.records.xg_container import match_records
from engine.transcript import Event, Game, Kind, Move, Place, Problem, StatedResult, Transcript

RECORD = 2560
LEFT, RIGHT = 0, 1
_KIND = 8
"""Offset of the kind of a record."""
HEADER_MATCH, HEADER_GAME, CUBE, MOVE, FOOTER_GAME, FOOTER_MATCH = range(6)

_MAGIC = 0x494C4D44
_UNLIMITED = 99_999
"""Match length of a money session."""
_UNICODE_SINCE = 24
"""Version from which names are also stored in UTF-16."""
_RESIGNED, _SETTLED = 100, 1000
_HIDDEN = (0,) * 8
_MAX_CUBE_LOG = 12
_DAY_ZERO = datetime(1899, 12, 30, tzinfo=UTC)
_CAN_BE_BEAVERED = {0: Kind.DROP, 1: Kind.TAKE, 2: Kind.BEAVER}
_VARIANTS = {0: "Backgammon", 1: "Nackgammon", 2: "Hypergammon", 3: "Longgammon"}


class Field(NamedTuple):
    """Offset and layout of a field in a record."""

    offset: int
    layout: struct.Struct

    def of(self, record: bytes) -> tuple[int, ...]:
        return self.layout.unpack_from(record, self.offset)


def _int_field(offset: int, count: int = 1) -> Field:
    return Field(offset, struct.Struct(f"<{count}i"))


_MATCH_LENGTH, _VARIATION, _VERSION, _MAGIC_NUMBER = (_int_field(offset) for offset in (92, 96, 552, 556))
_RULES = Field(100, struct.Struct("<2B"))
"""Crawford, Jacoby."""
_ELO, _EXPERIENCE, _DATE = Field(104, struct.Struct("<2d")), _int_field(120, 2), Field(128, struct.Struct("<d"))
_ANSI_PLAYERS = (9, 50)
_WIDE_TEXT = 258
_WIDE = {"Event": 622, "Site": 1396, "Round": 1654, "Transcriber": 1960}
_WIDE_PLAYERS = (880, 1138)
_SCORE, _CRAWFORD_GAME = _int_field(12, 2), Field(20, struct.Struct("<B"))
_START_BOARD, _GAME_NUMBER = Field(21, struct.Struct("<26b")), _int_field(48)
_ACTIVE, _CUBE_ACTION, _CUBE_LOG = _int_field(12), _int_field(16, 3), _int_field(32)
_BOARD_AFTER, _MOVER = Field(35, struct.Struct("<26b")), _int_field(64)
_MOVES, _DICE, _INVALID = _int_field(68, 8), _int_field(100, 2), _int_field(2480)
_RESULT = _int_field(24, 3)
"""Winner, points, termination."""


def _ansi(record: bytes, offset: int) -> str:
    length = min(record[offset], 40)
    return one_line(record[offset + 1 : offset + 1 + length].decode("cp1252", errors="replace"))


def _wide(record: bytes, offset: int) -> str:
    text = record[offset : offset + _WIDE_TEXT].decode("utf-16-le", errors="replace").partition("\0")[0]
    return one_line(text)


def _side(number: int) -> int:
    return RIGHT if number < 0 else LEFT


def _moves(numbers: tuple[int, ...]) -> tuple[Move, ...] | None:
    """Return the moves of eight numbers, from and to in turn; None if the play was not shown.

    Raises ValueError for points that do not exist.
    """
    if numbers == _HIDDEN:
        return None
    moves = []
    for start, end in zip(numbers[::2], numbers[1::2], strict=True):
        if start == -1:
            break
        if not (0 <= start <= 24 and -24 <= end <= 23):
            raise ValueError(numbers)
        moves.append(Move((start + 1, max(end, -1) + 1)))
    return tuple(moves)


def _position(board: tuple[int, ...]) -> Position | None:
    """Return the position of a stored board; None if it is impossible."""
    try:
        return Position.from_counts(board)
    except Refused:
        return None


class _Draft:
    def __init__(self, record: bytes) -> None:
        left, right = _SCORE.of(record)
        self.number = max(1, _GAME_NUMBER.of(record)[0])
        self.start: Score | None = (left, right) if left >= 0 and right >= 0 else None
        self.crawford = _CRAWFORD_GAME.of(record)[0] == 1
        self.events: list[Event] = []
        self.claim: StatedResult | None = None

    def finished(self) -> Game:
        return Game(
            number=self.number,
            events=tuple(self.events),
            start=self.start,
            crawford=self.crawford,
            claim=self.claim,
            places=(Place(),) * len(self.events),
        )


class _Reader:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.games: list[Game] = []
        self.game: _Draft | None = None
        self.problems: list[Problem] = []
        self.plies = 0

    def problem(self, severity: str, code: str, **params: object) -> None:
        """Note what was skipped, up to the limit."""
        if len(self.problems) < self.limits.problems:
            number = self.game.number if self.game else None
            self.problems.append(Problem(severity, code, params, game=number))

    def take(self, record: bytes) -> None:
        """Read a record after the first."""
        kind = record[_KIND]
        if kind == HEADER_GAME:
            self.close()
            if len(self.games) >= self.limits.games:
                raise Refused("too_many_games", limit=self.limits.games)
            self.game = _Draft(record)
            self._start_position(self.game, record)
        elif self.game is None or kind == FOOTER_MATCH:
            return
        elif kind == CUBE:
            self._cube(self.game, record)
        elif kind == MOVE:
            self._move(self.game, record)
        elif kind == FOOTER_GAME:
            self._result(self.game, record)

    def close(self) -> None:
        """End the game that is being read, if any."""
        if self.game is None:
            return
        self.games.append(self.game.finished())
        self.plies += len(self.game.events)
        self.game = None
        if self.plies > self.limits.plies:
            raise Refused("too_many_plies", limit=self.limits.plies)

    def _start_position(self, game: _Draft, record: bytes) -> None:
        board = _START_BOARD.of(record)
        if not any(board):
            return
        position = _position(board)
        if position is None:
            self.problem("error", "unreadable_position", text=" ".join(map(str, board)))
        elif position != Position.start():
            game.events.append(Event(LEFT, Kind.SET_POSITION, position=position))

    def _cube(self, game: _Draft, record: bytes) -> None:
        side = _side(_ACTIVE.of(record)[0])
        doubled, answer, answer_to_beaver = _CUBE_ACTION.of(record)
        if doubled != 1:
            return
        log = abs(_CUBE_LOG.of(record)[0])
        game.events.append(Event(side, Kind.DOUBLE, value=2 << log if log < _MAX_CUBE_LOG else None))
        if answer in _CAN_BE_BEAVERED:
            game.events.append(Event(1 - side, _CAN_BE_BEAVERED[answer]))
        if answer == 2 and answer_to_beaver in _CAN_BE_BEAVERED:
            game.events.append(Event(side, _CAN_BE_BEAVERED[answer_to_beaver]))

    def _move(self, game: _Draft, record: bytes) -> None:
        side = _side(_MOVER.of(record)[0])
        first, second = _DICE.of(record)
        if not (0 <= first <= 9 and 0 <= second <= 9):
            self.problem("error", "unreadable_cell", text=f"{first} {second}")
            return
        dice = (first, second) if first or second else None
        numbers = _MOVES.of(record)
        if _INVALID.of(record)[0]:
            position = _position(_BOARD_AFTER.of(record))
            game.events.append(Event(side, Kind.ILLEGAL, dice, position=position))
            return
        try:
            moves = _moves(numbers)
        except ValueError:
            self.problem("error", "unreadable_cell", text=" ".join(map(str, numbers)))
            moves = None
        # A turn without dice and without a play is where an unfinished game stopped.
        if dice is not None or moves:
            game.events.append(Event(side, Kind.PLAY, dice, moves))

    def _result(self, game: _Draft, record: bytes) -> None:
        winner, points, termination = _RESULT.of(record)
        if winner not in (1, -1) or not 0 < points <= _UNLIMITED:
            return
        side = _side(winner)
        game.claim = StatedResult(side, points)
        if termination >= _SETTLED:
            self.problem("note", "settled_game", points=points)
        elif termination >= _RESIGNED:
            game.events.append(Event(1 - side, Kind.RESIGN, points=points))


def _info(header: bytes) -> dict[str, str]:
    info = {name: _wide(header, offset) for name, offset in _WIDE.items()}
    ratings = struct.Struct("<2d").unpack_from(header, _ELO.offset)
    for number, (elo, experience) in enumerate(zip(ratings, _EXPERIENCE.of(header), strict=True), 1):
        if 0 < elo < 10_000:
            info[f"Player {number} Elo"] = f"{elo:.2f}/{experience}"
    (days,) = struct.Struct("<d").unpack_from(header, _DATE.offset)
    if 0 < days < 100_000:
        moment = _DAY_ZERO + timedelta(days=days, milliseconds=500)
        info |= {"EventDate": f"{moment:%Y.%m.%d}", "EventTime": f"{moment:%H.%M}"}
    return {name: value for name, value in info.items() if value}


def read_xg(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read an `.xg` file.

    Raises Refused (`damaged_file`, `inflates_too_much`, `no_match`, `too_many_games`, `too_many_plies`).
    """
    records = match_records(data, limits)
    header = records[:RECORD]
    if len(header) < RECORD or header[_KIND] != HEADER_MATCH or _MAGIC_NUMBER.of(header)[0] != _MAGIC:
        raise Refused("damaged_file")
    reader = _Reader(limits)
    for offset in range(RECORD, len(records) - RECORD + 1, RECORD):
        reader.take(records[offset : offset + RECORD])
    reader.close()
    if len(records) % RECORD:
        reader.problem("error", "cut_short")
    if not reader.games:
        raise Refused("no_match")
    variation = _VARIATION.of(header)[0]
    if variation:
        reader.problem("error", "other_variant", name=_VARIANTS.get(variation, str(variation)))
    wide = _VERSION.of(header)[0] >= _UNICODE_SINCE
    left, right = (_wide(header, o) for o in _WIDE_PLAYERS) if wide else (_ansi(header, o) for o in _ANSI_PLAYERS)
    length = _MATCH_LENGTH.of(header)[0]
    crawford, jacoby = _RULES.of(header)
    money = length == _UNLIMITED
    return Transcript(
        players=(left, right),
        length=0 if money else length if 0 < length < _UNLIMITED else None,
        games=tuple(reader.games),
        crawford_rule=bool(crawford) or money,
        jacoby=money and bool(jacoby),
        info=_info(header),
        format="xg",
        dialect="xg",
        problems=tuple(reader.problems),
    )
