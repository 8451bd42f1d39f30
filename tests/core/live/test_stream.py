"""The event stream, served by uvicorn with a real broker: changes arrive, and only for who may see them."""

import asyncio
import contextlib
import gc
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
import uvicorn
from django.db import connection, transaction
from django.http import HttpRequest
from redis import Redis

from config import asgi
from core.live import audience
from core.live import stream as views
from core.live.publishing import CHANNEL, authorise, publish
from core.live.stream import TopicChange, hub
from matches.lifecycle import links
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, set_due
from matches.lifecycle.voiding import void_matches
from matches.models import Match
from matches.play.starting import PlaySettings, start
from players.actors import SYSTEM
from players.models import Player, User
from tests.conftest import ValkeyServer

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)
PATIENCE = 60


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
        """The next number of a topic; raises EOFError at the end."""
        while True:
            name, event = self.next_of_any_kind()
            if name == "message":
                return event

    def next_of_any_kind(self) -> tuple[str, dict[str, Any]]:
        """The name and the data of the next event; raises EOFError at the end."""
        name = "message"
        while line := self.response.readline():
            if line.startswith(b"event: "):
                name = line[7:].decode().strip()
            if line.startswith(b"data: "):
                return name, json.loads(line[6:])
        raise EOFError

    def rest(self) -> Iterator[dict[str, Any]]:
        """What the stream says until it ends."""
        with contextlib.suppress(EOFError):
            while True:
                yield self.next()

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


def test_streams_end_when_spectators_are_to_be_behind_from_now_on(port: int, match: Match) -> None:
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    start(match=match, settings=PlaySettings(spectators_delay=10), by=SYSTEM, now=NOW)
    assert len(list(stream.rest())) <= 1
    assert Stream(port, match.topic).response.status == 404
    assert Stream(port, f"watch:{match.public_id}").next()["seq"] == 0


def test_a_topic_that_may_not_be_watched_does_not_end_the_stream_for_the_others(port: int, match: Match) -> None:
    hidden = open_matches([Opening(match.players, 5)], settings=MatchSettings(), by=SYSTEM, now=NOW)[0]
    Match.objects.filter(pk=hidden.pk).update(visibility=Match.Visibility.PRIVATE)
    stream = Stream(port, hidden.topic, match.topic)
    assert stream.next_of_any_kind() == ("refused", {"topic": hidden.topic})
    assert stream.next_of_any_kind() == ("message", {"topic": match.topic, "seq": 0})
    set_due(hidden, due_at=NOW, by=SYSTEM)
    set_due(match, due_at=NOW, by=SYSTEM)
    assert stream.next_of_any_kind() == ("message", {"topic": match.topic, "seq": 1})
    stream.close()


def test_each_topic_is_authorised_once(port: int, match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []

    def counted(request: HttpRequest, topic: str) -> int:
        checked.append(topic)
        return authorise(request, topic)

    monkeypatch.setattr(views, "authorise", counted)
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    stream.close()
    assert checked == [match.topic]


def test_a_silent_stream_shows_that_it_is_alive_and_says_when_it_ends(
    port: int, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "HEARTBEAT", 0.1)
    monkeypatch.setattr(views, "SHORTEST", 1.0)
    monkeypatch.setattr(views, "LONGEST", 1.0)
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    # How many of ten heartbeats come depends on what else the machine does.
    names = list(iter(lambda: stream.next_of_any_kind()[0], "end"))
    assert set(names) == {"alive"}
    assert len(names) > 1
    with pytest.raises(EOFError):
        stream.next_of_any_kind()


def test_a_ticket_admits_to_the_stream_of_its_match_for_an_hour(
    port: int, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_matches([Opening(match.players, 5)], settings=MatchSettings(), by=SYSTEM, now=NOW)[0]
    Match.objects.update(visibility=Match.Visibility.PRIVATE)
    ticket = quote(links.stream_ticket(match, 0))
    stream = Stream(port, f"{match.topic}&ticket={ticket}")
    assert stream.next()["seq"] == 0
    stream.close()
    assert Stream(port, f"{other.topic}&ticket={ticket}").response.status == 404
    assert Stream(port, f"{match.topic}&ticket={ticket}x").response.status == 404
    monkeypatch.setattr(links, "TICKET_LASTS", timedelta(seconds=-1))
    assert Stream(port, f"{match.topic}&ticket={ticket}").response.status == 404


def test_spectators_are_counted_and_players_are_not(port: int, match: Match) -> None:
    streams = [Stream(port, match.topic), Stream(port, match.topic)]
    streams.append(Stream(port, f"{match.topic}&ticket={quote(links.stream_ticket(match, 0))}"))
    for stream in streams:
        assert stream.next()["seq"] == 0
    assert spectators_in_the_end(match, 2) == 2
    for stream in streams[:2]:
        stream.close()
        stream.response.close()
    assert spectators_in_the_end(match, 0) == 0
    streams[2].close()


@pytest.mark.slow
def test_clients_that_leave_as_their_streams_begin_are_not_counted(port: int, match: Match) -> None:
    for milliseconds in range(100):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(f"GET /live/?topic={match.topic} HTTP/1.1\r\nHost: testserver\r\n\r\n".encode())
            time.sleep(milliseconds % 40 / 1000)
    assert spectators_in_the_end(match, 0) == 0


def spectators_in_the_end(match: Match, expected: int) -> int | None:
    """How many browsers watch a match once they are as many as expected, or when patience ends."""
    deadline = time.monotonic() + PATIENCE
    while (counted := audience.size(match.public_id)) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return counted


@pytest.mark.slow
def test_a_watch_is_forgotten_if_its_stream_never_begins() -> None:
    async def refused() -> int:
        own = hub()
        await own.watch(["match:nonsense12"])
        gc.collect()
        return len(own._watchers)

    assert asyncio.run(refused()) == 0


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


def test_what_was_published_beside_a_number_arrives_with_it(port: int, match: Match) -> None:
    stream = Stream(port, match.topic)
    assert stream.next()["seq"] == 0
    publish(match.topic, 1, '{"names":["Zoë","a b"]}')
    assert stream.next() == {"topic": match.topic, "seq": 1, "content": {"names": ["Zoë", "a b"]}}
    publish(match.topic, 2)
    assert stream.next() == {"topic": match.topic, "seq": 2}


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

    def hear() -> None:
        again.next()
        heard.set()

    threading.Thread(target=hear, daemon=True).start()
    while not heard.is_set() and time.monotonic() < deadline:
        publish(match.topic, 2)
        time.sleep(0.1)
    assert heard.is_set()


def test_a_malformed_message_does_not_end_the_reader(valkey: Redis) -> None:
    async def heard() -> TopicChange | None:
        own = hub()
        with await own.watch(["match:abc"]) as watch:
            for message in ("nonsense", b"\xff\xfe 3", "", "7"):
                valkey.publish(f"{CHANNEL}match:abc", message)
            valkey.publish(CHANNEL.encode() + b"\xff", "1")
            return await anext(watch.changes(every=5))

    assert asyncio.run(heard()) == TopicChange("match:abc", 7)
