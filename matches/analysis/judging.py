"""From what a program says about a situation to the decision as it is stored: errors, chances and whether it counts."""

from collections.abc import Iterable
from dataclasses import replace

from engine.errors import Refused
from matches.analysis import arithmetic
from matches.analysis.match_equity import Stakes, stakes
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

MOST_CANDIDATES = 5
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
        return _double(situation, judgement.equities, worth)
    return _take(situation, judgement.equities, worth)


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
    kept = [candidate for number, candidate in enumerate(candidates) if number < MOST_CANDIDATES or candidate.played]
    if worth is None:
        return tuple(kept)
    return tuple(replace(candidate, winning=worth.chance(candidate.equity)) for candidate in kept)


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
