"""Downloads: long ones streamed while they are read, only a few at a time, and tables as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core import throttle
from engine.errors import Refused

# Long downloads: streamed while they are read, and only a few at a time.
#
# A long download occupies one of the few threads that serve pages, so only a few run at a time in each process, and
# `config.asgi` ends one as soon as its client disconnects.


MAX_AT_ONCE, MAX_EACH = 4, 2
"""Long downloads that may run at a time in one process: in total, and for one client."""

Chunks = Generator[str, None, None] | Generator[bytes, None, None]


class Slots:
    """The long downloads of this process, counted by client."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: Counter[str] = Counter()

    @property
    def running(self) -> int:
        return self._running.total()

    def take(self, client: str) -> None:
        """Start one. Refused: `too_many_downloads`."""
        with self._lock:
            if self._running[client] >= MAX_EACH or self.running >= MAX_AT_ONCE:
                raise Refused("too_many_downloads")
            self._running[client] += 1

    def give_back(self, client: str) -> None:
        with self._lock:
            self._running[client] -= 1
            self._running += Counter()  # drop clients with none left


slots = Slots()


class Download:
    """The body of a long download; chunks are made as they are sent, until it is closed."""

    def __init__(self, chunks: Chunks, client: str) -> None:
        self._chunks, self._slots = chunks, slots
        self._client: str | None = None
        self._slots.take(client)
        self._client = client

    def __iter__(self) -> Iterator[str] | Iterator[bytes]:
        return self._chunks

    def close(self) -> None:
        """Stop reading and free the slot; harmless the second time."""
        self._chunks.close()
        client, self._client = self._client, None
        if client is not None:
            self._slots.give_back(client)

    # A response that was never sent is not closed by the server.
    __del__ = close


def long_download(request: HttpRequest, chunks: Chunks, *, name: str, content_type: str) -> StreamingHttpResponse:
    """Return chunks as a file to save. Refused: `too_many_downloads`, `too_many_attempts`."""
    client = f"user-{request.user.pk}" if request.user.is_authenticated else throttle.client_network(request)
    throttle.count(throttle.DOWNLOADS_BY, client)
    return StreamingHttpResponse(Download(chunks, client), content_type=content_type, headers=saved_as(name))


def saved_as(name: str) -> dict[str, str]:
    """Return the Content-Disposition header that makes a browser save the response under this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


# CSV downloads: a short table as one response, a long one streamed while it is read.


CHUNK = 64 * 1024
"""Characters collected before anything is sent; each message to the server costs about as much as a hundred rows."""
TYPE = "text/csv; charset=utf-8"
FORMULA = ("=", "+", "-", "@", "\t", "\r")

Rows = Iterable[list[Any]]


def safe(text: str) -> str:
    """Escape text that a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def chunks(rows: Rows) -> Generator[str, None, None]:
    """Yield the rows as CSV text in pieces of at least CHUNK characters, except the last."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    source = iter(rows)
    try:
        for row in source:
            writer.writerow(row)
            if buffer.tell() >= CHUNK:
                yield buffer.getvalue()
                buffer.seek(0)
                buffer.truncate()
        if buffer.tell():
            yield buffer.getvalue()
    finally:
        # A generator of rows holds a database cursor until it is closed.
        getattr(source, "close", lambda: None)()


def short_file(rows: Rows, name: str) -> HttpResponse:
    """Return a table that fits into memory as a file to save."""
    return HttpResponse("".join(chunks(rows)), content_type=TYPE, headers=saved_as(name))


def long_file(request: HttpRequest, rows: Rows, name: str) -> StreamingHttpResponse:
    """Return a table of any length as a file to save. Refused: `too_many_downloads`, `too_many_attempts`."""
    return long_download(request, chunks(rows), name=name, content_type=TYPE)
