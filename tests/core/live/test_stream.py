"""The event stream, served by uvicorn with a real broker: changes arrive, and only for who may see them."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn
from django.db import connection, transaction

from config import asgi
from core.live.publishing import publish
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, set_due
from matches.lifecycle.voiding import void_matches
from matches.models import Match
from matches.play.services.starting import PlaySettings, start
from players.actors import SYSTEM
from players.models import Player, User
from tests.conftest import ValkeyServer

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)
PATIENCE = 10


@pytest.fixture
def match(db: None) -> Match:
    players = (Player.objects.create(name="Bob"), Player.objects.create(name="Carol"))
    return open_matches([Opening(players, 5)], settings=MatchSettings(), by=SYSTEM, now=NOW)[0]


@pytest.fixture
def port(transactional_db: None) -> Iterator[int]:
    """The site under uvicorn in a thread of this process."""
    server = uvicorn.Server(uvicorn.Config(asgi.application, port=0, lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    server.force_exit = True
    thread.join(PATIENCE)


class Stream:
    """A client that reads events one by one."""

    def __init__(self, port: int, *topics: str, **headers: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        query = "&".join(f"topic={topic}" for topic in topics)
        self.connection.request("GET", f"/live/?{query}", headers=headers)
        self.response = self.connection.getresponse()

    def next(self) -> dict[str, Any]:
        """The next event, comments left out; raises EOFError at the end."""
        while line := self.response.readline():
            if line.startswith(b"data: "):
                event: dict[str, Any] = json.loads(line[6:])
                return event
        raise EOFError

    def close(self) -> None:
        self.connection.close()


def test_the_current_number_comes_first_then_every_change(port: int, match: Match) -> None:
    stream = Stream(port, match.topic)
    assert stream.response.headers["Content-Type"] == "text/event-stream"
    assert stream.next() == {"topic": match.topic, "seq": 0}
    for seq in (1, 2):
        set_due(match, due_at=datetime(2026, 11, 20 + seq, tzinfo=UTC), by=SYSTEM)
        assert stream.next() == {"topic": match.topic, "seq": seq}
    stream.close()


def test_opening_a_match_to_be_played_here_and_voiding_it_are_announced(port: int, match: Match) -> None:
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    start(match=match, settings=PlaySettings(), by=SYSTEM, now=NOW)
    assert stream.next() == {"topic": match.topic, "seq": 1}
    with transaction.atomic():
        void_matches({Match.objects.get(pk=match.pk): False}, club=None, by=SYSTEM, now=NOW)
    match.refresh_from_db()
    assert match.state == Match.State.VOID
    assert stream.next() == {"topic": match.topic, "seq": match.seq}
    stream.close()


def test_a_private_match_is_not_there_for_others(port: int, match: Match, dave: User) -> None:
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    assert Stream(port, match.topic).response.status == 404


@pytest.mark.parametrize(
    ("topics", "status"),
    [
        ((), 400),
        (("match:nonsense12",), 404),
        (("match:",), 404),
        (("secret:1",), 404),
        (tuple(f"x:{n}" for n in range(31)), 400),
    ],
)
def test_what_cannot_be_watched_is_refused(topics: tuple[str, ...], status: int, port: int, match: Match) -> None:
    assert Stream(port, *topics).response.status == status


def test_streams_hold_no_database_connection(port: int, match: Match) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no list of connections")
    streams = [Stream(port, match.topic) for _ in range(12)]
    for stream in streams:
        stream.next()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        (count,) = cursor.fetchone()
    assert count <= 3
    for stream in streams:
        stream.close()


def test_streams_end_when_the_broker_was_away_and_catch_up_by_number(
    port: int, match: Match, valkey_server: ValkeyServer
) -> None:
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    valkey_server.stop()
    try:
        # Nobody hears of it, but the write is not disturbed.
        set_due(match, due_at=NOW, by=SYSTEM)
        with pytest.raises(EOFError):
            stream.next()
    finally:
        valkey_server.start()
    again = Stream(port, match.topic)
    assert again.next() == {"topic": match.topic, "seq": 1}
    # The hub subscribes again by itself.
    deadline = time.monotonic() + PATIENCE
    heard = threading.Event()
    threading.Thread(target=lambda: (again.next(), heard.set()), daemon=True).start()
    while not heard.is_set() and time.monotonic() < deadline:
        publish(match.topic, 2)
        time.sleep(0.1)
    assert heard.is_set()
