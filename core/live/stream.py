"""The event stream: `GET /live/?topic=match:…&topic=…`, fed by one subscription a process."""

import asyncio
import contextlib
import json
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, finalize

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import connection
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET
from redis.asyncio import Redis
from redis.exceptions import RedisError

from core.live import audience
from core.live.publishing import AUTHORISE_AGAIN, CHANNEL, authorise

# Tell an event stream that its client has disconnected, instead of cancelling it.
#
# Django cancels a request whose client disconnects. Before Python 3.12 `asyncio.wait_for`, which the Redis client
# calls too, drops a cancellation where what it waits for is done at the same moment: of 300 streams whose clients
# left within 40 ms, 15 went on for minutes and counted as spectators.


DISCONNECTED = "barpoint.disconnected"
"""The key in a request's scope of a future that is done once the client has disconnected."""


class ReportDisconnects:
    """An ASGI application that reports when a client disconnects by `on_disconnect`, and not to `app` itself."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Run the application for one request, which is complete (see `config.wsgi_threads`)."""
        disconnected = scope[DISCONNECTED] = asyncio.get_running_loop().create_future()

        async def receive_request() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnected.set_result(None)
                # Django cancels this once the response has ended.
                await asyncio.Event().wait()
            return message

        await self._app(scope, receive_request, send)


def on_disconnect(request: HttpRequest, callback: Callable[[], None]) -> None:
    """Call `callback` in the event loop once the client of a stream has disconnected, soon if it already has."""
    request.scope[DISCONNECTED].add_done_callback(lambda _: callback())  # type: ignore[attr-defined]


# One subscription a process, which feeds every stream of that process.


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
        """Pass on the change in a message; ignore messages that none of our processes can have sent."""
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


# The event stream: `GET /live/?topic=match:…&topic=…`.


MAX_TOPICS = 30
HEARTBEAT = 15.0
"""Seconds after which a silent stream shows that it is alive. Pages reconnect after 25 seconds without a byte."""
LONGEST = 300.0
"""Seconds until a stream ends at the latest; the client connects again, which authorises it again."""
SHORTEST = 240.0
"""Streams that were opened together, as after a restart, end at random times between the two."""
ALIVE = b"event: alive\ndata: {}\n\n"
"""An event rather than a comment, since the EventSource of browsers does not report comments."""
END = b"event: end\ndata: {}\n\n"


@require_GET
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Stream the numbers of topics: first the current ones, then each new one.

    404 if none of the topics may be watched. Those among several that may not be watched are named by an event
    `refused` each: the tabs of a browser share a stream, and one of them must not end it for the others.
    """
    topics = list(dict.fromkeys(request.GET.getlist("topic")))
    if not 1 <= len(topics) <= MAX_TOPICS:
        raise BadRequest(f"Name one to {MAX_TOPICS} topics.")
    # Watching begins before the numbers are read, so that no change falls between the two.
    watch = await hub().watch(topics)
    numbers = await sync_to_async(_authorised)(request, topics)
    events = _events(watch, numbers, audience.audiences_of(request))
    on_disconnect(request, watch.stop)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _authorised(request: HttpRequest, topics: list[str]) -> dict[str, int | None]:
    """The current number of each topic, None for those that may not be watched. Raises Http404 if that is all of them.

    Closes the database connection, since a stream would hold it for minutes.
    """
    numbers: dict[str, int | None] = {}
    try:
        for topic in topics:
            try:
                numbers[topic] = authorise(request, topic)
            except (Http404, PermissionDenied):
                numbers[topic] = None
    finally:
        connection.close()
    if all(number is None for number in numbers.values()):
        raise Http404
    return numbers


async def _events(watch: Watch, numbers: dict[str, int | None], audiences: frozenset[str]) -> AsyncIterator[bytes]:
    """The stream's text: the current numbers, then the changes of the topics that may be watched."""
    ends_at = time.monotonic() + random.uniform(SHORTEST, LONGEST)  # noqa: S311, spreads load, decides nothing
    confirm_at = time.monotonic() + HEARTBEAT
    with watch:
        for topic, seq in numbers.items():
            yield _event(TopicChange(topic, seq)) if seq is not None else _refused(topic)
        async with audience.attending(audiences) as attendance:
            async for change in watch.changes(every=HEARTBEAT):
                if change is None:
                    yield ALIVE
                elif numbers[change.topic] is not None:
                    yield _event(change)
                if time.monotonic() > confirm_at:
                    confirm_at += HEARTBEAT
                    await attendance.confirm()
                if time.monotonic() > ends_at:
                    break
    yield END


def _event(change: TopicChange) -> bytes:
    """The event of a change; the content is JSON already, on one line."""
    head = f'data: {{"topic": {json.dumps(change.topic)}, "seq": {change.seq}'.encode()
    return head + (b', "content": ' + change.content if change.content else b"") + b"}\n\n"


def _refused(topic: str) -> bytes:
    return f"event: refused\ndata: {json.dumps({'topic': topic})}\n\n".encode()
