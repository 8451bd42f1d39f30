"""What views read from a request: its arrival, the way back, htmx, and numbers."""

from datetime import UTC, datetime, timedelta
from typing import Any, overload
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.request import Request

# When a request arrived: stamped before it waits for a thread, so that a busy server costs no player time.


ARRIVED = "barpoint.arrived"
"""The key of the arrival in a request's scope: microseconds since the epoch."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp(scope: dict[str, Any], now: datetime) -> None:
    """Store when a request was complete; call it once nothing of its body is missing."""
    scope[ARRIVED] = (now - EPOCH) // timedelta(microseconds=1)


def arrived_at(request: HttpRequest | Request) -> datetime:
    """Return when a request was complete; the present time where the server has not stamped it."""
    arrived = request.META.get("asgi.scope", {}).get(ARRIVED)
    return timezone.now() if arrived is None else EPOCH + timedelta(microseconds=arrived)


# Where a request came from, and where it may lead.


def way_back(request: HttpRequest) -> str:
    """Return the path of the page that a request came from; "/" if that is unknown or on another site."""
    referer = request.headers.get("Referer", "")
    return urlsplit(referer).path or "/" if is_ours(request, referer) else "/"


def is_ours(request: HttpRequest, url: str) -> bool:
    return url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())


# Pages of which htmx, or one of our scripts, loads a part.


def is_htmx(request: HttpRequest) -> bool:
    """Return whether only a part of the page is requested."""
    return request.headers.get("HX-Request") == "true"


# Versions in headers: `"7"`, or `W/"7"` once the answer was compressed.


def entity_tags(header: str) -> list[str]:
    """Return the tags in an If-Match or If-None-Match header, without `W/` and quotation marks.

    >>> entity_tags('"7", W/"8"')
    ['7', '8']
    """
    return [tag.strip().removeprefix("W/").strip('"') for tag in header.split(",") if tag.strip()]


# Numbers in query strings, form fields and headers.


MAX_DIGITS = 9


@overload
def parse_int(text: str | None) -> int | None: ...


@overload
def parse_int(text: str | None, default: int) -> int: ...


def parse_int(text: str | None, default: int | None = None) -> int | None:
    """Return the whole number that `text` spells in at most nine digits, or the default for any other text.

    >>> parse_int("12"), parse_int("-1"), parse_int("1e3", 1)
    (12, None, 1)
    """
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else default
