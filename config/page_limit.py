"""A limit on the requests that run or wait for a thread: more are refused at once instead of waiting for seconds."""

from typing import Any

from config.disconnects import Receive, Scope, Send
from config.refusals import BUSY, SAFE, refuse


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
