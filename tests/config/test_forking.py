"""What a fork must not inherit, and what it shares."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from config.forking import fork

ROOT = Path(__file__).resolve().parents[2]
REPORT = """
import json, os, random, signal, sys
print(json.dumps({
    "arguments": sys.argv[1:],
    "random": random.random(),
    "leads_session": os.getsid(0) == os.getpid(),
    "input": sys.stdin.read() + os.read(0, 1).decode(),
    "default_handlers": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
    "blocked": [number.name for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
}))
sys.exit(3)
"""
TWO_FORKS = """
import random, signal
from config.forking import fork
signal.signal(signal.SIGTERM, lambda number, frame: None)
random.seed(7)
for name in ("first", "second"):
    assert fork("report", [name]).wait(30) == 3
print(random.random())
"""
FORK_WITH_A_CONNECTION = """
import django
django.setup()
from django.db import connection
connection.ensure_connection()
from config.forking import fork
fork("report", [])
"""


def run(code: str, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """Run code in a process with a single thread, which pytest's are not."""
    (tmp_path / "report.py").write_text(REPORT)
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env |= {"PYTHONPATH": f"{ROOT}:{tmp_path}", "BARPOINT_VAR": str(tmp_path), "BARPOINT_PROFILE": "local"}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=tmp_path, env=env, input="typed", capture_output=True, text=True, check=False)


def test_a_fork_begins_like_a_new_process(tmp_path: Path) -> None:
    completed = run(TWO_FORKS, tmp_path)
    assert completed.returncode == 0, completed.stderr
    *reports, parents_number = completed.stdout.splitlines()
    first, second = map(json.loads, reports)
    assert (first["arguments"], second["arguments"]) == (["first"], ["second"])
    assert len({first["random"], second["random"], float(parents_number)}) == 3
    for report in (first, second):
        assert report["leads_session"]
        assert report["default_handlers"]
        assert (report["input"], report["blocked"]) == ("", [])


@pytest.mark.slow
def test_a_process_with_a_connection_to_the_database_is_not_forked(tmp_path: Path) -> None:
    completed = run(FORK_WITH_A_CONNECTION, tmp_path)
    assert "RuntimeError: A process with a connection to the database cannot be forked." in completed.stderr


def test_a_process_with_a_second_thread_is_not_forked() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="poller")
    thread.start()
    try:
        with pytest.raises(RuntimeError, match=r"single thread can be forked; there are .*poller"):
            fork("report", [])
    finally:
        done.set()
        thread.join()
