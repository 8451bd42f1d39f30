"""A request counts from when its last byte arrived, however long it then waits for a thread."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import uvicorn
from django.http import HttpRequest, JsonResponse
from django.test import RequestFactory, override_settings
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config import asgi
from config.arrival import MOST_BYTES
from core.arrival import arrived_at
from tests.config.test_downloads import eventually

WAIT = 0.6
"""Seconds for which a request is held up."""


@csrf_exempt
def show(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"body": len(request.body), "arrived": arrived_at(request).timestamp()})


def sleep(request: HttpRequest) -> JsonResponse:
    time.sleep(WAIT)
    return JsonResponse({})


class Urls:
    """The site with two more pages: one shows when its request arrived, one keeps a thread busy."""

    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("show/", show), path("sleep/", sleep))


@pytest.fixture
def port(transactional_db: None) -> Iterator[int]:
    with override_settings(ROOT_URLCONF=Urls):
        server = uvicorn.Server(uvicorn.Config(asgi.application, port=0, lifespan="off", log_config=None))
        thread = threading.Thread(target=server.run)
        thread.start()
        eventually(lambda: server.started)
        yield server.servers[0].sockets[0].getsockname()[1]
        server.should_exit = True
        thread.join(10)


def connect(port: int, text: str) -> socket.socket:
    connected = socket.create_connection(("127.0.0.1", port), timeout=10)
    connected.sendall(text.encode())
    return connected


def answer(connected: socket.socket) -> dict[str, float]:
    received = b""
    while chunk := connected.recv(4096):
        received += chunk
    connected.close()
    shown: dict[str, float] = json.loads(received.partition(b"\r\n\r\n")[2])
    return shown


HEAD = "POST /show/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"


def test_waiting_for_a_thread_costs_no_time(port: int) -> None:
    busy = [connect(port, "GET /sleep/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") for _ in range(asgi.WSGI_THREADS)]
    time.sleep(WAIT / 3)
    sent = time.time()
    shown = answer(connect(port, f"{HEAD}Content-Length: 2\r\n\r\n{{}}"))
    assert time.time() - sent > WAIT / 3, "it waited"
    assert shown["arrived"] - sent < WAIT / 3
    for connected in busy:
        connected.close()


def test_a_match_that_is_played_waits_for_no_page(port: int) -> None:
    busy = [connect(port, "GET /sleep/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") for _ in range(asgi.WSGI_THREADS)]
    time.sleep(WAIT / 3)
    sent = time.time()
    head = "GET /api/v1/matches/22222222aa/live/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    assert answer(connect(port, head))["code"] == "not_found"
    assert time.time() - sent < WAIT / 3
    for connected in busy:
        connected.close()


def test_a_body_that_comes_late_arrives_late(port: int) -> None:
    sent = time.time()
    connected = connect(port, f"{HEAD}Content-Length: 2\r\n\r\n{{")
    time.sleep(WAIT)
    connected.sendall(b"}")
    shown = answer(connected)
    assert shown["arrived"] - sent >= WAIT
    assert shown["body"] == 2


@pytest.mark.parametrize("size", [MOST_BYTES, MOST_BYTES + 1])
def test_a_large_request_counts_from_when_its_view_runs(port: int, size: int) -> None:
    sent = time.time()
    connected = connect(port, f"{HEAD}Content-Length: {size}\r\n\r\n{'x' * (size - 1)}")
    time.sleep(WAIT)
    connected.sendall(b"x")
    shown = answer(connected)
    assert shown["arrived"] - sent >= WAIT
    assert shown["body"] == size


def test_no_header_stamps_a_request() -> None:
    early = datetime(2026, 1, 1, tzinfo=UTC)
    request = RequestFactory().post("/", headers={"barpoint.arrived": "1", "asgi.scope": "1"})
    assert arrived_at(request) > early
