import signal
import time
from typing import Any

import pytest
from celery import shared_task
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from kombu.exceptions import OperationalError
from redis import Redis

from config.cache import PAUSE_AFTER_TIMEOUT
from config.celery import PUBLISH_PATIENCE
from config.celery import app as celery_app
from players.models import User
from tests.conftest import ValkeyServer

pytestmark = pytest.mark.postgresql
NOT_HUNG = 20.0
"""Seconds. Without its own limits a publisher retries for minutes; benchmarks measure the actual time."""


@shared_task(name="tests.rename")
def rename(user_id: int, name: str) -> None:
    """A task with a visible effect."""
    User.objects.filter(pk=user_id).update(display_name=name)


def name_of(user: User, expected: str, patience: float = 60.0) -> str:
    """Wait until the user's name is `expected`, or until the time is up, and return it."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        user.refresh_from_db()
        if user.display_name == expected:
            break
        time.sleep(0.02)
    return user.display_name


def test_a_worker_runs_what_was_published_after_commit(celery_worker: Any, bob: User) -> None:
    with transaction.atomic():
        transaction.on_commit(lambda: rename.delay(bob.pk, "Robert"), robust=True)
    assert name_of(bob, "Robert") == "Robert"


def test_an_idle_worker_keeps_listening(celery_worker: Any, bob: User) -> None:
    """The publisher's short time limits must not apply to the worker, which waits on the same kind of connection."""
    time.sleep(1.5 * PUBLISH_PATIENCE)
    rename.delay(bob.pk, "Robert")
    assert name_of(bob, "Robert") == "Robert"


@pytest.mark.usefixtures("broker_down")
def test_a_commit_succeeds_without_a_broker_and_without_waiting(transactional_db: None, bob: User) -> None:
    began = time.monotonic()
    with transaction.atomic():
        User.objects.filter(pk=bob.pk).update(display_name="Robert")
        transaction.on_commit(lambda: rename.delay(bob.pk, "Bobby"), robust=True)
    assert time.monotonic() - began < NOT_HUNG
    assert name_of(bob, "Robert") == "Robert"


@pytest.mark.usefixtures("broker_down")
def test_a_first_connection_to_a_missing_broker_fails_at_once() -> None:
    began = time.monotonic()
    with celery_app.connection_for_write() as unused_so_far, pytest.raises(OperationalError):
        rename.apply_async((1, "Bobby"), connection=unused_so_far)
    assert time.monotonic() - began < NOT_HUNG


@pytest.mark.slow
def test_a_hanging_broker_does_not_block_a_request(
    transactional_db: None, bob: User, client: Client, valkey_server: ValkeyServer
) -> None:
    assert valkey_server.process is not None
    valkey_server.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        with transaction.atomic():
            transaction.on_commit(lambda: rename.delay(bob.pk, "Bobby"), robust=True)
        assert cache.get("score", "unknown") == "unknown"
        assert client.get("/").status_code == 200
        assert time.monotonic() - began < NOT_HUNG
    finally:
        valkey_server.process.send_signal(signal.SIGCONT)
    time.sleep(PAUSE_AFTER_TIMEOUT)
    cache.set("score", "3–6")
    assert cache.get("score") == "3–6"


def test_the_cache_is_empty_without_a_broker(valkey: Redis, valkey_server: ValkeyServer) -> None:
    cache.set("score", "3–6")
    assert cache.get("score") == "3–6"
    valkey_server.stop()
    try:
        assert cache.get("score", "unknown") == "unknown"
        cache.set("score", "4–6")
        assert cache.add("other", 1) is False
        assert cache.get_many(["score"]) == {}
    finally:
        valkey_server.start()
    assert cache.get("score", "unknown") == "unknown"
