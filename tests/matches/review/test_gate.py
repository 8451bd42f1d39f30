"""Shots are named only where they are what a play lost by, as gnubg's best replies say."""

from pathlib import Path

import pytest

from engine import parse_xgid
from engine.actions import Phase
from matches.analysis.backends.gnubg import Gnubg
from matches.analysis.backends.processes import ProgramLimits
from matches.models import Analysis, Decision, Match
from matches.review.gate import RollLoss, is_by_shots, losses_by_roll, shots_cost, store_shots_cost
from tests.matches.analysis.programs import fake_gnubg, needs_gnubg

LEFT_A_SHOT = ("--bB-CB-C-ABbBa--bcd-a----:1:-1:1:16:2:1:0:5:10", "10/4 5/4", "13/7 8/7")
"""None of 36 rolls hits after the best play, 13 after the other."""
LOST_OTHERWISE = ("-b-B--D-C---dD---b-cc-AAa-:0:0:1:11:5:1:0:7:10", "23/22 8/7 6/5(2)", "8/7(2) 6/5(2)")
"""14 and 36 rolls hit, yet they cost nothing more than the others."""


def decision_of(case: tuple[str, str, str]) -> Decision:
    xgid, best, played = case
    plays = [{"play": best, "played": False}, {"play": played, "played": True}]
    return Decision(xgid=f"XGID={xgid}", candidates=plays)


def gnubg() -> Gnubg:
    return Gnubg(limits=ProgramLimits(niceness=0))


def test_half_of_a_loss_that_is_one_has_to_be_on_these_rolls() -> None:
    assert is_by_shots([RollLoss(18, 0.2, True), RollLoss(18, 0.2, False)])
    assert not is_by_shots([RollLoss(16, 0.2, True), RollLoss(20, 0.2, False)])
    assert not is_by_shots([RollLoss(18, 0.005, True), RollLoss(18, 0.004, False)])


@needs_gnubg
@pytest.mark.parametrize(("case", "expected"), [(LEFT_A_SHOT, True), (LOST_OTHERWISE, False)])
def test_gnubg_says_what_each_roll_costs(case: tuple[str, str, str], *, expected: bool) -> None:
    rolls = losses_by_roll(decision_of(case), gnubg())
    assert rolls is not None
    assert sum(roll.times for roll in rolls) == 36
    assert is_by_shots(rolls) is expected


@needs_gnubg
def test_a_position_is_also_rated_without_a_roll() -> None:
    """That of the own side after a roll that the opponent cannot play, here against a closed board."""
    closed = parse_xgid("XGID=aBBBBBB-A-A-A-----bbbbbbb-:0:0:1:00:0:0:0:5:10")
    assert min(gnubg().quick_equities([closed, closed._replace(dice=(6, 5), phase=Phase.TO_PLAY)])) > 0.5


@needs_gnubg
@pytest.mark.django_db
def test_the_answer_is_stored_with_the_play_that_was_made(analysis: Analysis, match: Match) -> None:
    first, second, *_ = analysis.decisions.filter(error__lt=0.05)
    for row, case in ((first, LEFT_A_SHOT), (second, LOST_OTHERWISE)):
        case_of = decision_of(case)
        analysis.decisions.filter(pk=row.pk).update(
            error=0.1, counted=True, xgid=case_of.xgid, candidates=case_of.candidates
        )
    assert store_shots_cost(analysis, gnubg()) >= 2
    assert [shots_cost(analysis.decisions.get(pk=row.pk)) for row in (first, second)] == [True, False]


@pytest.mark.django_db
def test_a_program_that_fails_leaves_the_question_open(analysis: Analysis, tmp_path: Path) -> None:
    case = decision_of(LEFT_A_SHOT)
    row = analysis.decisions.filter(error__lt=0.05)[0]
    analysis.decisions.filter(pk=row.pk).update(error=0.1, xgid=case.xgid, candidates=case.candidates)
    for program in (fake_gnubg(tmp_path, "nonsense"), Gnubg(path=str(tmp_path / "none"))):
        assert store_shots_cost(analysis, program) == 0
    assert shots_cost(analysis.decisions.get(pk=row.pk)) is None
