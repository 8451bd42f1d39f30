"""Threads that write to SQLite take turns, and give up together when it is locked for too long."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from config.backends.sqlite3.base import DatabaseWrapper
from config.backends.writes import Execute
from config.database import SQLITE_OPTIONS, is_busy

pytestmark = pytest.mark.django_db

WRITERS, TIMES = 4, 25
PATIENCE = 1.0


class Site:
    """A database with a number that its users count up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE counter (number)")
            connection.execute("INSERT INTO counter VALUES (0)")

    @contextmanager
    def connection(self, patience: float = 20) -> Iterator[DatabaseWrapper]:
        """A connection of its own, which waits for so many seconds."""
        options = {**SQLITE_OPTIONS, "timeout": patience}
        database = {"ENGINE": "config.backends.sqlite3", "NAME": self.path, "OPTIONS": options}
        connection = ConnectionHandler({"default": database})["default"]
        assert isinstance(connection, DatabaseWrapper)
        try:
            yield connection
        finally:
            connection.close()

    def count(self, times: int, patience: float = 20) -> None:
        """Read and write the number so many times, each time in a transaction."""
        with self.connection(patience) as connection:
            for _ in range(times):
                with atomic(connection), connection.cursor() as cursor:
                    number = cursor.execute("SELECT number FROM counter").fetchone()[0]
                    cursor.execute("UPDATE counter SET number = %s", [number + 1])

    def refused(self, patience: float) -> OperationalError:
        with pytest.raises(OperationalError) as refusal:
            self.count(1, patience)
        return refusal.value

    @property
    def number(self) -> int:
        with closing(sqlite3.connect(self.path)) as connection:
            return int(connection.execute("SELECT number FROM counter").fetchone()[0])


@contextmanager
def atomic(connection: DatabaseWrapper) -> Iterator[None]:
    """A transaction of a connection that no setting names."""
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    try:
        yield
        connection.commit()
    finally:
        connection.set_autocommit(True)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site.sqlite3")


def test_no_writer_misses_what_another_has_written(site: Site) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        for writer in [pool.submit(site.count, TIMES) for _ in range(WRITERS)]:
            writer.result()
    assert site.number == WRITERS * TIMES


def test_whoever_waits_behind_another_writer_gives_up_as_early(site: Site) -> None:
    waiting = 4 * WRITERS
    with closing(sqlite3.connect(site.path)) as other, ThreadPoolExecutor(waiting) as pool:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        errors = list(pool.map(site.refused, [PATIENCE] * waiting))
        # One after the other they would take 16 times as long; a busy machine is slow, too.
        assert time.monotonic() < began + waiting / 2 * PATIENCE
        other.rollback()
    assert all(map(is_busy, errors)), "answered 503"
    site.count(1)
    assert site.number == 1


def test_freeing_a_cursor_of_a_thread_that_waits_does_not_hold_up_the_writer_it_waits_for(site: Site) -> None:
    cursors: list[object] = []

    def wait_and_write() -> None:
        with site.connection(patience=PATIENCE * 10) as connection:
            cursors.append(abandoned_cursor(connection))
            with connection.cursor() as cursor:
                cursor.execute("UPDATE counter SET number = number + 1")

    with closing(sqlite3.connect(site.path)) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute("BEGIN IMMEDIATE")
        waiting = pool.submit(wait_and_write)
        while not cursors:
            time.sleep(0.01)
        time.sleep(0.2)
        began = time.monotonic()
        cursors.clear()  # As the garbage collector does, in the thread that writes.
        assert time.monotonic() < began + PATIENCE
        writer.commit()
        waiting.result()
    assert site.number == 1


@pytest.mark.parametrize("context", [atomic, nullcontext])
def test_a_refusal_that_python_has_lost_is_noticed(
    site: Site, context: Callable[[DatabaseWrapper], AbstractContextManager[None]]
) -> None:
    """Python's module loses it where a cursor is freed at the same moment."""

    def lose(execute: Execute, sql: str, params: Any, many: bool, about: dict[str, Any]) -> Any:
        try:
            return execute(sql, params, many, about)
        except OperationalError:
            return None

    def write() -> None:
        with (
            site.connection() as connection,
            connection.execute_wrapper(lose),
            context(connection),
            connection.cursor() as cursor,
        ):
            cursor.execute("UPDATE counter SET number = number + 1")

    with closing(sqlite3.connect(site.path)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        writing = pool.submit(write)
        time.sleep(0.2)
        other.rollback()
        writing.result()
    assert site.number == 1


def abandoned_cursor(connection: DatabaseWrapper) -> object:
    """A cursor that was not read to its end, so that SQLite has a statement to reset when it is freed."""
    connection.ensure_connection()
    cursor: sqlite3.Cursor = connection.connection.execute("SELECT 1 UNION SELECT 2")
    cursor.fetchone()
    return cursor


def test_the_next_writer_does_not_wait_for_one_that_failed(site: Site) -> None:
    with site.connection() as connection:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
        began = time.monotonic()
        with pytest.raises(OperationalError, match="within a transaction") as refusal, atomic(connection):
            pass
        assert not is_busy(refusal.value)
        assert time.monotonic() < began + 10, "waiting would not have helped"
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
            assert cursor.execute("PRAGMA busy_timeout").fetchone()[0] == 20_000, "as before"
    site.count(1, patience=0)
    assert site.number == 1
