"""A program that stays running and answers one question after the other, for the process that started it.

To start a program takes it far longer than a decision. So one is kept for each worker process; its threads take turns.
It ends after a minute without a question, as it holds more memory than the worker. One that dies is started again at
once, and one that hangs, computes too long or answers nonsense is killed, so that the next question meets a fresh one.
It dies with its worker (`launch.py`).
"""

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

import structlog

from engine.errors import Refused
from matches.analysis.backends.processes import LAUNCH, Busy, ProgramLimits, kill_group

log = structlog.get_logger(__name__)
LOOK_EVERY = 0.5
"""Seconds between two looks at whether it still works."""
MAX_ANSWERS = 2000
"""Of one process; after that a fresh one is started, in case the program collects memory."""
LIFE_CPU_SECONDS = 4 * 3600
"""CPU time of a process in all; each question has a limit of its own."""
IDLE_SECONDS = 60.0
"""Without a question; then it ends."""
MAX_BYTES = 4 * 1024 * 1024
"""Of an answer."""


class Died(Exception):
    """The program ended in the middle of an answer."""


class WarmProgram:
    """A program with a command line, started when it is first asked."""

    def __init__(self, argv: Sequence[str], limits: ProgramLimits) -> None:
        self.argv, self.limits = list(argv), limits
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._pid = 0
        self._answers = 0
        self._used_at = 0.0
        self._lock = Lock()

    def ask(self, question: str, end: bytes) -> str:
        """Write a question and return what it answers, up to a line that begins with `end`.

        Refused: `no_analysis_backend` if it cannot be started, `analysis_timed_out`, and `analysis_unreadable` if it
        dies twice or answers without end.
        """
        with self._lock:
            for is_last in (False, True):
                try:
                    return self._answer(question, end)
                except Died:
                    log.warning("analysis_program_died", program=self.argv[0])
                    self._stop()
                    if is_last:
                        break
                except BaseException:
                    self._stop()
                    raise
                finally:
                    self._used_at = time.monotonic()
        raise Refused("analysis_unreadable")

    def stop(self) -> None:
        """End the program; it is started again when it is next asked."""
        with self._lock:
            self._stop()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _answer(self, question: str, end: bytes) -> str:
        process = self._running()
        assert process.stdin is not None  # noqa: S101, both are pipes
        assert process.stdout is not None  # noqa: S101
        busy, cpu_before, deadline = Busy(process.pid), cpu_seconds(process.pid), time.monotonic() + self.limits.longest
        try:
            process.stdin.write(question.encode())
            process.stdin.flush()
        except OSError:
            raise Died from None
        output, begins = bytearray(), b"\n" + end
        while True:
            readable, _, _ = select.select([process.stdout], [], [], LOOK_EVERY)
            if readable:
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise Died
                output += chunk
                at = (b"\n" + output).find(begins)
                if at >= 0 and output.find(b"\n", at) >= 0:
                    self._answers += 1
                    return output.decode("utf-8", "replace")
                if len(output) > MAX_BYTES:
                    raise Refused("analysis_unreadable")
            used = cpu_seconds(process.pid) - cpu_before
            is_over = time.monotonic() > deadline or used > self.limits.cpu_seconds
            if is_over or busy.idle_for() > self.limits.longest_idle:
                raise Refused("analysis_timed_out")

    def _running(self) -> "subprocess.Popen[bytes]":
        """The process, a fresh one where there is none. Refused: `no_analysis_backend`."""
        if self._process is not None and self._pid != os.getpid():
            # This worker was forked: the program belongs to its parent.
            self._process, self._folder = None, ""
        if self._process is not None and (self._answers >= MAX_ANSWERS or self._process.poll() is not None):
            self._stop()
        if self._process is None:
            self._folder, self._pid, self._answers = tempfile.mkdtemp(prefix="program-"), os.getpid(), 0
            limits = [self.limits.niceness, LIFE_CPU_SECONDS, self.limits.memory, self.limits.file_size]
            environ = {"HOME": self._folder, "PATH": os.defpath, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}
            try:
                self._process = subprocess.Popen(  # noqa: S603, the program of a setting, and no shell
                    [sys.executable, "-I", str(LAUNCH), *map(str, limits), *self.argv],
                    cwd=self._folder,
                    env=environ,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                shutil.rmtree(self._folder, ignore_errors=True)
                raise Refused("no_analysis_backend") from None
            Thread(target=self._end_when_idle, args=[self._process], daemon=True).start()
        return self._process

    def _end_when_idle(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait until nobody has asked for a while, then end the process, unless another has taken its place."""
        while True:
            time.sleep(max(0.0, self._used_at + IDLE_SECONDS - time.monotonic()))
            with self._lock:
                if self._process is not process:
                    return
                if time.monotonic() >= self._used_at + IDLE_SECONDS:
                    self._stop()
                    return

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            kill_group(process.pid)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used; 0 where that cannot be read."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
