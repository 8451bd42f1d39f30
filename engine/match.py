"""A match in progress: `apply(state, action) -> state`, one action after the other.

States and actions are immutable; time and chance come in with the action (docs/rules.md §2).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.actions import Act, Action, FlagRule, GameResult, Phase, as_call
from engine.cube import Score, Side, double_refused, doubled, is_crawford_game, is_dead
from engine.errors import Refused
from engine.keys import swapped_key
from engine.plays import Play, checked_dice, legal_plays
from engine.position import Position, position_of
from engine.resolution import resolve
from engine.scoring import KIND_OF_MULTIPLE, WinKind, most_to_lose, multiple_won
from engine.search import Dice

__all__ = ["Act", "Action", "FlagRule", "GameResult", "MatchState", "Phase", "after_play", "apply", "next_game"]

MAX_LENGTH = 64
START = Position.start()
_SIDES = (0, 1)


def side_to_act(phase: Phase, turn: Side | None, resigned: Side | None) -> Side | None:
    """Return the side that has to decide; None before the opening roll and after the match."""
    if phase is Phase.DOUBLED and turn is not None:
        return 1 - turn
    if phase is Phase.RESIGNED and resigned is not None:
        return 1 - resigned
    return turn


class MatchState(NamedTuple):
    """The state of a match as far as the rules are concerned. Created by `start`, changed by `apply`."""

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
    """Who resigns, how many times the cube, and the phase to return to if it is refused."""
    results: tuple[GameResult, ...] = ()
    winner: Side | None = None
    flag_rule: FlagRule = FlagRule.MATCH_LOST
    flagged: Side | None = None
    """The side whose flag fell, where the opponent has to claim the match."""
    adjourned_in: Phase | None = None
    """The phase to return to after an adjournment."""
    ending: WinKind | None = None
    """How the match ended; for a match played to its end, the kind of its last game."""

    @classmethod
    def start(
        cls,
        length: int,
        score: Score = (0, 0),
        *,
        crawford_rule: bool = True,
        jacoby: bool = False,
        flag_rule: FlagRule = FlagRule.MATCH_LOST,
    ) -> "MatchState":
        """Return a new match, from any score below its length.

        Raises Refused: `bad_length`, `bad_score_pair`, `bad_score`.
        """
        if type(length) is not int or not 0 <= length <= MAX_LENGTH:
            raise Refused("bad_length", length=length, most=MAX_LENGTH)
        if not _is_pair(score):
            raise Refused("bad_score_pair", score=score)
        if min(score) < 0 or (length and max(score) >= length):
            raise Refused("bad_score", left=score[0], right=score[1], length=length)
        crawford = is_crawford_game(length=length, score=score, played=False, rule=crawford_rule)
        return cls(length, score, crawford_rule, jacoby and length == 0, crawford=crawford, flag_rule=flag_rule)

    def __repr__(self) -> str:
        """Show the fields that differ from a new match: `MatchState(length=7, score=(2, 0), game=2)`."""
        return as_call(self)

    def __str__(self) -> str:
        """Show the score, the cube, what happens next, and the board with the side on turn as X."""
        left, right = self.score
        length = f"to {self.length}" if self.length else "for money"
        owner = "" if self.cube_owner is None else f" (side {self.cube_owner})"
        return f"Game {self.game}, {left}–{right} {length}, cube {self.cube}{owner}, {self._next()}\n{self.position}"

    def _next(self) -> str:
        match self.phase:
            case Phase.TO_ROLL:
                return f"side {self.turn} to roll"
            case Phase.TO_PLAY if self.dice is not None:
                return f"side {self.turn} to play {self.dice[0]}-{self.dice[1]}"
            case Phase.DOUBLED:
                return f"side {self.to_act} to answer the double"
            case Phase.RESIGNED:
                return f"side {self.to_act} to answer the resignation"
            case Phase.OVER:
                return f"won by side {self.winner}"
        return "opening roll" if self.phase is Phase.OPENING else "adjourned"

    @property
    def is_over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def to_act(self) -> Side | None:
        """The side that has to decide; None before the opening roll and after the match."""
        return side_to_act(self.phase, self.turn, self.resigned[0] if self.resigned else None)

    @property
    def may_double(self) -> bool:
        """Whether the side on turn should be offered the cube: it may double, and the cube is not dead."""
        if self.phase is not Phase.TO_ROLL or self.turn is None or self._double_refused() is not None:
            return False
        return not is_dead(side=self.turn, cube=self.cube, score=self.score, length=self.length)

    def legal_actions(self) -> frozenset[Act]:
        """Return what the side to act may do now (before the opening roll, both), without the director's acts."""
        acts = {act for act, phases in _ALLOWED.items() if self.phase in phases and act not in _OF_THE_DIRECTOR}
        if Act.DOUBLE in acts and (self.turn is None or self._double_refused() is not None):
            acts.remove(Act.DOUBLE)
        if self.flagged is None or self.to_act == self.flagged:
            acts.discard(Act.CLAIM_FLAG)
        return frozenset(acts - {Act.FLAG})

    def legal_plays(self) -> Sequence[Play]:
        """Return the legal plays of the current dice; empty if there is no move. Raises Refused (`not_now`)."""
        if self.phase is not Phase.TO_PLAY or self.dice is None:
            raise Refused("not_now", act=Act.PLAY.value, phase=self.phase.value)
        return legal_plays(self.position, self.dice)

    def can_give(self, winner: Side, points: int) -> bool:
        """Whether a game in progress can end with these points: one to three times the cube, or what decides the match.

        A record can say neither of other points; one that gives more than the match needs names more than any game.
        """
        multiple, odd = divmod(points, self.cube)
        if multiple in KIND_OF_MULTIPLE and not odd:
            return True
        needed = self.length - self.score[winner]
        return bool(self.length) and points >= needed > 0 and (points == needed or points > 3 * self.cube)

    def _double_refused(self) -> Refused | None:
        assert self.turn is not None  # noqa: S101, only called where a side is on turn
        return double_refused(
            side=self.turn,
            cube=self.cube,
            owner=self.cube_owner,
            length=self.length,
            crawford=self.crawford,
            opened=True,
        )


