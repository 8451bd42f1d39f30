"""Beat's schedule spreads the sweeps over time."""

from collections import defaultdict
from itertools import pairwise

import pytest
from celery.beat import Scheduler
from celery.schedules import schedule

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
