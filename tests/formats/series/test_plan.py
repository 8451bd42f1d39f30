"""Reading and writing plans: what is refused, and presets."""

import json
from datetime import date
from fractions import Fraction
from random import Random

import pytest

from formats.errors import Refused
from formats.series.facts import events_from
from formats.series.plan import Add, Attend, ClassFactor, Times, plan_from, plan_json
from formats.series.presets import PRESETS, preset
from formats.series.table import season
from formats.series.warnings import warnings_of
from tests.formats.series.random_seasons import random_plan
from tests.formats.series.test_seasons_from_files import DATA

BANDS = [{"to": 7, "rows": {"1": "3"}}, {"from": 8, "to": 15, "rows": {"1": "5"}}, {"to": None, "rows": {"1": "8"}}]


def bands(*changes):
    rows = [dict(band) for band in BANDS]
    for index, change in changes:
        rows[index] |= change
    return {"points": {"place": {"values": {"kind": "bands", "bands": rows}}}}


def bands_by_both(*changes):
    data = bands((0, {"rounds": 3}), (1, {"rounds": 4}), *changes)
    data["points"]["place"]["values"]["by"] = "higher"
    return data


@pytest.mark.parametrize(
    ("data", "code", "params"),
    [
        (bands((1, {"from": 9})), "series_band_gap", {"number": 8}),
        (bands((1, {"from": 7})), "series_band_overlap", {"number": 7}),
        (bands((1, {"from": None, "to": 7})), "series_band_order", {"band": 2}),
        (bands((0, {"to": None})), "series_band_last", {"band": 1}),
        (bands_by_both((1, {"rounds": None})), "series_band_last", {"band": 2}),
        (bands_by_both((1, {"rounds": 3})), "series_band_order", {"band": 2}),
        (bands((0, {"rows": {"4-3": "1"}})), "series_places", {"text": "4-3"}),
        ({"points": {"attend": "two"}}, "series_number", {"value": "two"}),
        ({"points": {"attend": True}}, "series_number", {"value": "True"}),
        ({"points": {"attend": float("nan")}}, "series_number", {"value": "nan"}),
        ({"points": {"attend": 1, "win": 1}}, "series_line", {"where": "points"}),
        ({"points": {}}, "series_line", {"where": "points"}),
        ({}, "series_line", {"where": "plan.points"}),
        ({"points": {"win": 1, "walkover": True}}, "series_key", {"key": "walkover"}),
        ({"points": {"win": 1}, "cout": {}}, "series_key", {"key": "cout"}),
        ({"points": {"win": 1, "by": "lenght"}}, "series_choice", {"value": "lenght"}),
        ({"points": {"win": 1}, "ties": ["luck"]}, "series_choice", {"value": "luck"}),
        ({"points": {"win": 1}, "count": {"best": 0}}, "series_range", {"value": 0}),
        ({"points": {"win": 1}, "count": {"best": 3, "drop_worst": 1}}, "series_best_and_drop", {}),
        ({"points": {"win": 1}, "ties": ["count_of_values"]}, "series_tie_values", {}),
        ({"points": {"add": []}}, "series_list", {"where": "points.add"}),
        ({"points": {"add": "1"}}, "series_list", {"where": "points.add"}),
        ({"points": {"add": [1] * 300}}, "series_too_long", {"most": 200}),
        ([], "series_object", {"where": "plan"}),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused_with_its_place(data, code, params):
    with pytest.raises(Refused) as refused:
        plan_from(data)
    assert refused.value.code == code
    assert params.items() <= refused.value.params.items()
    assert "{" not in refused.value.message


@pytest.mark.parametrize(("by", "points"), [("higher", 5), ("lower", 3)])
def test_bands_may_go_by_the_higher_or_lower_of_players_and_rounds(by, points):
    data = bands_by_both()
    data["points"]["place"]["values"]["by"] = by
    bracket = {"name": "main", "rounds": 4, "placings": [["Ada"], ["Ben"], ["Cleo", "Dov"]]}
    (event,) = events_from([{"id": "e1", "divisions": [{"brackets": [bracket]}]}])
    assert season(plan_from(data), [event]).row("Ada").total == points


def test_a_plan_nested_too_deep_is_refused():
    node = {"attend": "1"}
    for _ in range(9):
        node = {"add": [node]}
    with pytest.raises(Refused) as refused:
        plan_from({"points": node})
    assert refused.value.code == "series_too_deep"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"date": "12 March"}, "date"),
        ({"id": ""}, "id"),
        ({"divisions": None}, "divisions"),
        ({"divisions": [{"players": ["A"], "brackets": [{"name": "main", "players": ["B"]}]}]}, "divisions[0].main"),
        (
            {"divisions": [{"brackets": [{"name": "m", "placings": [["A"], ["A"]]}]}]},
            "divisions[0].brackets[0].placings",
        ),
        (
            {"divisions": [{"matches": [{"bracket": "main", "winner": "A", "how": "won"}]}]},
            "divisions[0].matches[0].how",
        ),
    ],
)
def test_events_that_cannot_be_read_are_refused_with_their_place(change, where):
    with pytest.raises(Refused) as refused:
        events_from([{"id": "e1", "date": "2026-03-12", "divisions": [], **change}])
    assert (refused.value.code, refused.value.params["where"]) == ("series_facts", f"events[0].{where}")


def test_a_line_may_carry_its_factors():
    plan = plan_from({"points": {"add": [{"attend": "2", "class": {"double": "2"}}]}})
    assert plan.points == Add((Times((Attend(Fraction(2)), ClassFactor({"double": Fraction(2)}))),))


def test_points_may_be_typed_in_for_a_whole_event_and_players_named_beside_the_plan():
    data = {"plan": {"points": {"given": True}}, "players": ["Ada"]}
    (event,) = events_from([{"id": "e1", "date": "2010-04", "given": {"Ada": "3.5", "Ben": 2}}])
    assert [(row.player, row.total) for row in season(plan_from(data), [event]).rows] == [("Ada", Fraction(7, 2))]
    assert (event.date, event.players) == (date(2010, 4, 1), {"Ada", "Ben"})


def test_every_plan_is_read_as_it_was_written():
    for seed in range(200):
        plan = plan_from(random_plan(Random(seed)))
        assert plan_from(json.loads(json.dumps(plan_json(plan)))) == plan
    for code in PRESETS:
        plan = preset(code).plan
        assert plan_from(json.loads(json.dumps(plan_json(plan)))) == plan


def test_no_preset_warns_about_its_places():
    warned = {code for code, known in PRESETS.items() if warnings_of(known.plan)}
    # Its row of the third place and of places 3-4 are as printed.
    assert warned <= {"backgames_open", "backgames_intermediate"}
    with pytest.raises(Refused):
        preset("unheard of")


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/seasons is not there")
def test_presets_are_the_plans_of_the_reference_data():
    known = [known.plan.points for known in PRESETS.values()]
    texts = {path: path.read_text() for path in DATA.glob("*.json")}
    files = [path for path, text in texts.items() if '"plan"' in text and "Othello" not in text]
    assert len(files) > 10
    for path in files:
        assert plan_from(json.loads(path.read_text())).points in known, path.stem
