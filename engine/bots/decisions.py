"""What a bot does next in a match."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from random import Random

from engine.actions import Act, Action, Phase
from engine.bots import cube
from engine.bots.network import chances
from engine.cube import Side
from engine.match import MatchState
from engine.plays import Play
from engine.position import Position
from engine.simulation import PlayStyle, next_action

_LEAD_TO_DOUBLE, _LEAD_TO_DROP = 0.10, 0.22
"""Leads in the race, as a share of the greater pip count, for the bot that counts pips only."""


class Bot(StrEnum):
    """How a bot chooses."""

    RANDOM = "random"
    """Any legal play, and an occasional double."""
    PIP = "pip"
    """The best pip count after the play; doubles and drops by it, too."""
    CLUB = "club"
    """What its networks think best, by the score and the cube."""


def decide(state: MatchState, bot: Bot, chance: Random) -> Action:
    """Return what the side to act does; a roll comes without dice.

    `chance` decides between equal choices. Raises ValueError where no side is to act.
    """
    side = state.to_act
    if side is None:
        raise ValueError(f"nobody is to act in the phase {state.phase}")
    if bot is Bot.RANDOM:
        return next_action(state, chance, (PlayStyle.RANDOM, PlayStyle.RANDOM))._replace(dice=None)
    return _DECISIONS[state.phase](state, side, bot, chance)


def ranked_plays(state: MatchState) -> list[Play]:
    """The legal plays of the roll on the board, the best as the Club Bot sees it first."""
    return sorted(state.legal_plays(), key=_merit_of(state), reverse=True)


def _before_roll(state: MatchState, side: Side, bot: Bot, chance: Random) -> Action:
    doubles = state.may_double and (
        _lead(state.position) > _LEAD_TO_DOUBLE
        if bot is Bot.PIP
        else cube.should_double(state, side, chances(state.position))
    )
    return Action(Act.DOUBLE if doubles else Act.ROLL, side)


def _with_dice(state: MatchState, side: Side, bot: Bot, chance: Random) -> Action:
    plays = state.legal_plays()
    if not plays:
        return Action(Act.PLAY, side)
    play = _best(plays, _pip_merit if bot is Bot.PIP else _merit_of(state), chance)
    return Action(Act.PLAY, side, moves=tuple((step.source, step.target) for step in play.steps))


def _best(plays: Iterable[Play], merit: Callable[[Play], float], chance: Random) -> Play:
    rated = [(merit(play), play) for play in plays]
    most = max(value for value, _ in rated)
    return chance.choice([play for value, play in rated if value == most])


def _merit_of(state: MatchState) -> Callable[[Play], float]:
    """What a play of the roll on the board is worth to its side."""
    side = state.turn
    assert side is not None  # noqa: S101, true with dice

    def merit(play: Play) -> float:
        return cube.value(state, side, chances(play.result.swapped()).reversed(), state.cube)

    return merit


def _pip_merit(play: Play) -> float:
    own, opposing = play.result.pips
    return opposing - own


def _lead(position: Position) -> float:
    own, opposing = position.pips
    return (opposing - own) / max(own, opposing)


def _answer_double(state: MatchState, side: Side, bot: Bot, chance: Random) -> Action:
    # The position is seen by the side that has doubled and will roll after a take.
    takes = (
        _lead(state.position) <= _LEAD_TO_DROP
        if bot is Bot.PIP
        else cube.should_take(state, side, chances(state.position).reversed())
    )
    return Action(Act.TAKE if takes else Act.DROP, side)


def _answer_resignation(state: MatchState, side: Side, bot: Bot, chance: Random) -> Action:
    """Accept what is offered, unless the loser may well lose a gammon and offers less."""
    assert state.resigned is not None  # noqa: S101, true in this phase
    loser, multiple, _ = state.resigned
    seen = state.position if loser == state.turn else state.position.swapped()
    threatened = multiple == 1 and not seen.borne_off[0] and _rolls_to_save(seen) > _rolls_to_win(seen)
    return Action(Act.REFUSE if threatened else Act.ACCEPT, side)


_PIPS_A_ROLL = 8
_CHECKERS_A_ROLL = 2.3


def _rolls_to_save(position: Position) -> float:
    """About how many rolls the side on roll needs to bring all checkers home and bear one off."""
    outside = sum((point - 6) * count for point, count in enumerate(position.counts) if count > 0 and point > 6)
    return outside / _PIPS_A_ROLL + 1


def _rolls_to_win(position: Position) -> float:
    """About how many rolls the other side needs to bear off all its checkers."""
    checkers = 15 - position.borne_off[1]
    return max(checkers / _CHECKERS_A_ROLL, position.pips[1] / _PIPS_A_ROLL)


_DECISIONS: dict[Phase, Callable[[MatchState, Side, Bot, Random], Action]] = {
    Phase.TO_ROLL: _before_roll,
    Phase.TO_PLAY: _with_dice,
    Phase.DOUBLED: _answer_double,
    Phase.RESIGNED: _answer_resignation,
}
