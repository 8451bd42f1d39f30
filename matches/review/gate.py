"""Whether a play lost by the shots it left, before a sentence names them: many rolls may hit and yet cost little.

A worker finds it out once a match is analysed and stores it with the decision, so that no page runs a program. Without
gnubg, or where it failed, nothing is known and no shots are named.
"""

from collections.abc import Iterable
from typing import NamedTuple

import structlog

from engine import Position, parse_play, parse_xgid
from engine.actions import Phase
from engine.errors import Refused
from engine.match import MatchState
from engine.position import position_of
from engine.resolution import resolve
from engine.search import legal_results
from matches.analysis.backends.gnubg import Gnubg
from matches.models import Analysis, Decision
from matches.review.choice import LEAST_ERROR, MOST_ERROR, compared_plays
from matches.review.features import ROLLS
from matches.review.reasons import MANY_ROLLS

log = structlog.get_logger(__name__)
HALF, LEAST_LOSS = 0.5, 0.005
"""The share of the loss that the rolls have to carry, and the least loss in equity of which a share is taken."""
_KEY = "shots_cost"
"""Key of the stored candidate that was played."""


class RollLoss(NamedTuple):
    """What one roll of the opponent adds to the loss of a play."""

    times: int
    """Of 36."""
    lost: float
    """Equity of the opponent after the play that was made, less that after the best one."""
    hits_played_only: bool
    """Whether it can hit after the play that was made, and not after the best one."""


def is_by_shots(rolls: Iterable[RollLoss]) -> bool:
    """Return whether the rolls that hit one play and not the other carry at least half of the loss."""
    rows = list(rolls)
    total = sum(row.times * row.lost for row in rows) / 36
    by_shots = sum(row.times * row.lost for row in rows if row.hits_played_only) / 36
    return total > LEAST_LOSS and by_shots >= HALF * total


def shots_cost(decision: Decision) -> bool | None:
    """Return what is stored of a play: whether it lost by the shots it left; None if nobody has asked."""
    return next((play.get(_KEY) for play in decision.candidates if play["played"]), None)


def store_shots_cost(analysis: Analysis, program: Gnubg) -> int:
    """Ask about each wrong play of a finished analysis that left more shots, and store the answers; return how many."""
    if analysis.match_id is None or analysis.state != Analysis.State.DONE:
        return 0
    wrong = analysis.decisions.filter(
        kind=Decision.Kind.PLAY, counted=True, error__gte=LEAST_ERROR, error__lte=MOST_ERROR
    )
    changed = []
    try:
        for decision in wrong:
            if (rolls := losses_by_roll(decision, program)) is not None:
                by_shots = is_by_shots(rolls)
                decision.candidates = [
                    {**play, _KEY: by_shots} if play["played"] else play for play in decision.candidates
                ]
                changed.append(decision)
    except Refused as refused:
        log.warning("shots_not_asked", analysis=analysis.pk, code=refused.code)
    Decision.objects.bulk_update(changed, ["candidates"])
    return len(changed)


def losses_by_roll(decision: Decision, program: Gnubg) -> list[RollLoss] | None:
    """Return what each roll costs; None if the play that was made does not leave many more shots than the best one.

    Refused: what `Gnubg.quick_equities` refuses, and for a position or play that cannot be read.
    """
    state = parse_xgid(decision.xgid)
    compared = compared_plays(decision)
    if state.dice is None or len(compared) != 2:
        return None
    best, played = (
        position_of(resolve(state.position.key, state.dice, parse_play(play["play"])).key) for play in compared
    )
    hits = [_hits(best), _hits(played)]
    fewer, shots = (sum(times for hit, (*_, times) in zip(side, ROLLS, strict=True) if hit) for side in hits)
    if shots - fewer < MANY_ROLLS:
        return None
    positions = [_replied(state, after, (first, second)) for after in (played, best) for first, second, _ in ROLLS]
    equities = program.quick_equities([each for each, _ in positions])
    signed = [sign * equity for (_, sign), equity in zip(positions, equities, strict=True)]
    return [
        RollLoss(times, after_played - after_best, hits_played_only=hit_played and not hit_best)
        for (_, _, times), after_played, after_best, hit_best, hit_played in zip(
            ROLLS, signed[: len(ROLLS)], signed[len(ROLLS) :], *hits, strict=True
        )
    ]


def _hits(after: Position) -> list[bool]:
    """Whether each roll of the opponent has a legal play that hits a checker."""
    key = after.swapped().key
    # A checker that is hit lowers the first byte of the key: the bar of the side that does not move.
    return [any(result & 255 < key & 255 for result in legal_results(key, first, second)) for first, second, _ in ROLLS]


def _replied(state: MatchState, after: Position, dice: tuple[int, int]) -> tuple[MatchState, int]:
    """Return the opponent to play a roll, and 1; if it has no legal play, the own side on roll again, and −1."""
    side = state.turn or 0
    theirs = after.swapped()
    if legal_results(theirs.key, *dice):
        return state._replace(position=theirs, turn=1 - side, dice=dice, phase=Phase.TO_PLAY), 1
    return state._replace(position=after, turn=side, dice=None, phase=Phase.TO_ROLL), -1
