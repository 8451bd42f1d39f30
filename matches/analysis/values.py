"""Values of an analysis, independent of the program that made it and of the database.

Equities are normalised to the cube before the decision, as in money play: losing a single game is −1 and winning it +1.
Plays, errors and luck are seen by the side that decides, the cube by the side that may double or has doubled. Chances
are between 0 and 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from engine.cube import Score, Side
from engine.plays import Play, legal_plays
from engine.position import Position


class DecisionKind(StrEnum):
    PLAY = "play"
    DOUBLE = "double"
    """Whether to double before the roll."""
    TAKE = "take"


class DecisionPhase(StrEnum):
    """The kind of decision for sums of errors; a cube decision is always `CUBE`."""

    OPENING = "opening"
    CONTACT = "contact"
    RACE = "race"
    BEAR_OFF = "bear_off"
    CUBE = "cube"


class CubeAction(StrEnum):
    """A cube decision as it is stored."""

    DOUBLE = "double"
    NO_DOUBLE = "no_double"
    TAKE = "take"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Situation:
    """One decision of a match before it is judged."""

    game: int
    """Index in the record, from 1."""
    event: int
    """Index of the event in its game, from 0; of a double not given, that of the roll after it."""
    side: Side
    kind: DecisionKind
    phase: DecisionPhase
    position: Position
    """Seen by the side on roll; for a take by the side that doubled."""
    dice: tuple[int, int] | None
    cube: int
    owner: Side | None
    score: Score
    length: int
    """Points; 0 for a money session."""
    crawford: bool
    post_crawford: bool
    played: str
    """In notation, or a `CubeAction`."""
    result: Position | None = None
    """After a play, seen by the side that made it."""
    choices: int = 0
    """Number of positions that legal plays lead to."""
    automatic: bool = False
    """Whether the program made the play, so that it does not count."""
    jacoby: bool = False

    def legal_plays(self) -> Sequence[Play]:
        """The legal plays of the roll; none for a cube decision."""
        return legal_plays(self.position, self.dice) if self.dice is not None else ()

    @property
    def own_away(self) -> int:
        """Points that the side needs; 0 in a money session."""
        return self.length - self.score[self.side] if self.length else 0

    @property
    def opposing_away(self) -> int:
        """Points that the other side needs; 0 in a money session."""
        return self.length - self.score[1 - self.side] if self.length else 0


class Chances(NamedTuple):
    """How a game may end for one side, without the cube (0–1); a gammon is also a win, a backgammon also a gammon."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def reversed(self) -> "Chances":
        """The same for the other side."""
        return Chances(1 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon)


def chances_of(numbers: Sequence[float]) -> Chances | None:
    """Return five numbers of a program as chances; None if they cannot be any, as where a file has none."""
    # Of a NaN every comparison is false.
    return Chances(*numbers) if all(0 <= number <= 1 for number in numbers) else None


@dataclass(frozen=True, slots=True)
class Candidate:
    play: str
    equity: float
    winning: float | None
    """Chance to win the match; None in a money session."""
    depth: str
    """As the program names it, e.g. `2-ply`."""
    played: bool = False
    chances: Chances | None = None
    """Stored of the best play and of the one that was made."""

    @property
    def as_json(self) -> dict[str, Any]:
        data = {
            "play": self.play,
            "equity": self.equity,
            "winning": self.winning,
            "depth": self.depth,
            "played": self.played,
        }
        return data if self.chances is None else {**data, "chances": list(self.chances)}


@dataclass(frozen=True, slots=True)
class CubeEquities:
    """The equities of the cube actions, seen by the side that may double or has doubled."""

    no_double: float
    double_take: float
    double_pass: float

    @property
    def doubled(self) -> float:
        """The equity of a double that is answered best."""
        return min(self.double_take, self.double_pass)

    @property
    def margin(self) -> float:
        """How far the double is from the boundary between doubling and not doubling."""
        return abs(self.doubled - self.no_double)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a program says about one situation."""

    candidates: tuple[Candidate, ...] = ()
    """Of a play, best first, those that were looked at less deeply last; the play that was made is among them."""
    equities: CubeEquities | None = None
    """Of a cube decision."""
    luck: float | None = None
    """Of the roll of a play, as equity."""
    chances: Chances | None = None
    """Of a cube decision, of the side that may double or has doubled."""


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """One decision with its error; it has the fields of `matches.models.Decision`."""

    game: int
    event: int
    side: Side
    kind: DecisionKind
    phase: DecisionPhase
    xgid: str
    cube: int
    own_away: int
    opposing_away: int
    played: str
    best: str
    error: float
    counted: bool
    candidates: tuple[Candidate, ...] = ()
    no_double: float | None = None
    double_take: float | None = None
    double_pass: float | None = None
    chances: Chances | None = None
    error_winning: float | None = None
    winning: float | None = None
    luck: float | None = None
    luck_winning: float | None = None


LEFT_OUT = "games_left_out"
"""Key of the settings of an analysis: the numbers of the games that could not be analysed."""


@dataclass(frozen=True, slots=True)
class AnalysedMatch:
    """A whole analysis of a match by one program."""

    backend: str
    version: str
    settings: Mapping[str, Any]
    cpu_seconds: float
    memory: int
    """Largest resident size in bytes."""
    decisions: tuple[JudgedDecision, ...]
