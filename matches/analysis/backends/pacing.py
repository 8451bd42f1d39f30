"""Limiting a program to a share of one core, and letting other work go first, by stopping and continuing its group.

Niceness only says who goes first on a core. Virtual processors mostly share a physical core in pairs, so that a program
of the lowest priority on one of them still slows what runs on the other, for as long as it computes.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

PERIOD = 0.01
"""Seconds. Shorter than what a page or a worker does at a time, so that most of that is done while the program is
stopped."""
LEAST_SHARE = 0.05
"""Of a core, which a program gets however busy the machine is."""
_LOADAVG = Path("/proc/loadavg")
_KILL_UNLESS_TOLD = 'read -r line || kill -s KILL -- "-$1"'
"""`read` fails once the other end of the pipe is closed without a line."""


@contextmanager
def paced(group: int, share: float) -> Iterator[Callable[[], None]]:
    """Return a function that waits for a period, of which a process group runs for a share (above 0, at most 1).

    With a share below 1 the group is stopped until the first call and between two of them, so that whoever leaves this
    context has to kill it; and most periods that begin while the machine is busy are skipped.
    """
    if share >= 1:
        yield partial(time.sleep, PERIOD)
        return
    with _killed_with_this_process(group):
        _signal(group, signal.SIGSTOP)
        yield _Pace(group, share).wait


class _Pace:
    """When a stopped process group runs."""

    def __init__(self, group: int, share: float) -> None:
        self._group, self._share = group, share
        self._most_skipped = round(share / LEAST_SHARE) - 1
        self._skipped = 0

    def wait(self) -> None:
        """Wait for a period, and let the group run for its share of it if the machine has nothing else to do."""
        if self._skipped < self._most_skipped and is_busy():
            self._skipped += 1
            time.sleep(PERIOD)
            return
        self._skipped = 0
        _signal(self._group, signal.SIGCONT)
        time.sleep(PERIOD * self._share)
        _signal(self._group, signal.SIGSTOP)
        time.sleep(PERIOD * (1 - self._share))


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def is_busy() -> bool:
    """Whether the other processes of this machine want half of its cores or more; False where Linux does not tell."""
    try:
        runnable = int(_LOADAVG.read_text().split()[3].partition("/")[0])
    except FileNotFoundError:
        return False
    this_process = 1
    return runnable - this_process >= max(1, (os.cpu_count() or 1) // 2)


@contextmanager
def _killed_with_this_process(group: int) -> Iterator[None]:
    """Have the group killed if this process dies, by one that waits for the end of a pipe.

    The program itself dies with its parent (`launch.py`), but not its children, which would stay stopped for ever.
    """
    guard = subprocess.Popen(  # noqa: S603, a constant command and a number
        ["/bin/sh", "-c", _KILL_UNLESS_TOLD, "guard", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.communicate(b"\n")
