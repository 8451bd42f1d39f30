"""Reading plans and events: what a plan may say is read, all else is refused with a code and a sentence, at once."""

import copy
import io
import json
from argparse import Namespace
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from random import Random

import pytest

from formats.command_line import series
from formats.errors import MESSAGES, Refused
from formats.series.facts import events_from
from formats.series.plan import plan_from, plan_json
from formats.series.presets import PRESETS
from formats.series.table import season, season_json
from tests.formats.series.random_seasons import random_season
from tests.formats.series.test_seasons_from_files import FILES
from tests.tiers import TEST_SEED

EVERYTHING = {
    "name": "Everything that a plan can say",
    "points": {
        "add": [
            {"times": [{"class": {"double": 2, "else": 1}}, {"attend": 2, "when": "always"}]},
            {"attend": "1", "when": "no_win"},
            {"win": 1, "bracket": "main", "by": "one", "walkovers": False, "byes": True},
            {"win": "0.5", "bracket": ["consolation", "last_chance"], "by": "length"},
            {"times": ["0.04", {"win": 1, "by": "root_length"}, "1/3"]},
            {"win": {"length": {"3": 10, "5": "15", "else": 1}}, "bracket": "group"},
            {"win": {"final": 35, "semifinal": 25, "quarterfinal": 20, "earlier": 15}},
            {"match": 1, "when": "played"},
            {"higher": [{"place": {"values": {"kind": "list", "points": [3, 2, 1], "beyond": "0.5"}}}, {"win": 1}]},
            {
                "place": {
                    "bracket": "main",
                    "size": "division",
                    "ties": "rows",
                    "values": {
                        "kind": "bands",
                        "by": "players",
                        "bands": [
                            {"to": 7, "rows": {"1": 3, "2": "1.5", "1-2": "2.2"}},
                            {"from": 8, "to": 16, "rows": {"1": 5, "5-8": 1}, "beyond": "0.1"},
                            {"to": None, "rows": {"1": 9}},
                        ],
                        "cover": ["5-8"],
                        "beyond": 0,
                    },
                }
            },
            {"place": {"values": {"kind": "bands", "by": "rounds", "bands": [{"to": 3, "rows": {"1": 1}}]}}},
            {
                "place": {
                    "ties": "each",
                    "values": {
                        "kind": "bands",
                        "by": "higher",
                        "bands": [{"to": 8, "rounds": 3, "rows": {"1": 1}}, {"to": None, "rows": {"1": 2}}],
                    },
                }
            },
            {"place": {"values": {"kind": "log2_rank", "scale": "0.6", "factors": [1, "0.7"], "then": "1/(r-1)"}}},
            {"place": {"values": {"kind": "log2_over_place", "scale": 10}, "ties": {"mean_from": 5}}},
            {"place": {"values": {"kind": "field", "factors": [1, "0.5"]}, "ties": "mean_from", "from": 3}},
            {"place": {"bracket": "all", "values": {"kind": "shares"}}},
            {"times": [{"place_factor": {"bracket": "main", "factors": {"1": 2, "2": "1.3"}}}, {"win": 1}]},
            {"times": [{"division": {"1": 1, "2": "0.7", "else": "0.5"}}, {"event_weight": True}, {"win": 1}]},
            {"by_class": {"bonus": {"place": {"values": [100, 50, 25, 25]}}, "else": {"attend": 0}}},
            {"given": True},
            {"given": "0.5"},
        ]
    },
    "count": {"best": 6, "min_events": 4, "per_month": 2, "per_class": {"double": 1, "else": 4}, "away": 1},
    "decay": {"every": "month", "factor": "0.5"},
    "ties": [
        "best_single", "best_place", "most_best_places", "count_of_values", "fewest_events", "most_events", "win_share",
        "head_to_head", "best_dropped", "lot", "play_off", "share",
    ],
    "tie_values": [200, "160"],
    "ties_for_first_only": True,
    "round_event": {"mode": "half_up", "digits": 2},
    "round_total": "ceil",
    "show_digits": 2,
    "several_divisions": "best",
    "belongs": "members",
    "players": ["Ada", "Ben", "Cleo"],
    "guests": "close_up",
    "no_shows_attend": True,
    "tied_wins_share": True,
    "voided_wins": True,
    "class_by_month": {"11": "double", "5": "double"},
    "qualify": {"places": 7, "byes": 1, "stages": [{"to": 4, "stage": "quarterfinal"}]},
    "fee_share": {"percent": 20, "places": [50, 30, 20]},
    "period": "year",
}  # fmt: skip
"""One plan with every line, factor, block and setting of the exchange form."""


