"""What the tests of a run cost: a pytest plugin that writes var/costs/, which `tools.costs` compares with costs.toml.

Seconds are those of the processor, of a test with its fixtures and the processes that ended during it. What a fixture
of several tests costs is noted beside them, not as the cost of the test that happens to come first. So that machines
compare, seconds are stated in units of `work`, a piece of work that is repeated between the tests.
"""

import json
import resource
import sqlite3
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "var" / "costs"
UNIT = 0.015
"""Seconds that `work` takes on the machine in whose seconds costs are stated."""
BETWEEN = 10.0
"""Seconds of tests after which `work` is timed again."""
SHARED = " (shared)"
"""The end of what stands for a fixture of several tests in place of a test."""
COSTS = pytest.StashKey[dict[str, tuple[float, bool]]]()
WORK, OF_FIXTURES = pytest.StashKey[list[float]](), pytest.StashKey[list[float]]()


def work() -> int:
    """Do what pages and services mostly do, without a line of ours that could become faster."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, rating REAL)")
    rows = [(number, f"Player {number}", 1500 + number / 7) for number in range(400)]
    connection.executemany("INSERT INTO player VALUES (?, ?, ?)", rows)
    size = 0
    for number in range(2500):
        row = connection.execute("SELECT * FROM player WHERE id = ?", (number % 400,)).fetchone()
        size += len(json.dumps({"id": row[0], "name": row[1].replace("Player", "P"), "rating": f"{row[2]:.1f}"}))
    connection.close()
    return size


def seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no costs."""
    config.stash[COSTS], config.stash[WORK], config.stash[OF_FIXTURES] = {}, [], []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Load all pages before the first test of a worker, which would pay for them otherwise."""
    if hasattr(session.config, "workerinput"):
        from django.urls import get_resolver

        get_resolver().url_patterns  # noqa: B018


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Note what a test costs."""
    start, timed, of_fixtures = seconds(), item.config.stash[WORK], item.config.stash[OF_FIXTURES]
    if start >= BETWEEN * len(timed):
        work()
        timed.append(seconds() - start)
        start = seconds()
    before = len(of_fixtures)
    try:
        return (yield)
    finally:
        _note(item, item.nodeid, seconds() - start - sum(of_fixtures[before:]))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[Any]:
    """Note what a fixture of several tests costs."""
    if fixturedef.scope == "function":
        return (yield)
    start = seconds()
    try:
        return (yield)
    finally:
        cost, item = seconds() - start, request._pyfuncitem
        request.config.stash[OF_FIXTURES].append(cost)
        _note(item, f"{item.nodeid.partition('::')[0]}::{fixturedef.argname}{SHARED}", cost)


def _note(item: pytest.Item, name: str, cost: float) -> None:
    costs = item.config.stash[COSTS]
    costs[name] = (costs.get(name, (0.0, False))[0] + cost, item.get_closest_marker("slow") is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker noted."""
    noted = getattr(node, "workeroutput", {}).get("costs")
    if noted:
        node.config.stash[COSTS].update(noted[0])
        node.config.stash[WORK].extend(noted[1])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what this worker noted to the process that started it, which writes the file."""
    costs, timed = session.config.stash[COSTS], session.config.stash[WORK]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = (costs, timed)
    elif timed:
        from django.db import connection

        FOLDER.mkdir(parents=True, exist_ok=True)
        scale = UNIT / statistics.median(timed)
        stated = {test: (round(scale * cost, 3), slow) for test, (cost, slow) in sorted(costs.items())}
        (FOLDER / f"{connection.vendor}.json").write_text(json.dumps({"scale": scale, "tests": stated}, indent=0))
