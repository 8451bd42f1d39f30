"""Straight plays, which need no search, against the naive generator, step by step and play by play."""

from random import Random

import pytest
from hypothesis import given

from benchmarks.fuzz import mutated, own_samples
from engine import Position, check_record
from engine.adjudication import _adjudicated
from engine.search import ROLLS
from engine.straight import after_steps, after_tests, steps_in, straight_steps, straight_tests
from engine.transcript import Move
from tests.engine.boards import dice, played_positions, positions, roll
from tests.engine.naive import Board, legal_boards, moved

EVERY_STEP = [(die, source) for die in range(1, 7) for source in range(1, 26)]


def board_of(key: int) -> Board:
    return tuple(byte - 16 for byte in key.to_bytes(26, "little"))


def assert_every_step_is_judged_rightly(position: Position) -> None:
    for die, source in EVERY_STEP:
        after = after_steps(position.key, [(die, source)])
        assert (None if after is None else board_of(after)) == moved(position.counts, source, die), (die, source)


@given(positions())
def test_each_step_is_legal_where_the_naive_generator_makes_it(position):
    assert_every_step_is_judged_rightly(position)


def test_each_step_of_real_games_is_legal_where_the_naive_generator_makes_it():
    for position in played_positions(seed=5, games=10):
        assert_every_step_is_judged_rightly(position)


def random_line(board: Board, rolled: tuple[int, int], chance: Random) -> tuple[list[Move], Board]:
    """Yield steps of the naive generator, one after the other, with their stars and the board after them."""
    left = list(rolled) if rolled[0] != rolled[1] else [rolled[0]] * 4
    chance.shuffle(left)
    line = []
    for die in left:
        options = [(source, after) for source in range(1, 26) if (after := moved(board, source, die))]
        if not options:
            break
        source, after = chance.choice(options)
        line.append(Move((source, max(0, source - die)), (True,) if after[0] != board[0] else ()))
        board = after
    return line, board


def test_a_play_of_every_die_with_its_true_stars_needs_no_search():
    chance = Random(11)
    judged = 0
    for position in played_positions(seed=6, games=12):
        rolled = roll(chance)
        line, board = random_line(position.counts, rolled, chance)
        tests = straight_tests(rolled, tuple(line))
        if len(line) < steps_in(rolled):
            assert tests is None
        elif all(move.points[1] for move in line):
            assert tests is not None
            after = after_tests(position.key, tests)
            assert after is not None
            assert board_of(after) == board
            assert board in legal_boards(position.counts, rolled)
            judged += 1
    assert judged > 300


def test_a_wrong_star_is_always_noticed():
    chance = Random(12)
    for position in played_positions(seed=7, games=8):
        rolled = roll(chance)
        line, _ = random_line(position.counts, rolled, chance)
        for at, (points, hits) in enumerate(line):
            wrong = (*line[:at], Move(points, () if hits else (True,)), *line[at + 1 :])
            tests = straight_tests(rolled, wrong)
            assert tests is None or after_tests(position.key, tests) is None


@given(positions(), dice)
def test_no_straight_play_of_every_die_is_illegal(position, rolled):
    chance = Random(position.key)
    legal = legal_boards(position.counts, rolled)
    for _ in range(20):
        ways = [
            (source := chance.randint(1, 25), max(0, source - chance.choice(rolled))) for _ in range(steps_in(rolled))
        ]
        steps = straight_steps(rolled, ways)
        after = None if steps is None else after_steps(position.key, steps)
        assert after is None or board_of(after) in legal


@pytest.mark.slow
def test_the_verdict_is_the_same_where_every_play_is_resolved():
    """With frames, every play goes through `resolve` and its stars are compared; without, straight plays do not."""
    chance = Random(13)
    samples = [data for name, data in own_samples(seed=3).items() if "sgf" not in name]
    for sample in samples:
        for data in (sample, *(mutated(sample, chance) for _ in range(15))):
            transcript = check_record(data).transcript
            if transcript is not None:
                assert _adjudicated(transcript) == _adjudicated(transcript, [])


def test_what_is_no_straight_play_has_no_tests():
    step = Move((8, 5))
    assert straight_tests(None, (step, Move((6, 5)))) is None
    assert straight_tests((3, 7), (step, Move((6, 5)))) is None
    assert straight_tests((3, 1), None) is None
    assert straight_tests((3, 1), ()) is None
    assert straight_tests((3, 1), (step,)) is None
    assert straight_tests((3, 1), (Move((8, 5, 4)),)) is None
    assert straight_tests((3, 1), (step, Move((6, 6)))) is None
    assert straight_tests((3, 1), (step, Move((3, 0), (True,)))) is None
    assert all(straight_tests((first, second), (Move((24, 16)), step)) is None for first, second in ROLLS)
