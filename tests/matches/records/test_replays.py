"""The steps of a replay, and the step that shows a finding."""

from itertools import pairwise

import pytest

from engine import Phase, check_record, parse_xgid
from engine.records import to_data
from matches.records.replays import PlayedGame, ReplayedMatch, rows
from matches.records.verdicts import as_json
from tests.matches.records.samples import ILLEGAL, simulated


def match_of(data: bytes) -> ReplayedMatch:
    check = check_record(data)
    assert check.transcript is not None
    return ReplayedMatch(to_data(check.transcript), as_json(check.verdict))


def findings_of(data: bytes) -> list[dict[str, object]]:
    return as_json(check_record(data).verdict)["findings"]  # type: ignore[no-any-return]


@pytest.fixture
def game() -> PlayedGame:
    """A game with a double, a take and a bear-off."""
    match = match_of(simulated(seed=3, length=5))
    return match.game(1)


def test_each_step_follows_from_the_one_before(game: PlayedGame) -> None:
    plays = [moment for moment in game.moments if moment.diagram.dice]
    assert len(plays) > 20
    for earlier, later in pairwise(plays):
        assert earlier.side != later.side


def test_the_xgid_of_each_step_matches_the_board(game: PlayedGame) -> None:
    for moment in game.moments:
        state = parse_xgid(moment.xgid)
        own = state.turn == moment.diagram.side
        assert (state.position if own else state.position.swapped()) == moment.diagram.position
        assert state.dice == moment.diagram.dice
        assert state.cube == moment.diagram.cube
        assert state.cube_owner == moment.diagram.cube_owner
        assert (state.phase is Phase.DOUBLED) == moment.diagram.offered


def test_a_double_is_offered_taken_and_then_owned(game: PlayedGame) -> None:
    double = next(at for at, moment in enumerate(game.moments) if moment.words == "Doubles to 2")
    before, answer, after = game.moments[double : double + 3]
    assert (before.diagram.cube, before.diagram.offered) == (1, False)
    assert (answer.words, answer.side, answer.diagram.offered) == ("Takes", 1 - (before.side or 0), True)
    assert (after.diagram.cube, after.diagram.cube_owner, after.side) == (2, answer.side, before.side)


def test_the_move_list_has_every_decision_once_in_its_column(game: PlayedGame) -> None:
    cells = [cell for row in rows(game) for cell in row if cell is not None]
    assert cells == list(game.moments[:-1])
    for row in rows(game):
        assert [cell.side for cell in row if cell is not None] in ([0], [1], [0, 1])


def test_the_last_step_of_a_game_shows_its_result(game: PlayedGame) -> None:
    end = game.moments[-1]
    assert end.side is None
    assert "wins 2 points" in end.words
    assert end.diagram.over


def test_the_finding_of_an_illegal_play_links_to_its_step() -> None:
    data = ILLEGAL.encode()
    illegal = next(finding for finding in findings_of(data) if finding["severity"] == "error")
    match = match_of(data)
    step = match.step_of(illegal)
    assert step is not None
    moment = match.game(step[0]).moments[step[1] - 1]
    assert moment.words == "66: 24/18 13/7"
    assert not moment.legal


@pytest.mark.parametrize("end", ["", "  2)  Resigns the match\n"])
def test_a_last_roll_that_was_not_played_is_not_illegal(end: str) -> None:
    data = f" 5 point match\n\n Game 1\n Bob : 0   Carol : 0\n  1) 53: ????\n{end}{' ' * 34}Wins 1 point\n"
    moment = match_of(data.encode()).game(1).moments[0]
    assert (moment.words, moment.legal, moment.diagram.tried) == ("53: not played", True, False)


def test_the_finding_of_wrong_points_links_to_the_end_of_the_game() -> None:
    data = simulated(seed=3, length=5).replace(b"Wins 2 points", b"Wins 1 point ", 1)
    wrong = next(finding for finding in findings_of(data) if finding["code"] == "wrong_points")
    match = match_of(data)
    assert match.step_of(wrong) == match.game(1).moments[-1].step


def test_a_finding_about_the_whole_record_has_no_step() -> None:
    finding = {"game": None, "ply": None, "xgid": None}
    assert match_of(simulated()).step_of(finding) is None


def test_two_games_with_the_same_number_are_kept_apart() -> None:
    data = simulated(seed=3, length=5).replace(b" Game 2", b" Game 1")
    match = match_of(data)
    assert [match.game(index).number for index in (1, 2)] == [1, 1]
    assert match.game(1).moments != match.game(2).moments
