"""The line between the browser and the server in a hall, which falls silent or breaks and comes back."""

import socket
import threading
import time
from contextlib import suppress

from tests.browser.chromium import HALL


class HallLine:
    """Passes on what browsers and the server say to each other, at a port of its own."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._asks, self._answers = threading.Event(), threading.Event()
        self._asks.set()
        self._answers.set()
        self.delay = 0.0
        """Seconds for which each part of an answer is held back."""
        self._connections: list[socket.socket] = []
        self._listener = self._listen(0)
        self.port = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        """The site, as browsers in the hall reach it."""
        return f"http://{HALL}:{self.port}"

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), backlog=64)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                browser, _address = listener.accept()
            except OSError:
                return  # It was closed.
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._connections += [browser, server]
            for ends in ((browser, server, self._asks), (server, browser, self._answers)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_open: threading.Event) -> None:
        try:
            while data := source.recv(65_536):
                is_open.wait()
                time.sleep(self.delay if is_open is self._answers else 0)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return  # One of them was closed.

    def fall_silent(self) -> None:
        """Take connections and answer nothing, as a laptop does that sleeps, or a process that was stopped."""
        self._asks.clear()

    def lose_answers(self) -> None:
        """Let requests reach the server, and nothing come back."""
        self._answers.clear()

    def break_off(self) -> None:
        """Refuse connections, and end those that there are."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            # A thread that reads from it keeps it open otherwise.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._connections.clear()

    def come_back(self) -> None:
        """Pass everything on again, beginning with what was said meanwhile."""
        self._asks.set()
        self._answers.set()
        if self._listener.fileno() == -1:
            self._listener = self._listen(self.port)

    def close(self) -> None:
        self._asks.set()
        self._answers.set()
        if self._listener.fileno() != -1:
            self.break_off()
