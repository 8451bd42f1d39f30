"""The pytest plugin of both passes: `--record-lines` records coverage, `--plant` tests the mutants of a plan."""

import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from pathlib import Path
from time import process_time
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import settings

from benchmarks.mutation.planting import plant_all
from benchmarks.mutation.sample import PACKAGES, ROOT, source_files

TRACED_CALLS = 30
"""Calls of a function in one test whose lines are recorded; more would make the slow tests far slower."""
TRACED_EXAMPLES = 10
HYPOTHESIS_SETTINGS = "_hypothesis_internal_use_settings"
"""The attribute in which Hypothesis keeps the settings of a test function."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-lines", metavar="FOLDER", help="write there which test runs which lines")
    parser.addoption("--plant", metavar="FILE", help="a plan as JSON: mutants, each with its tests")


def pytest_collection_finish(session: pytest.Session) -> None:
    if folder := session.config.getoption("--record-lines"):
        session.config.pluginmanager.register(LineRecorder(Path(folder)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests of each planned mutant, instead of all tests once."""
    if plan := session.config.getoption("--plant"):
        plant_all(session, Path(plan))
        return True
    return None


class LineRecorder:
    """Records the lines of the source files that each test runs, and writes them after every test file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = {str(ROOT / path): path for path in source_files()}
        self.calls_left: dict[CodeType, int] = {}
        self.lines: set[tuple[str, int]] = set()
        self.tests: dict[str, Any] = {}
        self.failed = False
        self.caches = [
            value
            for name, module in list(sys.modules.items())
            if name.partition(".")[0] in PACKAGES
            for value in vars(module).values()
            if isinstance(value, _lru_cache_wrapper)
        ]

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        """Trace function for calls; returns the one for lines where they are of interest."""
        code = frame.f_code
        left = self.calls_left.get(code)
        if left is None:
            left = TRACED_CALLS if code.co_filename in self.sources else 0
        if left <= 0:
            self.calls_left[code] = 0
            return None
        self.calls_left[code] = left - 1
        return self.trace_line

    def trace_line(self, frame: FrameType, event: str, arg: object) -> Any:
        """Trace function for lines."""
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.trace_line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        """Trace one test with its fixtures."""
        self.lines, self.calls_left, self.failed = set(), {}, False
        for cached in self.caches:
            cached.cache_clear()
        _limit_examples(item)
        started = process_time()
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            if not self.failed:
                lines: dict[str, list[int]] = {}
                for path, line in sorted(self.lines):
                    lines.setdefault(self.sources[path], []).append(line)
                self.tests[item.nodeid] = {"seconds": round(process_time() - started, 4), "lines": lines}
            if nextitem is None or nextitem.path != item.path:
                self.write(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails or is skipped without any fault can notice none."""
        self.failed |= not report.passed

    def write(self, item: pytest.Item) -> None:
        """Write what the tests of one file run, with the digests of the sources that the lines refer to."""
        paths = {path for test in self.tests.values() for path in test["lines"]}
        content = {"sources": {path: digest(path) for path in sorted(paths)}, "tests": self.tests}
        name = str(item.path.relative_to(ROOT)).replace(os.sep, "__").replace(".py", ".json")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(json.dumps(content))
        self.tests = {}


def _limit_examples(item: pytest.Item) -> None:
    """Let a property test run few examples: under the tracer each takes several times as long."""
    function = getattr(item, "function", None)
    if current := getattr(function, HYPOTHESIS_SETTINGS, None):
        fewer = settings(current, max_examples=min(current.max_examples, TRACED_EXAMPLES), deadline=None)
        setattr(function, HYPOTHESIS_SETTINGS, fewer)


def digest(path: str) -> str:
    """Return the digest of a source file, "" if it is gone; lines recorded of another version mean nothing."""
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.exists() else ""
