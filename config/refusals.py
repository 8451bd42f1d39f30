"""Answers to requests that never reach Django: the site is busy, or a request took too long to arrive."""

import base64
import hashlib
import json
from http import HTTPStatus
from typing import NamedTuple

from config.disconnects import Scope, Send

RETRY_AFTER = 2
"""Seconds after which a client should try again."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that save nothing."""
STYLE = (
    ":root{color-scheme:light dark}"
    "body{max-width:32rem;margin:20vh auto;padding:0 1rem;font:1.0625rem/1.5 system-ui,sans-serif}"
)
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
COMMON = [(b"cache-control", b"private, no-store"), (b"x-content-type-options", b"nosniff")]


class Refusal(NamedTuple):
    """A reason not to pass a request on."""

    status: HTTPStatus
    code: str
    reason: str
    advice: str

    def detail(self, method: str) -> str:
        """What a person is told about a request by this method."""
        lost = () if method in SAFE else ("Nothing was saved.",)
        return " ".join((self.reason, *lost, self.advice))


BUSY = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "busy", "The site is busy.", "Please try again in a few seconds.")
TOO_SLOW = Refusal(
    HTTPStatus.REQUEST_TIMEOUT,
    "too_slow",
    "Your request took too long to arrive.",
    "Please try again when the connection is better.",
)


async def refuse(
    scope: Scope, send: Send, refusal: Refusal, *, retry_after: int = RETRY_AFTER, closes: bool = False
) -> None:
    """Answer with a page where a browser shows the answer to a person, else with problem details.

    With `closes` the connection ends, since the request was not read to its end.
    """
    headers, detail = [*COMMON], refusal.detail(scope["method"])
    if _shows_pages(scope):
        body = page(detail)
        policy = f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; frame-ancestors 'none'"
        headers += [(b"content-type", b"text/html; charset=utf-8"), (b"content-security-policy", policy.encode())]
    else:
        problem = {"type": "about:blank", "title": refusal.status.phrase, "status": refusal.status}
        body = json.dumps(problem | {"code": refusal.code, "detail": detail})
        headers.append((b"content-type", b"application/problem+json"))
    if refusal is BUSY:
        headers.append((b"retry-after", str(retry_after).encode()))
    if closes:
        headers.append((b"connection", b"close"))
    headers.append((b"content-length", str(len(body.encode())).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def page(detail: str) -> str:
    """Return a page with this sentence and nothing else: the site's templates and styles would need a thread."""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Please try again</title>
<style>{STYLE}</style>
<h1>Please try again</h1>
<p>{detail}</p>
"""


def _shows_pages(scope: Scope) -> bool:
    accept = dict(scope["headers"]).get(b"accept", b"")
    return b"text/html" in accept and not scope["path"].startswith("/api/")
