"""What is said of wrong cube decisions, from the cases of the specification and from figures of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import parse_xgid
from matches.analysis.judging import match_chance
from matches.models import Decision
from matches.review.cube_sentences import cube_reason, cube_sentence

CASES = Path(__file__).resolve().parents[4] / "shared/data/morning/reasons_cube.json"
CHANCES = [0.7, 0.2, 0.01, 0.1, 0.01]
"""Of the doubler."""


def decision_of(case: dict[str, Any]) -> Decision:
    state = parse_xgid(f"XGID={case['xgid']}")
    assert state.turn is not None
    side = 1 - state.turn if case["kind"] == "take" else state.turn
    away = [state.length - points for points in state.score]
    fields = ("kind", "played", "best", "error", "error_winning", "no_double", "double_take", "double_pass")
    return Decision(
        **{name: case[name] for name in fields},
        cube=state.cube,
        own_away=away[side],
        opposing_away=away[1 - side],
        chances=case["chances_of_doubler"],
    )


@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not there")
def test_the_cases_of_the_specification() -> None:
    for case in json.loads(CASES.read_text())["cases"]:
        decision = decision_of(case)
        reason = cube_reason(decision)
        assert reason is not None
        assert (reason.code, cube_sentence(decision)) == (case["code"], case["sentence"])
        if reason.code != "drop_enough":
            assert reason.best - reason.played == pytest.approx(case["error_winning"], abs=1e-5)


def cube(played: str, no_double: float, double_take: float, **fields: Any) -> Decision:
    """A decision at 5 points each, of 7."""
    kind = "double" if "double" in played else "take"
    values = {"own_away": 5, "opposing_away": 5, "cube": 1, "double_pass": 1.0, "chances": CHANCES, **fields}
    return Decision(kind=kind, played=played, **{"no_double": no_double, "double_take": double_take, **values})


LOW, GAMMONS = [0.85, 0.1, 0.0, 0.02, 0.0], [0.7, 0.45, 0.05, 0.02, 0.0]
CLOSE, ENOUGH = [0.76, 0.1, 0.0, 0.02, 0.0], [0.65, 0.1, 0.0, 0.1, 0.0]
MONEY = {"own_away": 0, "opposing_away": 0}


@pytest.mark.parametrize(
    ("decision", "code", "end"),
    [
        (cube("no_double", 0.8, 1.1), "cash", "doubling is worth 57.7 % of the match, rolling on 56.2."),
        (cube("no_double", 0.8, 0.9), "double_take", "doubling is worth 57.0 % of the match, rolling on 56.2."),
        (cube("no_double", 0.8, 0.9, chances=None), "double_take", "57.0 % of the match, rolling on 56.2."),
        (cube("double", 1.2, 1.6), "too_good", "in 20 % playing on is worth 59.3 % of the match, the pass 57.7."),
        (cube("double", 0.4, 0.2), "early",
         "you win 70 %, and they can take; not doubling is worth 53.1 % of the match, doubling 51.5."),
        (cube("take", 0.9, 1.4, chances=LOW), "take_low",
         "You win 15 %, and without gammons and with a dead cube a take needs 24 % here: "
         "taking is worth 39.2 % of the match, passing 42.3."),
        (cube("take", 0.9, 1.4, chances=GAMMONS), "take_gammons",
         "30 % wins would do, but you lose a gammon in 45 %: taking is worth 39.2 % of the match, passing 42.3."),
        (cube("drop", 0.6, 0.7, chances=ENOUGH), "drop_enough",
         "You win 35 %, and a take needs 24 % here: "
         "even with a dead cube it is worth 45.6 % of the match, passing 42.3."),
        (cube("drop", 0.6, 0.9, chances=CLOSE), "drop_cube", "taking is worth 43.0 % of the match, passing 42.3."),
        (cube("drop", 0.6, 0.9, chances=None), "take", "Taking is worth 43.0 % of the match, passing 42.3."),
        (cube("take", 0.9, 1.4, chances=None), "drop", "Passing is worth 42.3 % of the match, taking 39.2."),
        (cube("double", 0.4, 0.2, chances=None), "no_double",
         "Not doubling is worth 53.1 % of the match, doubling 51.5."),
        (cube("take", 0.9, 1.4, chances=LOW, **MONEY), "take_low",
         "a take needs 25 % here: taking is worth −1.400, passing −1.000."),
    ],
)  # fmt: skip
def test_each_code(decision: Decision, code: str, end: str) -> None:
    reason = cube_reason(decision)
    assert reason is not None
    assert reason.code == code
    assert cube_sentence(decision).endswith(end)


def test_nothing_is_said_where_the_figures_do_not_differ() -> None:
    assert cube_sentence(cube("no_double", 0.8, 0.8004)) == ""
    assert cube_sentence(cube("no_double", 0.8, 0.8, double_pass=None)) == ""


def test_the_score_after_the_crawford_game_counts() -> None:
    """Four away against one: the table before the Crawford game would give 17 % for the game that is passed."""
    reason = cube_reason(cube("take", 0.9, 1.4, chances=LOW, own_away=1, opposing_away=4))
    assert reason is not None
    assert reason.best == pytest.approx(1 - match_chance(3, 1, after_crawford=True))
