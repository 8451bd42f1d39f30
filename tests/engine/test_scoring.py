"""The value of a finished game, and the most that can still be lost in an unfinished one."""

import pytest
from hypothesis import assume, given

from engine import Position, legal_plays
from engine.scoring import most_to_lose, multiple_won
from tests.engine.boards import ROLLS, board, positions


@pytest.mark.parametrize(
    ("loser", "multiple"),
    [
        ({24: 14}, 1),
        ({7: 14}, 1),
        ({1: 14}, 1),
        ({0: 14}, 1),
        ({24: 15}, 2),
        ({7: 15}, 2),
        ({7: 14, 6: 1}, 3),
        ({24: 14, 1: 1}, 3),
        ({24: 14, 0: 1}, 3),
    ],
)
def test_a_game_is_won_single_gammon_or_backgammon(loser, multiple):
    assert multiple_won(board({}, loser)) == multiple


@pytest.mark.parametrize(
    ("position", "most"),
    [
        (Position.start(), 3),
        (board({6: 14}, {24: 15}), 1),
        (board({25: 14}, {24: 1}), 1),
        (board({25: 1, 6: 14}, {24: 1}), 3),
        (board({19: 1, 6: 14}, {20: 2}), 3),
        (board({18: 1, 6: 14}, {19: 2}), 2),
        (board({18: 1, 6: 14}, {17: 2}), 3),
        (board({5: 15}, {4: 1, 24: 2}), 3),
        (board({5: 15}, {6: 1}), 2),
        (board({5: 15}, {0: 1}), 3),
    ],
)
def test_the_most_that_can_still_be_lost(position, most):
    assert most_to_lose(position) == most


@given(positions())
def test_a_game_lost_at_once_costs_no_more_than_the_most_that_can_be_lost(position):
    """The winning plays of the opponent cost the loser at most `most_to_lose`."""
    assume(not position.is_over)
    foretold = most_to_lose(position.swapped())
    for rolled in ROLLS:
        for play in legal_plays(position, rolled):
            if play.result.borne_off[0] == 15:
                assert multiple_won(play.result) <= foretold


@given(positions())
def test_what_can_still_be_lost_never_grows_where_the_sides_have_passed(position):
    assume(not position.is_over)
    most = most_to_lose(position)
    if most == 3:
        return
    for rolled in ROLLS:
        for play in legal_plays(position, rolled):
            if not play.result.is_over:
                assert most_to_lose(play.result) <= most
