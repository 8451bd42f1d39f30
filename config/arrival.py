"""Read small requests in the event loop and stamp them, before they wait for one of the threads.

A request counts from the moment its last byte is here. One that sends its headers early and the rest later gains
nothing; one whose length is unknown or large is not stamped, and counts from when its view runs.
"""

from typing import Any

from django.utils import timezone

from config.clients import Receive, Scope
from core.arrival import stamp

MOST_BYTES = 64 * 1024
"""Of a request that is read here; larger ones are read by their view."""


async def stamped(scope: Scope, receive: Receive) -> Receive:
    """Stamp a request once it is complete, and return a `receive` from which it can be read again."""
    length = _length(scope)
    if length is None or length > MOST_BYTES:
        return receive
    if length == 0:
        stamp(scope, timezone.now())
        return receive
    read: list[Any] = []
    while True:
        message = await receive()
        read.append(message)
        if message["type"] != "http.request" or not message.get("more_body"):
            break
    stamp(scope, timezone.now())

    async def again() -> Any:
        return read.pop(0) if read else await receive()

    return again


def _length(scope: Scope) -> int | None:
    """The number of bytes of a request's body; None if that is unknown."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else None
        if name == b"transfer-encoding":
            return None
    return 0
