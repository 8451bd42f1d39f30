"""Requests on their way to Django: read to their end, then run on a few threads."""

import asyncio
import contextvars
import functools
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

from a2wsgi.wsgi import build_environ
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.utils import timezone

from config.disconnects import CLIENT, Client, Receive, Scope, Send, StopOnDisconnect
from config.limits import BUSY, TOO_SLOW, Refusal, refuse
from core.requests import stamp

# Read each request to its end in the event loop, before it waits for a place or a thread, and stamp it.
#
# That way a client that sends its request slowly, or never finishes it, occupies a connection and nothing else. A
# request counts from the moment its last byte is here; one that sends its headers early and the rest later gains
# nothing.


MIB = 1024 * 1024
MAX_BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + MIB // 8
"""Bytes of a body that is read: the most that a view takes, with the parts of a form around it."""
SMALL = 64 * 1024
"""Bytes of a body that is read whatever else is being read."""
MAX_IN_MEMORY = 256 * MIB
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
                        if self.in_memory > MAX_IN_MEMORY and body.in_memory:
                            return BUSY
            except TimeoutError:
                return TOO_SLOW
        return None


class Body:
    def __init__(self, receive: Receive, headers: dict[bytes, bytes]) -> None:
        length = headers.get(b"content-length", b"0")
        self._receive = receive
        self._parts: list[bytes] = []
        self._is_replayed = False
        self.is_too_large = int(length) > MAX_BODY
        self.is_read = self.is_too_large or (int(length) == 0 and b"transfer-encoding" not in headers)
        self.is_abandoned = False
        """Whether the client has disconnected before the end."""
        self.size = 0
        """Bytes read."""
        self.in_memory = 0
        """Bytes that count for MAX_IN_MEMORY."""

    async def read(self) -> int:
        """Read what has arrived; return by how many bytes that adds to `in_memory`."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.is_read = self.is_abandoned = True
            return 0
        part = message.get("body", b"")
        self._parts.append(part)
        self.size += len(part)
        self.is_too_large = self.size > MAX_BODY
        self.is_read = self.is_too_large or not message.get("more_body", False)
        before, self.in_memory = self.in_memory, self.size if self.size > SMALL else 0
        return self.in_memory - before

    def describe(self, scope: Scope) -> None:
        """Store the length of the body in the request's scope, since a chunked request does not state it."""
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


# Run the WSGI application on a few threads, with as few changes between event loop and thread as possible.
#
# Each change waits until the other side has Python's lock, up to 5 ms on a busy server. a2wsgi changes four times for
# a small page: for the body of the request, the head, the body and the end of the response. Here a request, which was
# read before, takes one change to the thread, and a complete response one change back.


Message = dict[str, Any]
Deliver = Callable[[Message], None]
"""Sends a message from a thread and returns once it is sent."""


class WSGIThreads:
    """An ASGI application for HTTP that runs a WSGI application on at most `threads` threads."""

    def __init__(self, app: Any, *, threads: int) -> None:
        self._app = StopOnDisconnect(app)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="WSGI")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application for one request, which is complete (see `config.wsgi_threads`)."""
        client = Client(receive, send)
        scope[CLIENT] = client
        try:
            await client.serve(self._run, scope)
        finally:
            # Client and scope refer to each other: only a garbage collection would free them.
            del scope[CLIENT]

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        body = NotRead() if TOO_LARGE in scope else BytesIO(await _read(receive))

        def deliver(message: Message) -> None:
            # Waiting for each message lets a slow reader slow down whoever makes the answer.
            asyncio.run_coroutine_threadsafe(send(message), loop).result()  # type: ignore[arg-type]

        # Both describe the ASGI messages as one type for each kind.
        environ = build_environ(scope, body)  # type: ignore[arg-type]
        run = functools.partial(contextvars.copy_context().run, self._respond, environ, deliver)
        for message in await loop.run_in_executor(self._executor, run):
            await send(message)

    def _respond(self, environ: Any, deliver: Deliver) -> list[Message]:
        """Run the application; deliver the chunks of a response that streams, and return what is left to be sent."""
        head: Message = {}

        def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
            head.update(_head(status, headers))

        body = self._app(environ, start_response)
        try:
            if not body.streaming:
                return [head, _chunk(b"".join(body), more=False)]
            deliver(head)
            for chunk in body:
                deliver(_chunk(chunk, more=True))
            return [_chunk(b"", more=False)]
        finally:
            body.close()


class NotRead(BytesIO):
    """Stands for a body that is larger than any view takes."""

    def read(self, _size: int | None = -1) -> bytes:
        raise RequestDataTooBig

    def readline(self, _size: int | None = -1) -> bytes:
        raise RequestDataTooBig


async def _read(receive: Receive) -> bytes:
    """Return the body of a request that is complete."""
    parts = []
    while (message := await receive())["type"] == "http.request":
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    return b"".join(parts)


def _head(status: str, headers: Iterable[tuple[str, str]]) -> Message:
    encoded = [(name.strip().lower().encode("latin1"), value.strip().encode("latin1")) for name, value in headers]
    return {"type": "http.response.start", "status": int(status.partition(" ")[0]), "headers": encoded}


def _chunk(data: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}
