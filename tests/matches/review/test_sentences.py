"""Every sentence about a play is true: counted again by `recount`, which knows nothing of the site."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import legal_plays, replay
from engine.ids import position_xgid
from engine.simulation import play_out
from engine.transcript import Kind
from matches.models import Decision
from matches.review.choice import sentence_of
from matches.review.sentences import play_reason, play_sentence
from tests.matches.review.recount import wrong_claims

SHARED = Path(__file__).parents[4] / "shared/data/morning/reasons_play.json"
CASES = json.loads(SHARED.read_text())["cases"] if SHARED.exists() else []
OPENING = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
EVEN = [0.5, 0.1, 0.0, 0.1, 0.0]
Pair = tuple[list[float], list[float]]


@pytest.mark.skipif(not CASES, reason="the cases of the specification are not here")
def test_the_cases_of_the_specification() -> None:
    for case in CASES:
        plays, chances = (case["best"], case["played"]), (case["chances_best"], case["chances_played"])
        reason = play_reason(case["xgid"], plays, chances, shots_cost=True)
        sentence = play_sentence(case["xgid"], plays, chances, shots_cost=True)
        assert sentence == case["sentence"].replace("leaves 1 checkers", "leaves 1 checker"), case["xgid"]
        if reason is not None and reason.stated:
            assert f"{reason.lead or 'chances'}+{reason.stated[0]}" == case["code"]


def questions(seed: int, matches: int) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield rolls of simulated matches, at scores and cubes of all kinds, with two of their legal plays."""
    random = Random(seed)
    for number in range(matches):
        for frame in replay(play_out(seed * 1000 + number, random.choice((1, 3)))):
            plays = legal_plays(frame.before, frame.dice) if frame.kind is Kind.PLAY and frame.dice else ()
            if len(plays) < 2:
                continue
            length = random.choice((0, 3, 5, 7, 9))
            score = (random.randrange(length), random.randrange(length)) if length else (0, 0)
            xgid = position_xgid(
                frame.before,
                turn=frame.side,
                dice=frame.dice,
                cube=random.choice((1, 1, 2, 4)),
                owner=None,
                doubled=False,
                score=score,
                crawford=False,
                jacoby=False,
                length=length,
            )
            best, played = random.sample([str(play) for play in plays], 2)
            yield xgid, (best, played)


def chances_for(random: Random) -> Pair:
    """Return five chances each, as a program would give them, with a gain in one part or several."""
    win, gammon, lost = random.uniform(0.2, 0.7), random.uniform(0.05, 0.4), random.uniform(0.05, 0.4)
    better, more, less = (random.choice((0.0, random.uniform(-0.03, 0.15))) for _ in range(3))
    best = [win + better, (gammon + more) * win, 0.0, max(0.0, lost - less) * (1 - win), 0.0]
    return [round(each, 6) for each in best], [
        round(each, 6) for each in (win, gammon * win, 0.0, lost * (1 - win), 0.0)
    ]


@pytest.mark.parametrize("matches", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_sentences_are_true(matches: int) -> None:
    random = Random(58)
    said: set[str] = set()
    for xgid, plays in questions(58, matches):
        chances = chances_for(random)
        reason = play_reason(xgid, plays, chances, shots_cost=True)
        text = play_sentence(xgid, plays, chances, shots_cost=True)
        assert not text or wrong_claims(xgid, plays, chances, text) == [], (xgid, plays, chances, text)
        if reason is not None:
            said |= {reason.lead, *(["risk"] if reason.risk else []), *(["though"] if reason.though else [])}
    usual = {"", "shots", "keep", "point", "back", "risk"}
    assert said >= (usual | {"off", "home", "hit", "prime", "though"} if matches > 1 else usual)


def sentence(best: list[float], played: list[float], xgid: str = OPENING, **fields: Any) -> str:
    return play_sentence(xgid, ("8/5 6/5", "13/10 6/5"), (best, played), **{"shots_cost": None, **fields})


def test_figures_that_look_the_same_are_not_set_against_each_other() -> None:
    """The difference is large enough, but 50.4 and 49.6 are both 50 %."""
    assert sentence([0.504, 0.2, 0.0, 0.1, 0.0], [0.496, 0.2, 0.0, 0.1, 0.0]) == ""
    # A per cent is too little for a sentence of its own, and so are several parts of which none stands out.
    assert sentence([0.51, 0.2, 0.0, 0.1, 0.0], [0.496, 0.2, 0.0, 0.1, 0.0]).startswith("Wins, gammons won,")
    assert sentence([0.53, 0.222, 0.0, 0.178, 0.0], [0.5, 0.2, 0.0, 0.2, 0.0]) == (
        "Wins, gammons won, gammons lost: 53, 22, 18 % against 50, 20, 20 %."
    )
    assert sentence([0.285, *EVEN[1:]], [0.265, *EVEN[1:]]).endswith(": it wins 29 % of the games, yours 27 %.")


def test_a_part_that_speaks_for_the_other_play_is_told() -> None:
    told = sentence([0.6, 0.1, 0.0, 0.2, 0.0], [0.5, 0.1, 0.0, 0.1, 0.0])
    assert told.endswith(": it wins 60 % of the games, yours 50 %, though it loses a gammon in 20 %, yours in 10 %.")


def test_nothing_is_said_where_the_chances_show_no_gain() -> None:
    assert sentence(EVEN, EVEN) == ""
    assert sentence(EVEN, [0.6, *EVEN[1:]]) == ""
    assert play_sentence(OPENING, ("8/5 6/5", "24/10"), (EVEN, EVEN), shots_cost=None) == ""


def test_after_the_crawford_game_gammons_count_as_they_do_then() -> None:
    """The leader needs one point: lost singly or doubly, the other side has even chances once it is 2 away."""
    best, played = [0.5, 0.2, 0.0, 0.1, 0.0], [0.47, 0.1, 0.0, 0.3, 0.0]
    assert sentence(best, played).endswith(
        ": it loses a gammon in 10 %, yours in 30 %, and it wins a gammon in 20 %, yours in 10 %."
    )
    ahead, behind = OPENING.replace(":0:0:0:7", ":6:4:0:7"), OPENING.replace(":0:0:0:7", ":4:6:0:7")
    assert sentence(best, played, ahead).endswith(": it wins 50 % of the games, yours 47 %.")
    assert sentence(best, played, behind).endswith(": it wins 50 % of the games, yours 47 %.")


def test_shots_are_named_only_where_they_cost_the_difference() -> None:
    best, played = [0.55, *EVEN[1:]], EVEN
    plays = ("8/5 6/5", "6/5 6/3")
    assert play_sentence(OPENING, plays, (best, played), shots_cost=True).startswith("After yours ")
    for answer in (False, None):
        assert "rolls hit" not in play_sentence(OPENING, plays, (best, played), shots_cost=answer)


def test_a_stored_decision_has_a_sentence_if_both_plays_have_chances() -> None:
    best = {"play": "8/5 6/5", "played": False, "chances": [0.55, *EVEN[1:]]}
    other = {"play": "13/10 13/12", "played": False}
    played = {"play": "13/10 6/5", "played": True, "chances": EVEN}
    decision = Decision(kind=Decision.Kind.PLAY, xgid=OPENING, candidates=[best, other, played])
    told = "The best play makes your 5-point, yours does not: it wins 55 % of the games, yours 50 %."
    assert sentence_of(decision) == told
    del played["chances"]
    assert sentence_of(decision) == ""
