"""What can happen in a match: phases, acts and their arguments."""

from enum import StrEnum
from typing import NamedTuple

from engine.cube import Score, Side
from engine.notation import parse_play
from engine.scoring import WinKind
from engine.search import Dice


class Phase(StrEnum):
    """What a match is waiting for."""

    OPENING = "opening"
    """Each side rolls one die."""
    TO_ROLL = "to_roll"
    """The side on turn rolls, doubles or resigns."""
    TO_PLAY = "to_play"
    """The side on turn plays its dice."""
    DOUBLED = "doubled"
    """The opponent of the side on turn takes or drops."""
    RESIGNED = "resigned"
    """A resignation is to be accepted or refused."""
    ADJOURNED = "adjourned"
    """The director has interrupted the match."""
    OVER = "over"


class Act(StrEnum):
    """The kinds of action."""

    ROLL = "roll"
    PLAY = "play"
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    RESIGN = "resign"
    ACCEPT = "accept"
    REFUSE = "refuse"
    CONCEDE = "concede"
    FLAG = "flag"
    """A side ran out of time; the match's `flag_rule` says what it loses."""
    CLAIM_FLAG = "claim_flag"
    """The opponent of a side that ran out of time claims the match."""
    SET_SCORE = "set_score"
    """The director corrects the score; the game in progress goes on."""
    END_GAME = "end_game"
    """The director ends the game in progress with a winner and points."""
    ADJOURN = "adjourn"
    """The director interrupts the match; position, cube, dice and side on roll are kept."""
    RESUME = "resume"


class FlagRule(StrEnum):
    """What a side loses when it runs out of time."""

    MATCH_LOST = "match_lost"
    GAME_LOST = "game_lost"
    """One game, worth the cube."""
    CLAIM = "claim"
    """Nothing until the opponent claims the match; until then the game goes on."""


class Action(NamedTuple):
    """One thing that changes a match."""

    act: Act
    side: Side | None = None
    """Who acts; None for the opening roll and a director's act, and optional for a play.

    END_GAME: who wins the game. FLAG: whose flag fell."""
    dice: Dice | None = None
    """ROLL: the dice; in the opening the die of side 0, then that of side 1."""
    moves: tuple[tuple[int, ...], ...] = ()
    """PLAY: the points of each checker moved, from first to last, e.g. ((24, 18), (13, 11)); () if there is no move."""
    value: int | None = None
    """RESIGN: 1, 2 or 3 times the cube. FLAG: 1 where only the game is lost. END_GAME: the points."""
    score: Score | None = None
    """SET_SCORE: the score from now on."""
    kind: WinKind | None = None
    """END_GAME: how the game counts as won; a ruling by default."""

    @classmethod
    def play(cls, notation: str, side: Side | None = None) -> "Action":
        """Return a play given in notation, by default of the side on turn: `Action.play("8/5 6/5")`.

        Raises Refused (`bad_notation`).
        """
        return cls(Act.PLAY, side, moves=tuple(parse_play(notation)))

    def __repr__(self) -> str:
        """Show the fields that are set: `Action(act=Act.DOUBLE, side=1)`."""
        return as_call(self)


def as_call(value: NamedTuple) -> str:
    """Return a named tuple as the code that creates it, without fields that have their defaults."""
    defaults = value._field_defaults
    fields = value._asdict().items()
    shown = (f"{name}={as_code(field)}" for name, field in fields if name not in defaults or field != defaults[name])
    return f"{type(value).__name__}({', '.join(shown)})"


def as_code(value: object) -> str:
    """Return a value as it is written in code: an enum member by its name, anything else by its `repr`."""
    if isinstance(value, StrEnum):
        return f"{type(value).__name__}.{value.name}"
    if type(value) is tuple:
        return f"({', '.join(map(as_code, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


class GameResult(NamedTuple):
    number: int
    start: Score
    winner: Side
    kind: WinKind
    cube: int
    points: int
    crawford: bool

    def __repr__(self) -> str:
        return as_call(self)
