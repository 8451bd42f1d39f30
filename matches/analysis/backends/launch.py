"""Limit this process and become another program: `python launch.py NICENESS CPU_SECONDS BYTES FILE_BYTES PROGRAM …`.

A program of its own rather than a function run between fork and exec, which is unsafe in a process with threads.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

AUTOGROUP = Path("/proc/self/autogroup")
PR_SET_PDEATHSIG = 1


def main() -> None:
    """Set the limits and execute the program."""
    niceness, cpu_seconds, memory, file_bytes = (int(argument) for argument in sys.argv[1:5])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    niceness = os.nice(niceness)
    # Where the kernel shares the CPU between sessions, niceness counts only within one, and this session is new.
    with suppress(OSError):
        AUTOGROUP.write_text(str(niceness))
    if sys.platform == "linux":
        # The program must not survive the worker that started it.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.execvp(sys.argv[5], sys.argv[5:])  # noqa: S606, no shell is wanted


main()