def test_everything_that_a_plan_can_say_is_read_and_written():
    plan = plan_from(copy.deepcopy(EVERYTHING))
    assert plan_from(json.loads(json.dumps(plan_json(plan)))) == plan
    for seed in range(20):
        evaluated = season(plan, events_from(random_season(seed)["events"]))
        assert season_json(evaluated, str)


@pytest.mark.parametrize("key", [key for key in EVERYTHING if key != "points"])
def test_every_setting_stands_alone(key):
    data = {"points": {"attend": 1}, key: EVERYTHING[key]}
    if key == "ties":
        data["tie_values"] = EVERYTHING["tie_values"]
    assert plan_json(plan_from(data))[key if key != "ties" else "ties"]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ([3, 2, 1], {"kind": "list", "points": [3, 2, 1]}),
        ({"list": [3, 2, 1], "beyond": 1}, {"kind": "list", "points": [3, 2, 1], "beyond": 1}),
        ({"field": ["1", "0.5"]}, {"kind": "field", "factors": ["1", "0.5"]}),
        ({"bands": [{"to": 7, "rows": {"1": 3}}]}, {"kind": "bands", "bands": [{"to": 7, "rows": {"1": 3}}]}),
        ({"log2_over_place": 10}, {"kind": "log2_over_place", "scale": 10}),
        ({"log2_rank": [1, "0.7"], "scale": 2}, {"kind": "log2_rank", "factors": [1, "0.7"], "scale": 2}),
        ({"shares": True}, {"kind": "shares"}),
        ("shares", {"kind": "shares"}),
        ({"log2_rank": [1]}, {"kind": "log2_rank", "factors": [1], "then": "1/(r-1)"}),
        ({"kind": "list", "points": {"1": 3, "2": 2}}, {"kind": "list", "points": [3, 2]}),
    ],
)
def test_values_of_places_may_be_written_shortly(short, long):
    plans = [plan_from({"points": {"place": {"values": values}}}) for values in (short, long)]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("nothing", [None, {}, [], {"add": []}, 0, "0"])
def test_a_class_without_a_line_earns_nothing(nothing):
    plan = plan_from({"points": {"by_class": {"last": {"attend": 3}, "else": nothing}}})
    rows = [{"id": kind, "class": kind, "divisions": [{"players": ["Ada"]}]} for kind in ("last", "normal")]
    evaluated = season(plan, events_from(rows))
    assert [evaluated.points[kind]["Ada"].points for kind in ("last", "normal")] == [3, 0]


def test_factors_may_be_words_and_small_numbers_numbers():
    words = plan_from({"points": {"times": ["event_weight", {"win": 1}]}})
    assert words == plan_from({"points": {"times": [{"event_weight": True}, {"win": 1}]}})
    assert plan_from({"points": "given"}) == plan_from({"points": {"given": True}})
    assert plan_from({"points": {"win": 1, "bracket": "🎲 \\u0000"}}).points.bracket == ("🎲 \\u0000",)
    assert plan_from({"points": {"win": 0.00001}}).points.points == Fraction(1, 100_000)


