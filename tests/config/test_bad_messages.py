"""A message that no worker can read is put aside, and the worker goes on with the next one."""

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from config.celery import UNREADABLE, UNREADABLE_KEPT, broker_url, put_aside
from config.celery import app as celery_app
from core.queue import URGENT
from tests.config.test_worker_pulse import ROOT, WORKER, environment
from tests.conftest import ValkeyServer
from tests.faults.test_supervisor import eventually

PROGRAM = """
import sys
from pathlib import Path
from celery.__main__ import main
from config.celery import app

done = Path(sys.argv.pop())

@app.task(name="tests.note")
def note(number):
    with done.open("a") as file:
        file.write(f"{number}\\n")

main()
"""
"""A worker that notes which tasks it did."""
Message = dict[str, Any]
MISSING = object()
WRONG = (MISSING, None, 5, 0.5, True, "words", "", [], [1], {}, {"a": 1})
PATHS = (
    ("body",),
    ("properties",),
    ("properties", "delivery_tag"),
    ("properties", "delivery_info"),
    ("properties", "delivery_info", "exchange"),
    ("properties", "delivery_info", "routing_key"),
    ("properties", "body_encoding"),
    ("properties", "priority"),
    ("properties", "correlation_id"),
    ("properties", "reply_to"),
    ("headers",),
    ("headers", "task"),
    ("headers", "id"),
    ("headers", "eta"),
    ("headers", "expires"),
    ("headers", "timelimit"),
    ("headers", "retries"),
    ("headers", "argsrepr"),
    ("headers", "group"),
    ("headers", "root_id"),
    ("headers", "lang"),
    ("headers", "compression"),
    ("headers", "stamped_headers"),
    ("content-type",),
    ("content-encoding",),
)
TEXTS = (b"5", b"[]", b"null", b'"words"', b"{", b"", b" ", b"\xff\xfe", b"[" * 100_000, b'{"__type__": "x"}')
BODIES = ("%%%", "QQ", "not base64 at all", *(b64encode(text).decode() for text in (*TEXTS, b"[1, 2, 3]", b"[[], {}]")))


def changed(good: Message, path: tuple[str, ...], value: object) -> bytes:
    """A good message with another value somewhere."""
    message = deepcopy(good)
    *above, name = path
    place = message
    for key in above:
        place = place[key]
    if value is MISSING:
        place.pop(name, None)
    else:
        place[name] = value
    return json.dumps(message).encode()


def bad_messages(good: Message) -> Iterator[bytes]:
    yield from TEXTS
    for body in BODIES:
        yield changed(good, ("body",), body)
    for path in PATHS:
        for value in WRONG:
            yield changed(good, path, value)
    yield changed(good, ("headers", "timelimit"), ["long", "longer"])
    yield changed(good, ("headers", "compression"), "zlib")
    yield changed(good, ("content-type",), "application/x-python-serialize")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def good_messages(broker: ValkeyServer) -> Callable[[int], list[bytes]]:
    """Tasks numbered from 0, as the site publishes them."""

    def publish(count: int) -> list[bytes]:
        with Redis.from_url(broker.url) as client, celery_app.connection(broker_url(broker.url)) as connection:
            for number in range(count):
                celery_app.send_task("tests.note", args=[number], connection=connection)
            messages = client.lrange(URGENT, 0, -1)[::-1]
            client.delete(URGENT)
        return list(messages)

    return publish


@pytest.mark.slow
def test_each_good_message_behind_a_bad_one_is_done(
    broker: ValkeyServer, good_messages: Callable[[int], list[bytes]], tmp_path: Path
) -> None:
    (example,) = good_messages(1)
    bad = list(bad_messages(json.loads(example)))
    assert len(bad) > 250
    queue = [message for pair in zip(bad, good_messages(len(bad)), strict=True) for message in pair]
    done = tmp_path / "done"
    done.touch()
    with Redis.from_url(broker.url) as client:
        client.lpush(URGENT, *queue)
        worker = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *WORKER, str(done)], cwd=ROOT, env=environment(tmp_path, broker.url)
        )
        try:
            eventually(lambda: f"{len(bad) - 1}\n" in done.read_text() or worker.poll() is not None, 120)
            assert worker.poll() is None, f"it ended with {client.llen(URGENT)} messages behind"
            numbers = {int(number) for number in done.read_text().split()}
            assert numbers >= set(range(len(bad)))
            assert eventually(lambda: not client.llen(URGENT) and not client.hlen("unacked"), 10)
            assert client.llen(UNREADABLE) == UNREADABLE_KEPT
        finally:
            worker.kill()
            worker.wait()


def test_what_was_put_aside_is_bounded(valkey: Redis) -> None:
    for number in range(UNREADABLE_KEPT + 5):
        put_aside(URGENT, {"number": number, "text": "x" * 10_000}, ValueError())
    kept = valkey.lrange(UNREADABLE, 0, -1)
    assert len(kept) == UNREADABLE_KEPT
    assert kept[0].startswith(b"{'number': 104, ")
    assert max(map(len, kept)) < 5000
