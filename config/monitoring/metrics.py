"""Metrics of requests, kept by each web process. With PROMETHEUS_MULTIPROC_DIR, any of them answers for all.

The module needs prometheus-client; `config.monitoring.is_measured` says whether it is installed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client import Counter, Gauge, Histogram

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""In seconds."""

request_seconds = Histogram(
    "barpoint_request_seconds", "Time to answer a request.", ("method", "route", "status"), buckets=BUCKETS
)
database_seconds = Counter("barpoint_database_seconds", "Time spent in database queries.", ("route",))
database_queries = Counter("barpoint_database_queries", "Number of database queries.", ("route",))
broken_divisions = Counter("barpoint_broken_divisions", "Answers without a division that cannot be shown.", ("route",))
open_streams = Gauge("barpoint_open_streams", "Event streams that are open.", multiprocess_mode="livesum")
# A process that was killed may have left the number of its streams to one with the same id.
open_streams.set(0)
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class QueryTime:
    """An execute wrapper that adds up the time and number of queries."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.count = 0

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - started
            self.count += 1


def observe(method: str, route: str, status: int, seconds: float, queries: QueryTime) -> None:
    """Count a request. All methods that clients invent are one, since each label takes memory."""
    method = method if method in METHODS else "other"
    request_seconds.labels(method, route, str(status)).observe(seconds)
    database_seconds.labels(route).inc(queries.seconds)
    database_queries.labels(route).inc(queries.count)


@contextmanager
def stream() -> Iterator[None]:
    """Count a stream while it is open."""
    open_streams.inc()
    try:
        yield
    finally:
        open_streams.dec()
