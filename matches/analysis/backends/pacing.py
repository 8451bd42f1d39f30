"""Limiting a program to a share of one core, by stopping and continuing its process group in short periods.

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

PERIOD = 0.02
"""Seconds. Shorter than what a page or a worker does at a time, so that each of them meets the same share of a
program; in longer periods, some would be slowed from beginning to end."""
_KILL_UNLESS_TOLD = 'read -r line || kill -s KILL -- "-$1"'
"""`read` fails once the other end of the pipe is closed without a line."""


@contextmanager
def paced(group: int, share: float) -> Iterator[Callable[[], None]]:
    """Return a function that waits for a period, of which a process group runs for a share (above 0, at most 1).

    Between two calls the group is stopped, if the share is below 1: whoever leaves this context kills it.
    """
    if share >= 1:
        yield partial(time.sleep, PERIOD)
        return
    with _killed_with_this_process(group):
        yield partial(_run_and_stop, group, share)


def _run_and_stop(group: int, share: float) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGCONT)
        time.sleep(PERIOD * share)
        os.killpg(group, signal.SIGSTOP)
    time.sleep(PERIOD * (1 - share))


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
