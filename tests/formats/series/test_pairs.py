"""Points of pairs: computed for the side, then given to each of the two, in full, half or not."""

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from formats.series.facts import SeasonEvent, SeriesBracket, SeriesDivision
from formats.series.numbers import written
from formats.series.plan import TieRule, plan_from
from formats.series.points import event_points
from formats.series.sentences import explain
from formats.series.table import season
from tests.conftest import SHARED_DATA

CASES = SHARED_DATA / "weekend" / "money.json"
SHARES = {"each": Fraction(1), "half": Fraction(1, 2), "none": Fraction(0)}
PLAN = plan_from({"points": {"add": [
    {"attend": "1"}, {"place": {"values": {"kind": "list", "points": ["10", "6", "3", "1"]}}},
]}})  # fmt: skip
PAIRS = {"ann&bea": ("ann", "bea"), "cem&dan": ("cem", "dan")}


def division(name, *placings, pairs=()):
    players = frozenset(player for placing in placings for player in placing)
    return SeriesDivision(name, players, (SeriesBracket("main", players, placings),), pairs=dict(pairs))


def evening(share=Fraction(1), *, name="e", singles=(("cem",), ("ann", "eva"))):
    doubles = division("Doubles", ("ann&bea",), ("cem&dan",), pairs=PAIRS)
    main = [division("Main", *singles)] if singles else []
    return SeasonEvent(name, date(2026, 3, 1), (doubles, *main), pair_share=share)


def points(event, plan=PLAN):
    return {player: own.points for player, own in event_points(plan, event).items()}


def test_each_of_a_pair_gets_all_points_of_their_side_and_comes_once():
    assert points(evening()) == {
        "ann": 10 + 1 + Fraction(9, 2),
        "bea": 10 + 1,
        "cem": 6 + 1 + 10,
        "dan": 6 + 1,
        "eva": 1 + Fraction(9, 2),
    }


def test_half_of_them_or_none_are_given():
    assert points(evening(Fraction(1, 2), singles=())) == {
        "ann": Fraction(11, 2), "bea": Fraction(11, 2), "cem": Fraction(7, 2), "dan": Fraction(7, 2),
    }  # fmt: skip
    assert points(evening(Fraction(0))) == {"cem": 11, "ann": Fraction(11, 2), "eva": Fraction(11, 2)}
    parts = event_points(PLAN, evening(Fraction(1, 2), singles=()))["bea"].parts
    assert [phrase.text for phrase in explain(parts, 1)] == [
        "0.5 for coming × 0.5 (each of a pair)",
        "place 1 of 2 (main): 5.0 × 0.5 (each of a pair)",
    ]


@pytest.mark.skipif(not CASES.exists(), reason="needs the reference cases")
def test_points_are_those_of_the_reference():
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "pair_points"]
    assert cases
    for case in cases:
        plan = plan_from({"points": {"place": {"values": {"kind": "list", "points": [case["points"]]}}}})
        got = points(evening(SHARES[case["how"]], singles=()), plan).get("ann", Fraction(0))
        assert written(got) == case["expect"], case["name"]


def test_partners_never_share_a_place():
    alone = SeasonEvent("e", date(2026, 3, 1), (division("Doubles", ("ann",), ("cem",)),))
    assert points(evening(singles=()))["ann"] == points(alone)["ann"]


def test_two_pairs_of_one_person_count_both_places_and_one_attendance():
    first = division("Doubles", ("ann&bea",), ("cem&dan",), pairs=PAIRS)
    second = division("Mixed", ("ann&dan",), pairs={"ann&dan": ("ann", "dan")})
    event = SeasonEvent("e", date(2026, 3, 1), (first, second))
    assert points(event) == {"ann": 21, "bea": 11, "cem": 7, "dan": 17}
    best = replace(PLAN, best_division=True)
    assert points(event, best) == {"ann": 11, "bea": 11, "cem": 7, "dan": 11}


def test_the_best_place_of_a_pair_decides_between_equal_totals():
    plan = replace(PLAN, ties=(TieRule.BEST_PLACE,))
    rows = season(plan, [
        evening(singles=(), name="one"),
        SeasonEvent("two", date(2026, 3, 2), (division("Main", ("eva",), ("fay", "dan")),)),
        SeasonEvent("three", date(2026, 3, 3), (division("Main", ("cem",), ("ada",)),)),
        SeasonEvent("four", date(2026, 3, 4), (division("Main", ("cem",), ("fay",), ("ada",)),)),
    ]).rows  # fmt: skip
    assert [row.player for row in rows if row.total == 11] == ["ann", "bea", "eva", "ada"]
    assert {row.player: row.events for row in rows}["dan"] == 2


def test_a_pair_closes_up_only_without_either_of_the_two():
    plan = replace(PLAN, close_up=True, players=frozenset({"bea", "dan", "eva"}))
    assert points(evening(singles=()), plan)["dan"] == 7, "Bea, who won with a guest, keeps her place"
    plan = replace(plan, players=frozenset({"dan", "eva"}))
    assert points(evening(singles=()), plan) == {"cem": 11, "dan": 11}
