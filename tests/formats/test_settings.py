"""What a director chooses for a stage: checked, and the same again from the data of its row."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from formats.elimination.byes import LowerByes
from formats.errors import Refused
from formats.settings import (
    DEFAULT_TIEBREAKS,
    FORMATS,
    MAX_MATCHES,
    OWN_SETTINGS,
    Leader,
    NextRound,
    PairingMode,
    StageSettings,
    check_league_size,
    check_matches,
)
from formats.swiss.event import Order
from formats.tables.records import NEWEST, Edition
from formats.tables.round_robin import LeaverRule, Unplayed
from formats.tables.tiebreaks import TIEBREAKS
from tournaments.draws.designer.forms import BASIC_FIELDS, MORE_FIELDS, TIEBREAK_FIELDS

lengths = st.lists(st.integers(1, 15), max_size=4).map(tuple)
patterns = st.sampled_from(["", "A.", "A.B.|.C.", "AB.|."])
days = st.sampled_from(["", "2026-12-24"])
OPTIONS = {
    "lengths": lengths,
    "lower_lengths": lengths,
    "last_lengths": lengths,
    "final_lengths": lengths,
    "pattern": patterns,
    "last_chance": st.none() | patterns,
    "second_final": st.booleans(),
    "rounds": st.none() | st.integers(1, 30),
    "lives": st.integers(2, 9),
    "order": st.sampled_from(Order),
    "next_round": st.sampled_from(NextRound),
    "countdown": st.integers(0, 3600),
    "missed_points": st.sampled_from([0.0, 0.5]),
    "allow_rematches": st.booleans(),
    "twice": st.booleans(),
    "groups": st.integers(1, 512),
    "group_draw": st.sampled_from(["snake", "drawn"]),
    "lower_byes": st.sampled_from(LowerByes),
    "qualifiers": st.none() | st.integers(1, 9),
    "tiebreaks": st.lists(st.sampled_from(sorted(set(TIEBREAKS) - {"point_difference"})), unique=True).map(tuple),
    "win": st.sampled_from([1.0, 2.0, 3.0]),
    "loss": st.sampled_from([0.0, 0.5]),
    "leaver_rule": st.sampled_from(LeaverRule),
    "until": days,
    "join_until": days,
    "starts": st.sampled_from([(), (0, 0, 4), (1,), (0, 2, 0, 3)]),
    "played_to": st.integers(0, 128),
    "shared_by": st.sampled_from([2, 4, 8]),
    "unplayed": st.sampled_from(Unplayed),
    "moving": st.integers(0, 12),
    "edition": st.sampled_from(Edition),
    "pairing": st.sampled_from(PairingMode),
    "window": st.integers(0, 15),
    "lead": st.integers(0, 3),
    "leader": st.sampled_from(Leader),
    "switch_time": st.sampled_from(["", "22:30", "00:15"]),
    "late_from": st.sampled_from([0, 4, 64]),
    "late_length": st.integers(0, 15),
    "late_until": st.sampled_from(["", "21:00", "00:15"]),
    "ended": st.booleans(),
}


def possible(stage: StageSettings) -> StageSettings:
    """Return the stage with settings that go together, and with fewer lives and matches if it has no rounds."""
    if not stage.qualifiers:
        stage = replace(stage, switch_time="")
    if not (stage.late_from and stage.late_length):
        stage = replace(stage, late_from=0, late_length=0)
    if not stage.is_continuous:
        return stage
    places = None if stage.qualifiers is None else 8
    if stage.format == "lives":
        return replace(stage, lives=min(stage.lives, 5), qualifiers=places)
    return replace(stage, rounds=min(stage.rounds or 1, 15))


BY_FORMAT = [
    st.builds(
        StageSettings, st.just(name), **{own: OPTIONS[own] for own in sorted(OWN_SETTINGS[name] | {"qualifiers"})}
    ).map(possible)
    for name in FORMATS
]
stages = st.one_of(BY_FORMAT)


@hypothesis_settings(suppress_health_check=[HealthCheck.too_slow])
@given(stages)
def test_settings_come_back_from_their_row_as_they_were(stage):
    row = json.loads(json.dumps(stage.as_data()))
    assert StageSettings.of(stage.format, row) == stage
    assert stage.checked() is stage
    assert "format" not in row


def test_every_setting_is_among_those_that_come_back():
    assert set(OPTIONS) == {field.name for field in fields(StageSettings)} - {"format"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_stage_needs_no_more_than_the_name_of_its_format(name):
    assert StageSettings(name).checked().as_data() == ({"edition": NEWEST} if name == "swiss" else {})
    assert StageSettings.of(name, {}) == StageSettings(name)


@given(st.sampled_from(FORMATS), st.data())
def test_a_setting_that_means_nothing_for_a_format_is_refused(name, data):
    foreign = data.draw(st.sampled_from(sorted(OPTIONS.keys() - OWN_SETTINGS[name] - {"qualifiers"})))
    usual = getattr(StageSettings(name), foreign)
    value = data.draw(OPTIONS[foreign].filter(lambda value: value != usual))
    with pytest.raises(Refused) as refused:
        StageSettings(name, **{foreign: value}).checked()
    assert (refused.value.code, refused.value.params["name"]) == ("setting_not_used", foreign)


def test_every_setting_is_on_the_form_of_each_format_that_uses_it_and_of_no_other():
    assert set().union(*OWN_SETTINGS.values()) | {"qualifiers"} == set(OPTIONS)
    for name in FORMATS:
        fields = {*BASIC_FIELDS[name], *MORE_FIELDS.get(name, ())} - {"own_pattern", "own_last_chance"}
        shown = {"tiebreaks" if field in TIEBREAK_FIELDS else field for field in fields}
        # A director ends a stage on the floor, while it is played.
        assert shown == OWN_SETTINGS[name] - {"ended"}


def test_what_a_later_version_has_written_is_left_out():
    assert StageSettings.of("swiss", {"rounds": 5, "colour": "red"}) == StageSettings("swiss", rounds=5)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "ladder"}, "no_such_format"),
        ({"lengths": (0,)}, "bad_length"),
        ({"lower_lengths": (16,)}, "bad_length"),
        ({"last_lengths": (0,)}, "bad_length"),
        ({"final_lengths": (0,)}, "bad_length"),
        ({"pattern": "A.?"}, "pattern_symbol"),
        ({"last_chance": "B.A."}, "pattern_letter_order"),
        ({"tiebreaks": ("beauty",)}, "unknown_tiebreak"),
        ({"tiebreaks": ("point_difference",), "lengths": (5, 7)}, "tiebreak_needs_one_length"),
        *(
            (change, "bad_setting")
            for change in (
                {"pairing": PairingMode.CONTINUOUS, "rounds": 16},
                {"pairing": PairingMode.CONTINUOUS},
                {"window": 16},
                {"lead": 4},
                {"rounds": 0},
                {"rounds": 31},
                {"lives": 1},
                {"lives": 10},
                {"groups": 0},
                {"groups": 513},
                {"group_draw": "by hand"},
                {"qualifiers": 0},
                {"missed_points": 1.0},
                {"win": 0.0},
                {"loss": 1.0},
                {"loss": -1.0},
                {"win": float("nan")},
                {"moving": 13},
                {"until": "tomorrow"},
                {"join_until": "2026-02-30"},
            )
        ),
    ],
)
def test_what_is_out_of_range_is_refused_with_its_code(change, code):
    used_by = next((name for name in FORMATS if change.keys() <= OWN_SETTINGS[name]), "knockout")
    with pytest.raises(Refused) as refused:
        replace(StageSettings(used_by), **change).checked()
    assert refused.value.code == code


@pytest.mark.parametrize(("places", "by_clock"), [(8, False), (64, False), (2, True), (4, True), (128, True)])
def test_a_bracket_drawn_by_the_clock_has_as_many_places_as_were_needed(places, by_clock):
    stage = StageSettings("lives", lives=2, pairing=PairingMode.CONTINUOUS, qualifiers=places)
    if by_clock:
        with pytest.raises(Refused):
            stage.checked()
        stage = replace(stage, switch_time="22:30")
    assert stage.checked() is stage
    for wrong in (1, 6, 12):
        with pytest.raises(Refused):
            replace(stage, qualifiers=wrong).checked()


def test_points_won_minus_lost_need_one_length_wherever_it_comes_from():
    stage = StageSettings("swiss", tiebreaks=("point_difference",))
    assert stage.checked([7]) is stage
    with pytest.raises(Refused) as refused:
        stage.checked([5, 7])
    assert refused.value.code == "tiebreak_needs_one_length"
    assert replace(stage, lengths=(7,)).checked([5, 7])


@given(stages)
def test_lots_decide_last_so_that_a_place_is_one_entrys(stage):
    order = stage.tiebreak_order
    if stage.tiebreaks or stage.format in DEFAULT_TIEBREAKS:
        assert "lots" in order
        assert [name for name in order if name != "lots"] == [
            name for name in stage.tiebreaks or DEFAULT_TIEBREAKS[stage.format] if name != "lots"
        ]
    else:
        assert order == ()


def test_sizes_beyond_all_play_are_refused():
    check_matches(MAX_MATCHES)
    with pytest.raises(Refused):
        check_matches(MAX_MATCHES + 1)
    for entries in (4, 12):
        check_league_size(entries)
    for entries in (3, 13):
        with pytest.raises(Refused):
            check_league_size(entries)
