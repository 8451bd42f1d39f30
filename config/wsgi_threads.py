"""Run the WSGI application on a few threads, with as few changes between event loop and thread as possible.

Each change waits until the other side has Python's lock, up to 5 ms on a busy server. a2wsgi changes four times for a
small page: for the body of the request, the head, the body and the end of the response. Here a request, which was read
before, takes one change to the thread, and a complete response one change back.
"""

import asyncio
import contextvars
import functools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

from a2wsgi.wsgi import build_environ
from django.core.exceptions import RequestDataTooBig

from config.disconnects import CLIENT, Client, Receive, Scope, Send, StopOnDisconnect
from config.request_bodies import TOO_LARGE

Message = dict[str, Any]
Deliver = Callable[[Message], None]
"""Sends a message from a thread and returns once it is sent."""


class WSGIThreads:
    """An ASGI application for HTTP that runs a WSGI application on at most `threads` threads."""

    def __init__(self, app: Any, *, threads: int) -> None:
        self._app = StopOnDisconnect(app)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="WSGI")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application for one request, which is complete (see `config.request_bodies`)."""
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
        """Raise RequestDataTooBig."""
        raise RequestDataTooBig

    def readline(self, _size: int | None = -1) -> bytes:
        """Raise RequestDataTooBig."""
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
