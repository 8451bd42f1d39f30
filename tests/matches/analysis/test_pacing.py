"""A program gets its share of one core, and nothing stays stopped for ever."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.conf import LazySettings

from matches.analysis.backends.chosen import NAMES, backend_named
from matches.analysis.backends.processes import ADVICE_SECONDS, ProgramLimits, is_busy, run
from matches.analysis.queue import claim_lasts
from tests.matches.analysis.programs import ROOT, is_running

BURN = """
import sys, time
wall, cpu = time.monotonic(), time.process_time()
while time.process_time() < cpu + float(sys.argv[1]):
    pass
print((time.process_time() - cpu) / (time.monotonic() - wall))
"""
WITH_CHILD = """
sleep 60 &
echo "$$ $!" > pids.new
mv pids.new pids
sleep 20
"""
"""For the shell, which begins at once even if it gets little of a busy machine."""
WORKER = """
import pathlib, sys
from matches.analysis.backends.processes import ProgramLimits, run
run(["/bin/sh", "-c", sys.argv[1]], folder=pathlib.Path(sys.argv[2]), limits=ProgramLimits(cpu_share=0.1))
"""
PATIENCE = 20


@pytest.mark.slow
def test_a_program_gets_its_share_of_the_time(tmp_path: Path) -> None:
    """A busy machine makes it less, never more."""
    finished = run(
        [sys.executable, "-c", BURN, "0.25"], folder=tmp_path, limits=ProgramLimits(cpu_share=0.25, niceness=0)
    )
    assert 0 < float(finished.output) < 0.5
    assert finished.cpu_seconds >= 0.25
    assert not finished.timed_out


@pytest.mark.slow
def test_a_program_hardly_runs_while_others_do_and_still_comes_to_its_end(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        wait_until(is_busy)
        finished = run(
            [sys.executable, "-c", BURN, "0.1"], folder=tmp_path, limits=ProgramLimits(cpu_share=0.9, niceness=0)
        )
    finally:
        other.kill()
        other.wait()
    assert 0 < float(finished.output) < 0.4
    assert not finished.timed_out


@pytest.mark.slow
@pytest.mark.parametrize("most", [{"seconds": 1}, {"idle_seconds": 0.4}], ids=str)
def test_a_program_is_killed_with_its_children_though_it_is_stopped(tmp_path: Path, most: dict[str, float]) -> None:
    finished = run(
        ["/bin/sh", "-c", WITH_CHILD], folder=tmp_path, limits=ProgramLimits(cpu_share=0.2, niceness=0, **most)
    )
    assert finished.timed_out
    assert_all_end(pids_in(tmp_path))


def test_a_program_ends_with_its_children_when_its_worker_is_killed(tmp_path: Path) -> None:
    """The program is stopped most of the time, and its child does not know of the worker."""
    command = [sys.executable, "-c", WORKER, WITH_CHILD, str(tmp_path)]
    worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        wait_until((tmp_path / "pids").exists)
        pids = pids_in(tmp_path)
        wait_until(lambda: any(_state(pid) == "T" for pid in pids))
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert_all_end(pids)


def test_limits_of_time_count_while_a_program_runs() -> None:
    limits = ProgramLimits(seconds=100, idle_seconds=10, cpu_share=0.5)
    assert (limits.longest, limits.longest_idle) == (200, 20)
    advice = limits.for_advice()
    assert (advice.cpu_share, advice.longest) == (1, ADVICE_SECONDS), "a player waits for it"
    assert advice.cpu_seconds * 10 < advice.longest, "a busy machine makes it slower and not weaker"


def test_the_share_of_the_settings_holds_for_every_program(settings: LazySettings) -> None:
    settings.ANALYSIS_CPU_SHARE = 0.2
    backends = [backend_named(name) for name in NAMES]
    assert [backend.limits.cpu_share for backend in backends] == [0.2, 0.2]  # type: ignore[attr-defined]
    assert claim_lasts().total_seconds() > ProgramLimits(cpu_share=0.2).longest, (
        "or another worker would start it again"
    )


def pids_in(folder: Path) -> list[int]:
    """The program and its child."""
    program, child = (folder / "pids").read_text().split()
    return [int(program), int(child)]


def assert_all_end(pids: Sequence[int]) -> None:
    wait_until(lambda: not any(map(is_running, pids)))


def wait_until(is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
