"""What it would take, beside every outcome tried one by one."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest

from formats.errors import Refused
from formats.series.facts import DecidedBy, SeriesMatch
from formats.series.outlook import Contest, Upcoming, contest_of, like, outlook
from formats.series.plan import plan_from
from formats.series.table import season
from tests.formats.series.test_points import evening, places
from tests.formats.series.test_seasons_from_files import DATA
from tests.tiers import TEST_SEED, first_in_make_test

NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eva")
FEW = 60


def exact(values):
    return tuple(Fraction(value) for value in values)


def random_contest(rng):
    names = NAMES[: rng.randint(2, 5)]
    events = rng.choice([1, 1, 2]) if len(names) > 3 else rng.choice([1, 2, 2, 3])
    table = sorted((rng.choice([0, 1, 2, "5/2", 3, 5, 8]) for _ in names), key=Fraction, reverse=True)
    upcoming = []
    for index in range(events):
        is_open = len(names) < 5 and rng.random() < 0.3
        entrants = frozenset(rng.sample(names, rng.randint(1, len(names))))
        upcoming.append(Upcoming(f"e{index}", entrants, exact(table[: len(entrants)]), is_open))
    results = {name: exact(rng.choice([0, 1, 2, "7/3", 5, 8]) for _ in range(rng.randint(0, 3))) for name in names}
    best, min_events = rng.choice([None, 1, 2, 3]), rng.choice([0, 0, 0, 2])
    return Contest(results, tuple(upcoming), best, min_events, level_is_behind=rng.random() < 0.3)


def outcomes(event):
    """Every way in which an event can end: player -> (place, points)."""
    entrants = sorted(event.entrants)
    places_and_points = list(enumerate(event.places, start=1))
    choices = permutations([*places_and_points, *([None] * len(entrants) if event.open else [])], len(entrants))
    for choice in set(choices):
        yield {name: taken for name, taken in zip(entrants, choice, strict=True) if taken is not None}


def final_rank(contest, results, player):
    totals = {
        name: sum(sorted(own, reverse=True)[: contest.best])
        for name, own in results.items()
        if len(own) >= contest.min_events
    }
    if player not in totals:
        return None
    if contest.level_is_behind:
        return sum(total >= totals[player] for total in totals.values())
    return 1 + sum(total > totals[player] for total in totals.values())


def brute_force(contest, player):
    """The ranks that the player can end at, by their place in the next event."""
    ranks = {}
    for season_outcome in product(*(list(outcomes(event)) for event in contest.upcoming)):
        results = {
            name: (*own, *(outcome[name][1] for outcome in season_outcome if name in outcome))
            for name, own in contest.results.items()
        }
        place = season_outcome[0].get(player, (0, 0))[0]
        ranks.setdefault(place, set()).add(final_rank(contest, results, player))
    return ranks


def best_and_worst(ranks):
    """No rank is the worst of all."""
    real = [rank for rank in ranks if rank is not None]
    return min(real, default=None), None if None in ranks else max(real)


@pytest.mark.soak
@pytest.mark.parametrize("first", first_in_make_test(*range(0, FEW, 20)))
def test_outlooks_agree_with_every_outcome_tried(first):
    for seed in range(first, first + 20):
        compare(f"{TEST_SEED}:{seed}")


def compare(seed):
    rng = Random(f"outlook {seed}")
    contest = random_contest(rng)
    for player in contest.results:
        ranks = brute_force(contest, player)
        target = rng.randint(1, 3)
        answer = outlook(contest, player, target)
        assert answer.ranks.best_is_exact
        assert answer.ranks.worst_is_exact
        by_place = {place: (after.best, after.worst) for place, after in answer.by_next_place.items()}
        assert by_place == {place: best_and_worst(after) for place, after in ranks.items()}, (seed, player)
        best, worst = best_and_worst(set().union(*ranks.values()))
        assert (answer.ranks.best, answer.ranks.worst) == (best, worst), (seed, player)
        assert answer.secured == (worst is not None and worst <= target)
        assert answer.can_still == (best is not None and best <= target)


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/seasons is not there")
def test_the_reference_cases():
    cases = json.loads((DATA / "what_it_takes.json").read_text())["cases"]
    assert cases
    for case in cases:
        upcoming = tuple(Upcoming(str(at), frozenset(f), exact(case["table"])) for at, f in enumerate(case["fields"]))
        contest = Contest({name: exact(own) for name, own in case["points"].items()}, upcoming, case["K"])
        for player, expected in case["expected"].items():
            answer = outlook(contest, player, case["target"])
            assert {
                "best_rank": answer.ranks.best,
                "worst_rank": answer.ranks.worst,
                "can_still": answer.can_still,
                "secured": answer.secured,
                "enough_next": answer.enough_next,
                "still_possible_next": answer.still_possible_next,
                "rank_range_by_next_place": {
                    str(place): [after.best, after.worst] for place, after in answer.by_next_place.items()
                },
            } == expected, (case["name"], player)


@pytest.mark.soak
def test_what_is_secured_is_never_lost_again():
    assert sum(played_out(f"{TEST_SEED}:{seed}") for seed in range(FEW)) > FEW / 2


def played_out(seed):
    """Play a contest to its end at random; return how many players had secured the target."""
    rng = Random(f"played out {seed}")
    contest = random_contest(rng)
    target = rng.randint(1, 3)
    safe, lost = set(), set()
    while True:
        answers = {player: outlook(contest, player, target) for player in contest.results}
        assert all(answers[player].secured for player in safe), seed
        assert not any(answers[player].can_still for player in lost), seed
        safe |= {player for player, answer in answers.items() if answer.secured}
        lost |= {player for player, answer in answers.items() if answer.can_still is False}
        if not contest.upcoming:
            break
        ended = rng.choice(sorted(outcomes(contest.upcoming[0]), key=repr))
        results = {name: (*own, *([ended[name][1]] if name in ended else [])) for name, own in contest.results.items()}
        contest = replace(contest, results=results, upcoming=contest.upcoming[1:])
    assert safe | lost == set(contest.results)
    return len(safe)


def test_beyond_the_limit_the_answer_says_what_is_proven_and_no_more():
    # Everybody can pass Ada, but not all at once, which takes some trying.
    names = ("Ada", *(f"rival {number}" for number in range(7)))
    events = tuple(Upcoming(name, frozenset(names), exact((8, 5, 3, 2, 1))) for name in ("e1", "e2"))
    contest = Contest({"Ada": exact((16,)), **{name: exact((8,)) for name in names[1:]}}, events)
    hurried, patient = (outlook(contest, "Ada", 4, most_states=most) for most in (5, 20_000))
    assert (hurried.secured, hurried.ranks.worst, hurried.ranks.worst_is_exact) == (None, 8, False)
    assert (hurried.can_still, hurried.ranks.best_is_exact) == (True, True)
    assert (patient.secured, patient.ranks.worst, patient.ranks.worst_is_exact) == (True, 4, True)


def test_a_season_with_events_to_come_is_a_contest():
    plan = plan_from(places(8, 5, 3, count={"drop_worst": 1, "min_events": 2}))
    evaluated = season(plan, (evening("e1", ("Ada",), ("Ben",)), evening("e2", ("Ada",), ("Ben",), day=8)))
    final = Upcoming("e3", frozenset({"Ada", "Ben", "Cleo"}), exact((8, 5, 3)))
    contest = contest_of(evaluated, [final])
    assert contest.best == 2
    assert outlook(contest, "Ada", 1).secured
    cleo = outlook(contest, "Cleo", 3)
    assert (cleo.ranks.best, cleo.can_still, cleo.more_events) == (None, False, 2)
    with pytest.raises(Refused):
        contest_of(season(plan_from(places(1, count={"per_month": 1})), evaluated.events), [final])


def test_an_evening_to_come_earns_what_an_earlier_one_would_have():
    lines = [{"attend": 1}, {"win": 1, "walkovers": False}]
    plan = plan_from({"points": {"times": [{"class": {"double": 2}}, {"add": lines}]}})
    walkover = (SeriesMatch("main", "Ada", "Ben", 5, DecidedBy.WALKOVER),)
    final = like(plan, evening("e1", ("Ada",), ("Ben",), matches=walkover), frozenset(NAMES), event="e2", kind="double")
    assert (final.places[:3], len(final.places), final.open) == (exact((4, 2, 0)), 5, True)
