"""One subscription a process, which feeds every stream of that process."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary, finalize

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from core.live.publishing import AUTHORISE_AGAIN, CHANNEL

log = structlog.get_logger(__name__)

QUEUE_LENGTH = 100
"""Changes a slow stream may be behind; then it is closed, and its client catches up by numbers."""
RETRY_AFTER = 1.0
"""Seconds between attempts to reach the broker."""


class TopicChange(NamedTuple):
    """A topic, its new number and, where it was published, its new state as a JSON object."""

    topic: str
    seq: int
    content: bytes = b""


Queue = asyncio.Queue[TopicChange | None]
Watchers = defaultdict[str, set[Queue]]


class Hub:
    """Hands each change of a topic to the streams that watch it."""

    def __init__(self) -> None:
        self._watchers: Watchers = defaultdict(set)
        self._reader: asyncio.Task[None] | None = None
        self._subscribed = asyncio.Event()

    async def watch(self, topics: Iterable[str]) -> "Watch":
        """Begin to collect changes of these topics; waits for the subscription, but not for a broker that is down."""
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._subscribed.wait(), RETRY_AFTER)
        return Watch(self._watchers, list(topics))

    async def _read(self) -> None:
        """Read changes for as long as the process runs, and subscribe again whenever the broker was away."""
        while True:
            try:
                await self._read_from_broker()
            except RedisError as error:
                log.warning("live_broker_unreachable", error=str(error))
            self._subscribed.clear()
            # What was published meanwhile is lost: every client connects again and compares numbers.
            self._close_all()
            await asyncio.sleep(RETRY_AFTER)

    async def _read_from_broker(self) -> None:
        client = Redis.from_url(settings.REDIS_URL)
        async with client, client.pubsub() as pubsub:
            await pubsub.psubscribe(f"{CHANNEL}*")
            async for message in pubsub.listen():
                if message["type"] == "psubscribe":
                    # Streams that were opened without a broker may have missed what was published just before.
                    self._close_all()
                    self._subscribed.set()
                elif message["type"] == "pmessage":
                    self._take(message["channel"], message["data"])

    def _take(self, channel: bytes, data: bytes) -> None:
        """Hand out the change that a message tells of; one that nobody of ours can have sent is left out."""
        seq, _, content = data.partition(b" ")
        try:
            change = TopicChange(channel.decode().removeprefix(CHANNEL), int(seq), content)
        except ValueError:
            log.warning("live_message_malformed", channel=channel, data=data[:100])
            return
        self._hand_out(change)

    def _hand_out(self, change: TopicChange) -> None:
        for queue in list(self._watchers.get(change.topic, ())):
            if queue.full() or change.seq == AUTHORISE_AGAIN:
                _end(queue)
            else:
                queue.put_nowait(change)

    def _close_all(self) -> None:
        for queue in {queue for queues in self._watchers.values() for queue in queues}:
            _end(queue)


class Watch:
    """The changes of some topics since its creation; a context manager that ends the watch."""

    def __init__(self, watchers: Watchers, topics: list[str]) -> None:
        self._queue: Queue = asyncio.Queue(QUEUE_LENGTH)
        for topic in topics:
            watchers[topic].add(self._queue)
        # A client may be refused or disconnect before its stream has begun, and then nothing ends the watch.
        self._end = finalize(self, _remove, watchers, topics, self._queue)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def stop(self) -> None:
        """Make `changes` end, whatever it has not yielded yet."""
        _end(self._queue)

    async def changes(self, *, every: float) -> AsyncIterator[TopicChange | None]:
        """Yield each change, and None where there was none for `every` seconds; ends when the stream must close."""
        while True:
            try:
                change = await asyncio.wait_for(self._queue.get(), every)
            except TimeoutError:
                yield None
                continue
            if change is None:
                return
            yield change


def _remove(watchers: Watchers, topics: list[str], queue: Queue) -> None:
    for topic in topics:
        watchers[topic].discard(queue)
        if not watchers[topic]:
            watchers.pop(topic, None)


def _end(queue: Queue) -> None:
    """Make a stream end, whatever it has not sent yet."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop; a web process has one."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
