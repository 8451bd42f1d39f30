"""At most so many event streams are authorised at once; the others wait, and are sent away after a while."""

import asyncio
import json
from typing import Any

from config.limits import STREAM_RETRY_AFTER, StreamLimit

SCOPE = {"type": "http", "method": "GET", "path": "/live/", "headers": []}


class Streams:
    """Streams that begin when `go` is set and never end by themselves."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.authorising = 0
        self.most_at_once = 0
        self.open = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.authorising += 1
        self.most_at_once = max(self.most_at_once, self.authorising)
        await self.go.wait()
        self.authorising -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        self.open += 1
        await asyncio.sleep(3600)


class Answer:
    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def send(self, message: Any) -> None:
        self.messages.append(message)


async def receive() -> Any:
    await asyncio.sleep(3600)


async def all_tasks_wait() -> None:
    """Let the other tasks go on until each of them waits; a step takes one turn of the event loop."""
    for _ in range(200):
        await asyncio.sleep(0)


def test_eight_are_authorised_at_once_and_open_streams_take_no_turn() -> None:
    async def scenario() -> Streams:
        streams = Streams()
        limit = StreamLimit(streams)
        tasks = [asyncio.create_task(limit(SCOPE, receive, Answer().send)) for _ in range(50)]
        await all_tasks_wait()
        assert streams.most_at_once == 8
        streams.go.set()
        await all_tasks_wait()
        for task in tasks:
            task.cancel()
        return streams

    streams = asyncio.run(scenario())
    assert (streams.open, streams.most_at_once) == (50, 8)


def test_150_at_once_are_all_served() -> None:
    async def slow(_scope: Any, _receive: Any, send: Any) -> None:
        await asyncio.sleep(0.2)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def scenario() -> list[int]:
        limit = StreamLimit(slow)
        answers = [Answer() for _ in range(150)]
        await asyncio.gather(*(limit(SCOPE, receive, answer.send) for answer in answers))
        return [answer.messages[0]["status"] for answer in answers]

    assert set(asyncio.run(scenario())) == {200}


def test_who_waits_too_long_is_told_when_to_come_back() -> None:
    async def scenario() -> Any:
        streams = Streams()
        limit = StreamLimit(streams, most=1, patience=0.05)
        first = asyncio.create_task(limit(SCOPE, receive, Answer().send))
        await all_tasks_wait()
        second = Answer()
        await limit(SCOPE, receive, second.send)
        first.cancel()
        # A client that has gone gives its turn back.
        await asyncio.gather(first, return_exceptions=True)
        third = asyncio.create_task(limit(SCOPE, receive, Answer().send))
        await all_tasks_wait()
        assert streams.authorising == 2
        third.cancel()
        return second.messages

    start, body = asyncio.run(scenario())
    assert start["status"] == 503
    assert dict(start["headers"])[b"retry-after"] == str(STREAM_RETRY_AFTER).encode()
    assert json.loads(body["body"])["code"] == "busy"
