from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.errors import Refused
from formats.simulate import FORMATS, Spec, simulate

SIZES = {"knockout": 2, "progressive": 5, "double": 2, "places": 3, "swiss": 4, "lives": 2, "roundrobin": 2}


def timeless(report):
    return replace(report, pairing_seconds=[])


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 60), st.integers(1, 99))
def test_every_format_runs_to_its_end_and_equal_input_gives_an_equal_event(name, more, seed):
    size = SIZES[name] + more
    report = simulate(Spec(name, size, seed=seed))
    assert timeless(report) == timeless(simulate(Spec(name, size, seed=seed)))
    assert report.matches >= size - 1 - (name == "swiss") * size
    assert report.standings_head[0]["place"] == 1
    assert report.pairing_seconds
    assert 0 <= report.rematches_avoidable <= report.rematches * 10


def test_the_number_of_matches_is_what_the_format_says():
    counts = {name: simulate(Spec(name, 16)).matches for name in ("knockout", "progressive", "double", "roundrobin")}
    assert counts == {"knockout": 15, "progressive": 15 + 13, "double": 30, "roundrobin": 120}
    assert simulate(Spec("places", 16)).matches == 32
    assert simulate(Spec("swiss", 16, rounds=5)).matches == 40
    assert simulate(Spec("lives", 16)).matches in (45, 46, 47)


def test_events_of_one_seed_differ_and_a_pattern_may_be_chosen():
    assert len({simulate(Spec("knockout", 16), event).standings_head[0]["entry"] for event in range(1, 20)}) > 5
    short = simulate(Spec("double", 16, pattern="A.B.C.D.|.X"))
    assert short.matches == 30
    again = {simulate(Spec("double", 8, pattern="A.B.|.C.R"), event).matches for event in range(1, 20)}
    assert again == {14, 15}


def test_a_swiss_event_has_no_rematch_and_one_bye_at_most():
    for event in range(1, 6):
        report = simulate(Spec("swiss", 33, rounds=7), event)
        assert (report.rematches, report.byes_per_player_max) == (0, 1)
        assert report.max_score_difference <= 2
        assert len(report.pairing_seconds) == 7
    assert simulate(Spec("knockout", 8)).sum_score_difference is None


def test_the_better_player_wins_when_chance_says_so():
    report = simulate(Spec("swiss", 8, rounds=3), chance=lambda first, second: float(first < second))
    assert report.standings_head[0] == {"place": 1, "entry": 1, "points": 3.0}


@pytest.mark.slow
@pytest.mark.parametrize("size", [16, 64])
def test_double_elimination_has_few_rematches(size):
    reports = [simulate(Spec("double", size), event) for event in range(1, 41)]
    mean = sum(report.rematches for report in reports) / len(reports)
    assert 0.5 < mean < 1.5


def test_lives_have_no_more_rematches_than_the_players_left_force():
    assert sum(simulate(Spec("lives", 24), event).rematches_avoidable for event in range(1, 11)) == 0


def test_an_unknown_format_and_a_pattern_without_final_are_refused():
    with pytest.raises(Refused, match="not a format"):
        simulate(Spec("ladder", 8))
    with pytest.raises(Refused, match="must end in X"):
        simulate(Spec("double", 8, pattern="A.B.|.C."))
    with pytest.raises(Refused, match="Too few entries"):
        simulate(Spec("progressive", 3))
