"""The plugin of .ci/run that ends tests which hang: whatever one does, it is named, and all others have a verdict."""

import os
import re
import subprocess
import sys
from pathlib import Path

from core.packages import ROOT

PLANTED = """
import ctypes, os, re, time, pytest

def test_sleeps():
    time.sleep(3600)

def test_computes():
    while True:
        pass

def test_lets_no_thread_run():
    ctypes.PyDLL(None).sleep(3600)

def test_crashes():
    ctypes.string_at(0)

def test_is_killed():
    os.kill(os.getpid(), 9)

@pytest.mark.parametrize("number", range(20))
def test_passes(number):
    pass
"""
REASONS = {
    "test_sleeps": "hung: it computed nothing for 2 s",
    "test_computes": "hung: it did not end within 4 s",
    "test_lets_no_thread_run": "hung: no other thread had a turn",
    "test_crashes": "Fatal Python error: Segmentation fault",
    "test_is_killed": "the worker died without a traceback: killed?",
}


def run(folder: Path, *arguments: str) -> str:
    """What pytest prints of the planted tests, with short limits."""
    (folder / "pytest.ini").write_text("[pytest]\nmax_idle_seconds = 2\nmax_test_seconds = 4\n")
    (folder / "test_planted.py").write_text(PLANTED)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(ROOT), "CI": "true", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "tests.hanging", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout + done.stderr


def test_each_way_to_hang_and_to_die_is_named_once_with_where_it_was(tmp_path: Path) -> None:
    printed = run(tmp_path, "-n", "2", "--dist", "worksteal")
    assert dict(re.findall(r"^FAILED test_planted.py::(\w+) - (.*)$", printed, re.MULTILINE)) == REASONS
    assert "5 failed, 20 passed" in printed
    where = re.findall(r'test_planted\.py", line \d+,? in (\w+)', printed)
    assert sorted(where) == sorted(set(REASONS) - {"test_is_killed"})
    assert len(printed.splitlines()) < 200


def test_without_workers_a_test_that_hangs_is_named_too(tmp_path: Path) -> None:
    printed = run(tmp_path, "-k", "passes or sleeps")
    assert "FAILED test_planted.py::test_sleeps - hung: it computed nothing for 2 s" in printed
