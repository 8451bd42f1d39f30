"""The forecast of an evening in progress, and the ways to finish before closing time."""

import math
from dataclasses import replace
from random import Random
from time import process_time

import pytest

from formats.errors import Refused
from formats.forecast import durations
from formats.forecast.closing import Shortening, closing_options
from formats.forecast.durations import EVENINGS_DIFFER
from formats.forecast.finish_times import Pace, RemainingMatch, critical_minutes, finish_times, remaining_share
from formats.forecast.pace import Observed, observed_pace

PACE = Pace(tables=12, seating=0)


def bracket(size, *, length=7, rank=0, row="main", first=1, fed_by=()):
    """A knockout of `size` players; the matches in `fed_by` feed its first round, if any."""
    matches, before, key, number, count = [], list(fed_by), first, 1, size // 2
    while count:
        keys = list(range(key, key + count))
        share = len(before) // count
        for at, own in enumerate(keys):
            needs = tuple(before[at * share : (at + 1) * share])
            matches.append(RemainingMatch(own, row, number, length, rank, needs))
        before, key, number, count = keys, key + count, number + 1, count // 2
    return matches


def evening(size=32):
    """A knockout with a consolation that its first-round losers enter."""
    main = bracket(size)
    return tuple(main + bracket(size // 2, length=7, rank=1, row="cons", first=1000, fed_by=range(1, size // 2 + 1)))


def played(matches, pace, tempo, chance):
    """Play an evening minute by minute; return when each match begins and when it ends."""
    begins, ends, clock, left, running = {}, {}, 0, {match.key: match for match in matches}, {}
    while left or running:
        for key in [key for key, end in running.items() if end <= clock]:
            ends[key] = running.pop(key)
        for match in sorted(left.values(), key=lambda match: (match.rank, match.round, match.key)):
            rested = all(need in ends and ends[need] + pace.rest <= clock for need in match.needs)
            if rested and len(running) < pace.tables:
                share = chance.choice(durations.shares(match.length))
                begins[match.key] = clock
                running[match.key] = clock + match.length * pace.minutes_per_point * tempo * share
                del left[match.key]
        clock += 1
    return begins, ends


@pytest.mark.slow
def test_the_forecast_of_every_stage_of_the_evening_holds_as_often_as_it_says():
    matches, hits, count = evening(16), {0.5: 0, 0.75: 0, 0.9: 0}, 0
    for seed in range(60):
        chance = Random(seed)
        begins, ends = played(matches, PACE, math.exp(chance.gauss(0, EVENINGS_DIFFER)), chance)
        end = max(ends.values())
        for now in (0.0, end * 0.4, end * 0.75):
            left = tuple(at_time(match, begins, ends, now) for match in matches if ends[match.key] > now)
            pace = observed_pace(
                Observed(match.length, min(ends[match.key], now) - begins[match.key], is_over=ends[match.key] <= now)
                for match in matches
                if begins[match.key] < now
            )
            forecast = finish_times(left, replace(PACE, **pace._asdict()), seed=seed)
            for share in hits:
                hits[share] += end - now <= forecast.ends_within(share)
            count += 1
    assert {share: hits[share] / count for share in hits} == pytest.approx({0.5: 0.5, 0.75: 0.75, 0.9: 0.9}, abs=0.09)


def at_time(match, begins, ends, now):
    """The match as the floor knows it at `now`."""
    needs = tuple(need for need in match.needs if ends[need] > now)
    return replace(match, needs=needs, played=now - begins[match.key] if begins[match.key] <= now else None)


def test_a_match_in_progress_and_its_score_shorten_the_forecast():
    waiting = RemainingMatch(1, "main", 1, 7)
    finish = {
        name: finish_times((match,), PACE).total.median
        for name, match in {
            "waiting": waiting,
            "begun": replace(waiting, played=30.0),
            "nearly over": replace(waiting, played=30.0, score=(6, 6)),
            "overdue": replace(waiting, played=200.0),
        }.items()
    }
    assert max(finish["overdue"], finish["nearly over"]) < 10 < finish["begun"] < finish["waiting"]
    assert finish["begun"] == pytest.approx(finish["waiting"] - 30, abs=5)


def test_a_pause_a_rest_and_too_few_tables_delay_it():
    matches = evening()
    total = finish_times(matches, PACE).total.median
    assert finish_times(matches, replace(PACE, paused=60.0)).total.median == pytest.approx(total + 60, abs=1)
    assert finish_times(matches, replace(PACE, tables=4)).total.median > total + 60
    assert finish_times(matches, replace(PACE, rest=20.0)).total.median > total + 30
    away = (replace(matches[0], waits=90.0), *matches[1:])
    assert finish_times(away, PACE).total.median > total


def test_rounds_begin_when_their_players_are_free_and_a_gate_joins_a_round():
    first = [RemainingMatch(key, "rounds", 1, 5) for key in (1, 2)]
    gate = RemainingMatch(3, "rounds", 1, 0, needs=(1, 2), gate=True)
    second = [RemainingMatch(key, "rounds", 2, 5, needs=(3,)) for key in (4, 5)]
    forecast = finish_times((*first, gate, *second), PACE)
    assert [(times.row, times.number) for times in forecast.rounds] == [("rounds", 1), ("rounds", 2)]
    assert forecast.rounds[1].begins >= forecast.rounds[0].finish.median
    assert forecast.finish_of("rounds") == forecast.rounds[1].finish
    assert forecast.next_main == 0.0


def test_a_round_of_one_match_can_be_followed_by_another():
    last = RemainingMatch(1, "rounds", 1, 5)
    gate = RemainingMatch(2, "rounds", 1, 0, needs=(1,), gate=True)
    following = RemainingMatch(3, "rounds", 2, 5, needs=(2,))
    forecast = finish_times((last, gate, following), PACE)
    assert forecast.rounds[1].begins >= forecast.rounds[0].finish.median


def test_the_end_of_a_finished_evening_is_now_and_no_tables_are_refused():
    assert finish_times((), PACE).total.late == 0.0
    with pytest.raises(Refused) as refused:
        finish_times(evening(), replace(PACE, tables=0))
    assert refused.value.code == "no_tables"


def test_the_critical_path_adds_up_the_chain_to_the_final():
    chain = critical_minutes(bracket(8), PACE)
    assert chain[1] == pytest.approx(3 * chain[7])
    assert chain[5] == pytest.approx(2 * chain[7])


def test_slow_matches_of_the_evening_slow_the_forecast_but_one_hardly_does():
    usual, slow = 7 * 11 * durations.MEAN_SHARE, 7 * 15 * durations.MEAN_SHARE
    assert observed_pace([Observed(7, usual)] * 20).minutes_per_point == pytest.approx(11.0, rel=0.02)
    assert observed_pace([Observed(7, slow)]).minutes_per_point < 11.8
    assert observed_pace([Observed(7, slow)] * 60).minutes_per_point > 14
    uncertainties = [observed_pace([Observed(7, usual)] * count).uncertainty for count in (0, 1, 10, 60)]
    assert uncertainties == sorted(uncertainties, reverse=True)
    assert remaining_share(1, 1, 7) < remaining_share(1, 4, 7) < remaining_share(3, 4, 7) < 1


def test_matches_in_progress_count_because_the_quick_ones_are_over_first():
    minutes = [7 * 11 * share for share in durations.shares(7)[::8]]
    now = sorted(minutes)[len(minutes) // 3]
    over = [Observed(7, row) for row in minutes if row <= now]
    running = [Observed(7, now, is_over=False) for row in minutes if row > now]
    assert observed_pace(over).minutes_per_point < 9
    assert observed_pace(over + running).minutes_per_point == pytest.approx(11.0, rel=0.05)


def test_the_gentlest_way_to_be_in_time_comes_first_and_begun_rounds_keep_their_length():
    matches = evening()
    begun = frozenset({("main", 1), ("cons", 1)})
    options = closing_options(matches, PACE, begun=begun, late_by=10.0)
    assert options
    assert options[0].in_time
    assert options[0].shortenings == (Shortening("cons", (2, 3, 4), 7, 5),) or options[0].gain >= 10.0
    for option in options:
        for shortening in option.shortenings:
            assert shortening.length < shortening.was
            assert not begun & {(shortening.row, number) for number in shortening.rounds}


def test_nothing_is_proposed_where_every_round_has_begun_or_is_short():
    matches = tuple(replace(match, length=3) for match in evening(16))
    assert closing_options(matches, PACE, begun=frozenset(), late_by=30.0) == ()
    every = frozenset((match.row, match.round) for match in evening(16))
    assert closing_options(evening(16), PACE, begun=every, late_by=30.0) == ()


def test_the_forecast_of_128_players_is_quick_enough_for_every_page():
    matches = evening(128)
    finish_times(matches, PACE)
    best = min(_seconds(matches, seed) for seed in range(2, 7))
    assert best <= 0.3, "30 ms on a machine of its own, and some times that on a busy one"


def _seconds(matches, seed):
    before = process_time()
    finish_times(matches, Pace(40, rest=5), seed=seed)
    return process_time() - before
