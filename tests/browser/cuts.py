"""A line to the site that fails in every way seen in halls, at a chosen moment of a write, and a plan of runs."""

import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from random import Random
from typing import NamedTuple

from tests.browser.chromium import HALL

STATUS = {502: "Bad Gateway", 503: "Service Unavailable", 521: "Web Server Is Down"}
CUTS = ("refused", "hangs", "502", "503", "521", "portal", "reset", "dns", "delay")
MOMENTS = ("before", "during", "after")
"""Of a write: it never arrives; it arrives and its answer does not; the line is cut right after its answer."""
DELAY = 30.0
"""Seconds that an answer takes on a slow line."""
WELCOME = b"<!doctype html><title>Welcome to our Wi-Fi</title><h1>Welcome to our Wi-Fi</h1>"
AT_ONCE = struct.pack("ii", 1, 0)
"""Closes a connection by a reset."""


class Request(NamedTuple):
    """A request of a browser, as it came."""

    head: bytes
    body: bytes

    @property
    def is_write(self) -> bool:
        """Whether it sends kept acts."""
        line = self.head.split(b"\r\n", 1)[0]
        return line.startswith(b"POST ") and b"/kept/ " in line

    @property
    def is_stream(self) -> bool:
        return b"text/event-stream" in self.head

    @property
    def for_server(self) -> bytes:
        """The same, as the only one of its connection."""
        lines = [line for line in self.head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        return b"\r\n".join([lines[0], b"Connection: close", *lines[1:]]) + b"\r\n\r\n" + self.body


class CutLine:
    """Passes on what browsers and the server say to each other, one request a connection, until it is cut."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self.kind = ""
        """How the line fails now; empty if it does not."""
        self._armed = ("", "")
        self.happened = threading.Event()
        """Whether the write has arrived with which the line was to be cut."""
        self._mended = threading.Event()
        self._mended.set()
        self._open: set[socket.socket] = set()
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://{HALL}:{self.port}"

    def cut(self, kind: str) -> None:
        """Let nothing through from now on but what this kind of cut does."""
        self._mended.clear()
        self.kind = kind
        if kind == "refused":
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        if kind not in ("hangs", "delay"):
            for end in list(self._open):
                _reset(end)

    def cut_with_write(self, moment: str, kind: str) -> None:
        """Cut the line by the next request that sends kept acts: `during` it, or right `after` its answer."""
        self.happened.clear()
        self._armed = (moment, kind)

    def mend(self) -> None:
        self.kind = ""
        if self._listener.fileno() == -1:
            self._listener = self._listen(self.port)
        self._mended.set()

    def close(self) -> None:
        self._mended.set()
        if self._listener.fileno() != -1:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        for end in list(self._open):
            _reset(end)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), backlog=64)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # It was closed.
            while True:
                browser, _address = listener.accept()
                threading.Thread(target=self._serve, args=(browser,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        self._open.add(browser)
        with suppress(OSError):
            if (request := _read(browser)) is not None:
                self._answer(browser, request)
        self._open.discard(browser)
        with suppress(OSError):
            browser.close()

    def _answer(self, browser: socket.socket, request: Request) -> None:
        moment, kind = self._armed
        if self.kind == "" and kind and request.is_write:
            self._armed = ("", "")
            answer = self._whole(request)
            if moment == "after":
                browser.sendall(answer)
                browser.close()
            else:
                self._open.discard(browser)
            self.cut(kind)
            self.happened.set()
            if moment == "during":
                self._fail(browser, request, answer)
        elif self.kind == "":
            self._pass_on(browser, request)
        else:
            self._fail(browser, request)

    def _fail(self, browser: socket.socket, request: Request, answer: bytes | None = None) -> None:
        """Answer as the line does that is cut; `answer` is the server's if the request has reached it."""
        kind = self.kind
        if kind in ("hangs", "delay"):
            self._mended.wait(DELAY / 2 if kind == "delay" and answer is None else None)
            if kind == "delay" and not request.is_stream:
                answer = answer if answer is not None else self._whole(request)
                self._mended.wait(DELAY / 2)
            # What was asked while the server slept is done when it wakes up, whether or not somebody waits for it.
            if answer is not None:
                browser.sendall(answer)
            else:
                self._pass_on(browser, request)
        elif kind.isdecimal():
            body = f"<h1>{STATUS[int(kind)]}</h1>".encode()
            head = f"HTTP/1.1 {kind} {STATUS[int(kind)]}\r\nContent-Type: text/html\r\nConnection: close\r\n"
            browser.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        elif kind == "portal":
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(WELCOME)}\r\n"
            browser.sendall(f"{head}Connection: close\r\n\r\n".encode() + WELCOME)
        elif kind == "reset" and not request.is_stream:
            answer = answer if answer is not None else self._whole(request)
            browser.sendall(answer[: len(answer) - max(1, (len(answer) - answer.find(b"\r\n\r\n")) // 2)])
            _reset(browser)
        else:
            _reset(browser)

    def _whole(self, request: Request) -> bytes:
        with socket.create_connection(("127.0.0.1", self._server_port)) as server:
            server.sendall(request.for_server)
            parts = []
            while data := server.recv(65_536):
                parts.append(data)
        return b"".join(parts)

    def _pass_on(self, browser: socket.socket, request: Request) -> None:
        with socket.create_connection(("127.0.0.1", self._server_port)) as server:
            self._open.add(server)
            with suppress(OSError):
                server.sendall(request.for_server)
                while data := server.recv(65_536):
                    if self.kind in ("hangs", "delay"):
                        self._mended.wait()
                    browser.sendall(data)
            self._open.discard(server)


def _read(browser: socket.socket) -> Request | None:
    """Read a request; None if the browser has only connected."""
    got = b""
    while b"\r\n\r\n" not in got:
        if not (data := browser.recv(65_536)):
            return None
        got += data
    head, _, body = got.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].partition(b":")[2]) if lengths else 0
    while len(body) < length:
        if not (data := browser.recv(65_536)):
            return None
        body += data
    return Request(head, body)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        # A thread that reads from it keeps it open otherwise.
        end.shutdown(socket.SHUT_RD)
        end.close()


# A plan of runs.

Pair = frozenset[tuple[str, str]]


def pairs_of(run: Mapping[str, str]) -> set[Pair]:
    return {frozenset(pair) for pair in combinations(run.items(), 2)}


def pairwise(factors: Mapping[str, Sequence[str]], excluded: set[Pair], seed: str) -> list[dict[str, str]]:
    """Return runs, each a value of every factor, in which every pair of values that is not excluded occurs."""
    random = Random(seed)
    every = {pair for one, two in combinations(factors, 2) for pair in _between(one, two, factors)}
    left, runs = every - excluded, list[dict[str, str]]()
    while left:
        tried = [
            _begun_with(random.choice(sorted(left, key=sorted)), left, factors, excluded, random) for _ in range(30)
        ]
        best = max(tried, key=lambda run: len(pairs_of(run) & left))
        runs.append(best)
        left -= pairs_of(best)
    return runs


def _between(one: str, two: str, factors: Mapping[str, Sequence[str]]) -> list[Pair]:
    return [frozenset(((one, a), (two, b))) for a in factors[one] for b in factors[two]]


def _begun_with(
    pair: Pair, left: set[Pair], factors: Mapping[str, Sequence[str]], excluded: set[Pair], random: Random
) -> dict[str, str]:
    """Return a run with this pair, whose other values are chosen one by one for the most pairs that are left."""
    run = dict(pair)
    for name in random.sample(sorted(set(factors) - set(run)), len(factors) - len(run)):
        possible = [value for value in factors[name] if not pairs_of({**run, name: value}) & excluded]
        assert possible, f"nothing goes with {run}"
        random.shuffle(possible)
        run[name] = max(possible, key=lambda value: len(pairs_of({**run, name: value}) & left))
    return {name: run[name] for name in factors}
