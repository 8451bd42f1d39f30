"""Plays in backgammon notation, written and read."""

import pytest
from hypothesis import given

from engine import Position, Refused, Step, legal_plays, parse_play, standard_notation
from engine.notation import point_name, written_play
from engine.position import position_of
from engine.resolution import resolve
from engine.transcript import Move
from tests.engine.boards import board, dice, positions

START = Position.start()


@pytest.mark.parametrize(
    ("steps", "written"),
    [
        ([], ""),
        ([Step(8, 5, 3), Step(6, 5, 1)], "8/5 6/5"),
        ([Step(6, 5, 1), Step(8, 5, 3)], "8/5 6/5"),
        ([Step(24, 18, 6), Step(18, 13, 5)], "24/13"),
        ([Step(24, 18, 6, hit=True), Step(18, 13, 5)], "24/18*/13"),
        ([Step(24, 18, 6, hit=True), Step(18, 13, 5, hit=True)], "24/18*/13*"),
        ([Step(25, 22, 3)], "bar/22"),
        ([Step(25, 22, 3, hit=True), Step(25, 21, 4)], "bar/22* bar/21"),
        ([Step(6, 0, 6), Step(6, 0, 6)], "6/off(2)"),
        ([Step(6, 5, 1, hit=True), Step(6, 5, 1)], "6/5*(2)"),
        ([Step(6, 5, 1), Step(6, 5, 1, hit=True)], "6/5*(2)"),
        ([Step(8, 4, 4), Step(8, 4, 4), Step(6, 2, 4), Step(6, 2, 4)], "8/4(2) 6/2(2)"),
        ([Step(24, 20, 4), Step(20, 16, 4), Step(24, 20, 4), Step(20, 16, 4)], "24/16(2)"),
        ([Step(13, 10, 3), Step(10, 7, 3), Step(7, 4, 3), Step(4, 1, 3)], "13/1"),
    ],
)
def test_steps_are_written_as_players_write_them(steps, written):
    assert standard_notation(steps) == written


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("", []),
        ("8/5 6/5", [(8, 5), (6, 5)]),
        ("  8/5\t6/5 ", [(8, 5), (6, 5)]),
        ("24/18*/13", [(24, 18, 13)]),
        ("bar/22", [(25, 22)]),
        ("Bar/22* BAR/21", [(25, 22), (25, 21)]),
        ("25/22 6/0", [(25, 22), (6, 0)]),
        ("6/off(2)", [(6, 0), (6, 0)]),
        ("6/5*(2)", [(6, 5), (6, 5)]),
        ("6/5(4)", [(6, 5)] * 4),
        ("8/5,6/5", [(8, 5), (6, 5)]),
        ("8/5, 6/5", [(8, 5), (6, 5)]),
        ("b/22 6/o", [(25, 22), (6, 0)]),
    ],
)
def test_written_plays_are_read(text, moves):
    assert parse_play(text) == moves


@pytest.mark.parametrize(
    "text",
    [
        *("8", "8/", "/5", "8/5/", "8-5", "eight/five", "8/5(0)", "8/5(5)", "8/5(", "8/5(x)", "8/5()", "8/5)2("),
        *("26/20", "-1/3", "8/bar", "8;5", "8/³", "٨/٥"),
    ],
)  # fmt: skip
def test_other_notation_is_refused(text):
    with pytest.raises(Refused) as refused:
        parse_play(text)
    assert refused.value.code == "bad_notation"
    assert text in refused.value.message


def test_points_have_names():
    assert [point_name(point) for point in (25, 24, 1, 0)] == ["bar", "24", "1", "off"]


def test_a_single_step_is_written_like_a_play_of_one_step():
    assert str(Step(25, 20, 5, hit=True)) == "bar/20*"
    assert str(Step(3, 0, 6)) == "3/off"


def test_the_plays_of_a_roll_are_shown_in_standard_notation():
    assert {str(play) for play in legal_plays(START, (6, 5))} == {
        "24/13", "24/18 13/8", "24/18 8/3", "13/2", "13/8 13/7", "13/7 8/3", "8/3 8/2",
    }  # fmt: skip


@given(positions(), dice)
def test_the_notation_of_a_legal_play_means_that_play_and_no_other(position, rolled):
    for play in legal_plays(position, rolled):
        resolution = resolve(position.key, rolled, parse_play(str(play)))
        assert resolution.key == play.result.key, str(play)
        assert resolution.remark is None, str(play)


@given(positions(), dice)
def test_different_plays_of_a_roll_are_written_differently(position, rolled):
    plays = legal_plays(position, rolled)
    assert len({str(play) for play in plays}) == len(plays)


TWO_WAYS = board({24: 1}, {18: 1, 4: 2})
"""With a 6 and a 4 the last checker gets to 14 by way of the blot on 18, or past it."""
TWO_BLOTS = board({24: 1}, {18: 1, 20: 1, 4: 2})
FORCED_HIT = board({24: 1}, {18: 2, 20: 1, 4: 2})


@pytest.mark.parametrize(
    ("position", "written", "hits", "remark"),
    [
        (TWO_WAYS, "24/14", 0, None),
        (TWO_WAYS, "24/18/14", 1, None),
        (TWO_WAYS, "24/18*/14", 1, None),
        (TWO_WAYS, "24/18 18/14", 1, None),
        (TWO_WAYS, "24/20/14", 0, None),
        (TWO_WAYS, "24/20 20/14", 0, None),
        (TWO_BLOTS, "24/18/14", 1, None),
        (TWO_BLOTS, "24/20/14", 1, None),
        (TWO_WAYS, "24/21/14", 0, "reordered"),
        (FORCED_HIT, "24/14", 1, "hidden_hit"),
    ],
)
def test_written_intermediate_points_count_and_otherwise_nothing_is_hit_if_possible(position, written, hits, remark):
    resolution = resolve(position.key, (6, 4), parse_play(written))
    assert -position_of(resolution.key).counts[0] == hits
    assert resolution.remark == remark


@pytest.mark.parametrize(
    ("position", "written", "code"),
    [
        (TWO_BLOTS, "24/14", "ambiguous"),
        (FORCED_HIT, "24/18/14", "blocked"),
        (board({24: 1}, {21: 1, 4: 2}), "24/21/14", "wrong_die"),
        (board({24: 1}, {18: 1, 20: 2, 4: 2}), "24/20 20/14", "blocked"),
    ],
)
def test_notation_that_matches_no_legal_play_is_refused(position, written, code):
    with pytest.raises(Refused) as refused:
        resolve(position.key, (6, 4), parse_play(written))
    assert refused.value.code == code


def test_the_last_checker_may_be_borne_off_with_one_die_with_a_note():
    resolution = resolve(board({2: 1}, {1: 1}).key, (2, 1), [(2, 0)])
    assert resolution.remark == "last_checker_one_die"
    assert position_of(resolution.key).borne_off == (15, 14)


def test_steps_in_an_impossible_order_are_a_legal_play_with_a_remark():
    position = board({5: 1, 4: 1}, {24: 2})
    assert resolve(position.key, (5, 2), parse_play("4/off 5/3")).remark == "reordered"
    assert resolve(position.key, (5, 2), parse_play("5/3 4/off")).remark is None


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        (None, "?"),
        ((), ""),
        ((Move((24, 18, 13), (True, False)),), "24/18*/13"),
        ((Move((25, 22)), Move((6, 0))), "bar/22 6/off"),
        ((Move((6, 5), (True, True, True)),), "6/5*"),
        ((Move(()),), ""),
    ],
)
def test_a_recorded_play_is_quoted_as_written(moves, text):
    assert written_play(moves) == text
