import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.cast import SEED, coin, play_out
from tournaments.formats.elimination.knockout import draw, knockout
from tournaments.formats.elimination.lower_bracket import with_lower_bracket
from tournaments.formats.errors import Refused
from tournaments.formats.facts import Result
from tournaments.formats.forecast.finish_times import (
    LONGEST,
    MINUTES_PER_POINT,
    SHORTEST,
    Pace,
    finish_times,
    finish_times_of_rounds,
    length_of,
    parse_lengths,
    rule_of_thumb,
)
from tournaments.formats.graph import CONSOLATION, FINAL, LOWER, MAIN
from tournaments.formats.progress import progress


def main(size):
    return knockout(draw(range(1, size + 1), seed=SEED).places)


def test_nineteen_players_at_seven_points_need_about_six_hours_twenty_five():
    assert rule_of_thumb(5, [7]) == 6 * 60 + 25
    times = finish_times(main(19), {MAIN: [7]}, Pace(tables=12))
    assert 0.9 * 385 < times.total.median < 1.05 * 385
    assert times.total.median < times.total.late < 1.1 * 385
    waiting = finish_times_of_rounds([9, 9, 9, 9, 9], [7], Pace(tables=12))
    assert 385 < waiting.total.median < 1.1 * 385


def test_one_match_lasts_its_length_times_the_minutes_of_a_point():
    times = finish_times(main(2), {MAIN: [7]}, Pace(tables=1, runs=400))
    whole = 7 * MINUTES_PER_POINT
    assert SHORTEST * whole < times.total.median < times.total.late < LONGEST * whole
    assert times.total.median == pytest.approx((SHORTEST + LONGEST) / 2 * whole, rel=0.03)


def test_fewer_tables_longer_matches_and_rests_take_longer():
    graph = main(32)
    base = finish_times(graph, {MAIN: [5]}, Pace(tables=16)).total.median
    assert finish_times(graph, {MAIN: [5]}, Pace(tables=4)).total.median > 1.3 * base
    assert finish_times(graph, {MAIN: [7]}, Pace(tables=16)).total.median == pytest.approx(1.4 * base)
    rested = finish_times(graph, {MAIN: [5]}, Pace(tables=16, rest=10)).total.median
    assert rested == pytest.approx(base + 40, abs=5)


def test_one_table_plays_everything_one_after_the_other():
    times = finish_times(main(8), {MAIN: [1]}, Pace(tables=1))
    assert times.total.median == pytest.approx(7 * 0.9 * 11, rel=0.05)


def test_rounds_end_in_order_and_the_last_one_ends_the_event():
    graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED)
    times = finish_times(graph, {MAIN: [7, 9], CONSOLATION: [5]}, Pace(tables=6))
    ends = {(bracket, number): finish for bracket, number, finish in times.rounds}
    assert len(ends) == 4 + 5
    for bracket, count in ((MAIN, 4), (CONSOLATION, 5)):
        medians = [ends[bracket, number].median for number in range(1, count + 1)]
        assert medians == sorted(medians)
    assert times.total.median >= max(finish.median for finish in ends.values())


def test_main_matches_are_called_before_consolation_matches():
    graph = with_lower_bracket(main(16), "A.B.|.C.|.", seed=SEED)
    lengths = {MAIN: [5], CONSOLATION: [5]}
    alone = finish_times(main(16), {MAIN: [5]}, Pace(tables=4)).total.median
    both = finish_times(graph, lengths, Pace(tables=4))
    final = next(f.median for bracket, number, f in both.rounds if (bracket, number) == (MAIN, 4))
    assert final < 1.25 * alone
    assert both.total.median > final


def test_what_is_over_takes_no_time_and_what_is_running_less():
    graph = main(8)
    results = {number: Result(0) for number in (1, 2, 3)}
    state = progress(graph, results)
    now = finish_times(graph, {MAIN: [7]}, Pace(tables=4), state=state)
    assert now.rounds[0][2].median > 0
    later = finish_times(graph, {MAIN: [7]}, Pace(tables=4), state=state, running={4: 60.0})
    assert later.total.median < now.total.median - 30
    assert later.rounds[0][2].median > 0
    done, _ = play_out(graph, coin(1))
    assert finish_times(graph, {MAIN: [7]}, Pace(tables=4), state=done).total.late == 0


def test_a_second_final_is_counted_half_the_time():
    graph = with_lower_bracket(main(4), "A.B.XR", seed=SEED)
    lengths = {MAIN: [5], LOWER: [5], FINAL: [5]}
    times = finish_times(graph, lengths, Pace(tables=4))
    assert times.total.late > times.rounds[-2][2].late + 20
    assert times.total.median <= times.total.late


def test_rounds_wait_for_the_last_table_and_for_a_second_wave():
    once = finish_times_of_rounds([8, 8], [5], Pace(tables=8))
    twice = finish_times_of_rounds([8, 8], [5], Pace(tables=4))
    assert twice.total.median > 1.7 * once.total.median
    assert [number for _, number, _ in once.rounds] == [1, 2]
    assert finish_times_of_rounds([], [5], Pace(tables=1)).total.late == 0


def test_equal_input_gives_an_equal_forecast():
    assert finish_times(main(16), {MAIN: [5]}, Pace(4)) == finish_times(main(16), {MAIN: [5]}, Pace(4))
    assert finish_times(main(16), {MAIN: [5]}, Pace(4)) != finish_times(main(16), {MAIN: [5]}, Pace(4), seed=2)


@settings(max_examples=20)
@given(st.integers(2, 64), st.integers(1, 20))
def test_every_field_ends_with_any_number_of_tables(size, tables):
    times = finish_times(main(size), {MAIN: [3, 5]}, Pace(tables, runs=5))
    assert 0 < times.total.median <= times.total.late
    assert times.total.late < (size - 1) * 5 * MINUTES_PER_POINT * LONGEST


def test_lengths_by_round_and_what_is_no_length():
    assert parse_lengths("5 5 7 9 11") == (5, 5, 7, 9, 11)
    assert [length_of((5, 7), number) for number in (1, 2, 3)] == [5, 7, 7]
    for text in ("", "0", "16", "five"):
        with pytest.raises(Refused, match="1 to 15"):
            parse_lengths(text)
    with pytest.raises(Refused, match="one table"):
        finish_times(main(4), {MAIN: [5]}, Pace(tables=0))
