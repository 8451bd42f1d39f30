"""What `check_integrity` finds at the end of tests: of one for each service that writes, and of those that ask for it.

The examples are listed in `integrity.txt`: a test, and below it the services of each module that it calls.
"""

import inspect
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from django.utils import timezone

from matches.models import Match, RatingPool
from matches.ratings.services import replay_pool
from matches.reporting.deadlines import announce_unsettled
from tests.tiers import TIER_NAME
from tournaments.models import Division
from tournaments.state.integrity import differences


def _examples() -> Iterator[tuple[str, str]]:
    test = ""
    for line in Path(__file__).with_suffix(".txt").read_text().splitlines():
        if line.startswith(" "):
            module, _, names = line.strip().partition(": ")
            yield from ((f"{module}.{name}", test) for name in names.split())
        elif not line.startswith("#"):
            test = line


EXAMPLES = list(_examples())
"""Each service with its example."""


def differences_left() -> list[str]:
    """Do what waits for workers, then return every difference."""
    now = timezone.now() + timedelta(days=1)
    announce_unsettled(now=now)
    for pool in RatingPool.objects.all():
        while replay_pool(pool_id=pool.pk, now=now) is not None:
            pass
    # Tests of matches alone name a division that is not there, so that nobody settles them.
    topics = [division.topic for division in Division.objects.all()]
    waiting = {match.topic for match in Match.objects.filter(unsettled=True).exclude(parent_topic__in=topics)}
    return [str(row) for row in differences() if row.what != "unsettled" or row.topic not in waiting]


def code_of(service: str) -> CodeType:
    """Return the code of a service, which frames that run it refer to."""
    module, _, name = service.rpartition(".")
    return inspect.unwrap(getattr(import_module(module), name)).__code__


class Calls:
    """Which of some services are called, in any thread, until `stop`."""

    def __init__(self, services: list[str]) -> None:
        self._codes = {code_of(service): service for service in services}
        self.missing = set(services)
        threading.settrace(self._note)
        sys.settrace(self._note)

    def _note(self, frame: FrameType, _event: str, _arg: Any) -> None:
        self.missing.discard(self._codes.get(frame.f_code, ""))

    def stop(self) -> None:
        """Note no more calls."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # None ends it


SERVICES, CALLS = pytest.StashKey[list[str]](), pytest.StashKey[Calls]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """In a soak, note what an example calls, its fixtures included; that takes as long again as the test."""
    test = item.nodeid.partition("[")[0]
    item.stash[SERVICES] = services = [service for service, example in EXAMPLES if example == test]
    if not services or TIER_NAME != "soak":
        return (yield)
    item.stash[CALLS] = calls = Calls(services)
    try:
        return (yield)
    finally:
        calls.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Check the integrity after an example."""
    result = yield
    if calls := item.stash.get(CALLS, None):
        calls.stop()
        if calls.missing:
            pytest.fail(f"It calls these no more, so that integrity.txt needs another example: {sorted(calls.missing)}")
    if item.stash[SERVICES] and (left := differences_left()):
        pytest.fail("\n".join(["check_integrity finds:", *left]))
    return result
