"""A request counts from when its last byte arrived, however long it then waits for a thread."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn
from django.http import HttpRequest, JsonResponse
from django.test import RequestFactory, override_settings
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config import asgi
from config.http_protocol import LimitedHeadProtocol
from config.wsgi_threads import SMALL
from core.requests import arrived_at
from tests.config.test_downloads import PATIENCE, eventually

WAIT = 0.6
"""Seconds after which a client sends the rest of its request."""


class Occupied:
    """Pages that keep all threads of pages busy until they are released."""

    def __init__(self) -> None:
        self.all_busy = threading.Barrier(asgi.WSGI_THREADS + 1)
        self.released = threading.Event()


occupied = Occupied()


@csrf_exempt
def show(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"body": len(request.body), "arrived": arrived_at(request).timestamp()})


def occupy(request: HttpRequest) -> JsonResponse:
    occupied.all_busy.wait(PATIENCE)
    occupied.released.wait(PATIENCE)
    return JsonResponse({})


class Urls:
    """The site with two more pages: one shows when its request arrived, one keeps a thread busy."""

    from config.urls import handler400 as handler400
    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("show/", show), path("occupy/", occupy))


@contextmanager
def served(urls: type) -> Iterator[int]:
    """Serve these URLs with the limits of the site, and return the port."""
    with override_settings(ROOT_URLCONF=urls):
        config = uvicorn.Config(asgi.application, http=LimitedHeadProtocol, port=0, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        eventually(lambda: server.started)
        yield server.servers[0].sockets[0].getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE)


@pytest.fixture
def port(transactional_db: None) -> Iterator[int]:
    with served(Urls) as number:
        yield number


def connect(port: int, text: str) -> socket.socket:
    connected = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connected.sendall(text.encode())
    return connected


def answer(connected: socket.socket) -> dict[str, Any]:
    received = b""
    while chunk := connected.recv(4096):
        received += chunk
    connected.close()
    shown: dict[str, Any] = json.loads(received.partition(b"\r\n\r\n")[2])
    return shown


@contextmanager
def all_threads_busy(port: int) -> Iterator[None]:
    global occupied
    occupied = Occupied()
    pages = [connect(port, "GET /occupy/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") for _ in range(asgi.WSGI_THREADS)]
    try:
        occupied.all_busy.wait(PATIENCE)
        yield
    finally:
        occupied.released.set()
        for page in pages:
            page.close()


def read_played_match(port: int) -> str:
    """Ask for a match that is played here, which does not exist; return the code of the answer."""
    path = "/api/v1/matches/22222222aa/live/"
    response = answer(connect(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
    return str(response["code"])


HEAD = "POST /show/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"


def test_waiting_for_a_thread_costs_no_time(port: int) -> None:
    with all_threads_busy(port):
        waiting = connect(port, f"{HEAD}Content-Length: 2\r\n\r\n{{}}")
        read_played_match(port)  # The server has read what came before.
        released = time.time()
    assert answer(waiting)["arrived"] < released


def test_a_match_that_is_played_waits_for_no_page(port: int) -> None:
    with all_threads_busy(port):
        assert read_played_match(port) == "not_found"


def test_a_body_that_comes_late_arrives_late(port: int) -> None:
    sent = time.time()
    connected = connect(port, f"{HEAD}Content-Length: 2\r\n\r\n{{")
    time.sleep(WAIT)
    connected.sendall(b"}")
    shown = answer(connected)
    assert shown["arrived"] - sent >= WAIT
    assert shown["body"] == 2


@pytest.mark.parametrize("size", [SMALL, SMALL + 1])
def test_a_large_body_that_comes_late_arrives_late(port: int, size: int) -> None:
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
