"""SQLite, announcing commits, with a queue for its only writer."""

import re
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from config.backends.writes import AnnouncedWrites, Execute, is_read
from config.database import is_busy

T = TypeVar("T")

LOOK_FOR_MS = 3
"""For how long SQLite itself looks for the end of somebody else's transaction, after 1 and 2 ms, before it is told to
again. Left to itself, it looks ever more rarely, in the end every 100 ms."""
_waiting: dict[str, Lock] = {}
"""By the name of the database; held by the thread of this process that is next to write."""
_CHANGES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE)\b(?!.*\bRETURNING\b)", re.IGNORECASE | re.DOTALL)
"""A change that is over when executed. With RETURNING its rows are still to be read; Django fails without them."""


class DatabaseWrapper(AnnouncedWrites, base.DatabaseWrapper):
    """A connection to SQLite.

    Of each process only one thread at a time looks whether the database can be written; the others wait behind it,
    without using the processor. All of that together takes at most the `timeout` of the connection.

    A thread that waits inside SQLite holds the mutex of its connection, and the garbage collector, in whichever thread
    it runs, needs that mutex to free a cursor of the connection. If the collecting thread is the one that writes, both
    wait for the other until the timeout; so no statement waits inside SQLite for longer than LOOK_FOR_MS.

    A cursor that is freed at the moment at which a statement is refused takes the refusal away from Python's module,
    which returns as if the statement had been executed. So each write begins with a transaction, and SQLite is asked
    whether it has begun; within one nothing is refused as busy.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers.append(self._in_turn)

    def _start_transaction_under_autocommit(self) -> None:
        self._when_writable(super()._start_transaction_under_autocommit, self._has_begun)

    def _has_begun(self) -> bool:
        return bool(self.connection.in_transaction)

    def _in_turn(self, execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Let a statement that writes outside a transaction wait for its turn, too."""
        if self.connection.in_transaction or is_read(sql):
            return execute(sql, params, many, context)
        if not _CHANGES.match(sql):
            return self._when_writable(lambda: execute(sql, params, many, context))
        self._when_writable(self._begin, self._has_begun)
        try:
            result = execute(sql, params, many, context)
            with self.wrap_database_errors:
                self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise
        return result

    def _begin(self) -> None:
        with self.wrap_database_errors:
            self.connection.execute("BEGIN IMMEDIATE")

    def _when_writable(self, write: Callable[[], T], is_done: Callable[[], bool] = lambda: True) -> T:
        """Repeat a statement until SQLite is not busy any more, and it is done."""
        (patience,) = self.connection.execute("PRAGMA busy_timeout").fetchone()
        deadline = time.monotonic() + patience / 1000
        next_to_write = _waiting.setdefault(str(self.settings_dict["NAME"]), Lock())
        is_next = next_to_write.acquire(timeout=patience / 1000)
        self.connection.execute(f"PRAGMA busy_timeout = {min(patience, LOOK_FOR_MS)}")
        try:
            return self._before(deadline, write, is_done)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {patience}")
            if is_next:
                next_to_write.release()

    def _before(self, deadline: float, write: Callable[[], T], is_done: Callable[[], bool]) -> T:
        while True:
            try:
                result = write()
                if is_done():
                    return result
            except OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
