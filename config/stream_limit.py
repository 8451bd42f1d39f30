"""A limit on the event streams that are being authorised at once.

After a restart of the server every open page reconnects within a second or two. Authorising a stream takes a thread
and a database connection until its first byte is sent, after that neither.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from config.disconnects import Receive, Scope, Send
from config.monitoring import open_stream
from config.refusals import BUSY, refuse

MOST = 8
"""Streams that are authorised at once."""
PATIENCE = 3.0
"""Seconds that a request waits for its turn."""
RETRY_AFTER = 5
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
            await refuse(scope, send, BUSY, retry_after=RETRY_AFTER)
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
