"""Every benchmark, one after the other, as one report: `make bench`.

    python -m benchmarks [NAME …]     for example: python -m benchmarks floor results

Each runs in a process of its own and fixes its seeds, so that a run can be repeated.
"""

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import monotonic

from benchmarks.machine import processor

HERE = Path(__file__).resolve().parent
RULE = "─" * 100


def names() -> list[str]:
    """Return the names of the benchmarks: every `bench_….py` beside this file."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def about_this_run() -> str:
    """Describe the time, the machine and the commit."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    return "\n".join(
        [
            f"Barpoint, {_commit()}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GiB; load before the run {load}",
            f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        ]
    )


def _commit() -> str:
    """Return the commit, marked if files differ from it."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (FileNotFoundError, subprocess.CalledProcessError):
        return "no checkout"


def run(name: str) -> bool:
    """Run a benchmark and print its time; return whether it succeeded."""
    about = (import_module(f"benchmarks.bench_{name}").__doc__ or name).strip().partition("\n\n")[0]
    print(f"\n{RULE}\n{' '.join(about.split())}\n", flush=True)
    begun = monotonic()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}"], check=False)  # noqa: S603
    print(f"\n({name}: {monotonic() - begun:.0f} s)", flush=True)
    return done.returncode == 0


def main() -> int:
    """Print the report; 1 if any of them failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    chosen = parser.parse_args().names or names()
    if unknown := sorted(set(chosen) - set(names())):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(names())}")
    print(about_this_run(), flush=True)
    failed = [name for name in chosen if not run(name)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
