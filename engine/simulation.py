"""Matches between very simple players, for sample data, demonstrations and load tests."""

from collections.abc import Callable
from enum import StrEnum
from random import Random

from engine.match import Act, Action, MatchState, Phase, apply
from engine.plays import Play
from engine.position import Position
from engine.recording import record
from engine.transcript import Transcript

_LEAD_TO_DOUBLE = 0.10
_LEAD_TO_DROP = 0.22
_LEAD_TO_RESIGN = 0.9
"""Leads in the race, as a share of the pips of the side behind."""
_READINESS_TO_RESIGN = 0.15
"""Chance to resign in a turn when that far behind."""
_BLOT, _POINT, _HIT = 6, 4, 14
"""Worth in pips, for the simple player."""


class PlayStyle(StrEnum):
    """How a simulated player chooses."""

    RANDOM = "random"
    """Any legal play, and an occasional double."""
    SIMPLE = "simple"
    """Hits, makes points, leaves few blots; doubles and drops by the race."""


def play_out(
    seed: int,
    length: int,
    *,
    players: tuple[str, str] = ("Ada", "Ben"),
    styles: tuple[PlayStyle, PlayStyle] = (PlayStyle.SIMPLE, PlayStyle.SIMPLE),
    start: tuple[int, int] = (0, 0),
) -> Transcript:
    """Return a whole legal match; the same arguments give the same match.

    Raises Refused as `MatchState.start` does.
    """
    state = MatchState.start(length, start)
    chance = Random(seed)  # noqa: S311, a simulation that must be repeatable
    first, actions = state, []
    while not state.is_over:
        action = next_action(state, chance, styles)
        state = apply(state, action)
        actions.append(action)
    return record(first, actions, players)


def next_action(state: MatchState, chance: Random, styles: tuple[PlayStyle, PlayStyle]) -> Action:
    """What the side to act does next; in the opening, the roll."""
    if state.phase is Phase.OPENING:
        return Action(Act.ROLL, dice=_roll(chance))
    side = state.to_act
    assert side is not None  # noqa: S101, in every other phase a side has to act
    return _DECISIONS[state.phase](state, side, chance, styles[side])


def _roll(chance: Random) -> tuple[int, int]:
    return chance.randint(1, 6), chance.randint(1, 6)


def _lead(position: Position) -> float:
    """Return the lead of the player on roll in the race, as a share of the greater pip count."""
    own, opposing = position.pips
    return (opposing - own) / max(own, opposing)


def _before_roll(state: MatchState, side: int, chance: Random, style: PlayStyle) -> Action:
    lead = _lead(state.position)
    if lead < -_LEAD_TO_RESIGN and chance.random() < _READINESS_TO_RESIGN:
        return Action(Act.RESIGN, side, value=1 if state.position.borne_off[0] else 2)
    wants = lead > _LEAD_TO_DOUBLE if style is PlayStyle.SIMPLE else chance.random() < _LEAD_TO_DOUBLE / 2
    if state.may_double and wants:
        return Action(Act.DOUBLE, side)
    return Action(Act.ROLL, side, _roll(chance))


def _with_dice(state: MatchState, side: int, chance: Random, style: PlayStyle) -> Action:
    plays = state.legal_plays()
    if not plays:
        return Action(Act.PLAY, side)
    play = chance.choice(plays) if style is PlayStyle.RANDOM else max(plays, key=_merit)
    return Action(Act.PLAY, side, moves=tuple((step.source, step.target) for step in play.steps))


def _merit(play: Play) -> int:
    """Rate a play as a beginner would: checkers sent back, points made, blots within reach."""
    counts = play.result.counts
    foes = [point for point, count in enumerate(counts) if count < 0]
    rearmost_foe = min(foes, default=25)
    blots = sum(1 for point in range(rearmost_foe + 1, 25) if counts[point] == 1)
    points = sum(1 for point in range(4, 8) if counts[point] > 1)
    return _POINT * points - _BLOT * blots - _HIT * counts[0] - play.result.pips[0]


def _answer_double(state: MatchState, side: int, chance: Random, style: PlayStyle) -> Action:
    drops = _lead(state.position) > _LEAD_TO_DROP if style is PlayStyle.SIMPLE else chance.random() < _LEAD_TO_DROP
    return Action(Act.DROP if drops else Act.TAKE, side)


def _answer_resignation(state: MatchState, side: int, chance: Random, style: PlayStyle) -> Action:
    return Action(Act.ACCEPT, side)


_DECISIONS: dict[Phase, Callable[[MatchState, int, Random, PlayStyle], Action]] = {
    Phase.TO_ROLL: _before_roll,
    Phase.TO_PLAY: _with_dice,
    Phase.DOUBLED: _answer_double,
    Phase.RESIGNED: _answer_resignation,
}
