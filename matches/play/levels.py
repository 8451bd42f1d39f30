"""How well a practice opponent plays: an analysis program looks at every choice, and noise makes it err.

Noise is a random number, normally distributed around 0, that is added to the equity of each choice. What each level
loses by it is measured by `benchmarks.practice_levels` (docs/playing.md).
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from django.utils.translation import gettext

from engine.actions import Act, Action, Phase
from engine.match import MatchState
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.values import Candidate, CubeEquities
from matches.models import LiveMatch, PracticeLevel

PROGRAM_NAMES = {"gnubg": "GNU Backgammon", "bgsage": "Open Sage"}


class Strength(NamedTuple):
    """How a level decides."""

    depth: Depth
    noise: float
    """Standard deviation of what is added to each equity."""


STRENGTHS = {
    PracticeLevel.BEGINNER: Strength(Depth.QUICK, 0.16),
    PracticeLevel.CASUAL: Strength(Depth.QUICK, 0.10),
    PracticeLevel.CLUB: Strength(Depth.QUICK, 0.06),
    PracticeLevel.STRONG: Strength(Depth.QUICK, 0.03),
    PracticeLevel.STRONGEST: Strength(Depth.DEEP, 0.0),
}


def has_choice(state: MatchState) -> bool:
    """Whether the side to act has a decision that a program can judge: a play, a double or its answer."""
    if state.phase is Phase.TO_PLAY:
        return len(state.legal_plays()) > 1
    return state.phase is Phase.DOUBLED or state.may_double


def decide(state: MatchState, level: PracticeLevel, advisor: Backend, chance: Random) -> Action:
    """Return what the side to act does at this level; for a state that has a choice.

    Refused: what `Backend.advise` refuses.
    """
    depth, noise = STRENGTHS[level]
    judgement, side = advisor.advise(state, depth), state.to_act
    if judgement.equities is None:
        best = chosen_play(judgement.candidates, noise, chance)
        play = next(play for play in state.legal_plays() if str(play) == best.play)
        return Action(Act.PLAY, side, moves=tuple((step.source, step.target) for step in play.steps))
    if state.phase is Phase.DOUBLED:
        return Action(Act.TAKE if takes(judgement.equities, noise, chance) else Act.DROP, side)
    return Action(Act.DOUBLE if doubles(judgement.equities, noise, chance) else Act.ROLL, side)


def chosen_play(candidates: Sequence[Candidate], noise: float, chance: Random) -> Candidate:
    """Return the play that seems best; without noise the first, since those looked at more deeply come first."""
    return max(candidates, key=lambda each: each.equity + chance.gauss(0, noise)) if noise else candidates[0]


def doubles(equities: CubeEquities, noise: float, chance: Random) -> bool:
    """Whether a double seems to win equity; what a drop costs is known and gets no noise."""
    no_double, double_take = (each + chance.gauss(0, noise) for each in (equities.no_double, equities.double_take))
    return min(double_take, equities.double_pass) > no_double


def takes(equities: CubeEquities, noise: float, chance: Random) -> bool:
    """Whether a take seems to lose no more than a drop."""
    return equities.double_take + chance.gauss(0, noise) <= equities.double_pass


def description(live: LiveMatch) -> str:
    """The level of a practice match and its program, e.g. “Practice: club level, GNU Backgammon”; empty without one."""
    if not live.bot_level:
        return ""
    level = live.get_bot_level_display()
    return gettext("Practice: {level}, {program}").format(level=level, program=program_name(live))


def program_name(live: LiveMatch) -> str:
    """The name of the program that decides for the bot of a practice match; empty without one."""
    return PROGRAM_NAMES.get(live.bot_program, live.bot_program)