@pytest.mark.parametrize(
    "value",
    [0.1 + 0.2, "0.123456789011", "1.4142135623730950488016887242", "999999999999.999999999999/999999999989", "-1/3"],
)
def test_a_number_of_many_digits_is_read_and_read_again_as_it_is_written(value):
    plan = plan_from({"points": {"win": value}})
    upper, _slash, lower = str(value).partition("/")
    assert plan.points.points == Fraction(upper) / Fraction(lower or 1)
    assert plan_from(plan_json(plan)) == plan


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"points": {"win": 10**5000}}, "series_number"),
        ({"points": {"win": 1e300}}, "series_number"),
        ({"points": {"win": float("inf")}}, "series_number"),
        ({"points": {"win": [1]}}, "series_number"),
        ({"points": {"win": 1}, "name": {"a": 1}}, "series_text"),
        ({"points": {"win": 1}, "players": [1]}, "series_text"),
        ({"points": {"win": 1}, "players": {"Ada": 1}}, "series_list"),
        ({"points": {"win": 1}, "class_by_month": {"13": "double"}}, "series_range"),
        ({"points": {"win": 1}, "class_by_month": {"11": 2}}, "series_text"),
        ({"points": {"win": 1}, "class_by_month": ["11"]}, "series_object"),
        ({"points": {"win": 1}, "tied_wins_share": 1}, "series_choice"),
        ({"points": {"win": 1}, "decay": {"every": "month", "factor": 2}}, "series_range"),
        ({"points": {"win": 1}, "decay": {"every": "week", "factor": 1}}, "series_choice"),
        ({"points": {"win": {"fnal": 3}}}, "series_key"),
        ({"points": {"win": {}}}, "series_list"),
        ({"points": {"win": {"length": {}}}}, "series_list"),
        ({"points": {"win": f"{10**15}/3"}}, "series_number"),
        ({"points": {"place": {"values": {"kind": "list"}}}}, "series_list"),
        ({"points": {"place": {"values": {"list": [1], "shares": True}}}}, "series_choice"),
        ({"points": {"place": {"values": {"kind": "bands", "bands": [{"to": 3, "rows": {"1-1000000000": 1}}]}}}},
         "series_places"),
        ({"points": {"place": {"values": {"kind": "bands", "bands": [{"to": 3, "rows": {"9" * 5000: 1}}]}}}},
         "series_places"),
        ({"points": {"place": {"values": None}}}, "series_object"),
        ({"points": {"by_class": [1]}}, "series_object"),
        ({"points": {"event_weight": 1}}, "series_choice"),
        ({"points": "lots"}, "series_number"),
        ({"points": {"win": 1}, "period": float("nan")}, "series_number"),
        ({"points": {"win": 1}, "qualify": {"places": [float("inf")]}}, "series_number"),
        ({"points": {"win": 1, "bracket": "a\u0000"}}, "series_text"),
        ({"points": {"class": {"\ud800": 1}}}, "series_text"),
        ({"plan": None}, "series_object"),
        (None, "series_object"),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused_with_a_sentence(data, code):
    with pytest.raises(Refused) as refused:
        plan_from(data)
    assert refused.value.code == code
    assert len(refused.value.message) < 300


@pytest.mark.parametrize(
    "event",
    [
        {"date": "0001-01-01"},
        {"date": 20260312},
        {"date": ["2026"]},
        {"id": "x" * 300},
        {"id": "\ud800"},
        {"given": {"": 1}},
        {"given": {"Ada": "many"}},
        {"given": [1]},
        {"divisions": {"name": "Open"}},
        {"divisions": [{"players": "Ada"}]},
        {"divisions": [{"name": 5}]},
        {"divisions": [{"rank": 0}]},
        {"divisions": [{"matches": [{"bracket": "main", "winner": "Ada", "loser": "Ben", "length": -1}]}]},
        {"divisions": [{"matches": [{"bracket": "main", "winner": "Ada", "how": ["played"]}]}]},
        {"divisions": [{"matches": [{"bracket": "main", "winner": "Ada", "loser": "Ada"}]}]},
        {"divisions": [{"matches": [{"bracket": "main", "winner": "Ada", "loser": "Ben", "how": "bye"}]}]},
        {"id": -1},
        {"id": True},
        {"weight": "heavy"},
        {"class": 2},
    ],
)
def test_events_that_mean_nothing_are_refused(event):
    with pytest.raises(Refused) as refused:
        events_from([{"id": "e1", "divisions": [], **event}])
    assert refused.value.code in ("series_facts", "series_number", "series_range")
    json.dumps(refused.value.message).encode()


def test_a_plan_nested_too_deep_to_be_stored_is_refused():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(Refused) as refused:
        plan_from({"points": {"win": 1}, "notes": nested})
    assert refused.value.code == "series_too_deep"


def test_events_without_a_day_count_as_of_those_around_them():
    rows = [{"id": "a"}, {"id": "b", "date": "2026-03-12"}, {"id": "c"}, {"id": "d", "date": "2026-05"}, {"id": "e"}]
    events = events_from([{**row, "divisions": []} for row in rows])
    assert [str(event.date) for event in events] == [
        "2026-03-12", "2026-03-12", "2026-03-12", "2026-05-01", "2026-05-01"
    ]  # fmt: skip


