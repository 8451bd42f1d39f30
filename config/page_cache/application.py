"""The cache as an ASGI application around the one that renders."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from config.disconnects import Receive, Scope, Send
from config.page_cache.answers import LASTS, Answer
from config.page_cache.release import release
from config.page_cache.requests import PageRequest, page_request
from config.page_cache.versions import SiteVersion

log = structlog.get_logger(__name__)

MOST_BYTES = 32 * 1024 * 1024
"""Of compressed answers in the memory of this process."""
MOST_ANSWERS = 4000
"""In the memory of this process: small ones take more than their body."""
LARGEST = 4 * 1024 * 1024
"""Of an answer that is stored, in bytes before compression."""
PATIENCE = 0.5
"""Seconds to wait for Redis."""
_PREFIX = "barpoint-page:"

App = Callable[[Scope, Receive, Send], Awaitable[None]]
Key = tuple[PageRequest, str]
"""A request and the version of the site."""


class PageCache:
    """Serves public pages to anonymous visitors, and passes other requests on to `app`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._shelves: WeakKeyDictionary[asyncio.AbstractEventLoop, Shelf] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        requested = page_request(scope) if settings.PAGE_CACHE and settings.REDIS_URL else None
        if requested is None:
            await self._app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        if (shelf := self._shelves.get(loop)) is None:
            shelf = self._shelves[loop] = Shelf()
        answer = await self._answer(shelf, requested, scope)
        if answer is None:
            await self._app(scope, receive, send)
        else:
            await answer.send_to(send, dict(scope["headers"]))

    async def _answer(self, shelf: "Shelf", requested: PageRequest, scope: Scope) -> Answer | None:
        """Return the answer for everybody; None if this request must be answered on its own."""
        version = await shelf.version.settled()
        if version is None:
            return await shelf.next_rendering(requested, lambda: self._render(requested, scope))
        key = (requested, version)
        if stored := shelf.get(key):
            return stored
        return await shelf.one_rendering(key, lambda: self._stored_or_rendered(shelf, key, scope))

    async def _stored_or_rendered(self, shelf: "Shelf", key: Key, scope: Scope) -> Answer | None:
        if stored := await shelf.fetch(key):
            shelf.keep(key, stored)
            return stored
        answer = await self._render(key[0], scope)
        if answer is not None and answer.is_storable:
            await shelf.put(key, answer)
        return answer

    async def _render(self, requested: PageRequest, scope: Scope) -> Answer | None:
        """Have Django answer the reduced request; None if the answer is for one reader after all."""
        collected = Collected()
        await self._app(requested.scope_for(scope), _nothing_to_read(), collected.take)
        if collected.is_personal:
            return None
        return await asyncio.to_thread(Answer.of, collected.status, collected.headers, b"".join(collected.chunks))


@dataclass
class Collected:
    """The messages of an answer."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    async def take(self, message: Any) -> None:
        """Collect a message; what is too large to be stored is dropped."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message["headers"]
            return
        self.size += len(message.get("body", b""))
        if self.size <= LARGEST:
            self.chunks.append(message.get("body", b""))

    @property
    def is_personal(self) -> bool:
        """Whether it sets a cookie, refuses this reader for now, or is too large."""
        return (
            any(name == b"set-cookie" for name, _ in self.headers)
            or self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
            or self.size > LARGEST
        )


class Shelf:
    """The answers that one event loop keeps, and those it is rendering."""

    def __init__(self) -> None:
        self._client = Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 1),
        )
        self.version = SiteVersion(self._client)
        self._answers: OrderedDict[PageRequest, tuple[str, Answer]] = OrderedDict()
        self._size = 0
        self._renderings: dict[Key, asyncio.Task[Answer | None]] = {}
        self._running: dict[PageRequest, asyncio.Task[Answer | None]] = {}
        self._waiting: dict[PageRequest, asyncio.Task[Answer | None]] = {}

    def get(self, key: Key) -> Answer | None:
        """Return an answer that this process keeps."""
        requested, version = key
        kept = self._answers.get(requested)
        if kept is None or kept[0] != version or kept[1].until < time.time():
            return None
        self._answers.move_to_end(requested)
        return kept[1]

    async def fetch(self, key: Key) -> Answer | None:
        """Return an answer that another process has rendered."""
        try:
            data = await self._client.get(_name(key))
        except (RedisError, OSError) as error:
            log.warning("page_not_fetched", error=str(error))
            return None
        return Answer.from_bytes(data) if isinstance(data, bytes) else None

    def keep(self, key: Key, answer: Answer) -> None:
        """Keep an answer in this process."""
        requested, version = key
        self._drop(requested)
        self._answers[requested] = (version, answer)
        self._size += len(answer.compressed)
        while self._size > MOST_BYTES or len(self._answers) > MOST_ANSWERS:
            self._drop(next(iter(self._answers)))

    async def put(self, key: Key, answer: Answer) -> None:
        """Keep an answer here and for the other processes."""
        self.keep(key, answer)
        try:
            await self._client.set(_name(key), answer.to_bytes(), px=int(LASTS * 1000))
        except (RedisError, OSError) as error:
            log.warning("page_not_stored", error=str(error))

    def _drop(self, requested: PageRequest) -> None:
        if dropped := self._answers.pop(requested, None):
            self._size -= len(dropped[1].compressed)

    async def one_rendering(self, key: Key, render: Callable[[], Awaitable[Answer | None]]) -> Answer | None:
        """Render once for all who wait for the same page of the same version."""
        if key not in self._renderings:
            self._renderings[key] = asyncio.ensure_future(render())
            self._renderings[key].add_done_callback(lambda _: self._renderings.pop(key, None))
        return await asyncio.shield(self._renderings[key])

    async def next_rendering(
        self, requested: PageRequest, render: Callable[[], Awaitable[Answer | None]]
    ) -> Answer | None:
        """Render once for all who wait until then, while something is written: what has begun already may be old."""
        if requested not in self._waiting:
            task = asyncio.ensure_future(self._after(requested, self._running.get(requested), render))
            self._waiting[requested] = task
        return await asyncio.shield(self._waiting[requested])

    async def _after(
        self,
        requested: PageRequest,
        running: "asyncio.Task[Answer | None] | None",
        render: Callable[[], Awaitable[Answer | None]],
    ) -> Answer | None:
        if running is not None:
            await asyncio.wait([running])
        own = self._running[requested] = self._waiting.pop(requested)
        try:
            return await render()
        finally:
            if self._running.get(requested) is own:
                del self._running[requested]


def _name(key: Key) -> str:
    """The name of an answer in Redis."""
    requested, version = key
    return _PREFIX + hashlib.blake2b(repr((release(), version, requested)).encode(), digest_size=20).hexdigest()


def _nothing_to_read() -> Receive:
    """A `receive` of a request without a body, whose reader stays."""
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        return await asyncio.Event().wait()

    return receive
