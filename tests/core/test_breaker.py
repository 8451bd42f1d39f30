"""An outside host that does not answer is left alone, tried once, and left alone for longer."""

import time
from datetime import timedelta

import pytest
from django.core.cache import cache

from core import breaker


def wait() -> timedelta | None:
    """How long the host is left alone; None if it may be tried."""
    try:
        breaker.check("host")
    except breaker.LeftAlone as alone:
        return alone.wait
    return None


def fail(times: int = 1) -> None:
    """Try the host and fail, one attempt after the other and each as soon as it may be."""
    for _ in range(times):
        time_is_over()
        breaker.failed("host", breaker.check("host"))


def time_is_over() -> None:
    cache.delete(breaker._paused("host"))


def test_a_host_is_left_alone_after_failures_in_a_row_and_only_that_host() -> None:
    fail(breaker.FAILURES - 1)
    assert wait() is None
    fail()
    assert wait() is not None
    breaker.check("another host")


def test_after_that_time_one_may_try_and_the_others_wait() -> None:
    fail(breaker.FAILURES)
    time_is_over()
    assert wait() is None
    assert wait() is not None


@pytest.mark.parametrize(("more", "seconds"), [(0, 60), (1, 120), (2, 240), (4, 900), (40, 900)])
def test_each_further_failure_doubles_the_time_up_to_a_quarter_of_an_hour(more: int, seconds: int) -> None:
    fail(breaker.FAILURES + more)
    alone = wait()
    assert alone is not None
    assert seconds - 2 <= alone.total_seconds() <= seconds


@pytest.mark.parametrize("others", [0, breaker.FAILURES])
def test_of_attempts_under_way_none_counts_once_it_is_left_alone(others: int) -> None:
    began = [breaker.check("host") for _ in range(8)]
    fail(others)
    for each in began:
        breaker.failed("host", each)
    alone = wait()
    assert alone is not None
    assert alone.total_seconds() <= breaker.SHORTEST


def test_the_clock_may_go_back_while_it_is_left_alone() -> None:
    fail(breaker.FAILURES)
    cache.set(breaker._paused("host"), time.time() + 3600, breaker.SHORTEST)
    alone = wait()
    assert alone is not None
    assert alone.total_seconds() <= breaker.SHORTEST


def test_one_success_forgets_the_failures() -> None:
    fail(breaker.FAILURES + 3)
    time_is_over()
    breaker.succeeded("host")
    fail(breaker.FAILURES - 1)
    assert wait() is None


def test_without_a_cache_every_host_may_be_tried(broker_down: None) -> None:
    fail(breaker.FAILURES)
    assert wait() is None
