"""Workers sign for their queues, and one that cannot go on ends, so that it is started again."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from celery.utils.log import get_logger
from celery.worker import state
from kombu import Consumer, Message, Queue
from kombu.common import ignore_errors
from redis import Redis

from config.celery import WorkerPulse, broker_url
from config.celery import app as celery_app
from core.live.publishing import publish, publish_all, touch
from core.queue import GUESTS, RECORDS, URGENT, WORKERS, hint, unattended
from tests.conftest import ValkeyServer
from tests.faults.test_supervisor import eventually

ROOT = Path(__file__).resolve().parents[2]
WORKER = ["--app=config", "--quiet", "worker", f"--queues={URGENT}", "--pool=threads", "--concurrency=1"]


def environment(var: Path, redis_url: str) -> dict[str, str]:
    """The environment of a process of an installation in a folder."""
    installation = {"BARPOINT_PROFILE": "local", "BARPOINT_VAR": str(var), "DATABASE_URL": "", "REDIS_URL": redis_url}
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(ROOT), **installation}


def test_a_worker_signs_for_its_queues_alone(valkey: Redis) -> None:
    seconds, _ = valkey.time()
    valkey.hset(WORKERS, mapping=dict.fromkeys([URGENT, RECORDS, GUESTS], seconds - 60))
    assert unattended([URGENT, RECORDS, GUESTS]) == [URGENT, RECORDS, GUESTS]
    assert WorkerPulse([RECORDS, GUESTS]).look()
    assert unattended([URGENT, RECORDS, GUESTS]) == [URGENT]


def test_an_idle_worker_that_leaves_messages_lying_does_not_sign(valkey: Redis) -> None:
    pulse = WorkerPulse([URGENT])
    valkey.rpush(URGENT, "message")
    assert pulse.look(), "the message may have come just now"
    valkey.delete(WORKERS)
    assert not pulse.look()
    assert not valkey.exists(WORKERS)


def test_a_busy_worker_is_not_dead(valkey: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    pulse = WorkerPulse([URGENT])
    valkey.rpush(URGENT, "message")
    monkeypatch.setattr(state, "active_requests", {object()})
    assert pulse.look()
    assert pulse.look()


PROGRAM = """
import sys, threading, time
from pathlib import Path
from celery.__main__ import main
from kombu.transport.redis import Channel
from config.celery import app

has_begun, connect = Path(sys.argv.pop()), Channel._connparams

@app.task(name="tests.hang")
def hang():
    has_begun.touch()
    time.sleep(600)

def fail_while_it_hangs(self, *args, **kwargs):
    # As where another thread has just closed the connection that this one asks for its parameters.
    if has_begun.exists() and threading.current_thread() is threading.main_thread():
        raise AttributeError("'NoneType' object has no attribute 'hostname'")
    return connect(self, *args, **kwargs)

Channel._connparams = fail_while_it_hangs
main()
"""
"""A worker whose connection fails for good after its broker was restarted, as was seen of kombu 5.7."""


@pytest.mark.slow
def test_a_worker_that_cannot_go_on_ends_though_a_task_hangs(tmp_path: Path) -> None:
    broker, has_begun = ValkeyServer(tmp_path), tmp_path / "begun"
    broker.start()
    env = environment(tmp_path, broker.url)
    worker = subprocess.Popen([sys.executable, "-c", PROGRAM, *WORKER, str(has_begun)], cwd=ROOT, env=env)
    with Redis.from_url(broker.url) as client:
        assert eventually(lambda: client.hexists(WORKERS, URGENT))
        with celery_app.connection(broker_url(broker.url)) as connection:
            celery_app.send_task("tests.hang", connection=connection)
        assert eventually(has_begun.exists)
    broker.stop()
    broker.start()
    assert worker.wait(60) == 1
    broker.stop()


def test_a_channel_whose_broker_has_gone_is_closed_without_another_error(tmp_path: Path) -> None:
    """As the consumer of a worker does, while one of its threads acknowledges a message."""
    broker = ValkeyServer(tmp_path)
    broker.start()
    connection = celery_app.connection_for_read(broker_url(broker.url))
    work, received = Queue("work", routing_key="work"), list[Message]()
    with connection.Producer() as producer:
        producer.publish("task", routing_key="work", declare=[work])
    connection.Consumer([work], on_message=received.append).consume()
    # A second channel, as for the commands of an operator: closing it fails before the first is closed.
    Consumer(connection.channel(), [Queue("commands")], on_message=received.append).consume()
    connection.drain_events(timeout=5)
    with suppress(TimeoutError):
        connection.drain_events(timeout=0.1)  # So that both wait for the next message.
    broker.stop()
    connection.collect(socket_timeout=1)
    ignore_errors(connection, connection.close)
    (message,) = received
    message.ack_log_error(get_logger(__name__), connection.connection_errors)


def test_nothing_is_published_or_logged_without_a_broker(settings: object, capfd: pytest.CaptureFixture[str]) -> None:
    settings.REDIS_URL = ""  # type: ignore[attr-defined]
    publish("match:a", 1)
    publish_all([("match:a", 1)])
    touch("tournament:a")
    hint("tournaments.heartbeat")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        ["uvicorn", "config.asgi:application", "--port=1"],
        ["celery", *WORKER],
        ["celery", "--app=config", "--quiet", "beat", "--pidfile="],
        ["manage", "run_clock"],
    ],
    ids=["web", "worker", "beat", "clock"],
)
def test_a_process_without_a_broker_says_so_in_one_line(program: list[str], tmp_path: Path) -> None:
    env = environment(tmp_path, "")
    ended = subprocess.run(
        [sys.executable, "-m", *program], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    lines = (ended.stdout + ended.stderr).splitlines()
    assert ended.returncode != 0
    assert len(lines) == 1, ended.stdout + ended.stderr
    assert lines[0].startswith("REDIS_URL is empty.")
