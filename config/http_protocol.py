"""HTTP/1.1 of the web processes: uvicorn's protocol for httptools, with limits on everything but bodies.

Of uvicorn's two parsers, h11 is written in Python and takes a tenth of the processor time of an action in a match.
httptools is written in C, but it accepts headers of any size, and it parses the body of a request that asks for another
protocol (`Upgrade`) as the next request.
"""

from collections.abc import Iterable

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from config.limits import OURS

MAX_HEAD = 32 * 1024
"""Bytes of a request line and headers, or of the trailers after a body, above which a request is refused."""
SEPARATORS = len(": \r\n")
REFUSAL = STATUS_LINE[431] + b": ".join(OURS) + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class LimitedHeadProtocol(HttpToolsProtocol):
    """One connection; uvicorn's option `--http` names the class."""

    _pending = 0
    """Bytes since the last request was complete, or since the last part of its body."""
    _head = 0
    """Bytes of the head of the current request, and of its trailers, as far as they are parsed."""

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, and end the connection if it is too much."""
        self._pending += len(data)
        super().data_received(data)
        if self._pending > MAX_HEAD and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + SEPARATORS)
        super().on_header(name, value)

    def _count(self, length: int) -> None:
        """Raise ValueError, which ends the parsing, if the head is too long: it may arrive at once with its end."""
        self._head += length
        if self._head > MAX_HEAD:
            raise ValueError("The headers are too long.")

    def send_400_response(self, msg: str) -> None:
        """Answer what could not be parsed; uvicorn calls it after any error of a callback, too."""
        if self._head > MAX_HEAD:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _refuse(self) -> None:
        """End the connection, with an answer unless another one is being sent."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(REFUSAL)
        self.transport.close()

    def on_headers_complete(self) -> None:
        """Begin a request. One that asks for another protocol may have no body, and is the last of its connection."""
        wants_other_protocol = self.parser.should_upgrade()
        if wants_other_protocol and has_body(self.headers):
            raise ValueError("A request that asks for another protocol may not have a body.")
        super().on_headers_complete()
        if wants_other_protocol:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take a part of a body, whose size `config.wsgi_threads` limits."""
        self._pending = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take the end of a request."""
        self._pending = 0
        super().on_message_complete()


def has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a body follows these headers, whose names are in lower case."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0") for name, value in headers
    )
