"""Reads SGF with `GM[6]`, as GNU Backgammon writes it: one game tree for each game of the match.

W is the left player (`PW`), B the right. Points are letters: `a` to `x` are W's points 1 to 24 and B's points 24 to
1, `y` is the bar and `z` is off. A turn is `W[31hefe]`, a cube action `B[double]`; a game that ended by resignation
says so only in its result, `RE[W+2R]`. Analysis is skipped. Things for which SGF has no property are in the private
property `BP` (see `sgf_writer`), which other programs ignore. Sources: SGF FF[4] specification; files written by GNU
Backgammon 1.07 and 1.08.
"""

import re
from functools import lru_cache

from engine.cube import Score
from engine.errors import Refused
from engine.keys import BAR, OFF
from engine.position import Position
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_cells import name_of, one_line, quoted
from engine.records.sgf_syntax import LineIndex, SgfNode, UnfinishedError, text_of, trees
from engine.transcript import Event, Game, Kind, Move, Place, Problem, StatedResult, Transcript

LEFT, RIGHT, CENTRED = 0, 1, -1
SIDES = {"W": LEFT, "B": RIGHT}
_ENOUGH = 30
"""Values of `AW` or `AB` that are read: one for each of fifteen checkers, and some more to notice too many."""
CUBE_WORDS = {"double": Kind.DOUBLE, "redouble": Kind.DOUBLE, "take": Kind.TAKE, "drop": Kind.DROP}
INFO_OF_PROPERTY = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "DT": "EventDate",
    "AN": "Transcriber",
    "GC": "Comment",
    "WR": "Player 1 Elo",
    "BR": "Player 2 Elo",
}
"""SGF properties and the header remarks of a `.mat` file that correspond to them."""

_TURN = re.compile(r"([0-9]{2})((?:[a-z]{2}){0,8})").fullmatch
_RESULT = re.compile(r"([WB])\+([0-9]{1,9})?(R)?").fullmatch
_RANGE = re.compile(r"([a-z])(?::([a-z]))?").fullmatch
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)").fullmatch
_PRIVATE = re.compile(r"([WB]):([a-z]+):([0-9]{0,9}):([0-9]{0,9})").fullmatch
_BOARD_PROPERTIES = frozenset(("AE", "AW", "AB"))
_GAME_PROPERTIES = frozenset(("AP", "B", "BP", "CP", "CV", "DI", "GM", "IL", "MI", "PB", "PL", "PW", "RE", "RU", "W"))
_READ = _GAME_PROPERTIES | _BOARD_PROPERTIES | INFO_OF_PROPERTY.keys()
"""The properties that are read; all others are skipped."""
_PRIVATE_KINDS = frozenset((Kind.RESIGN, Kind.ACCEPT, Kind.REFUSE, Kind.CONCEDE, Kind.FLAG))
ENDINGS = frozenset((Kind.RESIGN, Kind.ACCEPT, Kind.DROP, Kind.CONCEDE, Kind.FLAG))
"""Events after which a result by resignation adds no event."""


@lru_cache(maxsize=2048)
def moves_of_letters(letters: str, side: int) -> tuple[Move, ...]:
    """Return the single moves of a turn, two letters each. Raises ValueError for a move from off or to the bar."""
    points = [_point(letter, side) for letter in letters]
    if OFF in points[::2] or BAR in points[1::2]:
        raise ValueError(letters)
    return tuple(Move(pair) for pair in zip(points[::2], points[1::2], strict=True))


def _dice(digits: str) -> tuple[int, int] | None:
    """Return two digits as dice; None for `00`, an unknown roll."""
    dice = (int(digits[0]), int(digits[1]))
    return dice if any(dice) else None


def _point(letter: str, side: int) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    number = ord(letter) - 96
    return number if side == LEFT else 25 - number


