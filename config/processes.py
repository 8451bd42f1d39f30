"""Child processes that never outlive their parent and are restarted when they die."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

PR_SET_PDEATHSIG = 1
FIRST_DELAY, MAX_DELAY = 0.2, 30.0
# After so many seconds a process counts as healthy, and its next restart is quick again.
HEALTHY_AFTER = 20.0


def bound_to_parent() -> Callable[[], None]:
    """Return a function for Popen's `preexec_fn`, so that the child is killed with its parent, even by kill -9 (on
    Linux).
    """
    parent = os.getpid()
    prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None

    def bind() -> None:
        if prctl is None:
            return
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The parent may have died before the call above.
        if os.getppid() != parent:
            os._exit(1)

    return bind


class Process(Protocol):
    """A child: a `subprocess.Popen` or a `forking.ForkedProcess`."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


def spawn(argv: Sequence[str], env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a child that dies with this process. It has its own session, so Ctrl-C reaches only its parent."""
    return subprocess.Popen(  # noqa: S603 (our own commands)
        list(argv),
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=bound_to_parent(),
    )


def stop(process: Process, patience: float) -> None:
    """Terminate a child, and kill it after `patience` seconds."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Child:
    """A process that is restarted when it dies, after longer pauses if it keeps dying."""

    def __init__(
        self,
        name: str,
        start: Callable[[], Process],
        run_dir: Path,
        longest_delay: float = MAX_DELAY,
    ) -> None:
        self.name = name
        self._start = start
        self.pid_file = run_dir / f"{name}.pid"
        self.process: Process | None = None
        self.longest_delay = longest_delay
        self.delay = min(FIRST_DELAY, longest_delay)
        self.started_at = 0.0
        self.restart_at = 0.0

    def start(self) -> Process:
        """Start the process and write its pid to a file."""
        self.process = self._start()
        self.started_at = time.monotonic()
        self._write_pid(self.process.pid)
        return self.process

    def _write_pid(self, pid: int) -> None:
        """Replace the file atomically, so that no reader finds it empty."""
        new = self.pid_file.with_suffix(".new")
        new.write_text(f"{pid}\n")
        new.replace(self.pid_file)

    def restart_if_dead(self) -> str | None:
        """Restart the process if it is time to; return a message for the operator if it has just died."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.restart_at:
                self.start()
            return None
        exit_code = self.process.poll()
        if exit_code is None:
            return None
        if now - self.started_at > HEALTHY_AFTER:
            self.delay = min(FIRST_DELAY, self.longest_delay)
        self.process, self.restart_at = None, now + self.delay
        notice = f"{self.name} ended with exit code {exit_code}; starting it again in {self.delay:g} s"
        self.delay = min(2 * self.delay, self.longest_delay)
        return notice

    def end(self, patience: float) -> None:
        """Stop the process for good."""
        if self.process is not None:
            stop(self.process, patience)
        self.pid_file.unlink(missing_ok=True)
