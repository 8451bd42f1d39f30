"""A conversation with an outside server ends before the claim of its worker does, so that no other repeats it."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from core.queue import claim_lasts

SHARE = 0.75
"""Of a claim; the rest is for what a worker writes before a conversation, and for what it notes after it."""
LOOK_EVERY = 0.1
"""Seconds."""


def longest_conversation() -> float:
    """Return how many seconds a conversation with a mail server or a push service may take."""
    return SHARE * claim_lasts().total_seconds()


class Conversation:
    """A conversation that is cut off once its time is over, however slowly the other side answers.

    The timeout of a socket begins anew with each byte, and looking up a name has none.
    """

    def __init__(self, socket_of: Callable[[], socket.socket | None]) -> None:
        self._socket_of = socket_of
        self._ends_at = time.monotonic() + longest_conversation()
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, name="conversation", daemon=True).start()

    def check(self) -> None:
        """Raises TimeoutError once its time is over; called before anything is handed over."""
        if time.monotonic() >= self._ends_at:
            raise TimeoutError("the conversation took too long")

    def end(self) -> None:
        self._is_over.set()

    def _watch(self) -> None:
        wait = max(0.0, self._ends_at - time.monotonic())
        while not self._is_over.wait(wait):
            wait = LOOK_EVERY  # There may be no connection yet, or it is just being encrypted.
            connection = self._socket_of()
            if connection is not None and connection.fileno() >= 0:
                with contextlib.suppress(OSError):
                    # That of TLS sockets would forget the encryption under the hands of the thread that reads.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
                return
