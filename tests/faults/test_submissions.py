"""Whatever dies, every record gets its verdict exactly once, and sending one in never fails."""

import json
import os
import signal
import sqlite3
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.valkey import free_port
from tests.faults.test_supervisor import DATABASE, Installation, eventually
from tests.matches.records.samples import long_session, simulated

CLAIM_LASTS = 4
PATIENCE = 60.0
NOT_HUNG = 20.0
"""Seconds. Without time limits, waiting for a missing broker takes minutes."""


class Checking(Installation):
    """An installation with short claims and without upload limits."""

    def start(self) -> "subprocess.Popen[str]":
        self.env |= {"QUEUE_RESEND_AFTER": "2", "QUEUE_CLAIM_LASTS": str(CLAIM_LASTS), "UPLOAD_RATE_ANON": "9999/hour"}
        return super().start()

    def send(self, data: bytes) -> float:
        """Send in a record and return the seconds it took."""
        body = json.dumps({"text": data.decode()}).encode()
        address = f"http://127.0.0.1:{self.port}/api/v1/submissions/"
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        began = time.monotonic()
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 201
        return time.monotonic() - began

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Read from the database, from outside."""
        database = sqlite3.connect(f"file:{self.var / DATABASE}?mode=ro", uri=True, timeout=20)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def states(self) -> Counter[str]:
        return Counter(state for (state,) in self.rows("SELECT state FROM matches_submission"))

    def verdicts(self) -> Counter[int]:
        """Return the number of verdicts of each submission."""
        return Counter(submission_id for (submission_id,) in self.rows("SELECT submission_id FROM matches_verdict"))

    def all_done(self, count: int) -> bool:
        return self.states() == {"done": count}

    def kill(self, name: str) -> None:
        os.kill(self.pid(name), signal.SIGKILL)


@pytest.fixture
def checking(tmp_path: Path) -> Iterator[Checking]:
    running = Checking(tmp_path, free_port())
    running.lines_until("Barpoint is ready")
    yield running
    running.process.send_signal(signal.SIGCONT)
    running.process.terminate()
    running.process.communicate(timeout=60)


def warmed_up(checking: Checking) -> None:
    """Wait until the worker has done its first record."""
    checking.send(simulated(seed=99))
    assert eventually(lambda: checking.all_done(1), PATIENCE)


def stopped_without_lock(checking: Checking) -> bool:
    """Stop the worker and return True if it held no database lock; otherwise let it continue."""
    os.kill(checking.pid("records"), signal.SIGSTOP)
    database = sqlite3.connect(checking.var / DATABASE, timeout=0, isolation_level=None)
    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        os.kill(checking.pid("records"), signal.SIGCONT)
        return False
    finally:
        database.close()
    return True


def test_a_worker_killed_during_an_adjudication(checking: Checking) -> None:
    warmed_up(checking)
    for games in (240, 241, 242):
        checking.send(long_session(games))
    assert eventually(lambda: checking.states()["working"] > 0)
    checking.kill("records")
    interrupted = checking.rows("SELECT id FROM matches_submission WHERE state = 'working'")
    assert interrupted
    assert not checking.verdicts().keys() & {submission_id for (submission_id,) in interrupted}
    assert eventually(lambda: checking.all_done(4), PATIENCE)
    assert set(checking.verdicts().values()) == {1}
    assert len(checking.verdicts()) == 4
    attempts = dict(checking.rows("SELECT id, attempts FROM matches_submission"))
    assert all(attempts[submission_id] == 2 for (submission_id,) in interrupted)


def test_a_broker_killed_between_upload_and_work(checking: Checking) -> None:
    warmed_up(checking)
    # The worker cannot take them before the broker dies, and the queue dies with the broker.
    assert eventually(lambda: stopped_without_lock(checking))
    for seed in range(5):
        assert checking.send(simulated(seed=seed)) < NOT_HUNG
    checking.kill("valkey")
    os.kill(checking.pid("records"), signal.SIGCONT)
    assert checking.states()["done"] == 1
    assert eventually(lambda: checking.all_done(6), PATIENCE)
    assert set(checking.verdicts().values()) == {1}


def test_a_broker_missing_during_the_upload(checking: Checking) -> None:
    warmed_up(checking)
    # A stopped supervisor does not restart the broker.
    checking.process.send_signal(signal.SIGSTOP)
    checking.kill("valkey")
    took = [checking.send(simulated(seed=seed)) for seed in range(5)]
    assert max(took) < NOT_HUNG
    time.sleep(3)
    assert checking.states() == {"done": 1, "queued": 5}
    checking.process.send_signal(signal.SIGCONT)
    assert eventually(lambda: checking.all_done(6), PATIENCE)
    assert set(checking.verdicts().values()) == {1}


def test_a_record_that_kills_every_worker_is_given_up(checking: Checking) -> None:
    warmed_up(checking)
    checking.send(long_session(400))
    for attempt in (1, 2, 3):
        query = f"SELECT 1 FROM matches_submission WHERE state = 'working' AND attempts = {attempt}"
        assert eventually(lambda query=query: bool(checking.rows(query)), PATIENCE), attempt
        checking.kill("records")
    assert eventually(lambda: checking.states()["failed"] == 1, PATIENCE)
    assert checking.rows("SELECT failure FROM matches_submission WHERE state = 'failed'") == [("adjudication_gave_up",)]
    checking.send(simulated(seed=1))
    assert eventually(lambda: checking.states() == {"done": 2, "failed": 1}, PATIENCE)