class _GameReader:
    """A reader of one game tree, with the events so far and what is pending until the next node."""

    def __init__(self, problems: list[Problem], limits: Limits, number: int, place: Place) -> None:
        self.problems = problems
        self.limits = limits
        self.number = number
        self.events: list[Event] = []
        self.places: list[Place] = []
        self.roll: tuple[Event, Place] | None = None
        """Dice set by hand (`PL[W]DI[41]`): a turn of their own only if no play with them follows."""
        self.cube: tuple[int | None, int] | None = None
        """Value and owner of a cube set by hand, given in two nodes."""
        self.on_roll = LEFT
        self.place = self.header_place = place

    def problem(self, severity: str, code: str, text: str) -> None:
        """Note what was skipped, up to the limit."""
        if len(self.problems) < self.limits.problems:
            self.problems.append(Problem(severity, code, {"text": quoted(text)}, self.place, self.number))

    def add(self, event: Event) -> None:
        """Add an event, after what was pending before it."""
        self.flush(event)
        self.events.append(event)
        self.places.append(self.place)

    def flush(self, following: Event | None = None) -> None:
        """Add the dice and cube that were set by hand, now that the following event is known."""
        if self.cube is not None:
            value, owner = self.cube
            self.cube = None
            self.events.append(Event(owner, Kind.SET_CUBE, value=value))
            self.places.append(self.place)
        if self.roll is not None:
            event, place = self.roll
            self.roll = None
            if following is None or following[:3] != event[:3]:
                self.events.append(event)
                self.places.append(place)

    def node(self, node: SgfNode, place: Place) -> None:
        """Read a node after the first."""
        self.place = place
        self.on_roll = SIDES.get(node.first("PL") or "W", LEFT)
        illegal: Event | None = None
        for name, values in node.properties:
            value = values[0] if values else ""
            if name in SIDES:
                self._turn(SIDES[name], text_of(value))
            elif name == "BP":
                self._private(value)
            elif name == "IL":
                illegal = self._illegal(value)
            elif name in ("CP", "CV"):
                self._place_cube(name, value)
            elif name == "DI":
                self._roll(value)
        if any(name in _BOARD_PROPERTIES for name, _ in node.properties):
            self._set_position(node, illegal)
        elif illegal is not None:
            self.add(illegal)

    def _turn(self, side: int, value: str) -> None:
        if kind := CUBE_WORDS.get(value):
            last = self.events[-1] if self.events else None
            # gnubg writes a beaver as a double by the side that was just offered one.
            offered = last is not None and last.kind in (Kind.DOUBLE, Kind.BEAVER) and last.side != side
            self.add(Event(side, Kind.BEAVER if kind is Kind.DOUBLE and offered else kind))
        elif value:
            self._play(side, value)

    def _play(self, side: int, value: str) -> None:
        """Read a roll and its letters; where they cannot be read, the play is unknown."""
        moves: tuple[Move, ...] | None = None
        try:
            if turn := _TURN(value):
                moves = moves_of_letters(turn[2], side)
        except ValueError:
            pass
        if moves is None:
            self.problem("error", "unreadable_cell", value)
        if re.match(r"[0-9]{2}", value):
            self.add(Event(side, Kind.PLAY, _dice(value), moves))

    def _private(self, value: str) -> None:
        match = _PRIVATE(value)
        if match is None or match[2] not in _PRIVATE_KINDS:
            self.problem("error", "unreadable_cell", value)
            return
        worth, points = (int(number) if number else None for number in match.group(3, 4))
        self.add(Event(SIDES[match[1]], Kind(match[2]), value=worth, points=points))

    def _illegal(self, value: str) -> Event | None:
        side, colon, roll = value.partition(":")
        if side not in SIDES or not colon or not (roll == "" or re.fullmatch(r"[0-9]{2}", roll)):
            self.problem("error", "unreadable_cell", value)
            return None
        return Event(SIDES[side], Kind.ILLEGAL, _dice(roll) if roll else None)

    def _place_cube(self, name: str, value: str) -> None:
        cube_value, owner = self.cube or (None, CENTRED)
        if name == "CP":
            owner = {"w": LEFT, "b": RIGHT}.get(value.lower(), CENTRED)
        elif re.fullmatch(r"[0-9]{1,9}", value):
            cube_value = int(value)
        else:
            self.problem("error", "unreadable_cell", value)
        self.cube = (cube_value, owner)

    def _roll(self, value: str) -> None:
        if not re.fullmatch(r"[0-9]{2}", value):
            self.problem("error", "unreadable_cell", value)
            return
        self.flush()
        self.roll = (Event(self.on_roll, Kind.PLAY, _dice(value), None), self.place)

    def _set_position(self, node: SgfNode, illegal: Event | None) -> None:
        """Read a board: `AE[a:y]` empties points, `AW` and `AB` add a checker for each value."""
        points = {LEFT: [0] * 26, RIGHT: [0] * 26}
        for name, values in node.properties:
            if name in ("AW", "AB"):
                side = SIDES[name[1]]
                for letter in (letter for value in values[:_ENOUGH] for letter in _range(value)):
                    points[side][_point(letter, side)] += 1
        side = illegal.side if illegal else self.on_roll
        own, other = points[side], points[1 - side]
        counts = [-other[BAR], *(own[n] - other[25 - n] for n in range(1, 25)), own[BAR]]
        position: Position | None = None
        try:
            position = Position.from_counts(counts)
        except Refused:
            self.problem("error", "unreadable_position", "AW, AB")
        event = illegal or Event(side, Kind.SET_POSITION)
        self.add(event._replace(position=position))


def _range(value: str) -> str:
    """Return the letters of a point, or of a range of points `a:f`."""
    match = _RANGE(value)
    if match is None:
        return ""
    return "".join(chr(code) for code in range(ord(match[1]), ord(match[2] or match[1]) + 1))


