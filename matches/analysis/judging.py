"""Turn what a program says about a situation into the decision that is stored."""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.errors import Refused
from matches.analysis import arithmetic
from matches.analysis.situations import xgid_of
from matches.analysis.values import (
    Candidate,
    CubeAction,
    CubeEquities,
    DecisionKind,
    JudgedDecision,
    Judgement,
    Situation,
)

# Chances to win a match at a score, and equities as chances: the Kazaross-XG2 table (docs/analysis.md).


LONGEST = 25
"""Points away that the table covers."""
_TABLE = Path(__file__).with_name("match_equity_table.json")


class Stakes(NamedTuple):
    """The chance of a side to win the match after a game won or lost at the value of the cube."""

    won: float
    lost: float

    def chance(self, equity: float) -> float:
        """Return the chance (0–1) to win the match that corresponds to an equity."""
        return self.lost + (equity + 1) / 2 * (self.won - self.lost)

    def equity(self, chance: float) -> float:
        """Return the equity, normalised to the cube, that corresponds to a chance to win the match."""
        return 2 * (chance - self.lost) / (self.won - self.lost) - 1

    def difference(self, equity: float) -> float:
        """Return the chance to win the match that corresponds to a difference between two equities."""
        return equity / 2 * (self.won - self.lost)


def match_chance(own_away: int, opposing_away: int, *, after_crawford: bool = False) -> float:
    """Return the chance (0–1) of winning a match when the sides need this many points.

    `after_crawford` says that the Crawford game is over. Raises ValueError beyond 25 points.

    >>> match_chance(2, 3), match_chance(3, 1, after_crawford=True)
    (0.59947, 0.32264)
    """
    if own_away <= 0 or opposing_away <= 0:
        return 1.0 if own_away <= 0 else 0.0
    if max(own_away, opposing_away) > LONGEST:
        raise ValueError(f"The table ends at {LONGEST} points away.")
    before, after = _tables()
    if not after_crawford or min(own_away, opposing_away) > 1:
        return before[own_away - 1][opposing_away - 1]
    return 1 - after[opposing_away - 1] if own_away == 1 else after[own_away - 1]


def stakes(situation: Situation) -> Stakes | None:
    """Return what the game is worth to the side that decides, at the cube before the decision; None for money play.

    Refused: `match_too_long_to_analyse`.
    """
    if not situation.length:
        return None
    own, opposing, cube = situation.own_away, situation.opposing_away, situation.cube
    if max(own, opposing) > LONGEST:
        raise Refused("match_too_long_to_analyse", most=LONGEST)
    after_crawford = situation.crawford or situation.post_crawford
    return Stakes(
        won=match_chance(own - cube, opposing, after_crawford=after_crawford),
        lost=match_chance(own, opposing - cube, after_crawford=after_crawford),
    )


@cache
def _tables() -> tuple[list[list[float]], list[float]]:
    """Return the chances before the Crawford game by own and opposing points, and after it for the side behind."""
    data = json.loads(_TABLE.read_text())
    return data["before_crawford"], data["after_crawford"]


# From what a program says about a situation to the decision as it is stored: errors, chances and whether it counts.


MAX_CANDIDATES = 5
"""Plays that are stored of a decision, and the play that was made if it is not among them."""


HIGHEST_EQUITY = 1000
"""No equity is as high, not even where a gammon wins the match and a single game next to nothing."""


def judged(pairs: Iterable[tuple[Situation, Judgement]]) -> tuple[JudgedDecision, ...]:
    """Return each situation with its error.

    Refused: `analysis_differs` if a judgement lacks what it needs, `analysis_unreadable` if a figure cannot be one.
    """
    return tuple(_judged(situation, _plausible(judgement)) for situation, judgement in pairs)


def _plausible(judgement: Judgement) -> Judgement:
    """Return the judgement. Refused: `analysis_unreadable` if a figure is not a number, or too high."""
    cube = judgement.equities
    figures = [candidate.equity for candidate in judgement.candidates]
    figures += (cube.no_double, cube.double_take, cube.double_pass) if cube is not None else ()
    figures += (judgement.luck,) if judgement.luck is not None else ()
    # Of a NaN every comparison is false.
    if not all(abs(figure) < HIGHEST_EQUITY for figure in figures):
        raise Refused("analysis_unreadable")
    return judgement


