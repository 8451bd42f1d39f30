"""Headers and trailers are limited, bodies are not, and a body is never parsed as a request."""

import json
import socket

import pytest

from config.http_protocol import MAX_HEAD
from tests.config.test_arrival import answer, connect, port
from tests.config.test_request_bodies import post, received

__all__ = ["port"]
KIB = 1024


def send_until_closed(connected: socket.socket, part: str) -> int:
    """Send `part` again and again; return how many bytes the server has let through."""
    sent = 0
    while sent < 100 * MAX_HEAD:
        try:
            connected.sendall(part.encode())
        except (BrokenPipeError, ConnectionResetError):
            break
        sent += len(part)
    return sent


@pytest.mark.parametrize("part", ["x" * KIB, f"X-More: {'x' * KIB}\r\n"])
@pytest.mark.parametrize("beginning", ["GET /", "GET /show/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-First: "])
def test_a_head_that_never_ends_is_refused(port: int, beginning: str, part: str) -> None:
    connected = connect(port, beginning)
    connected.sendall(part.encode() * (2 * MAX_HEAD // len(part)))
    first_line = connected.recv(4096).partition(b"\r\n")[0]
    assert first_line in (b"HTTP/1.1 431 Request Header Fields Too Large", b"HTTP/1.1 400 Bad Request")
    assert send_until_closed(connected, part) < 100 * MAX_HEAD
    connected.close()


@pytest.mark.parametrize("header", [f"X-Long: {'x' * MAX_HEAD}", "\r\n".join([f"X-More: {'x' * KIB}"] * 40)])
def test_a_head_that_arrives_at_once_is_refused_too(port: int, header: str) -> None:
    connected = connect(port, post("/show/", "Content-Length: 0", header))
    assert connected.recv(4096).startswith(b"HTTP/1.1 431 ")
    connected.close()


def test_trailers_that_never_end_close_the_connection(port: int) -> None:
    connected = connect(port, post("/show/", "Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n")
    assert send_until_closed(connected, f"X-More: {'x' * KIB}\r\n") < 100 * MAX_HEAD
    connected.close()


def test_many_requests_may_follow_each_other_in_a_connection(port: int) -> None:
    length = MAX_HEAD // 4
    connected = connect(port, "")
    for _ in range(8):
        connected.sendall(post("/show/", "Content-Length: 0", f"X-Long: {'x' * length}").encode())
        assert connected.recv(4096).startswith(b"HTTP/1.1 200 OK")
    connected.close()


def test_a_body_may_be_longer_than_a_head_and_come_in_small_parts(port: int) -> None:
    connected = connect(port, post("/show/", "Transfer-Encoding: chunked", "Connection: close"))
    length = 2 * MAX_HEAD
    for _ in range(length // KIB):
        connected.sendall(b"400\r\n" + b"x" * KIB + b"\r\n")
    connected.sendall(b"0\r\n\r\n")
    assert answer(connected)["body"] == length


def test_a_long_body_with_its_length_is_read(port: int) -> None:
    length = 10 * MAX_HEAD
    connected = connect(port, post("/show/", f"Content-Length: {length}", "Connection: close") + "x" * length)
    assert answer(connected)["body"] == length


UPGRADE = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA")


@pytest.mark.parametrize("header", ["Content-Length: 5", "Transfer-Encoding: chunked"])
def test_a_body_is_never_parsed_as_a_request(port: int, header: str) -> None:
    hidden = "GET /show/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    # Both in one segment: bytes that arrive after the refusal would reset the connection.
    status, headers, _ = received(connect(port, post("/show/", header, *UPGRADE) + hidden))
    assert (status, headers["connection"]) == (400, "close")


def test_a_request_for_another_protocol_is_answered_in_http_1(port: int) -> None:
    request = post("/show/", *UPGRADE, "Content-Length: 0")
    status, headers, body = received(connect(port, request + request))
    assert (status, headers["connection"], json.loads(body)["body"]) == (200, "close", 0)
