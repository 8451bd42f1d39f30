"""Errors, what counts and the totals, against examples worked out by hand (docs/analysis.md)."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Position, Refused
from matches.analysis.arithmetic import (
    double_counts,
    double_error,
    performance_rating,
    play_counts,
    sampling_error,
    summary,
    take_error,
)
from matches.analysis.judging import judged, match_chance, stakes
from matches.analysis.values import (
    Candidate,
    CubeEquities,
    DecisionKind,
    DecisionPhase,
    JudgedDecision,
    Judgement,
    Situation,
)

FULL_LENGTH = 7


def situation(kind: DecisionKind = DecisionKind.PLAY, **changes: Any) -> Situation:
    """A decision of Bob (side 0) at the start of a match to 7."""
    start = Situation(
        game=1,
        event=0,
        side=0,
        kind=kind,
        phase=DecisionPhase.CONTACT if kind is DecisionKind.PLAY else DecisionPhase.CUBE,
        position=Position.start(),
        dice=(3, 1) if kind is DecisionKind.PLAY else None,
        cube=1,
        owner=None,
        score=(0, 0),
        length=FULL_LENGTH,
        crawford=False,
        post_crawford=False,
        played="8/5 6/5",
        choices=16,
    )
    return replace(start, **changes)


def play(*equities: float, played: int = 0, luck: float | None = None) -> Judgement:
    """What a program says about a play, best equity first."""
    rows = (Candidate(f"play {n}", equity, None, "2-ply", n == played) for n, equity in enumerate(equities))
    return Judgement(candidates=tuple(rows), luck=luck)


def decision_on(situation: Situation, judgement: Judgement) -> JudgedDecision:
    (decision,) = judged([(situation, judgement)])
    return decision


@pytest.mark.parametrize(
    ("choices", "spread", "automatic", "counts"),
    [
        (2, 0.0001, False, True),
        (2, 0.00009, False, False),
        (1, 1.0, False, False),
        (0, 0.0, False, False),
        (9, 1.0, True, False),
    ],
    ids=["smallest spread", "no difference", "forced", "dance", "made by the site"],
)
def test_which_plays_count(choices: int, spread: float, automatic: bool, counts: bool) -> None:
    assert play_counts(choices=choices, spread=spread, automatic=automatic) is counts


@pytest.mark.parametrize(
    ("no_double", "double_take", "doubled", "error", "counts"),
    [
        (0.50, 0.55, False, 0.05, True),  # A double that was missed.
        (0.50, 0.45, False, 0.0, True),  # Right and close to the boundary.
        (0.30, 0.09, False, 0.0, False),  # Right and 0.21 away from the boundary: obvious.
        (0.30, 0.11, False, 0.0, True),  # Right and 0.19 away.
        (0.30, 0.05, True, 0.25, True),  # Wrong and far away: counts, since something was lost.
        (0.70, 1.30, True, 0.0, False),  # Right, the drop is 0.3 better than not doubling: obvious.
        (1.10, 1.40, True, 0.10, True),  # Too good to double: the drop costs 0.1.
        (1.30, 1.50, False, 0.0, False),  # Too good by 0.3 and played on: obvious.
    ],
)
def test_doubles(no_double: float, double_take: float, doubled: bool, error: float, counts: bool) -> None:
    equities = CubeEquities(no_double, double_take, 1.0)
    assert double_error(equities, doubled=doubled) == pytest.approx(error)
    assert double_counts(equities=equities, error=double_error(equities, doubled=doubled)) is counts


@pytest.mark.parametrize(
    ("double_take", "taken", "error"),
    [(0.9, True, 0.0), (0.9, False, 0.1), (1.2, True, 0.2), (1.2, False, 0.0), (0.1, True, 0.0)],
)
def test_takes_always_count(double_take: float, taken: bool, error: float) -> None:
    judgement = Judgement(equities=CubeEquities(0.8, double_take, 1.0))
    decision = decision_on(situation(DecisionKind.TAKE, played="take" if taken else "drop", side=1), judgement)
    assert decision.error == pytest.approx(error)
    assert decision.best == ("take" if double_take <= 1 else "drop")
    assert decision.counted


def test_a_match_by_hand() -> None:
    """Bob: errors 0, 0.06 and 0.09 of three that count. PR 500 · 0.15 / 3 = 25; s = √0.0021, so ± 500 · s / √3."""
    decisions = judged(
        [
            (situation(event=0), play(0.2, 0.1, luck=0.3)),
            (situation(event=2), play(0.20, 0.14, played=1, luck=-0.1)),
            (situation(event=4, choices=1), play(0.2, luck=0.05)),
            (
                situation(DecisionKind.DOUBLE, event=6, played="no_double"),
                Judgement(equities=CubeEquities(0.5, 0.59, 1.0)),
            ),
            (situation(event=1, side=1), play(0.2, 0.1, luck=0.15)),
        ]
    )
    bob, carol = summary(decisions).sides
    assert bob.decisions == 3
    assert bob.pr == pytest.approx(25)
    assert bob.sampling_error == pytest.approx(500 * sqrt(0.0021) / sqrt(3))
    assert (bob.errors, bob.blunders) == (1, 1)
    assert bob.luck == pytest.approx(0.25)
    assert bob.by_phase[DecisionPhase.CUBE].error == pytest.approx(0.09)
    assert (carol.decisions, carol.pr, carol.sampling_error) == (1, 0, None)
    # At 7-away each a game is worth 0.56261 − 0.43739 of the match, half of it a unit of equity.
    unit = (match_chance(6, 7) - match_chance(7, 6)) / 2
    assert unit == pytest.approx(0.06261)
    assert bob.error_winning == pytest.approx(0.15 * unit)
    # Bob wins with net luck of 0.25 − 0.15: without it he would have had 1 − 0.1 · 0.06261.
    assert summary(decisions).luck_adjusted(winner=0) == pytest.approx((1 - 0.1 * unit, 0.1 * unit))


def test_the_best_play_is_the_first_whatever_others_looked_like_at_a_lower_depth() -> None:
    decision = decision_on(situation(choices=3), play(-0.62, -0.64, -0.6, played=1))
    assert (decision.best, decision.counted) == ("play 0", True)
    assert decision.error == pytest.approx(0.02)
    assert decision_on(situation(choices=2), play(0.1, 0.3)).counted


@pytest.mark.parametrize("figure", [float("nan"), float("-inf"), 1e6])
def test_a_figure_that_cannot_be_one_is_refused(figure: float) -> None:
    for judgement in (play(0.1, figure), play(0.1, luck=figure), Judgement(equities=CubeEquities(0.5, figure, 1.0))):
        with pytest.raises(Refused) as refused:
            decision_on(situation(DecisionKind.PLAY if judgement.candidates else DecisionKind.DOUBLE), judgement)
        assert refused.value.code == "analysis_unreadable"


def test_nothing_to_rate() -> None:
    assert performance_rating([]) is None
    assert sampling_error([0.1]) is None
    assert summary([]).sides[0].decisions == 0


def test_chances_at_the_score() -> None:
    """Crawford games are looked up before the Crawford game is over, games after it by the side that is behind."""
    crawford = situation(score=(6, 3), crawford=True)
    assert stakes(crawford) == (1.0, 1 - match_chance(3, 1, after_crawford=True))
    after = situation(score=(6, 3), post_crawford=True, cube=2)
    assert stakes(after) == (1.0, 1 - match_chance(2, 1, after_crawford=True))
    before = situation(score=(5, 3))
    assert stakes(before) == (match_chance(1, 4), match_chance(2, 3))
    assert match_chance(1, 4) == pytest.approx(0.81436)
    worth = stakes(situation())
    assert worth is not None
    assert worth.equity(worth.chance(0.37)) == pytest.approx(0.37)
    assert stakes(situation(length=0)) is None


equities = st.lists(st.floats(-3, 3), min_size=1, max_size=6).map(lambda values: sorted(values, reverse=True))
cubes = st.builds(CubeEquities, st.floats(-2, 2), st.floats(-2, 3), st.just(1.0))


@given(equities, st.data(), cubes, st.booleans())
def test_errors_are_never_negative(values: list[float], data: st.DataObject, cube: CubeEquities, yes: bool) -> None:
    played = data.draw(st.integers(0, len(values) - 1))
    assert decision_on(situation(choices=len(values)), play(*values, played=played)).error >= 0
    assert decision_on(situation(choices=1), play(values[0])).counted is False
    assert double_error(cube, doubled=yes) >= 0
    assert take_error(cube, taken=yes) >= 0


@given(st.lists(st.tuples(st.integers(0, 1), equities, st.floats(-2, 2)), max_size=8))
def test_a_mirrored_match_has_mirrored_figures(turns: list[tuple[int, list[float], float]]) -> None:
    def totals(swapped: int) -> list[tuple[float | None, ...]]:
        pairs = [
            (situation(event=n, side=side ^ swapped, choices=len(values)), play(*values, luck=luck))
            for n, (side, values, luck) in enumerate(turns)
        ]
        return [(s.pr, s.sampling_error, s.luck, s.luck_winning, s.decisions) for s in summary(judged(pairs)).sides]

    assert totals(0) == totals(1)[::-1]
