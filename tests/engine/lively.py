"""Matches full of cube actions and resignations, for tests of records."""

from random import Random

from engine.match import Act, Action, MatchState, Phase, apply
from engine.plays import legal_plays
from engine.recording import record
from engine.transcript import Transcript

DOUBLES, DROPS, REFUSES = 0.08, 0.4, 0.2
RESIGNS_BEFORE_ROLLING, RESIGNS_AFTER_ROLLING = 0.012, 0.003


def lively_match(seed: int, length: int) -> Transcript:
    """Return a whole legal match of Bob and Carol; the same arguments give the same match."""
    chance = Random(seed)
    start = state = MatchState.start(length)
    actions = []
    while not state.is_over:
        actions.append(_action(state, chance))
        state = apply(state, actions[-1])
    return record(start, actions, ("Bob", "Carol"))


def _action(state: MatchState, chance: Random) -> Action:
    side, roll = state.to_act, (chance.randint(1, 6), chance.randint(1, 6))
    match state.phase:
        case Phase.OPENING:
            return Action(Act.ROLL, dice=roll)
        case Phase.DOUBLED:
            return Action(Act.DROP if chance.random() < DROPS else Act.TAKE, side)
        case Phase.RESIGNED:
            return Action(Act.REFUSE if chance.random() < REFUSES else Act.ACCEPT, side)
        case Phase.TO_PLAY:
            return _play(state, chance)
    if chance.random() < RESIGNS_BEFORE_ROLLING:
        return Action(Act.RESIGN, side, value=chance.choice((1, 1, 2, 3)))
    if state.may_double and chance.random() < DOUBLES:
        return Action(Act.DOUBLE, side)
    return Action(Act.ROLL, side, roll)


def _play(state: MatchState, chance: Random) -> Action:
    assert state.dice is not None
    if chance.random() < RESIGNS_AFTER_ROLLING:
        return Action(Act.RESIGN, state.turn, value=chance.choice((1, 2)))
    plays = legal_plays(state.position, state.dice)
    steps = chance.choice(plays).steps if plays else ()
    return Action(Act.PLAY, state.turn, moves=tuple((step.source, step.target) for step in steps))
