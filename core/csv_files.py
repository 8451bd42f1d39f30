"""CSV downloads: a short table as one response, a long one streamed while it is read."""

import csv
import io
from collections.abc import Generator, Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core.downloads import long_download, saved_as

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
