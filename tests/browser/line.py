"""A connection to the site that a test can cut: a proxy on an address of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


def foreign(status: str, body: str = "", content_type: str = "text/plain") -> bytes:
    """Return what is no answer of the site, such as a proxy's or a portal's."""
    body = body or status
    head = (f"HTTP/1.1 {status}", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", "Connection: close")
    return "\r\n".join([*head, "", body]).encode()


BAD_GATEWAY = foreign("502 Bad Gateway")
UNAVAILABLE = foreign("503 Service Unavailable")
"""As Caddy says while no web process is healthy."""
WEB_SERVER_IS_DOWN = foreign("521 ")
WELCOME = "Welcome to our Wi-Fi"
PORTAL = foreign("200 OK", f"<!doctype html><title>Wi-Fi</title><h1>{WELCOME}</h1>", "text/html")


class Line:
    """The proxy; `url` is the site's address behind it."""

    def __init__(self, site: str) -> None:
        self._site = urlsplit(site)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: set[socket.socket] = set()
        self._answer: bytes | None = None
        self._lost_after: int | None = None
        self._losing: set[socket.socket] = set()
        self._passes = threading.Event()
        self._passes.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, answer: bytes = b"") -> None:
        """Let nothing through from now on; without an `answer` connections are closed."""
        self._answer = answer
        for end in list(self._open):
            self._close(end)

    def hold(self) -> None:
        """Take requests and pass none on until the line is mended."""
        self.cut()
        self._answer = None
        self._passes.clear()

    def lose_answers(self, *, after: int = 0) -> None:
        """Let what is posted reach the site, and break off its answer after so many bytes."""
        self._lost_after = after

    def mend(self) -> None:
        self._answer = self._lost_after = None
        self._passes.set()

    def close(self) -> None:
        self._listener.close()
        self.cut()
        self._passes.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            self._open.add(client)
            # A browser connects before it has something to ask, and the line may be cut or mended until it asks.
            request = b"" if self._answer == b"" else client.recv(65536)
            answer = self._answer
            if answer is None and request:
                # The site would end a connection on which nothing comes.
                self._passes.wait()
                server = socket.create_connection((self._site.hostname or "", self._site.port or 0))
                self._open.add(server)
                if self._answer is None:
                    self._pass_on(request, server)
                    threading.Thread(target=self._answer_from, args=(server, client), daemon=True).start()
                    while data := client.recv(65536):
                        self._pass_on(data, server)
                    self._close(client)
                self._close(server)
            elif answer and request:
                client.sendall(answer)
        self._close(client)

    def _pass_on(self, data: bytes, server: socket.socket) -> None:
        if data.startswith(b"POST ") and self._lost_after is not None:
            self._losing.add(server)
        server.sendall(data)

    def _answer_from(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if server in self._losing:
                    client.sendall(data[: self._lost_after])
                    break
                client.sendall(data)
        self._close(server)
        self._close(client)

    def _close(self, end: socket.socket) -> None:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
        self._open.discard(end)


@contextmanager
def line_to(site: str) -> Iterator[Line]:
    line = Line(site)
    try:
        yield line
    finally:
        line.close()
