"""Streams that only watch: when each change of a match reaches each of them."""

import asyncio
import re
from collections import defaultdict
from time import monotonic
from types import TracebackType

from benchmarks.live.http import HOST

AT_ONCE = 8
"""Streams that are opened at once; the server authorises no more."""
SEQ = re.compile(rb'"seq": (\d+)')


class Spectator(asyncio.Protocol):
    """One open stream of a match, as cheap as it gets: 500 of them share a core."""

    def __init__(self, path: str, arrivals: dict[int, list[float]]) -> None:
        self._path = path
        self._arrivals = arrivals
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101, of TCP it is
        self._transport = transport
        transport.write(f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Note when each number arrived; the first one is the current number."""
        now = monotonic()
        if not self.opened.done():
            if data.startswith(b"HTTP/1.1") and not data.startswith(b"HTTP/1.1 200"):
                self.opened.set_exception(ConnectionError(data[:200].decode("latin-1")))
            elif SEQ.search(data):
                self.opened.set_result(None)
            else:
                return
        for seq in SEQ.findall(data):
            self._arrivals[int(seq)].append(now)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the stream has ended."""
        self.lost = True

    def close(self) -> None:
        """End the stream."""
        if self._transport is not None:
            self._transport.close()


class Audience:
    """Many spectators of one match; a context manager that sends them home at its end."""

    def __init__(self, match_id: str, ports: list[int], count: int) -> None:
        self._path = f"/live/?topic=match:{match_id}"
        self._ports = ports
        self._count = count
        self.arrivals: dict[int, list[float]] = defaultdict(list)
        """When each number of the match arrived, once for each spectator."""
        self.spectators: list[Spectator] = []

    async def __aenter__(self) -> "Audience":
        turns = asyncio.Semaphore(AT_ONCE)
        self.spectators = list(await asyncio.gather(*(self._open(number, turns) for number in range(self._count))))
        self.arrivals.clear()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for spectator in self.spectators:
            spectator.close()

    async def _open(self, number: int, turns: asyncio.Semaphore) -> Spectator:
        async with turns:
            port = self._ports[number % len(self._ports)]
            loop = asyncio.get_running_loop()
            _, spectator = await loop.create_connection(lambda: Spectator(self._path, self.arrivals), HOST, port)
            await spectator.opened
            return spectator

    @property
    def lost(self) -> int:
        """How many streams have ended."""
        return sum(spectator.lost for spectator in self.spectators)
