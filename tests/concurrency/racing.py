"""Two at once: threads with a connection each, set off together."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection

from engine.errors import Refused

PATIENCE = 20
"""Seconds after which a race that does not end has locked itself up."""


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act gave: its value, or what it raised. All start together."""
    start = threading.Barrier(len(acts))
    outcomes: list[Any] = [None] * len(acts)

    def run(number: int, act: Callable[[], Any]) -> None:
        try:
            start.wait(PATIENCE)
            outcomes[number] = act()
        except Exception as error:  # noqa: BLE001, told apart by the test
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number, act)) for number, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the race did not end"
    return outcomes


def faults(outcomes: list[Any]) -> list[Exception]:
    """What was raised and is no refusal: the user would have seen an error page."""
    return [one for one in outcomes if isinstance(one, Exception) and not isinstance(one, Refused)]


def refusals(outcomes: list[Any]) -> list[str]:
    """The codes of what was refused."""
    return [one.code for one in outcomes if isinstance(one, Refused)]