def _match_information(node: SgfNode) -> dict[str, str]:
    """Return the values of `MI[length:7][game:0][ws:0][bs:0]`."""
    pairs = (value.partition(":") for name, values in node.properties if name == "MI" for value in values)
    return {key: value for key, _, value in pairs}


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,9}", text) else None


class _Reader:
    def __init__(self, text: str, limits: Limits) -> None:
        self.lines = LineIndex(text)
        self.text = text
        self.limits = limits
        self.problems: list[Problem] = []
        self.games: list[Game] = []
        self.root: SgfNode | None = None
        self.nodes = 0

    def read(self) -> None:
        game: _GameReader | None = None
        root: SgfNode | None = None
        try:
            for node in trees(self.text, _READ):
                if node is None:
                    self._finish(game, root)
                    game = root = None
                elif game is None:
                    root = node
                    game = self._open(node)
                else:
                    game.node(node, self.lines.place(node.position))
                    self._count()
        except UnfinishedError as unfinished:
            place = self.lines.place(max(unfinished.position, self.lines.seen))
            self.problems.append(Problem("error", "cut_short", {}, place, len(self.games) + 1))
        self._finish(game, root)

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.limits.plies:
            raise Refused("too_many_plies", limit=self.limits.plies)

    def _open(self, root: SgfNode) -> _GameReader:
        if len(self.games) >= self.limits.games:
            raise Refused("too_many_games", limit=self.limits.games)
        if root.first("GM") != "6":
            raise Refused("other_game")
        self.root = self.root or root
        number = _number(_match_information(root).get("game"))
        number = len(self.games) + 1 if number is None else number + 1
        return _GameReader(self.problems, self.limits, number, self.lines.place(root.position))

    def _finish(self, game: _GameReader | None, root: SgfNode | None) -> None:
        if game is None or root is None:
            return
        game.flush()
        claim = self._claim(game, root)
        mi = _match_information(root)
        left, right = _number(mi.get("ws")), _number(mi.get("bs"))
        start: Score | None = None if left is None or right is None else (left, right)
        rules = _rules(root)
        self.games.append(
            Game(
                number=game.number,
                events=tuple(game.events),
                start=start,
                crawford=None if rules is None else "CrawfordGame" in rules,
                claim=claim,
                places=tuple(game.places),
                place=game.header_place,
                claim_place=game.header_place,
            )
        )

    def _claim(self, game: _GameReader, root: SgfNode) -> StatedResult | None:
        """Read the stated result; a resignation that only the result shows is added as an event."""
        result = _RESULT(root.first("RE") or "")
        if result is None:
            return None
        winner = SIDES[result[1]]
        points = int(result[2]) if result[2] else None
        last = game.events[-1].kind if game.events else None
        if result[3] and last not in ENDINGS:
            game.add(Event(1 - winner, Kind.RESIGN, points=points))
        return StatedResult(winner, points)


def _rules(root: SgfNode) -> list[str] | None:
    """Return the rules of a game; None if none are stated. gnubg leaves `RU` out where no rule applies."""
    rules = root.first("RU")
    if rules is not None:
        return text_of(rules).split(":")
    length = _number(_match_information(root).get("length"))
    return [] if "GNU Backgammon" in (root.first("AP") or "") and length is not None and length > 1 else None


def _info(root: SgfNode) -> dict[str, str]:
    """Return the header remarks under the names they have in a `.mat` file."""
    info = {
        INFO_OF_PROPERTY[name]: one_line(text_of(values[0]))
        for name, values in root.properties
        if name in INFO_OF_PROPERTY and values
    }
    if date := _DATE(info.get("EventDate", "")):
        info["EventDate"] = ".".join(date.groups())
    return info


def _program(root: SgfNode) -> str:
    name = (root.first("AP") or "").partition(":")[0].lower()
    return {"gnu backgammon": "gnubg", "barpoint": "barpoint"}.get(name, "sgf")


def read_sgf(text: str, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read a match in SGF.

    Raises Refused (`other_game`, `no_match`, `too_many_games`, `too_many_plies`).
    """
    reader = _Reader(text, limits)
    reader.read()
    root = reader.root
    if root is None:
        raise Refused("no_match")
    rules = _rules(root)
    length = _number(_match_information(root).get("length"))
    return Transcript(
        players=(name_of(text_of(root.first("PW") or "")), name_of(text_of(root.first("PB") or ""))),
        length=length,
        games=tuple(reader.games),
        crawford_rule=rules is None or "Crawford" in rules or length in (0, 1),
        jacoby=rules is not None and "Jacoby" in rules,
        info=_info(root),
        format="sgf",
        dialect=_program(root),
        problems=tuple(reader.problems),
    )
