"""Ends a test that hangs, and says where a worker died: a pytest plugin that .ci/run loads (`-p tests.hanging`).

A test hangs if for ten minutes it computes less than a second a minute, or if it has not ended after fifteen. Neither
depends on how fast the machine is: the dearest test takes a minute of processor time. The process of a test that hangs
ends, and xdist gives the others to a new worker.
"""

import faulthandler
import os
import shutil
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pytest

LOOKS = 10
"""How often a test that computes nothing is looked at before it is ended."""
MAX_LINES = 30
"""Of a traceback, where the test was."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add both limits, so that the test of this plugin need not wait."""
    parser.addini("max_idle_seconds", "how long a test may compute nothing", type="string", default="600")
    parser.addini("max_test_seconds", "how long a test may take", type="string", default="900")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of this process, unless it only hands them to workers."""
    given = getattr(config, "workerinput", None)
    if given is None and getattr(config.option, "dist", "no") != "no":
        config.pluginmanager.register(Deaths(Path(tempfile.mkdtemp())), "deaths")
    else:
        # Without workers it is the standard error, which is captured once tests run.
        target = Path(given["deaths"]) / given["workerid"] if given else os.dup(sys.stderr.fileno())
        config.pluginmanager.register(Watch(config, open(target, "w")), "watch")  # noqa: SIM115


class Watch:
    """Ends this process if a test of it hangs."""

    def __init__(self, config: pytest.Config, file: TextIO) -> None:
        self.file = file
        self.max_idle = float(config.getini("max_idle_seconds"))
        self.max_seconds = float(config.getini("max_test_seconds"))
        self.test = ""
        self.began = 0.0
        self.used = deque[float](maxlen=LOOKS + 1)
        """Processor seconds of this process and of those that it has waited for, at each look at the test."""
        faulthandler.enable(file, all_threads=False)
        threading.Thread(target=self._look, daemon=True).start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.test = item.nodeid
        self.used.clear()
        self.began = os.times().elapsed
        # In case the test lets no other thread have a turn. On a busy machine, ours has one late.
        limit = self.max_seconds + 2 * self.max_idle / LOOKS + 5
        faulthandler.dump_traceback_later(limit, file=self.file, exit=True)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()
            self.test = ""

    def _look(self) -> None:
        """Look at the test again and again. (Neither clock is that of the test, which may have one of its own.)"""
        seconds = self.max_idle / LOOKS
        never = threading.Event()
        while not never.wait(seconds):
            self.used.append(sum(os.times()[:4]))
            used = list(self.used)
            if not self.test:
                continue
            if len(used) > LOOKS and used[-1] - used[0] < self.max_idle / 60:
                self._end(f"it computed nothing for {self.max_idle:.0f} s")
            elif os.times().elapsed - self.began >= self.max_seconds:
                self._end(f"it did not end within {self.max_seconds:.0f} s")

    def _end(self, reason: str) -> None:
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        stack = "".join(traceback.format_stack(frame)[1 - MAX_LINES // 2 :])
        # Without workers nobody else says which test it was.
        print(f"hung: {reason}\n{stack}\nFAILED {self.test} - hung: {reason}", file=self.file, flush=True)
        os._exit(1)


class Deaths:
    """Reports the tests in which workers died: what was the matter, and where the test was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["deaths"] = str(self.folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: Any) -> None:
        written = (self.folder / report.node.gateway.id).read_text(encoding="utf-8").partition("\nFAILED ")[0]
        message, _newline, traces = written.partition("\n")
        if message.startswith("Timeout"):
            message = "hung: no other thread had a turn"
        # faulthandler writes all threads, the main one as the last, with the latest call first.
        where = traces.rpartition("(most recent call first):\n")[2].splitlines()[:MAX_LINES]
        report.longrepr = Death(message or "the worker died without a traceback: killed?", where)

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self.folder)


class Death:
    """What pytest shows of a test in which its worker died."""

    def __init__(self, message: str, where: list[str]) -> None:
        self.reprcrash = SimpleNamespace(message=message)
        self.text = "\n".join([message, *where])

    def toterminal(self, writer: Any) -> None:
        writer.line(self.text)
