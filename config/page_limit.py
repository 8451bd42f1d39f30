"""A limit on the requests that run or wait for a thread: more are refused at once instead of waiting for seconds."""

import json
from http import HTTPStatus
from typing import Any

from config.clients import Receive, Scope, Send

RETRY_AFTER = 2
"""Seconds after which a client should try again."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class PageLimit:
    """An ASGI application that passes requests on to `app` while fewer than `reads` or `writes` are in progress."""

    def __init__(self, app: Any, *, reads: int, writes: int) -> None:
        self._app, self._most_reads, self._most_writes = app, reads, writes
        self._in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_reads if scope["method"] in SAFE else self._most_writes
        if self._in_progress >= most:
            await refuse(send)
            return
        self._in_progress += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._in_progress -= 1


async def refuse(
    send: Send,
    status: HTTPStatus = HTTPStatus.SERVICE_UNAVAILABLE,
    *,
    retry_after: int = RETRY_AFTER,
    closes: bool = False,
) -> None:
    """Answer as problem details; with `closes`, end the connection, whose request was not read to its end."""
    problem = {"type": "about:blank", "title": status.phrase, "status": status}
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"cache-control", b"private, no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", str(retry_after).encode()))
    if closes:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(problem).encode()})
