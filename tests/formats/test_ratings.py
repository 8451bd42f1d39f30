"""The FIBS formula against published figures, and the computation over a history."""

import doctest
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import ratings
from formats.ratings import Ramp, RatedMatch, Settings, change, k_factor, replay, standings_after, win_probability

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RATINGS = st.floats(500, 2500)
LENGTHS = st.integers(1, 25)
EXPERIENCES = st.integers(0, 5000)
RAMPS = st.sampled_from(Ramp)


def test_the_examples_in_the_docstrings_hold() -> None:
    results = doctest.testmod(ratings)
    assert results.attempted >= 5
    assert results.failed == 0


def test_the_favourite_wins_little_and_the_underdog_much() -> None:
    assert round(change(1650, 1500, 7, experience=900, won=True), 4) == 4.1032
    assert round(change(1500, 1650, 7, experience=900, won=False), 4) == -4.1032
    assert round(change(1500, 1650, 7, experience=900, won=True), 4) == 6.4798
    assert round(change(1650, 1500, 7, experience=900, won=False), 4) == -6.4798


def test_a_match_without_points_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        win_probability(1500, 1500, 0)


@pytest.mark.parametrize(
    ("experience", "before", "including"), [(0, 5, 4.93), (150, 3.5, 3.43), (399, 1.01, 1), (400, 1, 1), (9000, 1, 1)]
)
def test_k_falls_with_experience_in_either_published_variant(experience: int, before: float, including: float) -> None:
    assert k_factor(experience, 7, Ramp.BEFORE) == pytest.approx(before)
    assert k_factor(experience, 7, Ramp.INCLUDING) == pytest.approx(including)
    assert k_factor(experience, 7, Ramp.NONE) == 1


def test_the_formula_gives_the_shared_examples(shared_data: Path) -> None:
    examples = json.loads((shared_data / "rating_examples.json").read_text())["fibs"]
    assert len(examples) >= 6
    for example in examples:
        high, low, length = example["winner_rating"], example["loser_rating"], example["n"]
        experience = {"winner": example["winner_exp"], "loser": example["loser_exp"]}
        upset_chance = win_probability(min(high, low), max(high, low), length)
        assert upset_chance == pytest.approx(example["p_upset"], abs=1e-6), example["case"]
        for ramp, winner, loser in (
            (Ramp.BEFORE, "winner_change_exp_before_match", "loser_change_exp_before"),
            (Ramp.INCLUDING, "winner_change", "loser_change"),
        ):
            won = change(high, low, length, experience=experience["winner"], won=True, ramp=ramp)
            lost = change(low, high, length, experience=experience["loser"], won=False, ramp=ramp)
            assert won == pytest.approx(example[winner], abs=1e-4), example["case"]
            assert lost == pytest.approx(example[loser], abs=1e-4), example["case"]


def test_the_formula_gives_the_published_table(shared_data: Path) -> None:
    table = json.loads((shared_data / "fibs_rating_examples.json").read_text())["win_probability_table"]["entries"]
    assert len(table) > 5
    for entry in table:
        chance = win_probability(1500 + entry["diff"], 1500, entry["match_length"])
        assert chance == pytest.approx(entry["p_favourite"], abs=1e-3), entry


def test_the_formula_gives_the_changes_observed_on_fibs(shared_data: Path) -> None:
    data = json.loads((shared_data / "fibs_rating_examples.json").read_text())["observed_on_fibs"]
    seen = [
        example for value in data.values() if isinstance(value, list) for example in value if "winner_rating" in example
    ]
    assert len(seen) > 5
    for example in seen:
        args = example["winner_rating"], example["loser_rating"], example["match_length"]
        won = change(*args, experience=example["winner_exp"], won=True, ramp=Ramp.INCLUDING)
        # FIBS prints hundredths of the ratings before and after.
        assert won == pytest.approx(example["observed_winner_change"], abs=0.011), example


@given(RATINGS, RATINGS, LENGTHS)
def test_the_chances_of_both_sides_add_up_to_one(rating: float, opponent: float, length: int) -> None:
    assert win_probability(rating, opponent, length) + win_probability(opponent, rating, length) == pytest.approx(1)


@given(RATINGS, RATINGS, LENGTHS, EXPERIENCES, RAMPS)
def test_with_equal_k_the_winner_gains_what_the_loser_loses(
    rating: float, opponent: float, length: int, experience: int, ramp: Ramp
) -> None:
    won = change(rating, opponent, length, experience=experience, won=True, ramp=ramp)
    lost = change(opponent, rating, length, experience=experience, won=False, ramp=ramp)
    assert won > 0
    assert won == pytest.approx(-lost)


@given(RATINGS, RATINGS, LENGTHS, EXPERIENCES, st.booleans(), RAMPS)
def test_the_working_leads_to_the_change(
    rating: float, opponent: float, length: int, experience: int, won: bool, ramp: Ramp
) -> None:
    working = ratings.working(rating, opponent, length, experience=experience, won=won, ramp=ramp)
    assert working.upset_chance <= 0.5
    points = 4 * working.k * working.root * working.winner_p
    assert working.change == pytest.approx(points if won else -points)


@st.composite
def histories(draw: st.DrawFn) -> list[RatedMatch]:
    """Matches among six players; several may end at the same moment."""
    matches = []
    for number in range(draw(st.integers(0, 40))):
        winner, loser = draw(st.lists(st.integers(1, 6), min_size=2, max_size=2, unique=True))
        at = NOON + timedelta(hours=draw(st.integers(0, 20)))
        matches.append(RatedMatch(at, number, winner, loser, draw(LENGTHS)))
    return matches


SETTINGS = st.builds(Settings, st.sampled_from([1500.0, 1000.0]), st.sampled_from([0, 100]), RAMPS)


@given(SETTINGS, histories(), st.randoms())
def test_the_order_of_the_matches_given_does_not_matter(settings: Settings, matches: list, random) -> None:
    shuffled = list(matches)
    random.shuffle(shuffled)
    assert replay(settings, {}, shuffled) == replay(settings, {}, matches)


@given(SETTINGS, histories(), st.integers(0, 40))
def test_a_replay_from_the_middle_equals_the_end_of_a_full_replay(settings: Settings, matches: list, cut: int) -> None:
    ordered = sorted(matches)
    whole = replay(settings, {}, ordered)
    head = replay(settings, {}, ordered[:cut])
    standings = standings_after({}, head)
    tail = replay(settings, standings, ordered[cut:])
    assert head + tail == whole
    assert standings_after(standings, tail) == standings_after({}, whole)


@given(histories())
def test_with_constant_k_the_sum_of_ratings_is_constant(matches: list) -> None:
    settings = Settings(ramp=Ramp.NONE)
    standings = standings_after({}, replay(settings, {}, matches))
    assert sum(standing.rating for standing in standings.values()) == pytest.approx(1500 * len(standings))


def test_a_first_match_creates_two_standings() -> None:
    changes = replay(Settings(), {}, [RatedMatch(NOON, 17, 1, 2, 7)])
    bob, carol = standings_after({}, changes).values()
    assert (bob.rating, bob.experience, bob.matches, bob.wins) == (1526.457513, 7, 1, 1)
    assert (carol.rating, carol.experience, carol.matches, carol.wins) == (1473.542487, 7, 1, 0)
    assert bob.last_change == -carol.last_change == 26.457513
    assert bob.last_played_at == NOON
