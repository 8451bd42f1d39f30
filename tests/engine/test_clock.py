"""The arithmetic of the clock, against a reference that counts one unit of time after the other."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Act, Action, FlagRule, MatchState, Refused, apply
from engine.clock import (
    DAY,
    LAG_REFILL,
    MAX_LAG_CREDIT,
    MINUTE,
    PRESETS,
    READY_GRACE,
    SECOND,
    Clock,
    ClockSettings,
    Lag,
    after_action,
    open_game,
)

BOB, CAROL = 0, 1
SMALL = st.integers(0, 30)


def refused(code):
    return pytest.raises(Refused, check=lambda error: error.code == code)


def in_units(settings: ClockSettings, turns: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """(bank, overtime) of each side after turns of (side, time, credit), each unit of time taken by itself."""
    left = [[settings.bank, settings.overtime], [settings.bank, settings.overtime]]
    for side, time, credit in turns:
        delay = settings.delay
        for _ in range(max(0, time - credit)):
            if delay:
                delay -= 1
            elif left[side][0]:
                left[side][0] -= 1
            elif left[side][1]:
                left[side][1] -= 1
    return [(bank, overtime) for bank, overtime in left]


@given(
    st.builds(ClockSettings, SMALL, st.integers(1, 60), SMALL),
    st.lists(st.tuples(st.sampled_from([BOB, CAROL]), SMALL, st.integers(0, 5)), max_size=12),
)
def test_a_turn_spends_its_delay_then_the_bank_then_the_overtime(settings, turns):
    clock, at = Clock.of(settings), 1_000
    for side, time, credit in turns:
        clock = clock.begin_turn(side, at)
        at += time
        clock = clock.stop(at, credit=(credit, credit))
    assert [(side.bank, side.overtime) for side in clock.sides] == in_units(settings, turns)


@given(
    st.builds(ClockSettings, SMALL, st.integers(1, 60), SMALL),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 40)), max_size=4),
)
def test_the_flag_falls_in_the_unit_in_which_nothing_is_left(settings, vacations):
    """Vacations are units in which nothing is spent."""
    clock = Clock.of(settings).begin_turn(CAROL, at=50)
    for start, duration in vacations:
        clock = clock.with_vacation(CAROL, start, start + duration)
    away = {unit for start, duration in vacations for unit in range(start, start + duration)}
    unit, left = 50, settings.delay + settings.bank + settings.overtime
    while left:
        left -= unit not in away
        unit += 1
    # The flag falls at the end of the unit that spends the last of it, a vacation that begins right then aside.
    assert clock.due_at == unit
    assert clock.left(CAROL, unit - 1) > 0
    assert clock.left(CAROL, unit) == 0
    assert clock.fallen(unit - 1) is None
    assert clock.fallen(unit) == CAROL


def started(length: int = 7) -> tuple[MatchState, Clock]:
    """A match whose opening roll gave the turn to Bob at 0."""
    state = MatchState.start(length)
    clock = open_game(Clock.of(PRESETS["table"].settings(length=length)), at=-5 * SECOND)
    return act(state, clock, Action(Act.ROLL, dice=(6, 5)), at=0)


def act(state: MatchState, clock: Clock, action: Action, at: int) -> tuple[MatchState, Clock]:
    after = apply(state, action)
    return after, after_action(clock, state, after, at=at)


def test_a_double_and_a_take_share_one_delay_of_each_side():
    state, clock = started()
    state, clock = act(state, clock, Action.play("24/18 13/8"), at=10 * SECOND)
    assert clock.running == (CAROL,)
    state, clock = act(state, clock, Action(Act.DOUBLE, CAROL), at=15 * SECOND)
    assert clock.running == (BOB,)
    state, clock = act(state, clock, Action(Act.TAKE, BOB), at=22 * SECOND)
    assert clock.running == (CAROL,)
    # Carol has spent 5 s of this turn's delay before the double; 7 s are left of it.
    state, clock = act(state, clock, Action(Act.ROLL, CAROL, (3, 1)), at=32 * SECOND)
    assert clock.sides[CAROL].bank == 14 * MINUTE - 3 * SECOND
    assert clock.sides[BOB].bank == 14 * MINUTE


def test_refused_resignations_never_renew_a_delay():
    state, clock = started()
    at = 0
    for _ in range(3):
        at += 5 * SECOND
        state, clock = act(state, clock, Action(Act.RESIGN, BOB, value=1), at=at)
        assert clock.running == (CAROL,)
        at += 5 * SECOND
        state, clock = act(state, clock, Action(Act.REFUSE, CAROL), at=at)
    assert clock.running == (BOB,)
    spent_over_the_delay = 3 * 5 * SECOND - 12 * SECOND
    assert [side.bank for side in clock.sides] == [14 * MINUTE - spent_over_the_delay] * 2


def test_before_an_opening_roll_each_clock_runs_after_the_grace_until_its_side_is_ready():
    state = MatchState.start(5)
    clock = open_game(Clock.of(PRESETS["table"].settings(length=5)), at=0)
    assert clock.due_at == READY_GRACE + 12 * SECOND + 10 * MINUTE
    clock = after_action(clock, state, state, at=40 * SECOND, ready=(True, False))
    assert clock.running == (CAROL,)
    clock = after_action(clock, state, state, at=60 * SECOND, ready=(True, True))
    assert clock.running == ()
    # Bob spent 10 s of his delay; Carol 30 s, 18 of them of her bank.
    assert [side.bank for side in clock.sides] == [10 * MINUTE, 10 * MINUTE - 18 * SECOND]


def test_the_bank_is_kept_from_game_to_game_and_after_an_adjournment():
    state, clock = started()
    state, clock = act(state, clock, Action.play("24/18 13/8"), at=72 * SECOND)
    state, clock = act(state, clock, Action(Act.DOUBLE, CAROL), at=73 * SECOND)
    state, clock = act(state, clock, Action(Act.DROP, BOB), at=74 * SECOND)
    assert state.game == 2
    assert clock.sides[BOB].bank == 13 * MINUTE
    assert clock.due_at == 74 * SECOND + READY_GRACE + 12 * SECOND + 13 * MINUTE
    state, clock = act(state, clock, Action(Act.ADJOURN), at=75 * SECOND)
    assert clock.running == ()
    state, clock = act(state, clock, Action(Act.RESUME), at=5 * DAY)
    assert clock.running == (BOB, CAROL)
    assert clock.due_at == 5 * DAY + READY_GRACE + 12 * SECOND + 13 * MINUTE


@pytest.mark.parametrize("rule", FlagRule)
def test_no_clock_runs_once_the_match_is_over(rule):
    state, clock = started()
    state = state._replace(flag_rule=rule)
    over, stopped = act(state, clock, Action(Act.CONCEDE, CAROL), at=3 * SECOND)
    assert over.is_over
    assert stopped.running == ()
    assert stopped.due_at is None


def test_a_correspondence_day_is_24_hours_when_the_clocks_change():
    copenhagen = ZoneInfo("Europe/Copenhagen")
    evening = datetime(2026, 10, 24, 20, tzinfo=copenhagen)
    clock = Clock.of(ClockSettings(2 * DAY, 0, correspondence=True))
    clock = clock.begin_turn(BOB, at=round(evening.timestamp() * 1000))
    due = datetime.fromtimestamp(clock.due_at / 1000, copenhagen)
    assert due == datetime(2026, 10, 26, 19, tzinfo=copenhagen)


def test_lag_is_given_back_up_to_what_was_measured_and_then_only_as_it_refills():
    lag = Lag()
    credit, lag = lag.credit(300)
    assert credit == 300
    credit, lag = lag.credit(5_000)
    assert credit == MAX_LAG_CREDIT - 300 + LAG_REFILL
    for _ in range(5):
        credit, lag = lag.credit(5_000)
        assert credit == LAG_REFILL
    assert Lag().credit(-20)[0] == 0


@given(st.integers(0, 5_000), st.integers(0, 5_000))
def test_credit_never_gives_more_than_was_used(used, credit):
    clock = Clock.of(ClockSettings(1_000, 2_000)).begin_turn(BOB, at=0)
    after = clock.stop(used, credit=(credit, 0))
    assert after.sides[BOB].left == 3_000 - min(3_000, max(0, used - credit))
    assert after.sides[CAROL] == clock.sides[CAROL]
    assert (clock.fallen(used, credit=(credit, 0)) is None) == (used - credit < 3_000)


def test_time_nobody_lost_and_a_director_s_adjustment():
    clock = Clock.of(ClockSettings(1_000, 2_000)).begin_turn(BOB, at=0).postpone(700)
    assert clock.due_at == 3_700
    assert clock.adjust(BOB, 500).due_at == 4_200
    with refused("bad_clock"):
        clock.adjust(CAROL, -2_001)


@pytest.mark.parametrize("settings", [ClockSettings(0, 0), ClockSettings(-1, 5), ClockSettings(5, 5, -1)])
def test_a_clock_without_time_is_refused(settings):
    with refused("bad_clock"):
        Clock.of(settings)


def test_presets_take_half_a_point_s_bank_off_for_each_point_scored():
    assert PRESETS["table"].settings(length=9, score=(2, 3)).bank == 13 * MINUTE
    assert PRESETS["doubles"].settings(length=5, score=(1, 0)).bank == 675 * SECOND
