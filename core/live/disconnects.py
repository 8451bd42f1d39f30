"""Tell an event stream that its client has disconnected, instead of cancelling it.

Django cancels a request whose client disconnects. Before Python 3.12 `asyncio.wait_for`, which the Redis client calls
too, drops a cancellation where what it waits for is done at the same moment: of 300 streams whose clients left within
40 ms, 15 went on for minutes and counted as spectators.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from django.http import HttpRequest

DISCONNECTED = "barpoint.disconnected"
"""The key in a request's scope of a future that is done once the client has disconnected."""


class ReportDisconnects:
    """An ASGI application that reports when a client disconnects by `on_disconnect`, and not to `app` itself."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Run the application for one request, which is complete (see `config.request_bodies`)."""
        disconnected = scope[DISCONNECTED] = asyncio.get_running_loop().create_future()

        async def receive_request() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnected.set_result(None)
                # Django cancels this once the response has ended.
                await asyncio.Event().wait()
            return message

        await self._app(scope, receive_request, send)


def on_disconnect(request: HttpRequest, callback: Callable[[], None]) -> None:
    """Call `callback` in the event loop once the client of a stream has disconnected, soon if it already has."""
    request.scope[DISCONNECTED].add_done_callback(lambda _: callback())  # type: ignore[attr-defined]
