"""Shared by the benchmarks of pages: a database of their own, and the times of a page.

Requests go through Django's test client: all of our code and middleware, and no network.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
# There is no broker, so each hint that cannot be sent would be logged.
os.environ.setdefault("LOG_LEVEL", "ERROR")
django.setup()

from django.db import connection  # noqa: E402, its settings come from the lines above
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from config.web_process import collect_rarely  # noqa: E402
from tests.settings import RUN_DIR  # noqa: E402

REQUESTS = 100
WARM_UP = 10
HEAD = f"  {'':<34} {'p50':>10} {'p99':>11} {'CPU p50':>11} {'CPU p99':>11} {'size':>12} {'queries':>9}"


@contextmanager
def database() -> Iterator[None]:
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def measure(label: str, path: str, *, user: Any = None, **headers: str) -> None:
    """Print p50 and p99 of many requests, the size of the response as it is sent, and the number of queries.

    `user` is signed in, if given. The time of the processor is the same however busy the machine is.
    """
    client = Client(headers=headers)
    if user is not None:
        client.force_login(user)
    collect_rarely()  # as in web processes
    times = [_milliseconds(client, path) for _ in range(REQUESTS + WARM_UP)][WARM_UP:]
    with CaptureQueriesContext(connection) as queries:
        size = len(client.get(path).content)
    columns = [quantiles(column, n=100) for column in zip(*times, strict=True)]
    figures = "  ".join(f"{cuts[at]:>7.1f} ms" for cuts in columns for at in (49, 98))
    print(f"  {label:<34} {figures}  {size / 1024:>7.1f} KiB  {len(queries):>7}")


def _milliseconds(client: Client, path: str) -> tuple[float, float]:
    """Return how long a request takes by the clock, and the time of the processor."""
    begun, used = perf_counter(), process_time()
    answer = client.get(path)
    taken = ((perf_counter() - begun) * 1000, (process_time() - used) * 1000)
    if answer.status_code != HTTPStatus.OK:
        raise SystemExit(f"{path}: {answer.status_code}")
    return taken


def bare() -> None:
    """Print the head of a table and its first line: a view that does nothing, with all of our middleware."""
    print(HEAD)
    measure("bare view (healthz)", "/healthz")
