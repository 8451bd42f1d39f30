"""A small HTTP client over asyncio, cheap enough to share two cores with the server that it measures."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic
from typing import Any

from config.supervisor import KEEP_ALIVE

HOST = "127.0.0.1"
IDLE = KEEP_ALIVE - 2.0
"""Seconds after which a connection is not used again: the server is about to close it."""
LIMIT = 2**20


class HttpProblem(Exception):
    """An answer other than 200 and 201."""

    def __init__(self, request: str, status: int, answer: bytes) -> None:
        super().__init__(f"{request}: {status} {answer[:300]!r}")
        self.status = status


class Connection:
    """One connection that is kept open between requests, as a browser does."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.used_at = 0.0
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.lock = asyncio.Lock()

    async def request(self, method: str, path: str, body: Any = None, headers: str = "") -> Any:
        """Return the JSON of an answer. Raises Problem unless its status is 200 or 201."""
        async with self.lock:
            if self.streams is None or monotonic() - self.used_at > IDLE:
                await self.close()
                self.streams = await asyncio.open_connection(HOST, self.port, limit=LIMIT)
            reader, writer = self.streams
            writer.write(_request(method, path, self.port, self.headers + headers, body))
            status, answer = await _answer(reader)
            self.used_at = monotonic()
        if status not in (200, 201):
            raise HttpProblem(f"{method} {path}", status, answer)
        return json.loads(answer)

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            with suppress(OSError):
                await self.streams[1].wait_closed()
            self.streams = None


async def events(port: int, path: str, headers: dict[str, str]) -> AsyncIterator[tuple[str, Any]]:
    """Yield the events of a stream, as pairs of name and data, until it ends; first `open`."""
    reader, writer = await asyncio.open_connection(HOST, port, limit=LIMIT)
    try:
        given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(_request("GET", path, port, given, None))
        status, fields = await _head(reader)
        if status != 200:
            raise HttpProblem(f"GET {path}", status, await reader.read(300))
        yield "open", None
        name = "message"
        chunked = fields.get("transfer-encoding") == "chunked"
        async for line in _lines(reader, chunked=chunked):
            if line.startswith(b"event: "):
                name = line[7:].decode()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:])
            elif not line:
                name = "message"
    finally:
        writer.close()


async def _lines(reader: asyncio.StreamReader, *, chunked: bool) -> AsyncIterator[bytes]:
    buffer = b""
    while data := await (_chunk(reader) if chunked else reader.read(LIMIT)):
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            yield line


def _request(method: str, path: str, port: int, headers: str, body: Any) -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    typed = "" if body is None else "Content-Type: application/json\r\n"
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n{headers}{typed}Content-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in rest if line)
    return int(first.split(" ", 2)[1]), {name.lower(): value.strip() for name, _, value in fields}


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    status, fields = await _head(reader)
    if fields.get("transfer-encoding") == "chunked":
        parts = []
        while part := await _chunk(reader):
            parts.append(part)
        return status, b"".join(parts)
    return status, await reader.readexactly(int(fields.get("content-length", "0")))


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int(await reader.readuntil(b"\r\n"), 16)
    data = await reader.readexactly(size + 2)
    return data[:-2]
