"""Readers that exceed each limit of a limited process, for `test_limited`."""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from engine.errors import Refused


def lengths(content: bytes) -> list[int]:
    return [len(content), os.getpid()]


def reversed_bytes(content: bytes) -> bytes:
    return content[::-1]


def refuses(content: bytes) -> bytes:
    raise Refused("spreadsheet_too_large", mebibytes=len(content))


def is_faulty(content: bytes) -> float:
    return len(content) / 0


def takes_memory(content: bytes) -> int:
    return len(bytearray(300 * 1024 * 1024) + content)


def takes_time(content: bytes) -> bytes:
    while True:
        content = content[::-1]


def talks(content: bytes) -> bytes:
    return content + bytes(17 * 1024 * 1024)


def crashes(content: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return content


def waits(content: bytes) -> bytes:
    signal.pause()
    return content


def environment(_content: bytes) -> list[list[str]]:
    """Return the environment, and the files that are open besides the two that a limited process has."""
    files = {int(name) for name in os.listdir("/proc/self/fd")} if Path("/proc/self/fd").exists() else set()
    return [list(os.environ), sorted(str(number) for number in files if number > 2 and _is_open(number))]


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False  # the folder itself, while it was listed
    return True


def writes(content: bytes) -> int:
    return Path("written").write_bytes(content)


def modules(_content: bytes) -> list[str]:
    """Return the modules that are imported once each reader is."""
    for name in ("core.people_lists", "core.pictures", "core.spreadsheets", "matches.records.verdicts"):
        import_module(name)
    return sorted(sys.modules)
