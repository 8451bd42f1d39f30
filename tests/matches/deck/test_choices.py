"""A decision asks a question whose answers say nothing, and each answer costs what the analysis says."""

import json

import pytest

from engine.errors import Refused
from matches.deck.choices import DecisionQuestion, judged, question_of
from matches.models import Decision

OPENING = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


def play_decision(**fields: object) -> Decision:
    rows = [("8/5 6/5", 0.15), ("24/23 13/10", 0.0), ("13/10 6/5", -0.01), ("24/20", -0.02)]
    candidates = [
        {"play": play, "equity": equity, "depth": "2-ply", "played": play == "13/10 6/5"} for play, equity in rows
    ]
    values: dict[str, object] = {
        "kind": "play",
        "xgid": OPENING,
        "own_away": 7,
        "opposing_away": 7,
        "played": "13/10 6/5",
        "best": "8/5 6/5",
        "candidates": candidates,
    }
    return Decision(**values | fields)


def cube_decision(kind: str) -> Decision:
    return Decision(
        kind=kind,
        xgid=OPENING.replace(":31:", ":00:" if kind == "double" else ":D:"),
        own_away=7,
        opposing_away=7,
        no_double=0.5,
        double_take=0.4,
        double_pass=1.0,
    )


def asked(decision: Decision) -> DecisionQuestion:
    question = question_of(decision)
    assert question is not None
    return question


def test_the_answers_are_the_best_the_played_and_the_next_best_from_the_back_to_the_front() -> None:
    question = asked(play_decision())
    assert [choice.play for choice in question.choices] == ["24/20", "24/23 13/10", "13/10 6/5", "8/5 6/5"][1:]
    assert question.best == "8/5 6/5"


def test_the_best_play_that_was_made_still_leaves_three_answers() -> None:
    question = asked(
        play_decision(
            played="8/5 6/5",
            candidates=[
                {"play": play, "equity": -at / 10, "depth": "2-ply", "played": not at}
                for at, play in enumerate(["8/5 6/5", "24/23 13/10", "13/10 6/5", "24/20"])
            ],
        )
    )
    assert [choice.play for choice in question.choices] == ["24/23 13/10", "13/10 6/5", "8/5 6/5"]


@pytest.mark.parametrize(
    ("loss", "is_right", "is_almost"), [(0.0, True, False), (0.0199, True, True), (0.02, False, False)]
)
def test_an_answer_is_right_below_two_hundredths(loss: float, is_right: bool, is_almost: bool) -> None:
    rows = [("8/5 6/5", 0.0), ("24/23 13/10", -loss), ("13/10 6/5", -0.3)]
    decision = play_decision(candidates=[{"play": play, "equity": equity} for play, equity in rows])
    answer = judged(asked(decision), "24/23 13/10" if loss else "8/5 6/5")
    assert (answer.is_right, answer.is_almost) == (is_right, is_almost)
    assert answer.cost is not None
    assert (answer.cost > 0) == (loss > 0)


def test_a_play_is_the_same_in_another_notation_and_an_illegal_one_is_refused() -> None:
    question = asked(play_decision())
    assert judged(question, "6/5, 8/5").loss == 0
    assert judged(question, "24/21 24/23").is_right is None
    with pytest.raises(Refused):
        judged(question, "8/1")


@pytest.mark.parametrize(
    ("kind", "answer", "loss"), [("double", "double", 0.1), ("double", "no_double", 0), ("take", "drop", 0.6)]
)
def test_cube_actions_lose_what_their_equities_say(kind: str, answer: str, loss: float) -> None:
    question = asked(cube_decision(kind))
    assert len(question.choices) == 2
    assert judged(question, answer).loss == pytest.approx(loss)


def test_a_question_is_the_same_after_it_was_stored() -> None:
    question = asked(play_decision())
    assert DecisionQuestion.of_json(json.loads(json.dumps(question.as_json))) == question


@pytest.mark.parametrize(
    "fields", [{"xgid": "nonsense"}, {"candidates": []}, {"candidates": [{"play": "8/1", "equity": 0}]}]
)
def test_what_cannot_be_read_asks_nothing(fields: dict[str, object]) -> None:
    assert question_of(play_decision(**fields)) is None
