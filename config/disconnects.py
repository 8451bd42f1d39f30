"""Stop sending a response when its client has disconnected, which WSGI cannot report.

Otherwise a long download would be read from the database to its end and occupy a thread for nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from threading import Event
from typing import Any

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

CLIENT = "barpoint.client"
"""The key of the Client in a request's scope."""
STALLED_AFTER = 60.0
"""Seconds in which a client must take what was sent before it counts as disconnected."""


class Client:
    """The client of one HTTP connection, during one request."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._watcher: asyncio.Task[None] | None = None
        # Set by the event loop, read by the thread that generates the response.
        self._gone = Event()

    @property
    def is_gone(self) -> bool:
        return self._gone.is_set()

    async def serve(self, app: Any, scope: Scope) -> None:
        """Run `app`, and drop what it sends once the client has disconnected."""
        try:
            await app(scope, self._receive, self._deliver)
        finally:
            if self._watcher is not None:
                self._watcher.cancel()
                self._watcher = None

    async def _deliver(self, message: Any) -> None:
        # Once the body is being sent the request has been read, so `receive` can only report the disconnection.
        if message.get("more_body") and self._watcher is None:
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


class StopOnDisconnect:
    """A WSGI application whose responses end when the client disconnects; a HEAD request reads nothing of the body."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Any) -> "ClientBody":
        body = self._app(environ, start_response)
        return ClientBody(body, environ["asgi.scope"][CLIENT], is_empty=environ["REQUEST_METHOD"] == "HEAD")


class ClientBody:
    """The body of a response, until the client disconnects."""

    streaming: bool
    """Whether it is generated while it is sent."""

    def __init__(self, body: Iterable[bytes], client: Client, *, is_empty: bool) -> None:
        self._body = body
        self.streaming = getattr(body, "streaming", True)
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
        getattr(self._body, "close", lambda: None)()
