"""The bracket that follows lives without rounds: places, byes and halves, as functions of the lives left."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.elimination.from_lives import PLACES, seat_lives
from formats.facts import Result
from formats.lots import Lots
from formats.plans import plan_of, sources_of
from formats.progress import progress
from formats.settings import KNOCKOUT, StageSettings

SIZES = (2, 4, 8, 16, 32, 64, 128)
lives_left = st.dictionaries(st.integers(1, 99), st.integers(1, 5), min_size=2, max_size=24)
seeds = st.binary(min_size=32, max_size=32)


def seated(left, seed=bytes(32), apart=frozenset()):
    """The places in the smallest bracket that holds the lives, in a larger one that is allowed to shrink."""
    return seat_lives(left, size=256, lots=Lots(seed, "bracket"), apart=apart)


def byes(places, entry):
    """How many rounds an entry passes without an opponent: its aligned block that holds nobody else, as a power."""
    at, width, rounds = places.index(entry), 1, 0
    while width < len(places):
        start = at // (2 * width) * 2 * width
        if any(other not in (None, entry) for other in places[start : start + 2 * width]):
            break
        width, rounds = 2 * width, rounds + 1
    return rounds


@given(lives_left, seeds)
def test_everybody_has_at_least_the_byes_of_their_lives_and_spares_go_to_single_lives(left, seed):
    places = seated(left, seed)
    needed = sum({1: 1, 2: 2, 3: 4, 4: 4, 5: 8}[count] for count in left.values())
    assert len(places) == next(size for size in SIZES if size >= needed)
    assert Counter(filter(None, places)) == Counter(left.keys())
    earned = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3}
    assert all(byes(places, entry) >= earned[count] for entry, count in left.items())
    singles = [entry for entry, count in left.items() if count == 1]
    spare = len(places) - needed
    with_bye = sum(byes(places, entry) > 0 for entry in singles)
    assert with_bye == min(spare, len(singles))


@given(lives_left, seeds)
def test_who_has_several_places_is_spread_over_the_halves(left, seed):
    places = seated(left, seed)
    most = max(left.values())
    if PLACES[most] < 2:
        return
    widest = [entry for entry, count in left.items() if PLACES[count] == PLACES[most]]
    half = len(places) // 2
    upper = sum(places.index(entry) < half for entry in widest)
    assert abs(2 * upper - len(widest)) <= 1


@given(lives_left, seeds, st.data())
def test_a_bracket_after_lives_is_played_to_one_winner(left, seed, data):
    graph = plan_of(StageSettings(KNOCKOUT), sources_of(seated(left, seed)), seed=seed)
    results, matches = {}, 0
    while not (state := progress(graph, results)).over:
        assert state.ready, "nothing can be played, and nothing is over"
        for number in state.ready:
            results[number] = Result(winner=data.draw(st.integers(0, 1)))
            matches += 1
    assert matches == len(left) - 1


def test_those_apart_do_not_meet_first_if_any_pairing_parts_them():
    for count in (6, 8, 10):
        left = dict.fromkeys(range(1, count + 1), 1)
        pairs = [frozenset(pair) for pair in combinations(left, 2)]
        for two in combinations(pairs, 2):
            for seed in range(3):
                places = seated(left, bytes([seed]) * 32, frozenset(two))
                assert not {frozenset(places[at : at + 2]) for at in range(0, len(places), 2)} & {*two}, (two, seed)


@pytest.mark.parametrize(
    ("left", "size", "fours"),
    [
        ({1: 3, 2: 4, 3: 1, 4: 1, 5: 2, 6: 1, 7: 1, 8: 2}, 16, [1, 2]),
        ({1: 5, 2: 5}, 16, [1, 2]),
        ({1: 3}, 4, [1]),
    ],
)
def test_solved_brackets(left, size, fours):
    places = seated(left)
    assert len(places) == size
    assert all(byes(places, entry) >= 2 for entry in fours)


@pytest.mark.parametrize(("left", "size"), [({1: 3, 2: 3}, 4), ({1: 6, 2: 1}, 64), ({1: 0, 2: 1}, 8)])
def test_what_does_not_fit_is_no_bracket(left, size):
    with pytest.raises(ValueError, match="lives"):
        seat_lives(left, size=size, lots=Lots(bytes(32), "bracket"))