def _is_pair(score: object) -> bool:
    """Whether a score is two whole numbers."""
    return isinstance(score, tuple) and len(score) == len(_SIDES) and all(type(points) is int for points in score)


def apply(state: MatchState, action: Action) -> MatchState:
    """Return the state after an action.

    Raises Refused where the rules do not allow it: `match_over`, `not_your_turn`,
    `not_now`, the codes of `double_refused` and of `engine.resolution.resolve`, `bad_resignation` …
    """
    if state.is_over:
        raise Refused("match_over")
    allowed = _ALLOWED[action.act]
    if state.phase is Phase.OPENING and action.act is Act.DOUBLE:
        raise Refused("double_before_opening")
    if state.phase not in allowed:
        raise Refused("not_now", act=action.act.value, phase=state.phase.value)
    if action.act is Act.ROLL and state.phase is Phase.OPENING:
        return _open(state, action)
    if action.act in _OF_THE_DIRECTOR:
        return _HANDLERS[action.act](state, action)
    if action.act is Act.PLAY and action.side is None:
        action = action._replace(side=state.turn)
    if action.side not in _SIDES:
        raise Refused("not_your_turn")
    if action.act not in _OUT_OF_TURN and action.side != state.to_act:
        raise Refused("not_your_turn")
    return _HANDLERS[action.act](state, action)


def _open(state: MatchState, action: Action) -> MatchState:
    """Roll for the opening: equal dice are rolled again, the side with the higher die plays both."""
    left, right = checked_dice(action.dice or (0, 0))
    if left == right:
        return state
    return state._replace(turn=0 if left > right else 1, phase=Phase.TO_PLAY, dice=(left, right))


def _roll(state: MatchState, action: Action) -> MatchState:
    return state._replace(phase=Phase.TO_PLAY, dice=checked_dice(action.dice or (0, 0)))


def _play(state: MatchState, action: Action) -> MatchState:
    assert state.dice is not None  # noqa: S101, true in this phase
    return after_play(state, position_of(resolve(state.position.key, state.dice, action.moves).key))


def after_play(state: MatchState, after: Position) -> MatchState:
    """Return the state after a play of the side on turn that ends in `after`, seen by that side."""
    assert state.turn is not None  # noqa: S101, a side has played
    if after.is_over:
        multiple = multiple_won(after)
        if state.jacoby and state.cube_owner is None:
            multiple = 1
        return _end_game(state, state.turn, KIND_OF_MULTIPLE[multiple], multiple * state.cube)
    return state._replace(
        position=position_of(swapped_key(after.key)), turn=1 - state.turn, phase=Phase.TO_ROLL, dice=None
    )


def _double(state: MatchState, action: Action) -> MatchState:
    refused = state._double_refused()  # noqa: SLF001, the same module
    if refused:
        raise refused
    return state._replace(phase=Phase.DOUBLED)


def _take(state: MatchState, action: Action) -> MatchState:
    return state._replace(phase=Phase.TO_ROLL, cube=doubled(state.cube), cube_owner=action.side)


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
    return state._replace(phase=Phase.RESIGNED, resigned=(side, multiple, state.phase))


def _accept(state: MatchState, action: Action) -> MatchState:
    assert state.resigned is not None  # noqa: S101, true in this phase
    side, multiple, _ = state.resigned
    return _end_game(state, 1 - side, WinKind.RESIGNATION, multiple * state.cube)


def _refuse(state: MatchState, action: Action) -> MatchState:
    assert state.resigned is not None  # noqa: S101, true in this phase
    return state._replace(phase=state.resigned[2], resigned=None)


