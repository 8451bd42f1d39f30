"""The clock of the tests: it starts at TEST_NOW in each run, and then goes on. A pytest plugin."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""When most tests act, where the time is an argument."""

_start = datetime.fromisoformat(os.environ.get("TEST_NOW", str(NOON + timedelta(days=4))))
TEST_NOW = _start if _start.tzinfo else _start.replace(tzinfo=UTC)
"""When the clock starts."""

REAL_CLOCK = [Path(__file__).resolve().parent / folder for folder in ("browser", "faults", "journeys")]
"""Tests that use the real time, as their browsers and processes do."""

# A number, since a datetime in UTC would also change the zone of the process.
_clock = time_machine.travel(TEST_NOW.timestamp())


def pytest_configure() -> None:
    """Start the clock before test modules are imported, some of which take the time at their top."""
    _clock.start()


def pytest_unconfigure() -> None:
    """Return to the real time."""
    _clock.stop()


@pytest.fixture(scope="module", autouse=True)
def _real_clock(request: pytest.FixtureRequest) -> Iterator[None]:
    if not any(request.path.is_relative_to(folder) for folder in REAL_CLOCK):
        yield
        return
    with time_machine.travel(time_machine.escape_hatch.time.time()):
        yield
