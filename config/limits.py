"""Requests that are refused before Django: too many pages or streams at once, or too slow to arrive."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from config.disconnects import Receive, Scope, Send
from config.monitoring import open_stream

# Answers to requests that never reach Django: the site is busy, or a request took too long to arrive.


RETRY_AFTER = 2
"""Seconds after which a client should try again."""
LEFT_OUT = "Left-Out"
"""The header of an answer without the divisions that it names, because they cannot be shown."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that save nothing."""
STYLE = (
    ":root{color-scheme:light dark}"
    "body{max-width:32rem;margin:20vh auto;padding:0 1rem;font:1.0625rem/1.5 system-ui,sans-serif}"
)
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
OURS = (b"barpoint", b"1")
"""A header of every answer of the site, so that a page can tell it from one that a proxy or a portal gives instead."""
COMMON = [OURS, (b"cache-control", b"private, no-store"), (b"x-content-type-options", b"nosniff")]


class Refusal(NamedTuple):
    """A reason not to pass a request on."""

    status: HTTPStatus
    code: str
    reason: str
    advice: str

    def detail(self, method: str) -> str:
        """The explanation shown to a person, by the method of the request."""
        lost = () if method in SAFE else ("Nothing was saved.",)
        return " ".join((self.reason, *lost, self.advice))


BUSY = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "busy", "The site is busy.", "Please try again in a few seconds.")
NOT_WRITABLE = Refusal(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "out_of_order",
    "The site cannot reach its database or save anything at the moment.",
    "Please try again in a minute.",
)
TOO_SLOW = Refusal(
    HTTPStatus.REQUEST_TIMEOUT,
    "too_slow",
    "Your request took too long to arrive.",
    "Please try again when the connection is better.",
)


async def refuse(
    scope: Scope, send: Send, refusal: Refusal, *, retry_after: int = RETRY_AFTER, closes: bool = False
) -> None:
    """Answer with a page where a browser shows the answer to a person, else with problem details.

    With `closes` the connection ends, since the request was not read to its end.
    """
    headers, detail = [*COMMON], refusal.detail(scope["method"])
    if _shows_pages(scope):
        body = page(detail)
        policy = f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; frame-ancestors 'none'"
        headers += [(b"content-type", b"text/html; charset=utf-8"), (b"content-security-policy", policy.encode())]
    else:
        problem = {"type": "about:blank", "title": refusal.status.phrase, "status": refusal.status}
        body = json.dumps(problem | {"code": refusal.code, "detail": detail})
        headers.append((b"content-type", b"application/problem+json"))
    if refusal is BUSY:
        headers.append((b"retry-after", str(retry_after).encode()))
    if closes:
        headers.append((b"connection", b"close"))
    headers.append((b"content-length", str(len(body.encode())).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def page(detail: str) -> str:
    """Return a page with this sentence and nothing else: the site's templates and styles would need a thread."""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Please try again</title>
<style>{STYLE}</style>
<h1>Please try again</h1>
<p>{detail}</p>
"""


def _shows_pages(scope: Scope) -> bool:
    accept = dict(scope["headers"]).get(b"accept", b"")
    return b"text/html" in accept and not scope["path"].startswith("/api/")


# A limit on the requests that run or wait for a thread: more are refused at once instead of waiting for seconds.


class PageLimit:
    """An ASGI application that passes requests on to `app` while fewer than `reads` or `writes` are in progress."""

    def __init__(self, app: Any, *, reads: int, writes: int) -> None:
        self._app, self._most_reads, self._most_writes = app, reads, writes
        self._in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_reads if scope["method"] in SAFE else self._most_writes
        if self._in_progress >= most:
            await refuse(scope, send, BUSY)
            return
        self._in_progress += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._in_progress -= 1


# A limit on the event streams that are being authorised at once.
#
# After a restart of the server every open page reconnects within a second or two. Authorising a stream takes a thread
# and a database connection until its first byte is sent, after that neither.


MOST = 8
"""Streams that are authorised at once."""
PATIENCE = 20.0
"""Seconds that a request waits for its turn, which costs next to nothing; pages give up after 25 seconds."""
STREAM_RETRY_AFTER = 5
"""Seconds after which a client should try again that did not get its turn."""


class StreamLimit:
    """An ASGI application that passes at most `MOST` requests at once on to `app`, until they begin to answer.

    The others wait in the event loop. 503 with `Retry-After` after `PATIENCE` seconds.
    """

    def __init__(self, app: Any, *, most: int = MOST, patience: float = PATIENCE) -> None:
        self._app, self._most, self._patience = app, most, patience
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        turns = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._most))
        try:
            async with asyncio.timeout(self._patience):
                await turns.acquire()
        except TimeoutError:
            await refuse(scope, send, BUSY, retry_after=STREAM_RETRY_AFTER)
            return
        async with _released_once(turns) as release:

            async def begin(message: Any) -> None:
                release()
                await send(message)

            with open_stream():
                await self._app(scope, receive, begin)


@asynccontextmanager
async def _released_once(turns: asyncio.Semaphore) -> AsyncIterator[Any]:
    """Yield a function that gives a turn back, which happens at the end in any case."""
    is_released = False

    def release() -> None:
        nonlocal is_released
        if not is_released:
            is_released = True
            turns.release()

    try:
        yield release
    finally:
        release()
