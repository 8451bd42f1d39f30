"""When an evening finishes, before its first call: formats, tables, rests and rounds that wait."""

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination.knockout import draw, knockout
from formats.elimination.lower_bracket import with_lower_bracket
from formats.errors import Refused
from formats.forecast.durations import MEAN_SHARE, MINUTES_PER_POINT, REST, SEATING
from formats.forecast.finish_times import Pace, finish_times, length_of, parse_lengths, rule_of_thumb
from formats.forecast.planned import matches_by_round, matches_of_graph, numbering
from formats.graph import CONSOLATION, FINAL, LOWER, MAIN, Graph
from formats.tables.round_robin import round_robin
from tests.formats.cast import SEED

ALWAYS = ()


def main(size):
    return knockout(draw(range(1, size + 1), seed=SEED).places)


def times_of(graph, lengths, pace, seed=1):
    rows = {bracket.key: bracket.key for bracket in graph.brackets}
    return finish_times(tuple(matches_of_graph(graph, rows, lengths, keys=numbering())), pace, seed)


def times_of_rounds(counts, lengths, pace):
    courses = [[ALWAYS] * count for count in counts]
    return finish_times(tuple(matches_by_round("rounds", courses, lengths, keys=numbering())), pace)


def test_nineteen_players_at_seven_points_need_about_six_hours_twenty_five():
    assert rule_of_thumb(5, [7]) == 6 * 60 + 25
    times = times_of(main(19), {MAIN: [7]}, Pace(tables=12))
    assert 0.8 * 385 < times.total.median < 1.05 * 385
    assert times.total.median < times.total.late < 1.3 * times.total.median
    waiting = times_of_rounds([9, 9, 9, 9, 9], [7], Pace(tables=12))
    assert 385 < waiting.total.median < 1.2 * 385


def test_one_match_lasts_its_share_of_the_minutes_of_a_point_and_the_walk_to_its_table():
    times = times_of(main(2), {MAIN: [7]}, Pace(tables=1))
    assert fmean(times.ends[MAIN]) == pytest.approx(7 * MINUTES_PER_POINT * MEAN_SHARE + SEATING, rel=0.05)
    assert times.total.late > 1.3 * times.total.median


def test_fewer_tables_longer_matches_and_rests_take_longer():
    graph = main(32)
    base = times_of(graph, {MAIN: [5]}, Pace(tables=16)).total.median
    assert times_of(graph, {MAIN: [5]}, Pace(tables=4)).total.median > 1.25 * base
    assert times_of(graph, {MAIN: [7]}, Pace(tables=16)).total.median == pytest.approx(1.35 * base, rel=0.05)
    rested = times_of(graph, {MAIN: [5]}, Pace(tables=16, rest=REST + 10)).total.median
    assert rested == pytest.approx(base + 40, abs=12)


def test_one_table_plays_everything_one_after_the_other():
    times = times_of(main(8), {MAIN: [1]}, Pace(tables=1, rest=0))
    assert times.total.median == pytest.approx(7 * (MEAN_SHARE * 11 + SEATING), rel=0.05)


def test_rounds_end_in_order_and_the_last_one_ends_the_event():
    graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED)
    times = times_of(graph, {MAIN: [7, 9], CONSOLATION: [5]}, Pace(tables=6))
    ends = {(round_.row, round_.number): round_.finish for round_ in times.rounds}
    assert len(ends) == 4 + 5
    for bracket, count in ((MAIN, 4), (CONSOLATION, 5)):
        medians = [ends[bracket, number].median for number in range(1, count + 1)]
        assert medians == sorted(medians)
    assert times.total.median >= max(finish.median for finish in ends.values())
    assert times.finish_of(MAIN, CONSOLATION) == times.total


def test_main_matches_are_called_before_consolation_matches():
    graph = with_lower_bracket(main(16), "A.B.|.C.|.", seed=SEED)
    lengths = {MAIN: [5], CONSOLATION: [5]}
    alone = times_of(main(16), {MAIN: [5]}, Pace(tables=4)).total.median
    both = times_of(graph, lengths, Pace(tables=4))
    final = both.finish_of(MAIN).median
    assert final < 1.25 * alone
    assert both.total.median > final


def test_a_second_final_is_counted_half_the_time():
    graph = with_lower_bracket(main(4), "A.B.XR", seed=SEED)
    lengths = {MAIN: [5], LOWER: [5], FINAL: [5]}
    times = times_of(graph, lengths, Pace(tables=4))
    first, second = (round_.finish for round_ in times.rounds if round_.row == FINAL)
    assert second.median > first.median + 20, "if it is played"
    assert first.late + 5 < times.total.late
    never, always = (
        times_of(graph, {**lengths, FINAL: [5, length]}, Pace(tables=4)).total.median for length in (1, 15)
    )
    assert never < times.total.median < always


def test_rounds_wait_for_the_last_table_and_for_a_second_wave():
    once = times_of_rounds([8, 8], [5], Pace(tables=8))
    twice = times_of_rounds([8, 8], [5], Pace(tables=4))
    assert twice.total.median > 1.4 * once.total.median
    assert [round_.number for round_ in once.rounds] == [1, 2]
    assert times_of_rounds([], [5], Pace(tables=1)).total.late == 0


def test_everybody_plays_everybody_in_any_order_and_nobody_twice_at_once():
    graph = Graph((round_robin(range(1, 7), key="A"),))
    times = times_of(graph, {"A": [5]}, Pace(tables=3, seating=0, rest=0))
    alone = 5 * 5 * MINUTES_PER_POINT * MEAN_SHARE
    assert alone < times.total.median < 1.6 * alone
    assert times_of(graph, {"A": [5]}, Pace(tables=12, seating=0, rest=0)).total == times.total, (
        "three can play at once"
    )


def test_equal_input_gives_an_equal_forecast():
    assert times_of(main(16), {MAIN: [5]}, Pace(4)) == times_of(main(16), {MAIN: [5]}, Pace(4))
    assert times_of(main(16), {MAIN: [5]}, Pace(4)) != times_of(main(16), {MAIN: [5]}, Pace(4), seed=2)


@settings(max_examples=20)
@given(st.integers(2, 64), st.integers(1, 20))
def test_every_field_ends_with_any_number_of_tables(size, tables):
    times = times_of(main(size), {MAIN: [3, 5]}, Pace(tables, runs=5))
    assert 0 < times.total.median <= times.total.late
    assert times.total.late < (size - 1) * 5 * MINUTES_PER_POINT * 4


def test_lengths_by_round_and_what_is_no_length():
    assert parse_lengths("5 5 7 9 11") == (5, 5, 7, 9, 11)
    assert [length_of((5, 7), number) for number in (1, 2, 3)] == [5, 7, 7]
    for text in ("", "0", "16", "five"):
        with pytest.raises(Refused, match="1 to 15"):
            parse_lengths(text)
    with pytest.raises(Refused, match="one table"):
        times_of(main(4), {MAIN: [5]}, Pace(tables=0))
