"""How public values are shown at a Python prompt."""

from dataclasses import replace

import pytest

from engine import (
    Act,
    Action,
    FlagRule,
    MatchState,
    Outcome,
    Phase,
    Position,
    adjudicate,
    apply,
    check_record,
    read,
    write,
)
from engine.actions import GameResult
from engine.scoring import WinKind
from engine.simulation import play_out
from tests.matches.records.samples import ILLEGAL

IN_CODE = {cls.__name__: cls for cls in (Act, Action, FlagRule, GameResult, MatchState, Phase, Position, WinKind)}


@pytest.mark.parametrize(
    "action",
    [
        Action.play("8/5 6/5"),
        Action(Act.ROLL, 0, (3, 1)),
        Action(Act.END_GAME, 1, value=2, kind=WinKind.GAMMON),
        Action(Act.SET_SCORE, score=(2, 3)),
    ],
)
def test_an_action_is_shown_as_the_code_that_makes_it(action: Action) -> None:
    assert eval(repr(action), IN_CODE) == action


def test_an_action_shows_only_what_is_set() -> None:
    assert repr(Action(Act.DOUBLE, 1)) == "Action(act=Act.DOUBLE, side=1)"


def test_a_state_is_shown_as_the_code_that_makes_it() -> None:
    states = [MatchState.start(0, jacoby=True), MatchState.start(7, (6, 2), flag_rule=FlagRule.CLAIM)]
    states.append(apply(states[-1], Action(Act.ROLL, dice=(3, 1))))
    states.append(apply(states[-1], Action.play("8/5 6/5")))
    states.append(apply(states[-1], Action(Act.RESIGN, 1, value=1)))
    states.append(apply(states[-1], Action(Act.ACCEPT, 0)))
    for state in states:
        assert eval(repr(state), IN_CODE) == state


def test_a_new_match_shows_only_its_length() -> None:
    assert repr(MatchState.start(7)) == "MatchState(length=7)"


def test_printing_a_state_gives_score_cube_and_board() -> None:
    state = apply(MatchState.start(7, (2, 1)), Action(Act.ROLL, dice=(3, 1)))
    head, board = str(state).split("\n", 1)
    assert head == "Game 1, 2–1 to 7, cube 1, side 0 to play 3-1"
    assert board == str(Position())
    assert str(MatchState.start(0)).startswith("Game 1, 0–0 for money, cube 1, opening roll\n")


def test_a_record_is_shown_by_its_contents() -> None:
    transcript = read(write(play_out(3, 3, players=("Bob", "Carol")), "mat"))
    games = len(transcript.games)
    assert repr(transcript) == f"<Transcript Bob – Carol, 3-point match, {games} games>"
    assert repr(transcript.games[0]) == f"<Game 1, {len(transcript.games[0].events)} events>"
    verdict = adjudicate(transcript)
    score = "{}–{}".format(*verdict.score)
    assert repr(verdict) == f"<Verdict accepted, Bob – Carol {score}, {games} games, 0 findings>"
    assert str(verdict) == f"Accepted\n  3-point match, Bob – Carol {score}"


def test_a_finding_is_shown_by_its_code_its_sentence_and_its_place() -> None:
    check = check_record(ILLEGAL.encode())
    assert repr(check) == "<Check mat jellyfish: rejected>"
    finding = next(finding for finding in check.verdict.findings if finding.severity == "error")
    words = "error: As much of a double as possible must be played, here 4 of 4 steps. (game 1, ply 4, line 6)"
    assert str(finding) == words
    assert repr(finding) == f"<Finding must_play_more, {words}>"
    assert f"  {words}" in str(check.verdict).splitlines()


def test_a_file_that_cannot_be_read_is_shown_too() -> None:
    check = check_record(b"")
    assert repr(check) == "<Check unreadable: rejected>"
    assert repr(check.verdict) == "<Verdict rejected, White – Black 0–0, 0 games, 1 finding>"
    assert str(check.verdict).splitlines()[0] == "Not accepted"


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_title(outcome: Outcome) -> None:
    title = str(replace(check_record(b"").verdict, outcome=outcome)).splitlines()[0]
    assert title[0].isupper()


def test_every_phase_says_what_comes_next() -> None:
    state = MatchState.start(5)
    shown = {state.phase: str(state)}
    actions = [
        Action(Act.ROLL, dice=(3, 1)),
        Action.play("8/5 6/5"),
        Action(Act.DOUBLE, 1),
        Action(Act.TAKE, 0),
        Action(Act.RESIGN, 1, value=1),
        Action(Act.ADJOURN),
        Action(Act.CONCEDE, 0),
    ]
    for action in actions:
        state = apply(state, action)
        shown[state.phase] = str(state).splitlines()[0]
    assert shown.keys() == set(Phase)
    assert shown[Phase.DOUBLED] == "Game 1, 0–0 to 5, cube 1, side 0 to answer the double"
    assert shown[Phase.RESIGNED] == "Game 1, 0–0 to 5, cube 2 (side 0), side 0 to answer the resignation"
    assert shown[Phase.ADJOURNED].endswith("adjourned")
    assert shown[Phase.OVER].endswith("won by side 1")