def _judged(situation: Situation, judgement: Judgement) -> JudgedDecision:
    worth = stakes(situation)
    if situation.kind is DecisionKind.PLAY:
        return _play(situation, judgement, worth)
    if judgement.equities is None:
        raise Refused("analysis_differs")
    if situation.kind is DecisionKind.DOUBLE:
        decision = _double(situation, judgement.equities, worth)
    else:
        decision = _take(situation, judgement.equities, worth)
    return replace(decision, chances=judgement.chances)


def _play(situation: Situation, judgement: Judgement, worth: Stakes | None) -> JudgedDecision:
    candidates = judgement.candidates
    luck = judgement.luck
    played = next((candidate for candidate in candidates if candidate.played), None)
    if played is None and situation.choices:
        raise Refused("analysis_differs")
    error = candidates[0].equity - played.equity if played is not None else 0.0
    decision = replace(
        _blank(situation),
        best=candidates[0].play if candidates else situation.played,
        error=max(0.0, error),
        counted=arithmetic.play_counts(
            choices=situation.choices, spread=_spread(situation, candidates), automatic=situation.automatic
        ),
        candidates=_stored(candidates, worth),
        luck=luck,
    )
    if worth is None:
        return decision
    return replace(
        decision,
        error_winning=worth.difference(decision.error),
        winning=worth.chance(candidates[0].equity) if candidates else None,
        luck_winning=worth.difference(luck) if luck is not None else None,
    )


def _spread(situation: Situation, candidates: tuple[Candidate, ...]) -> float:
    """Return the highest equity less the lowest; a program leaves out only plays that are clearly worse."""
    if len(candidates) < situation.choices:
        return float("inf")
    equities = [candidate.equity for candidate in candidates]
    # The best play is not always the highest: others were perhaps looked at less deeply.
    return max(equities) - min(equities) if equities else 0.0


def _stored(candidates: tuple[Candidate, ...], worth: Stakes | None) -> tuple[Candidate, ...]:
    candidates_to_store = [
        candidate for number, candidate in enumerate(candidates) if number < MAX_CANDIDATES or candidate.played
    ]
    return tuple(
        replace(
            candidate,
            winning=worth.chance(candidate.equity) if worth is not None else None,
            chances=candidate.chances if number == 0 or candidate.played else None,
        )
        for number, candidate in enumerate(candidates_to_store)
    )


def _double(situation: Situation, equities: CubeEquities, worth: Stakes | None) -> JudgedDecision:
    error = arithmetic.double_error(equities, doubled=situation.played == CubeAction.DOUBLE)
    doubles = equities.doubled > equities.no_double
    decision = replace(
        _cube(situation, equities, worth, error),
        best=(CubeAction.DOUBLE if doubles else CubeAction.NO_DOUBLE).value,
        counted=arithmetic.double_counts(equities=equities, error=error),
    )
    best = max(equities.no_double, equities.doubled)
    return replace(decision, winning=worth.chance(best) if worth is not None else None)


def _take(situation: Situation, equities: CubeEquities, worth: Stakes | None) -> JudgedDecision:
    error = arithmetic.take_error(equities, taken=situation.played == CubeAction.TAKE)
    takes = equities.double_take <= equities.double_pass
    decision = replace(
        _cube(situation, equities, worth, error),
        best=(CubeAction.TAKE if takes else CubeAction.DROP).value,
        counted=True,
    )
    # `worth` is that of the side that answers, the equities are those of the side that doubled.
    return replace(decision, winning=worth.chance(-equities.doubled) if worth is not None else None)


def _cube(situation: Situation, equities: CubeEquities, worth: Stakes | None, error: float) -> JudgedDecision:
    return replace(
        _blank(situation),
        error=max(0.0, error),
        error_winning=worth.difference(max(0.0, error)) if worth is not None else None,
        no_double=equities.no_double,
        double_take=equities.double_take,
        double_pass=equities.double_pass,
    )


def _blank(situation: Situation) -> JudgedDecision:
    return JudgedDecision(
        game=situation.game,
        event=situation.event,
        side=situation.side,
        kind=situation.kind,
        phase=situation.phase,
        xgid=xgid_of(situation),
        cube=situation.cube,
        own_away=situation.own_away,
        opposing_away=situation.opposing_away,
        played=situation.played,
        best=situation.played,
        error=0.0,
        counted=False,
    )
