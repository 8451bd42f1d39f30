"""A connection to the site that a test can cut: a proxy on an address of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

BAD_GATEWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 11\r\nConnection: close\r\n\r\nbad gateway"


class Line:
    """The proxy; `url` is the site's address behind it."""

    def __init__(self, site: str) -> None:
        self._site = urlsplit(site)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: set[socket.socket] = set()
        self._answer: bytes | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, answer: bytes = b"") -> None:
        """Let nothing through from now on; without an `answer` connections are closed."""
        self._answer = answer
        for end in list(self._open):
            self._close(end)

    def mend(self) -> None:
        self._answer = None

    def close(self) -> None:
        self._listener.close()
        self.cut()

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
                server = socket.create_connection((self._site.hostname or "", self._site.port or 0))
                self._open.add(server)
                if self._answer is None:
                    server.sendall(request)
                    threading.Thread(target=self._copy, args=(server, client), daemon=True).start()
                    self._copy(client, server)
                self._close(server)
            elif answer and request:
                client.sendall(answer)
        self._close(client)

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        self._close(source)
        self._close(target)

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
