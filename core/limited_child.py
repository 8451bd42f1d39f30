"""Limit this process and run a reader in it: `python -I -S -B limited_child.py CPU_SECONDS BYTES PATHS READER`.

The file comes in by standard input. The answer begins with a letter that says what follows: `B` bytes, `J` a JSON
value, `R` the code and parameters of a refusal as JSON, `M` nothing, as memory ran out, `E` the traceback of a fault.

A new interpreter rather than a fork, which is unsafe in a process with threads, and would hold the site's secrets and
connections. It reads no settings and writes no files, so it works wherever the site does.
"""

import json
import os
import resource
import signal
import sys
import traceback
from importlib import import_module
from typing import Any

NICENESS = 3
"""Whoever waits for a page comes before whoever waits for a file to be read."""


def limit(cpu_seconds: int, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # macOS knows this limit and refuses to set it.
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(NICENESS)
    # These are sent to all processes of a service that stops; it still answers the requests that it has taken.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def answer(reader: str, content: bytes) -> bytes:
    """Return the answer of a reader, named as `module:function`."""
    from engine.errors import Refused

    module, _, function = reader.partition(":")
    try:
        value: Any = getattr(import_module(module), function)(content)
        return b"B" + value if isinstance(value, bytes) else b"J" + json.dumps(value).encode()
    except Refused as refused:
        return b"R" + json.dumps([refused.code, refused.params]).encode()


def main() -> None:
    cpu_seconds, memory, paths, reader = sys.argv[1:]
    limit(int(cpu_seconds), int(memory))
    sys.path[:] = paths.split(os.pathsep)
    try:
        written = answer(reader, sys.stdin.buffer.read())
    except MemoryError:
        written = b"M"
    except Exception:  # noqa: BLE001, raised again by the parent
        written = b"E" + traceback.format_exc().encode(errors="backslashreplace")
    sys.stdout.buffer.write(written)


main()