def _concede(state: MatchState, action: Action) -> MatchState:
    assert action.side is not None  # noqa: S101, checked in apply
    return _end_match(state, 1 - action.side, WinKind.CONCESSION)


def _flag(state: MatchState, action: Action) -> MatchState:
    assert action.side is not None  # noqa: S101, checked in apply
    if action.value or state.flag_rule is FlagRule.GAME_LOST:
        return _end_game(state, 1 - action.side, WinKind.FLAG, state.cube)
    if state.flag_rule is FlagRule.CLAIM:
        return state._replace(flagged=action.side)
    return _end_match(state, 1 - action.side, WinKind.FLAG)


def _claim_flag(state: MatchState, action: Action) -> MatchState:
    if action.side is None or state.flagged != 1 - action.side:
        raise Refused("no_flag_fallen")
    return _end_match(state, action.side, WinKind.FLAG)


def _set_score(state: MatchState, action: Action) -> MatchState:
    score = action.score
    if score is None or min(score) < 0 or (state.length and max(score) >= state.length):
        left, right = score or (-1, -1)
        raise Refused("bad_score", left=left, right=right, length=state.length)
    crawford = is_crawford_game(
        length=state.length, score=score, played=state.crawford_played, rule=state.crawford_rule
    )
    return state._replace(score=score, crawford=crawford)


def _end_game_by_ruling(state: MatchState, action: Action) -> MatchState:
    if action.side not in _SIDES or action.value is None or action.value < 1:
        raise Refused("bad_ruling")
    return _end_game(state, action.side, action.kind or WinKind.RULING, action.value)


def _adjourn(state: MatchState, action: Action) -> MatchState:
    return state._replace(phase=Phase.ADJOURNED, adjourned_in=state.phase)


def _resume(state: MatchState, action: Action) -> MatchState:
    return state._replace(phase=state.adjourned_in or Phase.OPENING, adjourned_in=None)


def _end_match(state: MatchState, winner: Side, kind: WinKind) -> MatchState:
    return state._replace(
        phase=Phase.OVER, winner=winner, ending=kind, turn=None, dice=None, resigned=None, adjourned_in=None
    )


def _end_game(state: MatchState, winner: Side, kind: WinKind, points: int) -> MatchState:
    """Add the result of a game and set up the next, or end the match. `points` may exceed those needed."""
    result = GameResult(state.game, state.score, winner, kind, state.cube, points, state.crawford)
    left, right = state.score
    score = (left + points, right) if winner == 0 else (left, right + points)
    after = state._replace(score=score, results=(*state.results, result))
    if state.length and score[winner] >= state.length:
        return _end_match(after, winner, kind)
    return next_game(after)


def next_game(state: MatchState) -> MatchState:
    """Return the state before the opening roll of the next game, at the same score."""
    played = state.crawford_played or state.crawford
    return state._replace(
        game=state.game + 1,
        position=START,
        turn=None,
        phase=Phase.OPENING,
        dice=None,
        cube=1,
        cube_owner=None,
        crawford=is_crawford_game(length=state.length, score=state.score, played=played, rule=state.crawford_rule),
        crawford_played=played,
        resigned=None,
        flagged=None,
        adjourned_in=None,
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
    Act.CLAIM_FLAG: _claim_flag,
    Act.SET_SCORE: _set_score,
    Act.END_GAME: _end_game_by_ruling,
    Act.ADJOURN: _adjourn,
    Act.RESUME: _resume,
}
_OF_THE_DIRECTOR = frozenset({Act.SET_SCORE, Act.END_GAME, Act.ADJOURN, Act.RESUME})
_OUT_OF_TURN = frozenset({Act.CONCEDE, Act.FLAG, Act.CLAIM_FLAG})
_UNFINISHED = frozenset(Phase) - {Phase.OVER}
_RUNNING = _UNFINISHED - {Phase.ADJOURNED}
_ALLOWED: dict[Act, frozenset[Phase]] = {
    Act.ROLL: frozenset({Phase.OPENING, Phase.TO_ROLL}),
    Act.PLAY: frozenset({Phase.TO_PLAY}),
    Act.DOUBLE: frozenset({Phase.TO_ROLL}),
    Act.TAKE: frozenset({Phase.DOUBLED}),
    Act.DROP: frozenset({Phase.DOUBLED}),
    Act.RESIGN: frozenset({Phase.TO_ROLL, Phase.TO_PLAY, Phase.DOUBLED}),
    Act.ACCEPT: frozenset({Phase.RESIGNED}),
    Act.REFUSE: frozenset({Phase.RESIGNED}),
    Act.CONCEDE: _UNFINISHED,
    Act.FLAG: _RUNNING,
    Act.CLAIM_FLAG: _RUNNING,
    Act.SET_SCORE: _UNFINISHED,
    Act.END_GAME: _UNFINISHED,
    Act.ADJOURN: _RUNNING,
    Act.RESUME: frozenset({Phase.ADJOURNED}),
}
