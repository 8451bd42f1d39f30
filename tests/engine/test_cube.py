"""Who may double, when the cube is dead, and which game is the Crawford game."""

import pytest

from engine.cube import double_refused, is_crawford_game, is_dead

LEFT, RIGHT = 0, 1
ALLOWED = {"side": LEFT, "cube": 1, "owner": None, "length": 7, "crawford": False, "opened": True}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, None),
        ({"owner": LEFT, "cube": 2}, None),
        ({"owner": LEFT, "cube": 1 << 20}, None),
        ({"length": 0}, None),
        ({"length": 64}, None),
        ({"owner": RIGHT, "cube": 2}, "cube_not_owned"),
        ({"crawford": True}, "cube_in_crawford"),
        ({"opened": False}, "double_before_opening"),
        ({"length": 1}, "cube_in_one_point"),
    ],
)
def test_the_side_on_roll_may_double_unless(changed, code):
    refused = double_refused(**{**ALLOWED, **changed})
    assert (refused.code if refused else None) == code


@pytest.mark.parametrize(
    ("score", "cube", "length", "dead"),
    [
        ((0, 0), 1, 7, False),
        ((6, 0), 1, 7, True),
        ((5, 0), 1, 7, False),
        ((5, 6), 2, 7, True),
        ((3, 0), 4, 7, True),
        ((2, 0), 4, 7, False),
        ((0, 6), 1, 7, False),
        ((0, 0), 1, 1, True),
        ((90, 0), 64, 0, False),
    ],
)
def test_the_cube_is_dead_for_a_side_that_it_already_wins_the_match(score, cube, length, dead):
    assert is_dead(side=LEFT, cube=cube, score=score, length=length) is dead
    assert is_dead(side=RIGHT, cube=cube, score=score[::-1], length=length) is dead


@pytest.mark.parametrize(
    ("length", "score", "played", "rule", "crawford"),
    [
        (7, (0, 0), False, True, False),
        (7, (6, 0), False, True, True),
        (7, (0, 6), False, True, True),
        (7, (6, 6), False, True, False),
        (5, (4, 4), False, True, False),
        (7, (5, 5), False, True, False),
        (7, (6, 0), True, True, False),
        (7, (6, 6), True, True, False),
        (7, (6, 0), False, False, False),
        (2, (1, 0), False, True, True),
        (1, (0, 0), False, True, False),
        (0, (0, 0), False, True, False),
        (64, (63, 2), False, True, True),
    ],
)
def test_the_crawford_game_is_the_first_at_one_point_short(length, score, played, rule, crawford):
    assert is_crawford_game(length=length, score=score, played=played, rule=rule) is crawford
