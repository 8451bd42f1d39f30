"""A request is read to its end before it takes up a place or a thread, however slowly its client sends it."""

import json
import socket
import time
from http.client import HTTPConnection
from typing import Any

import pytest

from config import asgi, wsgi_threads
from config.limits import RETRY_AFTER
from tests.config.test_arrival import answer, connect, port
from tests.config.test_downloads import PATIENCE, eventually

__all__ = ["port"]
KIB = 1024
SOON = 0.3
"""Seconds in which a step of a body must arrive, in these tests."""


def post(path: str, *headers: str) -> str:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""])


def received(connected: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Return the status, headers and body of an answer, after which the server ends the connection."""
    data = b""
    while chunk := connected.recv(4096):
        data += chunk
    connected.close()
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body


def show(port: int) -> dict[str, Any]:
    return answer(connect(port, post("/show/", "Connection: close")))


@pytest.mark.parametrize("length", [10, wsgi_threads.SMALL + 1])
def test_slow_bodies_take_up_no_places_of_pages(port: int, length: int) -> None:
    slow = [connect(port, post("/show/", f"Content-Length: {length}") + "x") for _ in range(asgi.WSGI_THREADS * 10)]
    assert show(port)["body"] == 0
    for connected in slow:
        connected.close()


def test_slow_bodies_take_up_no_turns_of_streams(port: int) -> None:
    request = post("/live/", "Content-Length: 10").replace("POST", "GET")
    slow = [connect(port, request + "x") for _ in range(10)]
    status, _, _ = received(connect(port, "GET /live/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
    assert status == 400  # It names no topic.
    for connected in slow:
        connected.close()


def test_a_body_that_stops_is_answered_408(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wsgi_threads, "PATIENCE", SOON)
    status, headers, body = received(connect(port, post("/show/", "Content-Length: 2") + "x"))
    assert (status, headers["connection"], json.loads(body)["code"]) == (408, "close", "too_slow")


def test_a_large_body_may_take_longer_while_it_keeps_coming(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wsgi_threads, "PATIENCE", SOON)
    monkeypatch.setattr(wsgi_threads, "STEP", 1)
    connected = connect(port, post("/show/", "Content-Length: 8", "Connection: close"))
    for _ in range(8):
        time.sleep(SOON / 4)
        connected.sendall(b"x")
    assert answer(connected)["body"] == 8


def test_large_bodies_are_refused_while_others_fill_the_memory(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wsgi_threads, "MAX_IN_MEMORY", 300 * KIB)
    request = post("/show/", f"Content-Length: {200 * KIB}", "Connection: close")
    first = connect(port, request + "x" * 150 * KIB)
    eventually(lambda: asgi.application.in_memory == 150 * KIB)
    second = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    second.request("POST", "/show/", b"x" * 200 * KIB)
    refused = second.getresponse()
    assert (refused.status, refused.headers["Retry-After"]) == (503, str(RETRY_AFTER))
    second.close()
    assert show(port)["body"] == 0
    first.sendall(b"x" * 50 * KIB)
    assert answer(first)["body"] == 200 * KIB
    eventually(lambda: asgi.application.in_memory == 0)
    assert answer(connect(port, request + "x" * 200 * KIB))["body"] == 200 * KIB


def test_memory_is_free_again_once_a_client_has_gone(port: int) -> None:
    connected = connect(port, post("/show/", f"Content-Length: {200 * KIB}") + "x" * 150 * KIB)
    eventually(lambda: asgi.application.in_memory == 150 * KIB)
    connected.close()
    eventually(lambda: asgi.application.in_memory == 0)


def test_a_view_reads_a_chunked_body(port: int) -> None:
    chunked = post("/show/", "Transfer-Encoding: chunked", "Connection: close") + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    assert answer(connect(port, chunked))["body"] == 5


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/tokens/", "application/json"),
        ("/api/v1/tokens/", "multipart/form-data; boundary=x"),
        ("/sign-in/", "application/x-www-form-urlencoded"),
        ("/sign-in/", "multipart/form-data; boundary=x"),
    ],
)
def test_a_body_that_is_too_large_is_refused_before_it_is_sent(port: int, path: str, kind: str) -> None:
    length = f"Content-Length: {wsgi_threads.MAX_BODY + 1}"
    cookie = f"Cookie: csrftoken={'a' * 32}"
    status, _, body = received(connect(port, post(path, f"Content-Type: {kind}", length, cookie, "Connection: close")))
    assert status == 413
    assert path == "/sign-in/" or json.loads(body)["code"] == "too_large"


def test_a_chunked_body_that_becomes_too_large_is_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wsgi_threads, "MAX_BODY", 5)
    headers = ("Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close")
    connected = connect(port, post("/api/v1/tokens/", *headers) + "6\r\nabcdef\r\n")
    status, _, body = received(connected)
    assert (status, json.loads(body)["code"]) == (413, "too_large")
