"""Beat's schedule spreads the sweeps over time, also after the clock was set."""

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
import time_machine
from celery.beat import Scheduler
from celery.schedules import schedule
from kombu.utils.imports import symbol_by_name

from config.celery import app


def test_tasks_of_the_same_period_take_turns() -> None:
    by_period = defaultdict(list)
    for entry in Scheduler(app).schedule.values():
        # A daily task has a time of day instead.
        if type(entry.schedule) is schedule:
            by_period[entry.schedule.run_every.total_seconds()].append(entry.last_run_at.timestamp())
    assert len(by_period[10.0]) > 10
    for period, ran_at in by_period.items():
        first, *_ = ran_at = sorted(ran_at)
        gaps = [after - before for before, after in pairwise([*ran_at, first + period])]
        assert gaps == pytest.approx([period / len(ran_at)] * len(ran_at), abs=0.01)


class Beat:
    """A scheduler whose clock is set as the test says; the time that passes is the real one."""

    def __init__(self, kind: type[Scheduler], clock: time_machine.Traveller) -> None:
        self.scheduler, self.clock = kind(app), clock

    def sent_in(self, seconds: int) -> dict[str, int]:
        """Return how many times each task is sent in so many seconds."""
        before = self._counts()
        for _ in range(seconds):
            self.clock.shift(1)
            while not self.scheduler.tick():
                """What is due at once."""
        return {name: count - before[name] for name, count in self._counts().items()}

    def _counts(self) -> dict[str, int]:
        return {name: entry.total_run_count for name, entry in self.scheduler.schedule.items()}


def started() -> datetime:
    """When the schedule was read, by the clock of that time."""
    return max(entry.last_run_at for entry in Scheduler(app).schedule.values())


Steady: type[Scheduler] = symbol_by_name(app.conf.beat_scheduler)


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("hours", [-1, 1, -24 * 365 * 30, 24 * 365 * 30])
@pytest.mark.parametrize("kind", [Steady, Scheduler])
def test_sweeps_come_as_before_after_the_clock_was_set(kind: type[Scheduler], hours: int) -> None:
    with time_machine.travel(started(), tick=False) as clock:
        beat = Beat(kind, clock)
        usual = beat.sent_in(60)
        clock.shift(timedelta(hours=hours))
        after = beat.sent_in(60)
    often = [name for name, count in usual.items() if count > 5]
    assert len(often) >= 20
    is_even = all(abs(after[name] - usual[name]) <= 1 for name in usual)
    assert is_even == (kind is Steady or hours > 0), "Celery's own is silent after the clock was set back"


@pytest.mark.usefixtures("valkey")
def test_tasks_take_turns_after_the_clock_was_set() -> None:
    with time_machine.travel(started(), tick=False) as clock:
        beat = Beat(Steady, clock)
        usual = [sum(beat.sent_in(1).values()) for _ in range(60)][10:]
        clock.shift(timedelta(hours=1))
        assert sum(beat.sent_in(1).values()) <= max(usual)


@pytest.mark.usefixtures("valkey")
def test_what_was_planned_later_than_now_begins_now() -> None:
    with time_machine.travel(started() - timedelta(hours=1), tick=False) as clock:
        assert Beat(Steady, clock).sent_in(60)["heartbeat"] >= 11


@pytest.mark.usefixtures("valkey")
def test_a_time_of_day_comes_once_a_day_on_the_new_clock() -> None:
    half_a_minute_before = (started() + timedelta(days=2)).replace(hour=3, minute=16, second=30)
    with time_machine.travel(half_a_minute_before - timedelta(days=1), tick=False) as clock:
        beat = Beat(Steady, clock)
        assert beat.sent_in(60)["retention"] == 1
        clock.shift(timedelta(hours=-3))
        assert beat.sent_in(60)["retention"] == 0
        clock.move_to(half_a_minute_before)
        assert beat.sent_in(60)["retention"] >= 1, "and the one that was passed over"
