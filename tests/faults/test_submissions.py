"""Whatever dies, every record gets its verdict exactly once, and sending one in never fails."""

import itertools
import json
import os
import signal
import sqlite3
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.test_event import Event, started
from tests.faults.test_supervisor import DATABASE, eventually
from tests.matches.records.samples import long_session, simulated

pytestmark = pytest.mark.slow
PATIENCE = 60.0
NOT_HUNG = 20.0
"""Seconds. Without time limits, waiting for a missing broker takes minutes."""


class Checking(Event):
    """An installation to which records are sent."""

    latest = 0
    """The id of the last submission of the tests before; theirs are not counted."""
    seeds = itertools.count()

    def send(self, data: bytes) -> float:
        """Send in a record and return the seconds it took."""
        body = json.dumps({"text": data.decode()}).encode()
        address = f"http://127.0.0.1:{self.port}/api/v1/submissions/"
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        began = time.monotonic()
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 201
        return time.monotonic() - began

    def send_new(self) -> float:
        """Send in a record that was not sent before and return the seconds it took."""
        return self.send(simulated(seed=next(self.seeds)))

    def submissions(self, columns: str, condition: str = "TRUE") -> list[tuple[Any, ...]]:
        """Return columns of the submissions of this test."""
        return self.rows(f"SELECT {columns} FROM matches_submission WHERE id > {self.latest} AND {condition}")

    def states(self) -> Counter[str]:
        return Counter(state for (state,) in self.submissions("state"))

    def verdicts(self) -> Counter[int]:
        """Return the number of verdicts of each submission."""
        rows = self.rows(f"SELECT submission_id FROM matches_verdict WHERE submission_id > {self.latest}")
        return Counter(submission_id for (submission_id,) in rows)

    def all_done(self, count: int) -> bool:
        return self.states() == {"done": count}


@pytest.fixture(scope="module")
def installation() -> Iterator[Checking]:
    """One for all tests, since its processes take seconds to start."""
    with started(Checking) as installation:
        yield installation


@pytest.fixture
def checking(installation: Checking) -> Iterator[Checking]:
    ((installation.latest,),) = installation.rows("SELECT coalesce(max(id), 0) FROM matches_submission")
    yield installation
    installation.process.send_signal(signal.SIGCONT)


def warmed_up(checking: Checking) -> None:
    """Wait until the worker has done its first record."""
    checking.send_new()
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
    for games in (80, 81, 82):
        checking.send(long_session(games))
    assert eventually(lambda: checking.states()["working"] > 0)
    assert checking.kill("records")
    interrupted = checking.submissions("id", "state = 'working'")
    assert interrupted
    assert not checking.verdicts().keys() & {submission_id for (submission_id,) in interrupted}
    assert eventually(lambda: checking.all_done(4), PATIENCE)
    assert set(checking.verdicts().values()) == {1}
    assert len(checking.verdicts()) == 4
    attempts = dict(checking.submissions("id, attempts"))
    assert all(attempts[submission_id] == 2 for (submission_id,) in interrupted)


def test_a_broker_killed_between_upload_and_work(checking: Checking) -> None:
    warmed_up(checking)
    # The worker cannot take them before the broker dies, and the queue dies with the broker.
    assert eventually(lambda: stopped_without_lock(checking))
    for _ in range(5):
        assert checking.send_new() < NOT_HUNG
    assert checking.kill("valkey")
    os.kill(checking.pid("records"), signal.SIGCONT)
    assert checking.states()["done"] == 1
    assert eventually(lambda: checking.all_done(6), PATIENCE)
    assert set(checking.verdicts().values()) == {1}


def test_a_broker_missing_during_the_upload(checking: Checking) -> None:
    warmed_up(checking)
    # A stopped supervisor does not restart the broker.
    checking.process.send_signal(signal.SIGSTOP)
    assert checking.kill("valkey")
    took = [checking.send_new() for _ in range(5)]
    assert max(took) < NOT_HUNG
    time.sleep(3)
    assert checking.states() == {"done": 1, "queued": 5}
    checking.process.send_signal(signal.SIGCONT)
    assert eventually(lambda: checking.all_done(6), PATIENCE)
    assert set(checking.verdicts().values()) == {1}


def test_a_record_that_kills_every_worker_is_given_up(checking: Checking) -> None:
    warmed_up(checking)
    checking.send(long_session(120))
    for attempt in (1, 2, 3):
        working = f"state = 'working' AND attempts = {attempt}"
        assert eventually(lambda working=working: bool(checking.submissions("id", working)), PATIENCE), attempt
        assert checking.kill("records")
    assert eventually(lambda: checking.states()["failed"] == 1, PATIENCE)
    assert checking.submissions("failure", "state = 'failed'") == [("adjudication_gave_up",)]
    checking.send_new()
    assert eventually(lambda: checking.states() == {"done": 2, "failed": 1}, PATIENCE)
