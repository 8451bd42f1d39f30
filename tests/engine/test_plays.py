"""Every legal play of a roll, and no other: against named cases, gnubg's lists and a second, naive generator."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from engine import Position, Refused, legal_plays, parse_play
from engine.plays import dice_to_play
from engine.position import position_of
from engine.resolution import resolve
from engine.search import legal_results
from tests.engine.boards import ROLLS, board, dice, played_positions, positions, roll
from tests.engine.naive import legal_boards, moved

CASES = json.loads((Path(__file__).parent / "legal_cases.json").read_text(encoding="utf-8"))
OPENING = {
    "11": 42, "21": 15, "22": 75, "31": 16, "32": 17, "33": 73, "41": 14, "42": 18, "43": 17, "44": 52, "51": 8,
    "52": 8, "53": 9, "54": 9, "55": 4, "61": 10, "62": 14, "63": 14, "64": 14, "65": 7, "66": 11,
}  # fmt: skip


def result_id(result: Position) -> str:
    """Return the ID of the position after a play, with the opponent to move; `all off` if the game is over."""
    return "all off" if result.borne_off[0] == 15 else result.swapped().gnubg_id


def test_there_are_43_hard_cases():
    assert len(CASES) == len({case["name"] for case in CASES}) == 43


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_hard_case(case):
    position, (first, second) = Position.from_gnubg_id(case["position"]), case["dice"]
    expected = set(case["plays"].values())
    for rolled in ((first, second), (second, first)):
        assert {result_id(play.result) for play in legal_plays(position, rolled)} == expected, case["why"]
    for written, reached in case["plays"].items():
        assert result_id(position_of(resolve(position.key, (first, second), parse_play(written)).key)) == reached


def test_the_opening_rolls_have_447_plays_in_all():
    counts = {f"{high}{low}": len(legal_plays(Position.start(), (high, low))) for high, low in ROLLS}
    assert counts == OPENING
    assert sum(counts.values()) == 447


def test_a_double_is_played_four_times_and_the_higher_die_is_shown_first():
    for thrown in ROLLS:
        to_play = dice_to_play(thrown)
        assert sum(to_play) == sum(thrown) * (2 if len(set(thrown)) == 1 else 1)
        assert list(to_play) == sorted(to_play, reverse=True)
        assert set(to_play) == set(thrown)


def test_after_two_rolls_202782_positions_are_counted():
    after_one = [key for rolled in ROLLS for key in legal_results(Position.start().key, *rolled)]
    turned = [position_of(key).swapped().key for key in after_one]
    assert sum(len(legal_results(key, *rolled)) or 1 for key in turned for rolled in ROLLS) == 202_782


def test_gnubg_lists_the_same_plays_for_every_position_of_its_oracle(shared_data):
    rows = [json.loads(line) for line in (shared_data / "legal_oracle_dev.jsonl").read_text().splitlines()]
    assert len(rows) >= 2500
    wrong = [
        (row["pos"], row["dice"])
        for row in rows
        if {p.result.swapped().gnubg_id for p in legal_plays(Position.from_gnubg_id(row["pos"]), tuple(row["dice"]))}
        != set(row["results"])
    ]
    assert wrong == []


@given(positions(), dice)
def test_the_naive_generator_finds_the_same_plays_in_any_position(position, rolled):
    assert {play.result.counts for play in legal_plays(position, rolled)} == legal_boards(position.counts, rolled)


def test_the_naive_generator_finds_the_same_plays_along_random_games():
    chance = Random(1969)
    met = [(position, roll(chance)) for position in played_positions(seed=7, games=12)]
    assert len(met) > 500
    for position, rolled in met:
        assert {play.result.counts for play in legal_plays(position, rolled)} == legal_boards(position.counts, rolled)


@given(positions(), dice)
def test_the_steps_of_every_play_are_legal_one_after_the_other(position, rolled):
    left = list(rolled) if rolled[0] != rolled[1] else [rolled[0]] * 4
    for play in legal_plays(position, rolled):
        at, unused = position.counts, list(left)
        for step in play.steps:
            unused.remove(step.die)
            assert step.target == max(0, step.source - step.die)
            assert step.hit == (step.target > 0 and at[step.target] == -1)
            at = moved(at, step.source, step.die)
            assert at is not None
        assert at == play.result.counts


def test_plays_have_distinct_final_positions():
    for rolled in ROLLS:
        results = [play.result for play in legal_plays(Position.start(), rolled)]
        assert len(results) == len(set(results))


def test_the_plays_of_a_roll_behave_as_a_sequence():
    plays = legal_plays(Position.start(), (6, 5))
    assert len(plays) == 7
    assert plays[0] == next(iter(plays))
    assert plays[-1] == plays[6] == list(plays)[6]
    assert plays[1:3] == list(plays)[1:3]
    assert plays == list(plays)
    assert plays != list(plays)[:-1]
    with pytest.raises(IndexError):
        plays[7]


def test_there_is_no_play_from_the_bar_against_a_closed_board():
    closed_out = board({25: 1, 1: 14}, dict.fromkeys(range(19, 25), 2))
    assert all(len(legal_plays(closed_out, rolled)) == 0 for rolled in ROLLS)


def test_there_is_no_play_when_all_checkers_are_off():
    assert list(legal_plays(board({}, {24: 1}), (2, 1))) == []


def test_both_dice_are_played_even_where_one_bears_off_the_last_checker():
    plays = legal_plays(board({2: 1}, {1: 1}), (2, 1))
    assert [(str(play), play.result.counts[0]) for play in plays] == [("2/1*/off", -1)]


@pytest.mark.parametrize("bad", [(0, 1), (7, 1), (-1, 3), (1, 2.0), ("6", "1"), (True, 2), (6, None)])
def test_impossible_dice_are_refused(bad):
    with pytest.raises(Refused) as refused:
        legal_plays(Position.start(), bad)
    assert refused.value.code == "bad_dice"


@pytest.mark.parametrize("rolled", [(1,), (1, 2, 3), 31, None, "31", (0, 1), (1, 7), (True, 2)])
def test_anything_but_a_roll_is_refused(rolled):
    with pytest.raises(Refused) as refused:
        legal_plays(Position.start(), rolled)
    assert refused.value.code == "bad_dice"


def test_plays_have_a_readable_repr():
    plays = legal_plays(Position.start(), (3, 1))
    assert repr(plays[0]) == f"<Play {plays[0]}>"
    assert repr(plays).startswith("<16 plays: ")
