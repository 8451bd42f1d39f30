"""Search for faults with new random choices until the time is over: `make soak MINUTES=30`.

A round has one seed. Its steps are the files with tests that choose at random, those of the engine once more with the
compiled engine, those marked for it once more on PostgreSQL and Redis, and whole matches and evenings. Several steps
run at once. Those that passed are noted in var/soak.json, so that the next call goes on with the round; after its last
step, a round with another seed begins. What fails is printed with the command that repeats it. TEST_SEED=5 begins with
the first step of this seed's round.
"""

import json
import os
import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
PROGRESS = ROOT / "var" / "soak.json"
PYTHON = os.path.relpath(sys.executable, ROOT)
PYTEST = f"{PYTHON} -m pytest -q"
RANDOM = "soak or hypothesis"
A_MOMENT = 0.2
TO_STOP = 60.0
"""Seconds that an interrupted step has to stop its servers."""


def steps(seed: int) -> list[str]:
    """Return the commands of a round, in the random order of its seed."""
    files, both = _files(RANDOM), f"({RANDOM}) and postgresql"
    commands = [f"{PYTEST} -m '{RANDOM}' {path}" for path in files]
    commands += [f"tools/with_postgresql {PYTEST} -m '{both}' {path}" for path in _files(both, *files)]
    commands += [
        "make test-engine-wheel ARGS='-m hypothesis'",
        f"{PYTHON} manage.py play_matches --count 150 --seed {seed}",
        f"{PYTHON} manage.py simulate_evening --players 24 --tables 8 --events 10 --seed {seed}",
        f"{PYTHON} manage.py simulate_weekend --people 32 --tables 8 --weekends 4 --seed {seed}",
        f"{PYTHON} manage.py simulate_cash --evenings 5000 --seed {seed}",
        f"{PYTHON} manage.py simulate_evening --cellar {seed} --events 40",
        f"{PYTHON} -m tests.simulation.cellar 100000 --seed {seed}00000",
    ]
    Random(seed).shuffle(commands)  # noqa: S311, a round that can be repeated
    return commands


def _files(marks: str, *among: str) -> list[str]:
    command = [*shlex.split(PYTEST), "--collect-only", "-m", marks, *among]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    files = sorted({line.partition("::")[0] for line in listing.stdout.splitlines() if "::" in line})
    if listing.returncode or not files:
        raise SystemExit(listing.stdout + listing.stderr)
    return files


class Soak:
    """Rounds until a step fails or the time is over."""

    def __init__(self, minutes: float) -> None:
        self.until = time.monotonic() + 60 * minutes
        self.failed: list[str] = []
        progress = json.loads(PROGRESS.read_text()) if PROGRESS.exists() else {"seed": _new_seed(), "passed": []}
        if chosen := os.environ.get("TEST_SEED"):
            progress = {"seed": int(chosen), "passed": []}
        self.seed: int = progress["seed"]
        self.passed: list[str] = progress["passed"]
        self.note()

    def run(self, at_once: int) -> None:
        """Run rounds; raises SystemExit(1) if something failed."""
        while time.monotonic() < self.until and not self.failed:
            commands = steps(self.seed)
            waiting = [command for command in commands if command not in self.passed]
            print(f"TEST_SEED={self.seed}: {len(waiting)} of {len(commands)} steps to run", flush=True)
            with ThreadPoolExecutor(at_once) as pool:
                try:
                    list(pool.map(self.take, waiting))
                except KeyboardInterrupt:
                    self.until = 0.0
            if set(commands) <= set(self.passed):
                self.seed, self.passed = _new_seed(), []
                self.note()
        print(f"{len(self.failed)} failed; TEST_SEED={self.seed}: {len(self.passed)} steps passed.")
        if self.failed:
            print("\n".join(["Repeat with", *self.failed]))
            raise SystemExit(1)

    def take(self, command: str) -> None:
        """Run a step, if there is time, and note how it ended."""
        began = time.monotonic()
        if began >= self.until:
            return
        env = os.environ | {"TEST_TIER": "soak", "TEST_SEED": str(self.seed)}
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(  # noqa: S603
                shlex.split(command), cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True
            )
            while process.poll() is None:
                if time.monotonic() >= self.until:
                    _stop(process)
                    return
                time.sleep(A_MOMENT)
            if process.returncode == 0:
                self.passed.append(command)
                self.note()
            else:
                output.seek(0)
                print(output.read())
                self.failed.append(f"TEST_TIER=soak TEST_SEED={self.seed} {command}")
        outcome = "failed" if process.returncode else "passed"
        print(f"{time.monotonic() - began:5.0f} s  {outcome}  {command}", flush=True)

    def note(self) -> None:
        """Write down which steps of the round have passed."""
        PROGRESS.parent.mkdir(exist_ok=True)
        PROGRESS.write_text(json.dumps({"seed": self.seed, "passed": self.passed}))


def _new_seed() -> int:
    return secrets.randbelow(10**6)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Interrupt a step as Ctrl-C would, so that it stops what it started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(TO_STOP)
            return


if __name__ == "__main__":
    # A shell ignores it in what it runs in the background, and so would all steps.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--at-once", type=int, default=2, help="how many steps run at the same time")
    options = parser.parse_args()
    Soak(options.minutes).run(options.at_once)
