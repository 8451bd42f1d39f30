"""Running a program with limits and at a share of one core, in a process group and a folder of its own."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

# Limiting a program to a share of one core, and letting other work go first, by stopping and continuing its group.
#
# Niceness only says who goes first on a core. Virtual processors mostly share a physical core in pairs, so that a
# program of the lowest priority on one of them still slows what runs on the other, for as long as it computes.


PERIOD = 0.01
"""Seconds. Shorter than what a page or a worker does at a time, so that most of that is done while the program is
stopped."""
MIN_SHARE = 0.05
"""Of a core, which a program gets however busy the machine is."""
_LOADAVG = Path("/proc/loadavg")
_KILL_UNLESS_TOLD = 'read -r line || kill -s KILL -- "-$1"'
"""`read` fails once the other end of the pipe is closed without a line."""


@contextmanager
def paced(group: int, share: float) -> Iterator[Callable[[], None]]:
    """Return a function that waits while a process group runs for a share of the time (above 0, at most 1).

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
        self._most_skipped = round(share / MIN_SHARE) - 1
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
    """Start a process that kills the group if this one dies, which it notices by the end of a pipe.

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


# Running a program with limits, in a process group and a folder of its own, until it ends or its time is up.


LAUNCH = Path(__file__).with_name("launch.py")
_LOOK_EVERY = 0.5
"""Seconds between two looks at the CPU time of the program; a look takes longer than everything else in a period."""
_USER_TICKS = 11
"""Index of the user time in /proc/PID/stat after the name, followed by the system time."""
_MEBIBYTE = 1024 * 1024
ADVICE_SECONDS, ADVICE_IDLE_SECONDS, ADVICE_CPU_SECONDS = 60, 15, 5
"""How long a program may take for one decision of a practice match, by the wall clock, without using any CPU time, and
of CPU time. A busy machine makes it slower and not weaker."""
ADVICE_NICENESS = 10


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    seconds: float = 1800
    """In which it runs, by the wall clock: long, since a busy machine leaves little to the lowest priority."""
    idle_seconds: float = 120
    """In which it runs without using any CPU time, after which the program is thought to hang."""
    cpu_seconds: int = 240
    memory: int = 1024 * _MEBIBYTE
    """Bytes of address space."""
    file_size: int = 64 * _MEBIBYTE
    """Bytes of each file that it writes."""
    niceness: int = 19
    cpu_share: float = 1.0
    """Of the time it runs, on one core; for the rest it is stopped (`pacing.py`)."""

    @property
    def longest(self) -> float:
        """Seconds from its start to its end, at most."""
        return self.seconds / self.cpu_share

    @property
    def longest_idle(self) -> float:
        """Seconds without using any CPU time, at most."""
        return self.idle_seconds / self.cpu_share

    def for_advice(self) -> "ProgramLimits":
        """Return the limits of a program that a player waits for: less of all, before analyses and without stops."""
        return replace(
            self,
            seconds=min(self.seconds, ADVICE_SECONDS),
            idle_seconds=min(self.idle_seconds, ADVICE_IDLE_SECONDS),
            cpu_seconds=min(self.cpu_seconds, ADVICE_CPU_SECONDS),
            niceness=min(self.niceness, ADVICE_NICENESS),
            cpu_share=1.0,
        )

    @property
    def arguments(self) -> list[str]:
        """What `launch.py` takes."""
        return [str(number) for number in (self.niceness, self.cpu_seconds, self.memory, self.file_size)]


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program used. Its exit code is not kept, since gnubg's means nothing."""

    cpu_seconds: float
    memory: int
    """Largest resident size in bytes."""
    timed_out: bool
    output: bytes


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    limits: ProgramLimits,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program in `folder`, which is its HOME as well; kill it with its children when its time is up.

    Its output is read from a file, so that a program that writes without end fills no memory.
    Raises OSError if it cannot be started.
    """
    (folder / "stdin").write_bytes(stdin)
    command = [sys.executable, "-I", str(LAUNCH), *limits.arguments]
    environ = {"HOME": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", **(env or {})}
    with (folder / "stdin").open("rb") as source, (folder / "stdout").open("wb") as output:
        process = subprocess.Popen(  # noqa: S603, the program of a setting, and no shell
            [*command, *argv],
            cwd=folder,
            env=environ,
            stdin=source,
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        with paced(process.pid, limits.cpu_share) as pause:
            usage, timed_out = _wait(process, limits, pause)
    finally:
        # Also after a normal end: the program may have left children behind.
        kill_group(process.pid)
    return Finished(
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss * 1024,
        timed_out=timed_out,
        output=(folder / "stdout").read_bytes(),
    )


def _wait(
    process: "subprocess.Popen[bytes]", limits: ProgramLimits, pause: Callable[[], None]
) -> tuple[resource.struct_rusage, bool]:
    """Return what the program used, and whether it was killed because its time was up or it did nothing."""
    deadline = time.monotonic() + limits.longest
    busy = Busy(process.pid)
    killed = False
    while True:
        pid, status, usage = os.wait4(process.pid, 0 if killed else os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage, killed
        if time.monotonic() > deadline or busy.idle_for() > limits.longest_idle:
            killed = True
            kill_group(process.pid)
        else:
            pause()


class Busy:
    """Since when a process has used no CPU time."""

    def __init__(self, pid: int) -> None:
        self.stat = Path(f"/proc/{pid}/stat")
        self.ticks = -1
        self.since = self.looked_at = time.monotonic()

    def idle_for(self) -> float:
        """Return the seconds since its CPU time was last seen to grow; 0 where that cannot be read."""
        now = time.monotonic()
        if now - self.looked_at < _LOOK_EVERY:
            return self.looked_at - self.since
        self.looked_at = now
        try:
            fields = self.stat.read_text().rpartition(")")[2].split()
        except OSError:
            self.since = now
            return 0.0
        ticks = int(fields[_USER_TICKS]) + int(fields[_USER_TICKS + 1])
        if ticks != self.ticks:
            self.ticks, self.since = ticks, now
        return now - self.since


def kill_group(pid: int) -> None:
    """Kill a process with its children; nothing happens if it has ended."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
