"""Races: threads with a connection each that start together.

A control runs its race inside `without_locks`. There, each thread waits before its first write until every other thread
is about to write too: all decide by what they read before, so the fault shows each time, whoever writes first.
"""

import re
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Model

from engine.errors import Refused

PATIENCE = 60
"""Seconds after which a race counts as deadlocked."""
TOGETHER = 20
"""Seconds for which a thread waits for the others to write. A lock that was left in keeps them from coming."""
ROW_LOCK = re.compile(r' FOR NO KEY UPDATE OF "(\w+)"(?: SKIP LOCKED)?$')
WRITE = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')


class Unguarded:
    """Leaves row locks out of the statements of a race, and lets nobody write before all are about to."""

    def __init__(self, threads: int, *, unlocked: Collection[str], before: str | None) -> None:
        self.unlocked, self.before = unlocked, before
        self.all_decided = threading.Barrier(threads)
        self.thread = threading.local()

    def run(self, action: Callable[[], Any]) -> Any:
        with connection.execute_wrapper(self.execute):
            try:
                return action()
            finally:
                # Whoever ends without a write keeps nobody waiting.
                self.wait_for_the_others()

    def execute(self, execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        """Run a statement (see `connection.execute_wrapper`)."""
        write = WRITE.match(sql)
        if write is not None and self.before in (None, write[1]):
            self.wait_for_the_others()
        return execute(ROW_LOCK.sub(self.leave_out, sql), *args)

    def wait_for_the_others(self) -> None:
        """Wait until all threads have come here; a thread waits only once."""
        if not hasattr(self.thread, "has_waited"):
            self.thread.has_waited = True
            with suppress(threading.BrokenBarrierError):
                self.all_decided.wait(TOGETHER)

    def leave_out(self, lock: re.Match[str]) -> str:
        """Return what takes the place of a lock."""
        return lock[0] if self.unlocked and lock[1] not in self.unlocked else ""


_new_race: ContextVar[Callable[[int], Unguarded] | None] = ContextVar("new_race", default=None)
"""Returns an unguarded race of so many threads; None outside controls."""


@contextmanager
def without_locks(*models: type[Model], before: type[Model] | None = None) -> Iterator[None]:
    """Leave the row locks on these models, or all row locks, out of the races that start in this context.

    The threads wait for one another before their first write, or the first to `before` if a service goes on reading
    what it decides by after it has written something else.
    """
    unlocked = {model._meta.db_table for model in models}
    waits_before = before._meta.db_table if before is not None else None
    token = _new_race.set(partial(Unguarded, unlocked=unlocked, before=waits_before))
    try:
        yield
    finally:
        _new_race.reset(token)


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """Run functions in threads that start together; return what each returned or raised."""
    start = threading.Barrier(len(actions))
    outcomes: list[Any] = [None] * len(actions)
    new_race = _new_race.get()
    unguarded = new_race(len(actions)) if new_race is not None else None

    def run(number: int, action: Callable[[], Any]) -> None:
        try:
            start.wait(PATIENCE)
            outcomes[number] = action() if unguarded is None else unguarded.run(action)
        except Exception as error:  # noqa: BLE001, the test checks which
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number, act)) for number, act in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the race did not end"
    return outcomes


def faults(outcomes: list[Any]) -> list[Exception]:
    """Return the exceptions other than refusals: the user would have seen an error page."""
    return [outcome for outcome in outcomes if isinstance(outcome, Exception) and not isinstance(outcome, Refused)]


def refusals(outcomes: list[Any]) -> list[str]:
    """Return the codes of the refusals."""
    return [outcome.code for outcome in outcomes if isinstance(outcome, Refused)]
