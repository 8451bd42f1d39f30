"""A match in progress: `apply(state, action) -> state`, one action after the other.

States and actions are immutable; time and chance come in with the action (rules.md §2).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from engine.cube import Score, Side, double_refused, is_crawford_game, is_dead
from engine.errors import Refused
from engine.plays import Dice, checked_dice
from engine.position import Position, swapped_key
from engine.resolution import resolve
from engine.scoring import KIND_OF_MULTIPLE, WinKind, most_to_lose, multiple_won

MAX_LENGTH = 64
START = Position.start()


class Phase(StrEnum):
    """What is to happen next."""

    OPENING = "opening"
    """Each side rolls one die."""
    TO_ROLL = "to_roll"
    """The side on turn rolls, doubles or resigns."""
    TO_PLAY = "to_play"
    """The side on turn plays its dice."""
    DOUBLED = "doubled"
    """The side that is not on turn takes or drops."""
    RESIGNED = "resigned"
    """A resignation awaits its answer."""
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


class Action(NamedTuple):
    """One thing that changes a match."""

    act: Act
    side: Side | None = None
    """Who acts; None for the opening roll, which belongs to both."""
    dice: Dice | None = None
    """ROLL: the dice; in the opening the die of side 0, then that of side 1."""
    moves: tuple[tuple[int, ...], ...] = ()
    """PLAY: the ways from first point to last, e.g. ((24, 18), (13, 11)); () where there is no move."""
    value: int | None = None
    """RESIGN: 1, 2 or 3 times the cube. FLAG: 1 where only the game is lost."""


class GameResult(NamedTuple):
    """A finished game."""

    number: int
    start: Score
    winner: Side
    kind: WinKind
    cube: int
    points: int
    crawford: bool


@dataclass(frozen=True, slots=True)
class MatchState:
    """Everything the rules need to know of a match. Made by `start`, changed by `apply`."""

    length: int
    """Points to win; 0 for money play, which ends only by concession."""
    score: Score = (0, 0)
    crawford_rule: bool = True
    jacoby: bool = False
    game: int = 1
    position: Position = START
    """Seen by the side on turn; by side 0 before the opening roll."""
    turn: Side | None = None
    phase: Phase = Phase.OPENING
    dice: Dice | None = None
    cube: int = 1
    cube_owner: Side | None = None
    crawford: bool = False
    """This is the Crawford game."""
    crawford_played: bool = False
    resigned: tuple[Side, int, Phase] | None = None
    """Who offers, how many times the cube, and the phase to return to when it is refused."""
    results: tuple[GameResult, ...] = ()
    winner: Side | None = None
    ending: WinKind | None = None
    """How the match ended: PLAYED has no name of its own, it is the kind of the last game."""

    @classmethod
    def start(
        cls, length: int, score: Score = (0, 0), *, crawford_rule: bool = True, jacoby: bool = False
    ) -> "MatchState":
        """A new match, from any score below its length. Refused: `bad_length`, `bad_score`."""
        if not 0 <= length <= MAX_LENGTH:
            raise Refused("bad_length", length=length, most=MAX_LENGTH)
        if min(score) < 0 or (length and max(score) >= length):
            raise Refused("bad_score", left=score[0], right=score[1], length=length)
        crawford = is_crawford_game(length=length, score=score, played=False, rule=crawford_rule)
        return cls(length, score, crawford_rule, jacoby and length == 0, crawford=crawford)

    @property
    def is_over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def to_act(self) -> Side | None:
        """The side whose decision is awaited; None for the opening roll and after the match."""
        if self.phase is Phase.DOUBLED and self.turn is not None:
            return 1 - self.turn
        if self.phase is Phase.RESIGNED and self.resigned:
            return 1 - self.resigned[0]
        return self.turn

    @property
    def may_double(self) -> bool:
        """Whether the interface offers the cube to the side on turn: `apply` would take it, and it is not dead."""
        if self.phase is not Phase.TO_ROLL or self.turn is None or self._double_refused() is not None:
            return False
        return not is_dead(side=self.turn, cube=self.cube, score=self.score, length=self.length)

    def _double_refused(self) -> Refused | None:
        assert self.turn is not None  # noqa: S101, only asked where a side is on turn
        return double_refused(
            side=self.turn,
            cube=self.cube,
            owner=self.cube_owner,
            length=self.length,
            crawford=self.crawford,
            opened=True,
        )


def apply(state: MatchState, action: Action) -> MatchState:
    """The state after one action.

    Raises Refused with a stable code where the rules do not allow it: `match_over`, `not_your_turn`,
    `not_now`, the codes of `double_refused` and of `engine.resolution.resolve`, `bad_resignation` …
    """
    if state.is_over:
        raise Refused("match_over")
    allowed = _ALLOWED[action.act]
    if state.phase not in allowed:
        raise Refused("not_now", act=action.act.value, phase=state.phase.value)
    if action.act is Act.ROLL and state.phase is Phase.OPENING:
        return _open(state, action)
    if action.side not in (0, 1):
        raise Refused("not_your_turn")
    if action.act not in (Act.CONCEDE, Act.FLAG) and action.side != state.to_act:
        raise Refused("not_your_turn")
    return _HANDLERS[action.act](state, action)


def _open(state: MatchState, action: Action) -> MatchState:
    """The opening roll: equal dice are rolled again, the higher side plays both."""
    left, right = checked_dice(action.dice or (0, 0))
    if left == right:
        return state
    return replace(state, turn=0 if left > right else 1, phase=Phase.TO_PLAY, dice=(left, right))


def _roll(state: MatchState, action: Action) -> MatchState:
    return replace(state, phase=Phase.TO_PLAY, dice=checked_dice(action.dice or (0, 0)))


def _play(state: MatchState, action: Action) -> MatchState:
    assert state.dice is not None and state.turn is not None  # noqa: S101, PT018, true in this phase
    after = Position(resolve(state.position.key, state.dice, action.moves).key)
    if after.is_over:
        multiple = multiple_won(after)
        if state.jacoby and state.cube_owner is None:
            multiple = 1
        return _end_game(state, state.turn, KIND_OF_MULTIPLE[multiple], multiple * state.cube)
    return replace(
        state, position=Position(swapped_key(after.key)), turn=1 - state.turn, phase=Phase.TO_ROLL, dice=None
    )


def _double(state: MatchState, action: Action) -> MatchState:
    refused = state._double_refused()  # noqa: SLF001, the same module
    if refused:
        raise refused
    return replace(state, phase=Phase.DOUBLED)


def _take(state: MatchState, action: Action) -> MatchState:
    return replace(state, phase=Phase.TO_ROLL, cube=2 * state.cube, cube_owner=action.side)


def _drop(state: MatchState, action: Action) -> MatchState:
    assert state.turn is not None  # noqa: S101, true in this phase
    return _end_game(state, state.turn, WinKind.DROP, state.cube)


def _resign(state: MatchState, action: Action) -> MatchState:
    side, multiple = action.side, action.value
    if side is None or multiple not in KIND_OF_MULTIPLE:
        raise Refused("bad_resignation")
    seen = state.position if side == state.turn else state.position.swapped()
    if multiple >= most_to_lose(seen):
        return _end_game(state, 1 - side, WinKind.RESIGNATION, multiple * state.cube)
    return replace(state, phase=Phase.RESIGNED, resigned=(side, multiple, state.phase))


def _accept(state: MatchState, action: Action) -> MatchState:
    assert state.resigned is not None  # noqa: S101, true in this phase
    side, multiple, _ = state.resigned
    return _end_game(state, 1 - side, WinKind.RESIGNATION, multiple * state.cube)


def _refuse(state: MatchState, action: Action) -> MatchState:
    assert state.resigned is not None  # noqa: S101, true in this phase
    return replace(state, phase=state.resigned[2], resigned=None)


def _concede(state: MatchState, action: Action) -> MatchState:
    assert action.side is not None  # noqa: S101, checked in apply
    return _end_match(state, 1 - action.side, WinKind.CONCESSION)


def _flag(state: MatchState, action: Action) -> MatchState:
    assert action.side is not None  # noqa: S101, checked in apply
    if action.value:
        return _end_game(state, 1 - action.side, WinKind.FLAG, state.cube)
    return _end_match(state, 1 - action.side, WinKind.FLAG)


def _end_match(state: MatchState, winner: Side, kind: WinKind) -> MatchState:
    return replace(state, phase=Phase.OVER, winner=winner, ending=kind, turn=None, dice=None, resigned=None)


def _end_game(state: MatchState, winner: Side, kind: WinKind, points: int) -> MatchState:
    """Books the game and sets up the next, or ends the match. Points are those really won."""
    result = GameResult(state.game, state.score, winner, kind, state.cube, points, state.crawford)
    left, right = state.score
    score = (left + points, right) if winner == 0 else (left, right + points)
    after = replace(state, score=score, results=(*state.results, result))
    if state.length and score[winner] >= state.length:
        return _end_match(after, winner, kind)
    played = state.crawford_played or state.crawford
    return replace(
        after,
        game=state.game + 1,
        position=Position.start(),
        turn=None,
        phase=Phase.OPENING,
        dice=None,
        cube=1,
        cube_owner=None,
        crawford=is_crawford_game(length=state.length, score=score, played=played, rule=state.crawford_rule),
        crawford_played=played,
        resigned=None,
    )


_HANDLERS: dict[Act, Callable[[MatchState, Action], MatchState]] = {
    Act.ROLL: _roll,
    Act.PLAY: _play,
    Act.DOUBLE: _double,
    Act.TAKE: _take,
    Act.DROP: _drop,
    Act.RESIGN: _resign,
    Act.ACCEPT: _accept,
    Act.REFUSE: _refuse,
    Act.CONCEDE: _concede,
    Act.FLAG: _flag,
}
_RUNNING = frozenset(Phase) - {Phase.OVER}
_ALLOWED: dict[Act, frozenset[Phase]] = {
    Act.ROLL: frozenset({Phase.OPENING, Phase.TO_ROLL}),
    Act.PLAY: frozenset({Phase.TO_PLAY}),
    Act.DOUBLE: frozenset({Phase.TO_ROLL}),
    Act.TAKE: frozenset({Phase.DOUBLED}),
    Act.DROP: frozenset({Phase.DOUBLED}),
    Act.RESIGN: frozenset({Phase.TO_ROLL, Phase.TO_PLAY, Phase.DOUBLED}),
    Act.ACCEPT: frozenset({Phase.RESIGNED}),
    Act.REFUSE: frozenset({Phase.RESIGNED}),
    Act.CONCEDE: _RUNNING,
    Act.FLAG: _RUNNING,
}
