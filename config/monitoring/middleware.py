"""Measure requests for /metrics."""

import time
from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpRequest, HttpResponse

from config.monitoring import is_measured


class Metrics:
    """Count each request with its route, status, duration and database time; absent without prometheus-client."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not is_measured():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        from config.monitoring import metrics

        queries, started = metrics.QueryTime(), time.perf_counter()
        with connection.execute_wrapper(queries):
            response = self.get_response(request)
        # Paths may contain tokens, and anybody can invent some.
        route = request.resolver_match.view_name if request.resolver_match else "none"
        seconds = time.perf_counter() - started
        metrics.observe(request.method or "", route, response.status_code, seconds, queries)
        return response
