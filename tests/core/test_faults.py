"""One item of a sweep that fails leaves the others alone, and is listed for as long as it fails."""

from collections.abc import Collection

import pytest
import time_machine
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError
from django.utils import timezone
from redis import Redis

from core.faults import FORGOTTEN_AFTER, ItemsFailed, each, failing


class Broken(Exception):
    """What an item raises."""


class Sweep:
    """A sweep over numbers, of which some fail."""

    def __init__(self, failing: Collection[int], error: type[Exception] = Broken) -> None:
        self.failing, self.error = failing, error
        self.done: list[int] = []

    def __call__(self, number: int) -> int:
        if number in self.failing:
            raise self.error(number)
        self.done.append(number)
        return 10 * number

    def run(self, *numbers: int, at_most: int | None = None) -> None:
        """Run over these numbers, some of which fail."""
        with pytest.raises(ItemsFailed):
            each("numbers", numbers, self, at_most=at_most)


def listed() -> list[tuple[str, str]]:
    return [(row.kind, row.id) for row in failing()]


@pytest.mark.parametrize("error", [Broken, IntegrityError, RecursionError, KeyError])
@pytest.mark.usefixtures("valkey")
def test_the_others_are_done_whichever_fails(error: type[Exception]) -> None:
    for number in range(4):
        sweep = Sweep({number}, error)
        sweep.run(0, 1, 2, 3)
        assert sorted(sweep.done) == [row for row in range(4) if row != number]
    assert each("numbers", [1, 2], Sweep(())) == [10, 20]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError, DatabaseError])
@pytest.mark.usefixtures("valkey")
def test_a_database_that_cannot_be_used_ends_the_sweep_at_once(error: type[Exception]) -> None:
    tried: list[int] = []

    def act(number: int) -> None:
        tried.append(number)
        raise error

    with pytest.raises(error):
        each("numbers", range(500), act)
    assert (tried, listed()) == ([0], [])


@pytest.mark.usefixtures("valkey")
def test_what_fails_is_listed_since_it_first_failed_until_it_succeeds() -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        began = timezone.now().timestamp()
        Sweep({1, 2}).run(1, 2, 3)
        clock.shift(60)
        Sweep({2}).run(1, 2, 3)
        assert [(row.kind, row.id, row.since - began) for row in failing()] == [("numbers", "2", 0.0)]
        each("letters", [2], Sweep(()))
        assert listed() == [("numbers", "2")], "another kind with the same id"
        each("numbers", [2], Sweep(()))
    assert not listed()


@pytest.mark.usefixtures("valkey")
def test_what_is_no_longer_due_is_listed_for_as_long_as_it_may_be_claimed() -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        Sweep({1}).run(1)
        clock.shift(FORGOTTEN_AFTER)
        each("numbers", [], Sweep(()))
        assert listed()
        clock.shift(FORGOTTEN_AFTER)
        each("numbers", [], Sweep(()))
    assert not listed()


@pytest.mark.usefixtures("valkey")
def test_items_that_fail_take_no_place_among_those_of_a_run() -> None:
    sweep = Sweep({1, 2})
    sweep.run(1, 2, 3, 4, at_most=2)
    each("numbers", [1, 2, 3, 4], sweep, at_most=2)
    assert sweep.done == [3, 4]
    assert listed() == [("numbers", "1"), ("numbers", "2")]


@pytest.mark.usefixtures("valkey")
def test_the_steps_of_a_sweep_are_items_and_what_failed_within_is_listed_once() -> None:
    first, second = Sweep({1}), Sweep({2})

    def one() -> None:
        each("first", [1, 2], first)

    def two() -> None:
        each("second", [1, 2], second)

    def three() -> None:
        raise Broken

    with pytest.raises(ItemsFailed) as raised:
        each("steps", [three, one, two], lambda step: step())
    assert len(raised.value.exceptions) == 3
    assert (first.done, second.done) == ([2], [1])
    assert sorted(listed()) == [("first", "1"), ("second", "2"), ("steps", "three")]


def test_without_a_broker_nothing_is_listed_and_nothing_breaks(settings: object, valkey: Redis) -> None:
    for url in ("", "unix:///nowhere/valkey.sock"):
        settings.REDIS_URL = url  # type: ignore[attr-defined]
        sweep = Sweep({1})
        sweep.run(1, 2)
        assert (sweep.done, failing()) == ([2], [])
