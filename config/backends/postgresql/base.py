"""PostgreSQL, announcing commits."""

from select import POLLIN, poll

from django.db import InterfaceError, OperationalError
from django.db.backends.postgresql import base

from config.backends.writes import AnnouncedWrites


class DatabaseWrapper(AnnouncedWrites, base.DatabaseWrapper):
    unknown_after = (InterfaceError, OperationalError)

    def is_usable(self) -> bool:
        """Return whether the connection still works; Django asks before each request.

        A server that closes a connection sends a message first. If nothing has arrived, no query is needed to find out.
        """
        if self.connection is None or self.connection.closed:
            return False
        return not _has_input(self.connection.pgconn.socket) or super().is_usable()


def _has_input(socket: int) -> bool:
    """Return whether anything waits to be read from a socket, its end included."""
    waiting = poll()
    waiting.register(socket, POLLIN)
    return bool(waiting.poll(0))
