"""On what a benchmark runs."""

import platform
from pathlib import Path


def processor() -> str:
    """The processor's name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
    return names[0] if names else platform.processor()
