"""`/readyz` tries a write and names what is wrong; `/healthz` needs neither database nor broker."""

import re
import signal
import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from redis import Redis

from config.monitoring import health
from core import queue
from core.queue import ABSENT_AFTER, OUTGOING, RECORDS, STOPPED_AFTER, SWEEPS, URGENT, WORKERS, sign
from tournaments.results.workers import stopped_work


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long for a lock, and look again in each test."""
    monkeypatch.setattr(health, "PATIENCE_MS", 100)
    monkeypatch.setattr(health, "_last_state", None)


@pytest.mark.django_db
def test_readyz_is_red_when_no_sweep_has_ended_for_a_minute(
    client: Client, valkey: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_hour_ahead = time.time() + 3600
    valkey.hset(SWEEPS, mapping={"tournaments.heartbeat": an_hour_ahead, "players.delete_expired": 0})
    sign(valkey, [URGENT, RECORDS, OUTGOING])

    def look(seconds: float) -> tuple[int, str, list[str]]:
        queue._seen.at -= seconds
        response = client.get("/readyz")
        return response.status_code, response.json()["sweeps"], stopped_work()

    assert look(0) == (200, "ok", []), "however long ago it was: the process has just begun to look"
    assert look(STOPPED_AFTER - 5) == (200, "ok", [])
    assert look(6) == (
        503,
        "stopped",
        ["Draws, calls and deadlines have stopped: nothing has started them for a minute."],
    )
    valkey.hset(SWEEPS, "tournaments.heartbeat", time.time())
    assert look(0) == (200, "ok", []), "one ended, by a clock that was set back"
    valkey.hset(WORKERS, URGENT, 0)
    assert look(61)[2] == ["Draws, calls and deadlines have stopped: no worker is running."]


def test_healthz_needs_no_database(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


def test_a_process_that_is_about_to_stop_fails_its_health_check_and_goes_on(client: Client) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    health.listen()
    try:
        for _ in range(2):
            signal.raise_signal(signal.SIGUSR1)
        assert client.get("/healthz").status_code == 503
        assert client.get("/robots.txt").status_code == 200
    finally:
        signal.signal(signal.SIGUSR1, before)
        health._process.is_draining = False
    assert client.get("/healthz").status_code == 200


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_readyz_is_red_while_another_process_holds_the_lock(client: Client) -> None:
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "BEGIN")
        if connection.vendor == "postgresql":
            cursor.execute("LOCK TABLE django_session IN EXCLUSIVE MODE")
        while_locked = client.get("/readyz")
        cursor.execute("ROLLBACK")
    other.close()
    assert (while_locked.status_code, while_locked.json()["database"]) == (503, "locked")
    assert client.get("/readyz").json() == {"database": "ok", "queue": "ok", "sweeps": "ok"}
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout")
            assert cursor.fetchone()[0] > health.PATIENCE_MS, "the usual patience is back"


@pytest.mark.django_db
def test_readyz_names_a_queue_on_which_nobody_works(client: Client, valkey: Redis) -> None:
    assert client.get("/readyz").json()["queue"] == "ok", "after a start of the broker workers have half a minute"
    seconds, _ = valkey.time()
    valkey.hset(WORKERS, mapping={URGENT: seconds - ABSENT_AFTER - 1, RECORDS: seconds - ABSENT_AFTER + 5})
    health._last_state = None
    response = client.get("/readyz")
    assert (response.status_code, response.json()["queue"]) == (200, "no worker for celery")
    metric = re.search(rb'barpoint_worker_age_seconds{queue="celery"} (\d+)', health.exposition())
    assert metric is not None
    assert int(metric[1]) > ABSENT_AFTER
    sign(valkey, [URGENT])
    health._last_state = None
    assert client.get("/readyz").json()["queue"] == "ok"


@pytest.mark.django_db
def test_many_requests_for_readyz_write_once(client: Client, settings: Any, django_assert_num_queries: Any) -> None:
    assert client.get("/readyz").status_code == 200
    settings.HEALTH_LASTS = 3600.0
    with django_assert_num_queries(0):
        assert client.get("/readyz").json()["database"] == "ok"


@pytest.mark.django_db(transaction=True)
def test_readyz_is_red_when_nothing_can_be_written(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        with monkeypatch.context() as patch:
            patch.setattr(health, "MIN_FREE_BYTES", 1 << 60)
            assert client.get("/readyz").json()["database"] == "disk full"
        read_only, writable = "PRAGMA query_only = 1", "PRAGMA query_only = 0"
    else:
        read_only, writable = (f"SET default_transaction_read_only = {value}" for value in ("on", "off"))
    with connection.cursor() as cursor:
        cursor.execute(read_only)
        try:
            refused = client.get("/readyz")
        finally:
            cursor.execute(writable)
    assert (refused.status_code, refused.json()["database"]) == (503, "read only")
