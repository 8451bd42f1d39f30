"""Read each request to its end in the event loop, before it waits for a place or a thread, and stamp it.

That way a client that sends its request slowly, or never finishes it, occupies a connection and nothing else. A request
counts from the moment its last byte is here; one that sends its headers early and the rest later gains nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.utils import timezone

from config.disconnects import Receive, Scope, Send
from config.refusals import BUSY, TOO_SLOW, Refusal, refuse
from core.arrival import stamp

MIB = 1024 * 1024
LARGEST = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + MIB // 8
"""Bytes of a body that is read: the most that a view takes, with the parts of a form around it."""
SMALL = 64 * 1024
"""Bytes of a body that is read whatever else is being read."""
MOST_IN_MEMORY = 256 * MIB
"""Bytes of larger bodies that this process keeps at once."""
STEP = 320 * 1024
"""Bytes that must arrive within PATIENCE, if so many are missing: 16 KiB a second."""
PATIENCE = 20.0
"""Seconds."""
TOO_LARGE = "barpoint.too_large"
"""The key in the scope of a request whose body was not read, since it is larger than any view takes."""

App = Callable[[Scope, Receive, Send], Awaitable[None]]


class CompleteRequests:
    """An ASGI application that passes HTTP requests on to `app` once they are complete.

    A slow request is answered 408, and one whose body has no room in memory 503. A body that is too large is left out,
    so that a view can refuse it by its Content-Length (see `TOO_LARGE`).
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self.in_memory = 0
        """Bytes of larger bodies at present."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = Body(receive, dict(scope["headers"]))
        try:
            refusal = await self._read(body)
            if refusal is not None:
                await refuse(scope, send, refusal, closes=refusal is TOO_SLOW)
            elif not body.is_abandoned:
                body.describe(scope)
                stamp(scope, timezone.now())
                await self._app(scope, body.again, send)
        finally:
            self.in_memory -= body.in_memory

    async def _read(self, body: "Body") -> Refusal | None:
        """Read a body to its end; return why it is refused, if it is."""
        while not body.is_read:
            enough = body.size + STEP
            try:
                async with asyncio.timeout(PATIENCE):
                    while not body.is_read and body.size < enough:
                        self.in_memory += await body.read()
                        if self.in_memory > MOST_IN_MEMORY and body.in_memory:
                            return BUSY
            except TimeoutError:
                return TOO_SLOW
        return None


class Body:
    """The body of one request."""

    def __init__(self, receive: Receive, headers: dict[bytes, bytes]) -> None:
        length = headers.get(b"content-length", b"0")
        self._receive = receive
        self._parts: list[bytes] = []
        self._is_replayed = False
        self.is_too_large = int(length) > LARGEST
        self.is_read = self.is_too_large or (int(length) == 0 and b"transfer-encoding" not in headers)
        self.is_abandoned = False
        """Whether the client has disconnected before the end."""
        self.size = 0
        """Bytes read."""
        self.in_memory = 0
        """Bytes that count for MOST_IN_MEMORY."""

    async def read(self) -> int:
        """Read what has arrived; return by how many bytes that adds to `in_memory`."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.is_read = self.is_abandoned = True
            return 0
        part = message.get("body", b"")
        self._parts.append(part)
        self.size += len(part)
        self.is_too_large = self.size > LARGEST
        self.is_read = self.is_too_large or not message.get("more_body", False)
        before, self.in_memory = self.in_memory, self.size if self.size > SMALL else 0
        return self.in_memory - before

    def describe(self, scope: Scope) -> None:
        """Note in a request's scope how long its body is, which a chunked request does not say."""
        if self.is_too_large:
            self._parts.clear()
            scope[TOO_LARGE] = True
        if self.size:
            headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
            scope["headers"] = [*headers, (b"content-length", str(self.size).encode())]

    async def again(self) -> Any:
        """Receive the body in one message, then wait until the client disconnects."""
        if not self._is_replayed:
            self._is_replayed = True
            whole = b"".join(self._parts)
            self._parts.clear()
            return {"type": "http.request", "body": whole, "more_body": False}
        while (message := await self._receive())["type"] == "http.request":
            pass
        return message
