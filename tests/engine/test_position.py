"""Positions: possible boards, and how they are counted."""

import copy
import pickle

import pytest
from hypothesis import given

from engine import Position, Refused
from tests.engine.boards import board, positions

START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


def test_the_game_starts_from_24x2_13x5_8x3_6x5_with_167_pips_each():
    start = Position.start()
    assert start.counts == START
    assert start == board({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
    assert start.pips == (167, 167)
    assert start.borne_off == (0, 0)
    assert not start.is_over


def test_the_start_looks_the_same_from_both_sides():
    assert Position.start().swapped() == Position.start()


def test_pips_count_the_bar_as_25_for_each_side():
    assert board({25: 2, 6: 1}, {0: 1, 24: 3}).pips == (56, 28)


def test_checkers_missing_from_fifteen_are_borne_off():
    position = board({6: 2}, {24: 15})
    assert position.borne_off == (13, 0)
    assert not position.is_over


@pytest.mark.parametrize("finished", [board({}, {24: 3}), board({3: 1}, {})])
def test_the_game_is_over_when_a_side_has_borne_off_everything(finished):
    assert finished.is_over


def test_positions_with_the_same_checkers_are_equal_and_hash_alike():
    again = Position.from_counts(list(START))
    assert again == Position.start()
    assert len({again, Position.start(), Position.start().swapped()}) == 1
    assert again != board({24: 2})


def test_a_position_cannot_be_changed():
    with pytest.raises(AttributeError):
        Position.start().key = 0


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ([0] * 25, "bad_counts"),
        ([0] * 27, "bad_counts"),
        ([], "bad_counts"),
        ([0] * 25 + ["2"], "bad_counts"),
        ([0] * 25 + [2.0], "bad_counts"),
        ([0] * 25 + [True], "bad_counts"),
        ([1] + [0] * 24 + [2], "wrong_bar_side"),
        ([0] * 25 + [-1], "wrong_bar_side"),
        ([0, 16] + [0] * 24, "too_many_checkers"),
        ([0, 15] + [0] * 23 + [1], "too_many_checkers"),
        ([-1, -15, 3] + [0] * 23, "too_many_checkers"),
        ([0, 10**30] + [0] * 24, "too_many_checkers"),
        ([0] * 26, "no_checkers_left"),
    ],
)
def test_an_impossible_board_is_refused(counts, code):
    with pytest.raises(Refused) as refused:
        Position.from_counts(counts)
    assert refused.value.code == code
    assert refused.value.message


@given(positions())
def test_counts_describe_a_position_completely(position):
    assert Position.from_counts(position.counts) == position
    assert hash(Position.from_counts(position.counts)) == hash(position)


@given(positions())
def test_turning_the_board_twice_changes_nothing(position):
    turned = position.swapped()
    assert turned.swapped() == position
    assert turned.pips == position.pips[::-1]
    assert turned.borne_off == position.borne_off[::-1]
    assert turned.counts == tuple(-count for count in reversed(position.counts))


@given(positions())
def test_fifteen_checkers_are_on_the_board_or_off(position):
    own = sum(count for count in position.counts if count > 0)
    opposing = -sum(count for count in position.counts if count < 0)
    assert (own + position.borne_off[0], opposing + position.borne_off[1]) == (15, 15)


def test_letters_and_positions_convert_into_each_other():
    assert Position.start().letters == "-b----E-C---eE---c-e----B-"
    assert Position.from_letters(Position.start().letters) == Position.start()
    position = Position.from_gnubg_id("YQDAoIMHDAADAA")
    assert Position.from_letters(position.letters) == position


@pytest.mark.parametrize("letters", ["", "-" * 25, "-" * 25 + "?", "Ä" + "-" * 25])
def test_other_letters_are_refused(letters):
    with pytest.raises(Refused) as refused:
        Position.from_letters(letters)
    assert refused.value.code == "bad_letters"


def test_a_position_is_created_from_its_id_and_shown_by_it():
    assert Position() == Position.start() == Position("4HPwATDgc/ABMA")
    assert repr(Position("YQDAoIMHDAADAA")) == "Position('YQDAoIMHDAADAA')"
    assert eval(repr(Position())) == Position()


@pytest.mark.parametrize("nonsense", [5, None, b"4HPwATDgc/ABMA", "", "x"])
def test_other_arguments_give_no_position(nonsense):
    with pytest.raises(Refused) as refused:
        Position(nonsense)
    assert refused.value.code == "bad_position_id"


def test_a_position_survives_copying_and_pickling():
    position = Position("YQDAoIMHDAADAA")
    assert copy.deepcopy(position) == pickle.loads(pickle.dumps(position)) == position


def test_printing_draws_the_board():
    """A stack of more than five is drawn as four checkers and its number."""
    board = str(Position.from_counts([-1, *[0] * 5, 7, *[0] * 5, -3, *[0] * 12, 2]))
    lines = board.splitlines()
    assert lines[0].split() == ["|13", "14", "15", "16", "17", "18", "|", "|19", "20", "21", "22", "23", "24", "|"]
    assert [line.split("|")[3].split() for line in lines[7:12]] == [["7"], ["X"], ["X"], ["X"], ["X"]]
    assert [line.split("|")[2].strip() for line in lines[1:12]] == [*"XX", "", "", "", "bar", "", "", "", "", "O"]
    assert lines[-1] == "X on roll: 92 pips, 6 off   O: 64 pips, 11 off"
