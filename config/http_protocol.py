"""HTTP/1.1 of the web processes: uvicorn's protocol for httptools, with limits on everything but bodies.

Of uvicorn's two parsers, h11 is written in Python and takes a tenth of the processor time of an action in a match.
httptools is written in C, but it accepts headers of any size, and it parses the body of a request that asks for another
protocol (`Upgrade`) as the next request.
"""

from collections.abc import Iterable

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

LARGEST_HEAD = 32 * 1024
"""Bytes of a request line and headers, or of the trailers after a body, above which a request is refused."""
REFUSAL = STATUS_LINE[431] + b"connection: close\r\ncontent-length: 0\r\n\r\n"


class LimitedHeadProtocol(HttpToolsProtocol):
    """One connection; uvicorn's option `--http` names the class."""

    _pending = 0
    """Bytes since the last request was complete, or since the last part of its body."""

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, and end the connection if it is too much."""
        self._pending += len(data)
        super().data_received(data)
        if self._pending > LARGEST_HEAD and not self.transport.is_closing():
            # Nothing can be said in the middle of another answer.
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
