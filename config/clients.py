"""Ends an answer when its client has gone away, which WSGI cannot say and a2wsgi does not ask.

Without this a long download is read from the database to its end, and holds a thread, for nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from threading import Event
from typing import Any

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

CLIENT = "barpoint.client"
"""Where a request's scope holds its Client."""
STALLED_AFTER = 60.0
"""Seconds in which a client must take what was sent before it counts as gone."""


class Client:
    """The other end of one HTTP connection, while one request is answered."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._watcher: asyncio.Task[None] | None = None
        # Set by the event loop, read by the thread that makes the answer.
        self._gone = Event()

    @property
    def is_gone(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._gone.is_set()

    async def serve(self, app: Any, scope: Scope) -> None:
        """Let `app` answer; what it sends to a client that is gone is dropped."""
        try:
            await app(scope, self._receive, self._deliver)
        finally:
            if self._watcher is not None:
                self._watcher.cancel()

    async def _deliver(self, message: Any) -> None:
        # Once the body is on its way the request has been read, so `receive` has only the disconnection to say.
        if message["type"] == "http.response.body" and self._watcher is None:
            self._watcher = asyncio.create_task(self._watch())
        if self.is_gone:
            return
        try:
            async with asyncio.timeout(STALLED_AFTER):
                await self._send(message)
        except TimeoutError:
            self._gone.set()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone.set()


class StopsWithClient:
    """A WSGI application whose answers end when the client is gone; a HEAD request reads nothing of the body."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Any) -> "Answer":
        body = self._app(environ, start_response)
        return Answer(body, environ["asgi.scope"][CLIENT], is_empty=environ["REQUEST_METHOD"] == "HEAD")


class Answer:
    """The body of an answer, as long as somebody waits for it."""

    def __init__(self, body: Iterable[bytes], client: Client, *, is_empty: bool) -> None:
        self._body = body
        self._client = client
        self._is_empty = is_empty

    def __iter__(self) -> Iterator[bytes]:
        if self._is_empty:
            return
        for chunk in self._body:
            if self._client.is_gone:
                return
            yield chunk

    def close(self) -> None:
        """Tell the application that its answer is over."""
        getattr(self._body, "close", lambda: None)()
