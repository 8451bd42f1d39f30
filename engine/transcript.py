"""A match as data, independent of its format.

A transcript holds what a record *says*; `engine.adjudication` checks whether it is possible. Sides are 0 (left, or
named first) and 1 (right). Points are numbered for the mover, 24 to 1; the bar is 25, off is 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from engine.cube import Score, Side
from engine.position import Position


class Kind(StrEnum):
    """What happened in one event of a game."""

    PLAY = "play"
    """A roll and what was played with it."""
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    RESIGN = "resign"
    """The side offers to lose this game."""
    ACCEPT = "accept"
    """The side accepts the resignation offered to it."""
    REFUSE = "refuse"
    CONCEDE = "concede"
    """The side concedes the whole match."""
    FLAG = "flag"
    """The side lost on time."""
    ILLEGAL = "illegal"
    """An illegal play that stood: only its roll and the position after it are known."""
    SET_POSITION = "set_position"
    """The record sets up the checkers."""
    SET_CUBE = "set_cube"
    """The record sets the cube to `value`, owned by `side` (-1: centred)."""


ENDINGS = frozenset({Kind.RESIGN, Kind.ACCEPT, Kind.CONCEDE, Kind.FLAG})
"""What gives up a game or the match, and its acceptance."""


class Move(NamedTuple):
    """One checker moved, by one die or more, with the intermediate points that were written."""

    points: tuple[int, ...]
    """From, intermediate points, to: `24/18*/13` is (24, 18, 13); bar is 25, off is 0."""
    hits: tuple[bool, ...] = ()
    """Whether each point but the first has a star, in the same order; empty if none has."""


class Event(NamedTuple):
    """One thing a side did, as recorded."""

    side: Side
    kind: Kind
    dice: tuple[int, int] | None = None
    """As written, in that order; None if no roll is given. Not checked: any digits are possible."""
    moves: tuple[Move, ...] | None = None
    """With repeats such as `(2)` written out. () means no move, None not recorded (`????`)."""
    value: int | None = None
    """DOUBLE, BEAVER, SET_CUBE: the cube as stated. RESIGN: how many times the cube (1, 2, 3), if stated."""
    points: int | None = None
    """RESIGN: the points given up, if the record states points (`Losses 2 point`)."""
    position: Position | None = None
    """SET_POSITION, ILLEGAL: the position seen by `side` (for ILLEGAL: after the play)."""
    extra: Mapping[str, Any] | None = None
    """Times and clocks, which only our JSON has. Never checked."""


class StatedResult(NamedTuple):
    """The result of a game as the record states it (`Wins 2 points and the match`)."""

    winner: Side
    points: int | None = None
    match: bool = False
    """The record says that this also wins the match."""


class Place(NamedTuple):
    """A place in the file; 1-based, None if the format has no lines."""

    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """One game as recorded."""

    number: int
    events: tuple[Event, ...]
    start: Score | None = None
    """The score in the game's header (left, right); None if none is given."""
    crawford: bool | None = None
    """Whether the record marks it as the Crawford game; None if the format cannot."""
    claim: StatedResult | None = None
    places: tuple[Place, ...] = field(default=(), compare=False)
    """The place of each event, in the same order (may be empty)."""
    place: Place = field(default=Place(), compare=False)
    """The place of the header."""
    claim_place: Place = field(default=Place(), compare=False)

    def __repr__(self) -> str:
        return f"<Game {self.number}, {counted(len(self.events), 'event')}>"


class Problem(NamedTuple):
    """Something a reader could not use; adjudication turns it into a finding."""

    severity: str
    """error, warning or note."""
    code: str
    params: Mapping[str, Any]
    place: Place = Place()
    game: int | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole match, or a money session (`length` 0)."""

    players: tuple[str, str]
    length: int | None
    """Points to win; 0 for a money session; None if the record does not say."""
    games: tuple[Game, ...]
    crawford_rule: bool = True
    jacoby: bool = False
    """Applies to money play only."""
    start: Score | None = None
    """A start score stated for the match (penalty points, a resumed match); None if there is only that of game 1."""
    info: Mapping[str, str] = field(default_factory=dict)
    """Header remarks in the order of the record: `Site`, `Event`, `Round`, `EventDate`, `Player 1 Elo` …"""
    format: str = field(default="", compare=False)
    """mat, sgf, xg or json."""
    dialect: str = field(default="", compare=False)
    """The program that probably wrote it: gnubg, xg, xg-text, galaxy, studio, opengammon, gamesgrid, jellyfish …"""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        match = f"{described_players(self.players)}, {described_length(self.length)}"
        return f"<Transcript {match}, {counted(len(self.games), 'game')}>"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 game`, `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def described_players(players: tuple[str, str]) -> str:
    """Return both names, e.g. `Bob – Carol`; a side without a name is White (0) or Black (1)."""
    left, right = (name.strip() for name in players)
    return f"{left or 'White'} – {right or 'Black'}"


def described_length(length: int | None) -> str:
    """Return what is played, e.g. `7-point match`."""
    if length is None:
        return "length unknown"
    return f"{length}-point match" if length else "money session"
