"""Reading files that anybody may have sent: in a process of its own, whose memory, time and answer are limited."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import structlog

from engine.errors import Refused

MEMORY = 256 * 1024 * 1024
"""Bytes of address space; the interpreter, our readers and Pillow take some 40 MiB of it."""
CPU_SECONDS = 5
SECONDS = 45.0
"""After which a worker waits no longer, on a machine too busy to give a process that time; a claim lasts 60."""
SECONDS_OF_REQUEST = 25.0
MAX_ANSWER = 16 * 1024 * 1024
"""Bytes."""
SMALL = 64 * 1024
"""Bytes of a text that is read without a process: what it can cost is bounded by its length (docs/performance.md)."""
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""No archive and no picture is without them: they are in signatures, versions and lengths."""
AT_ONCE = 2
"""Files that a web process has read at once."""
WAITING = 2
"""Requests that wait until others are read. More are refused, since each takes a thread from other requests."""
PATIENCE = 5.0
"""Seconds for which they wait."""
CHILD = Path(__file__).with_name("limited_child.py")

TOO_HEAVY = "file_too_heavy"
BUSY = "reading_busy"

Value = TypeVar("Value")
events = structlog.get_logger(__name__)
_places = threading.BoundedSemaphore(AT_ONCE + WAITING)
_processes = threading.BoundedSemaphore(AT_ONCE)


class ReaderFailed(Exception):
    """A reader raised what is no refusal: a bug, shown with its traceback."""


def read(reader: Callable[[bytes], Value], content: bytes) -> Value:
    """Return `reader(content)`, computed in a limited process unless the content is a small text.

    The reader is a function of a module that needs no settings and no models; it returns bytes or a JSON value.
    Refused: what the reader refuses, `file_too_heavy` past a limit, `reading_busy` if no CPU time was to be had.
    Raises ReaderFailed.
    """
    return _read(reader, content, SECONDS)


def read_in_request(reader: Callable[[bytes], Value], content: bytes) -> Value:
    """Return the same as `read` to a request, which takes its turn. Refused: as for `read`."""
    with nullcontext() if _is_small_text(content) else _turn():
        return _read(reader, content, SECONDS_OF_REQUEST)


def _is_small_text(content: bytes) -> bool:
    return len(content) <= SMALL and CONTROLS.search(content) is None


@contextmanager
def _turn() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise Refused(BUSY)
    try:
        if not _processes.acquire(timeout=PATIENCE):
            raise Refused(BUSY)
        try:
            yield
        finally:
            _processes.release()
    finally:
        _places.release()


def _read(reader: Callable[[bytes], Value], content: bytes, seconds: float) -> Value:
    if _is_small_text(content):
        return reader(content)
    name = f"{reader.__module__}:{reader.__qualname__}"
    value: Value = _value(name, len(content), *_run(name, content, seconds))
    return value


def _value(name: str, size: int, status: int, answer: bytes) -> Any:
    """Return what the answer of a process says. Refused, and raises: as for `read`."""
    kind, value = answer[:1], answer[1:]
    if status == -signal.SIGKILL and len(answer) <= MAX_ANSWER:
        raise Refused(BUSY)
    if status < 0 or kind == b"M":
        events.warning("file_too_heavy", reader=name, size=size, status=status, answer=len(answer))
        raise Refused(TOO_HEAVY)
    if status or kind == b"E":
        raise ReaderFailed(value.decode() or f"{name} ended with status {status}")
    if kind == b"B":
        return value
    parsed = json.loads(value)
    if kind == b"R":
        code, params = parsed
        raise Refused(code, **params)
    return parsed


def _run(name: str, content: bytes, seconds: float) -> tuple[int, bytes]:
    """Return the exit status of the process, or the negative number of the signal that ended it, and its answer."""
    paths = os.pathsep.join(sys.path)
    command = [sys.executable, "-I", "-S", "-B", str(CHILD), str(CPU_SECONDS), str(MEMORY), paths, name]
    with subprocess.Popen(  # noqa: S603 (our own command)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
    ) as process:
        timer = threading.Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - for the type checker
            with suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(content)
            answer = process.stdout.read(MAX_ANSWER + 1)
            if len(answer) > MAX_ANSWER:
                process.kill()
            return process.wait(), answer
        finally:
            timer.cancel()
            process.kill()
