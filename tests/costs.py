"""What the tests of a run cost: a pytest plugin that prints a table, with `--costs` (`make everything`).

Processor seconds of a test with its fixtures and the processes that ended during it. What a fixture of several tests
costs counts for the one that comes first. Two runs on one machine differ by a fifth, so nothing compares the figures.
"""

import resource
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pytest

DEPTH = 3
"""Parts of a path that name a package."""
LISTED = 20
"""How many of the dearest tests are listed."""


class Cost(NamedTuple):
    """Processor seconds of a test, and whether `make test` leaves it out."""

    seconds: float
    is_slow: bool


COSTS = pytest.StashKey[dict[str, Cost]]()


def table(costs: Mapping[str, Cost]) -> str:
    """Return the seconds of each package, of ordinary and of slow tests, and the dearest tests."""
    packages: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for test, (seconds, is_slow) in costs.items():
        folder = PurePosixPath(test.partition("::")[0]).parent
        for package in ("/".join(folder.parts[:DEPTH]), "all"):
            packages[package][is_slow] += seconds
    lines = [f"{package:34}{ordinary:10.1f}{slow:10.1f}" for package, (ordinary, slow) in sorted(packages.items())]
    dearest = sorted(costs.items(), key=lambda item: -item[1].seconds)[:LISTED]
    lines += [f"{cost.seconds:8.1f} {'slow' * cost.is_slow:5}{test}" for test, cost in dearest]
    return "\n".join([f"{'CPU seconds of':34}{'ordinary':>10}{'slow':>10}", *lines])


def _seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no costs."""
    config.stash[COSTS] = {}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Note what a test costs."""
    start = _seconds()
    try:
        return (yield)
    finally:
        is_slow = item.get_closest_marker("slow") is not None
        item.config.stash[COSTS][item.nodeid] = Cost(_seconds() - start, is_slow)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what this worker noted to the process that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = {test: tuple(cost) for test, cost in session.config.stash[COSTS].items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker noted."""
    noted = getattr(node, "workeroutput", {}).get("costs", {})
    node.config.stash[COSTS].update({test: Cost(*cost) for test, cost in noted.items()})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    terminalreporter.write_line(table(terminalreporter.config.stash[COSTS]))
