"""Rating formulas beside FIBS, Glicko-2, and which of them predicts best."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from math import log
from pathlib import Path
from random import Random

import pytest

from formats.glicko2 import Rated, after_period, expected_score
from formats.rating_comparison import FEWEST, compare_families
from formats.ratings import (
    FAMILIES,
    Formula,
    Glicko,
    Ramp,
    RatedMatch,
    Settings,
    Standing,
    change,
    k_factor,
    standings_after,
    win_probability,
)
from formats.ratings import replay as ratings_replay

DATA = Path(__file__).resolve().parents[3] / "shared/data/seasons/ratings.json"
CLOSE = 1e-6
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
COMPARED = 4000
"""Generated matches of each formula."""
RAMPS = {"slow": Ramp.SLOW, "none": Ramp.NONE, "including": Ramp.INCLUDING}


def changes(settings, winner, loser, length, experience=(0, 0)):
    options = {"ramp": settings.ramp, "formula": settings.formula}
    return (
        change(winner, loser, length, experience=experience[0], won=True, **options),
        change(loser, winner, length, experience=experience[1], won=False, **options),
    )


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data/seasons is not there")
def test_the_reference_examples_of_every_family():
    families = json.loads(DATA.read_text())["families"]
    compared = 0
    for name in ("fibs", "sqrt_slow_ramp", "belgian", "danish", "nardgammon_r1", "flat_exponent_0", "elo_by_length"):
        for example in families[name]:
            given = example["inputs"]
            formula = Formula(given.get("K", 4), given.get("a", 0.5), given.get("b", 0.5), given.get("S", 2000))
            ramp = RAMPS.get(given.get("kind"), Ramp.BEFORE)
            if name == "elo_by_length":
                formula, ramp = FAMILIES[name].formula, Ramp.NONE
            experience = (given.get("ew", 900), given.get("el", 900))
            settings = Settings(ramp=ramp, formula=formula)
            computed = changes(settings, given["rw"], given["rl"], given["n"], experience)
            assert computed == pytest.approx((example["winner_change"], example["loser_change"]), abs=CLOSE), example
            compared += 1
    assert compared == 25
    for example in families["glicko2"]:
        given = example["inputs"]
        results = [(Rated(rating, deviation), score) for rating, deviation, score in given["results"]]
        player = Rated(given["rating"], given["deviation"], given["volatility"])
        after = after_period(player, results, given["tau"])
        assert after[:2] == pytest.approx((example["rating"], example["deviation"]), abs=1e-4)
        assert after.volatility == pytest.approx(example["volatility"], abs=CLOSE)


def test_both_changes_of_a_danish_match_add_up_to_its_length():
    danish = FAMILIES["danish"]
    for difference, length in ((100, 9), (0, 7), (250, 15)):
        favourite, _ = changes(danish, 1000 + difference, 1000, length)
        outsider, _ = changes(danish, 1000, 1000 + difference, length)
        assert favourite + outsider == pytest.approx(length)
    assert changes(danish, 1100, 1000, 9)[0] == pytest.approx(3.73, abs=0.005)


def test_the_published_example_of_glicko_2():
    opponents = [(Rated(1400, 30), 1), (Rated(1550, 100), 0), (Rated(1700, 300), 0)]
    after = after_period(Rated(1500, 200), opponents)
    assert after[:2] == pytest.approx((1464.06, 151.52), abs=0.01)


def test_a_length_between_two_has_the_stake_of_the_lower():
    elo = FAMILIES["elo_by_length"].formula
    assert [elo.stake_of(length) for length in (1, 2, 3, 8, 25)] == [6, 6, 10, 16, 20]
    assert Formula(stakes=((3, 10), (5, 14))).stake_of(1) == 10


def test_a_slow_ramp_ends_at_400_points():
    assert [k_factor(experience, 7, Ramp.SLOW) for experience in (0, 200, 400, 5000)] == [2, 1.5, 1, 1]


def generated(settings, number, seed, players=40):
    """Matches whose every result has the chance that the formula gives at that moment."""
    rng = Random(seed)
    known = dict.fromkeys(range(players), (settings.start_rating, 0))
    for match in range(number):
        first, second = rng.sample(range(players), 2)
        length = rng.choice([3, 5, 7, 9, 11])
        first_wins = rng.random() < win_probability(known[first][0], known[second][0], length, settings.formula)
        winner, loser = (first, second) if first_wins else (second, first)
        won, lost = changes(settings, known[winner][0], known[loser][0], length, (known[winner][1], known[loser][1]))
        known[winner] = known[winner][0] + won, known[winner][1] + length
        known[loser] = known[loser][0] + lost, known[loser][1] + length
        yield RatedMatch(BEGINNING + timedelta(hours=match), match, winner, loser, length)


def generated_by_glicko2(number, seed, players=40, of_week=60):
    """The same by Glicko-2: the chances of a week rest on the ratings and deviations before it."""
    rng = Random(seed)
    known, week = dict.fromkeys(range(players), Rated()), 0
    while week * of_week < number:
        results = {player: [] for player in range(players)}
        for match in range(week * of_week, min((week + 1) * of_week, number)):
            first, second = rng.sample(range(players), 2)
            first_wins = rng.random() < expected_score(known[first], known[second])
            winner, loser = (first, second) if first_wins else (second, first)
            results[winner].append((known[loser], 1))
            results[loser].append((known[winner], 0))
            at = MONDAY + timedelta(weeks=week, minutes=match % of_week)
            yield RatedMatch(at, match, winner, loser, rng.choice([3, 5, 7]))
        known = {player: after_period(known[player], own) for player, own in results.items()}
        week += 1


def matches_of(family, number, seed):
    of_glicko2 = FAMILIES[family].glicko is not None
    return generated_by_glicko2(number, seed) if of_glicko2 else generated(FAMILIES[family], number, seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_formula_that_matches_follow_is_named_or_within_the_uncertainty(family):
    comparison = compare_families(matches_of(family, COMPARED, f"matches of {family}"))
    as_good = [prediction.family for prediction in comparison.predictions if prediction.is_as_good]
    assert (comparison.matches, family in as_good) == (COMPARED, True)
    assert len(as_good) < len(comparison.predictions)
    assert comparison.predictions[0].behind == 0


def test_every_prediction_rests_on_earlier_matches_only():
    matches = list(generated(FAMILIES["fibs"], 200, "order"))
    loss = {prediction.family: prediction.loss for prediction in compare_families(matches).predictions}
    assert set(loss) == set(FAMILIES)
    # In the first match everybody is new, so its result cannot matter.
    first = matches[0]._replace(winner=matches[0].loser, loser=matches[0].winner)
    assert compare_families([first, *matches[1:]]) != compare_families(matches)
    alone = [matches[0]._replace(winner=2 * at, loser=2 * at + 1, match=at) for at in range(FEWEST)]
    for prediction in compare_families(alone).predictions:
        assert prediction.loss == pytest.approx(log(2))


def test_a_few_matches_compare_nothing():
    assert compare_families(generated(FAMILIES["fibs"], FEWEST - 1, "few")) is None


# Glicko-2 by events.

BY_EVENT = replace(FAMILIES["glicko2"], glicko=Glicko(by_event=True))


def test_an_event_over_weeks_is_one_period_as_in_the_published_example():
    """The example of the paper, with its three matches in three weeks of one event."""
    # The opponents are as sure of themselves as in the paper, where they have not been idle.
    known = {
        player: Standing(rating, 0, 1, 0, MONDAY - timedelta(days=1), 0.0, deviation, volatility)
        for player, rating, deviation, volatility in (
            (0, 1500, 200, 0.06), (1, 1400, 30, 1e-9), (2, 1550, 100, 1e-9), (3, 1700, 300, 1e-9)
        )
    }  # fmt: skip
    for order in permutations(((0, 1), (2, 0), (3, 0))):
        matches = [
            RatedMatch(MONDAY + timedelta(weeks=week), week, winner, loser, 7, "cup")
            for week, (winner, loser) in enumerate(order)
        ]
        after = standings_after(known, ratings_replay(BY_EVENT, known, matches))[0]
        assert (after.rating, after.deviation) == pytest.approx((1464.0507, 151.5165), abs=1e-4)
        assert after.volatility == pytest.approx(0.059996, abs=1e-6)
        by_weeks = standings_after(known, ratings_replay(FAMILIES["glicko2"], known, matches))[0]
        assert abs(by_weeks.deviation - after.deviation) > 0.1


def test_an_event_that_ends_later_is_judged_by_the_one_that_ended_before():
    """A league around a weekend; computed apart with the formula of the paper."""
    league = [RatedMatch(MONDAY, 1, 0, 1, 7, "league"), RatedMatch(MONDAY + timedelta(days=6), 3, 0, 2, 7, "league")]
    weekend = RatedMatch(MONDAY + timedelta(days=5), 2, 1, 0, 7, "weekend")
    new = Rated()
    ann, ben = after_period(new, [(new, 0.0)]), after_period(new, [(new, 1.0)])
    both = after_period(ann, [(ben, 1.0), (new, 1.0)])
    standings = standings_after({}, ratings_replay(BY_EVENT, {}, [*league, weekend]))
    assert standings[0].rating == pytest.approx(both.rating, abs=1e-5)
    assert standings[0].deviation == pytest.approx(both.deviation, abs=1e-5)
    assert standings[1].rating == pytest.approx(after_period(ben, [(ann, 0.0)]).rating, abs=1e-5)
    assert standings[1].last_played_at == weekend.finished_at


def test_matches_outside_events_count_by_weeks():
    matches = list(generated_by_glicko2(300, "weeks"))
    assert ratings_replay(BY_EVENT, {}, matches) == ratings_replay(FAMILIES["glicko2"], {}, matches)
    # And an event for each week is the same as the week.
    of_weeks = [match._replace(event=str(match.finished_at.isocalendar()[:2])) for match in matches]
    assert ratings_replay(BY_EVENT, {}, of_weeks) == ratings_replay(FAMILIES["glicko2"], {}, matches)


def test_the_order_of_the_matches_of_an_event_does_not_matter():
    rng = Random(5)
    for _ in range(30):
        pairs = [tuple(rng.sample(range(6), 2)) for _ in range(12)]
        results = []
        for _order in range(3):
            rng.shuffle(pairs)
            matches = [
                RatedMatch(MONDAY + timedelta(hours=hour), hour, *pair, 5, "cup") for hour, pair in enumerate(pairs)
            ]
            standings = standings_after({}, ratings_replay(BY_EVENT, {}, matches))
            results.append({player: round(row.rating, 5) for player, row in standings.items()})
        assert results[0] == results[1] == results[2]
