"""An answer of Django that may be shown to everybody, compressed, with an ETag."""

import gzip
import json
import time
import uuid
from dataclasses import dataclass
from hashlib import blake2b
from http import HTTPStatus

from config.disconnects import Send

KEPT_HEADERS = frozenset(
    {
        b"allow",
        b"content-disposition",
        b"content-language",
        b"content-security-policy",
        b"content-type",
        b"cross-origin-opener-policy",
        b"etag",
        b"link",
        b"location",
        b"permissions-policy",
        b"referrer-policy",
        b"strict-transport-security",
        b"x-content-type-options",
        b"x-frame-options",
        b"x-robots-tag",
    }
)
"""Of the headers that Django sends; the others, such as cookies and rate limits, are for one reader."""
CACHE_CONTROL = b"public, max-age=0, must-revalidate"
"""A shared cache may keep the page, and asks whether it is still current."""
VARY = b"Accept-Encoding, Accept-Language, Authorization, Cookie, HX-Request"
GZIP_LEVEL = 5
LASTS = 5.0
"""Seconds for which an answer is kept though nothing was written, since some of it depends on the time."""
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Answer:
    """A status, headers and a compressed body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    compressed: bytes
    etag: bytes
    """Made from the body, unless the view has set its own, by which API clients write."""
    until: float
    """When it is to be rendered again though nothing was written, in seconds since the epoch."""

    @classmethod
    def of(cls, status: int, headers: Headers, body: bytes) -> "Answer":
        """Compress an answer of Django, and drop its headers that are for one reader."""
        kept = tuple((name, value) for name, value in headers if name in KEPT_HEADERS and name != b"etag")
        own = dict(headers).get(b"etag", b"")
        etag = own or b'W/"' + blake2b(body, digest_size=12).hexdigest().encode() + b'"'
        return cls(status, kept, gzip.compress(body, GZIP_LEVEL, mtime=0), etag, time.time() + LASTS)

    @property
    def is_storable(self) -> bool:
        """Whether it is a page rather than a refusal or a redirect."""
        return self.status == HTTPStatus.OK

    def to_bytes(self) -> bytes:
        """Return the answer for the shared cache."""
        headers = [[name.decode(), value.decode("latin-1")] for name, value in self.headers]
        head = [self.status, headers, self.etag.decode("latin-1"), self.until]
        return json.dumps(head).encode() + b"\n" + self.compressed

    @classmethod
    def from_bytes(cls, data: bytes) -> "Answer":
        """Read an answer of the shared cache."""
        head, _, compressed = data.partition(b"\n")
        status, headers, etag, until = json.loads(head)
        pairs = tuple((name.encode(), value.encode("latin-1")) for name, value in headers)
        return cls(status, pairs, compressed, etag.encode("latin-1"), until)

    async def send_to(self, send: Send, request_headers: dict[bytes, bytes]) -> None:
        """Send the answer, or 304 to a reader who has it already."""
        headers: Headers = [(b"x-request-id", uuid.uuid4().hex.encode()), (b"vary", VARY)]
        if not self.is_storable:
            headers.append((b"cache-control", b"private, no-store"))
        else:
            headers += [(b"cache-control", CACHE_CONTROL), (b"etag", self.etag)]
            if _has(self.etag, request_headers.get(b"if-none-match", b"")):
                await _send(send, HTTPStatus.NOT_MODIFIED, headers, b"")
                return
        headers += self.headers
        if accepts_gzip(request_headers.get(b"accept-encoding", b"")):
            body = self.compressed
            headers.append((b"content-encoding", b"gzip"))
        else:
            body = gzip.decompress(self.compressed)
        headers.append((b"content-length", str(len(body)).encode()))
        await _send(send, self.status, headers, body)


def _has(etag: bytes, if_none_match: bytes) -> bool:
    """Return whether a reader has the page. An ETag that a view has set is a number for writing, not for comparing."""
    return etag.startswith(b"W/") and etag in (part.strip() for part in if_none_match.split(b","))


def accepts_gzip(accept_encoding: bytes) -> bool:
    """Return whether a client takes a compressed answer, by its Accept-Encoding."""
    for part in accept_encoding.lower().split(b","):
        coding, _, weight = part.replace(b" ", b"").partition(b";")
        if coding in (b"gzip", b"*"):
            return weight not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


async def _send(send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
