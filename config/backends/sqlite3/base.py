"""SQLite, announcing commits, with a queue for its only writer."""

import time
from threading import Lock

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from config.backends.writes import AnnouncedWrites
from config.database import is_busy

LOOK_FOR_MS = 3
"""For how long SQLite itself looks for the end of somebody else's transaction, after 1 and 2 ms, before it is told to
again. Left to itself, it looks ever more rarely, in the end every 100 ms."""
_waiting: dict[str, Lock] = {}
"""By the name of the database; held by the thread of this process that is next to write."""


class DatabaseWrapper(AnnouncedWrites, base.DatabaseWrapper):
    """A connection to SQLite.

    Of each process only one thread at a time looks whether the database can be written; the others wait behind it,
    without using the processor. All of that together takes at most the `timeout` of the connection.
    """

    def _start_transaction_under_autocommit(self) -> None:
        (patience,) = self.connection.execute("PRAGMA busy_timeout").fetchone()
        deadline = time.monotonic() + patience / 1000
        next_to_write = _waiting.setdefault(str(self.settings_dict["NAME"]), Lock())
        is_next = next_to_write.acquire(timeout=patience / 1000)
        self.connection.execute(f"PRAGMA busy_timeout = {min(patience, LOOK_FOR_MS)}")
        try:
            self._begin_before(deadline)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {patience}")
            if is_next:
                next_to_write.release()

    def _begin_before(self, deadline: float) -> None:
        while True:
            try:
                super()._start_transaction_under_autocommit()
            except OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
            else:
                return
