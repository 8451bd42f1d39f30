"""Races: threads with a connection each that start together."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from engine.errors import Refused

PATIENCE = 20
"""Seconds after which a race counts as deadlocked."""
TOGETHER = 5
"""Seconds for which a thread waits for the others to have read."""


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """Run functions in threads that start together; return what each returned or raised."""
    start = threading.Barrier(len(actions))
    outcomes: list[Any] = [None] * len(actions)

    def run(number: int, action: Callable[[], Any]) -> None:
        try:
            start.wait(PATIENCE)
            outcomes[number] = action()
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


def unlocked_together(threads: int) -> Callable[[QuerySet[Any]], Any]:
    """Return a replacement for `for_update` in controls, which leaves the lock out.

    All threads of a race have read before one of them goes on, so that the fault shows each time.
    """
    all_have_read = threading.Barrier(threads)

    class UnlockedRows:
        def __init__(self, rows: QuerySet[Any]) -> None:
            self.rows = rows

        def get(self, **lookup: Any) -> Any:
            row = self.rows.get(**lookup)
            if threading.current_thread() is not threading.main_thread():
                with suppress(threading.BrokenBarrierError):
                    all_have_read.wait(TOGETHER)
            return row

    return UnlockedRows
