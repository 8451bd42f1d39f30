"""The machine that a benchmark runs on."""

import platform
from pathlib import Path


def processor() -> str:
    """Return the name of the processor, if the system gives it."""
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
    return names[0] if names else platform.processor()