def test_players_and_the_form_of_an_id_may_be_left_to_the_reader():
    bracket = {"name": "main", "placings": [["Ada"], ["Ben"]]}
    (event,) = events_from([{"id": 7, "divisions": [{"brackets": [bracket], "given": {"Cleo": 1}}]}])
    assert (event.id, event.divisions[0].players) == ("7", {"Ada", "Ben", "Cleo"})


# Random damage.

ODD = (
    None, True, False, 0, -1, 1, 2.5, "", "1", "0.5", "1/3", "x", "main", "else", [], {}, [1, 2], ["main"], {"1": 1},
    {"else": 1}, 10**30, 1e308, float("nan"), "9" * 50, "-", "1-2", "2-1", {"kind": "list"}, {"mean_from": 5},
    {"add": []}, {"win": 1}, "ü", "\u0000",
)  # fmt: skip


def places_in(data):
    """Every (container, key) below a value."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in list(items):
        yield data, key
        yield from places_in(item)


def damaged(data, chance):
    """A copy with one to four values replaced, moved, doubled or left out."""
    data = copy.deepcopy(data)
    for _ in range(chance.randrange(1, 5)):
        spots = list(places_in(data))
        if not spots:
            return data
        holder, key = chance.choice(spots)
        other, other_key = chance.choice(spots)
        act = chance.randrange(4)
        if act == 0:
            holder[key] = copy.deepcopy(chance.choice(ODD))
        elif act == 1 and isinstance(holder, dict):
            holder[chance.choice((f"{key}x", "win", "to", "kind", "else", "1", "bracket"))] = holder.pop(key)
        elif act == 2:
            holder[key] = copy.deepcopy(other[other_key])
        else:
            del holder[key]
    return data


def check(data):
    """Read and evaluate; anything but a plan and a table, or a refusal with its sentence, is a failure."""
    refusal = refusal_of(data)
    if refusal is None:
        plan = plan_from(data)
        assert plan_from(json.loads(json.dumps(plan_json(plan)))) == plan
        json.dumps(season_json(season(plan, events_from(data)), str))
        return True
    assert refusal.code in MESSAGES
    assert "{" not in refusal.message.replace("{…}", "")
    return False


def refusal_of(data):
    try:
        plan_from(data), events_from(data)
    except Refused as refused:
        return refused
    return None


@pytest.mark.parametrize("number", range(4))
def test_a_damaged_season_is_read_or_refused(number):
    chance = Random(f"{TEST_SEED}:{number}")
    known = [{"plan": EVERYTHING}, *({"plan": {"name": "", **preset.form}} for preset in PRESETS.values())]
    read = 0
    for round_ in range(250):
        whole = random_season(f"{TEST_SEED}:{number}:{round_}")
        if round_ % 2:
            whole |= chance.choice(known)
        read += check(damaged(whole, chance))
    assert 10 < read < 240


@pytest.mark.skipif(not FILES, reason="../shared/data/seasons is not there")
def test_a_damaged_reference_season_is_read_or_refused():
    chance = Random(TEST_SEED)
    seasons = [json.loads(path.read_text()) for path in FILES]
    results = [check(damaged(chance.choice(seasons), chance)) for _ in range(40)]
    assert set(results) == {True, False}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 100_000, "series_file"),
        ("{", "series_file"),
        ("", "series_file"),
        ("9" * 9000, "series_file"),
        (b"\xff\xfe", "series_file"),
        (None, "series_file"),
        ("\ufeff[]", "series_object"),
        ('{"plan": 1}', "series_object"),
        ('{"events": [{"id": "\\ud800"}]}', "series_line"),
        ('{"plan": {"points": "1"}, "events": [{"id": "\\ud800"}]}', "series_facts"),
    ],
)
def test_the_command_refuses_what_is_no_season(text, code, tmp_path):
    path = tmp_path / "season.json"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    errors, output = io.StringIO(), io.StringIO()
    with redirect_stderr(errors), redirect_stdout(output):
        assert series.run(Namespace(plan=str(path), events=str(path), json=True)) == 1
    assert errors.getvalue().endswith(f". [{code}]\n")
    assert output.getvalue() == ""
