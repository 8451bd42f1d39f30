"""Reading the record from a request, and how many one client or account may send."""

import functools
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from core.throttle import client_network
from engine.errors import Refused
from engine.records import refuse_other_files
from matches.models import MAX_BYTES, MAX_MEBIBYTES
from matches.records.foreign_formats import refuse_without_reader
from players.forms import RefusingForm


class RecordForm(RefusingForm):
    """A record as a file or as pasted text; `intake.record_in` checks that there is exactly one of them."""

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(required=False, strip=False)


# How many records one client or one account may send in. Without a cache there is no limit.


class UploadThrottle(SimpleRateThrottle):
    """Count uploads of pages and API together."""

    scope = "upload"

    def get_rate(self) -> str | None:
        """Return the rate of anonymous clients; `allow_request` replaces it for accounts, which may send more."""
        return settings.UPLOAD_RATES["anon"]

    def allow_request(self, request: Any, view: Any) -> bool:
        """Return whether one more upload is within the rate, and count it if so."""
        if request.user.is_authenticated:
            self.num_requests, self.duration = self.parse_rate(settings.UPLOAD_RATES["user"])
        return super().allow_request(request, view)

    def get_cache_key(self, request: Any, view: Any) -> str:
        """Return the cache key of the account, or of the IP address without one."""
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else client_network(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


def count_upload(request: HttpRequest | Request) -> None:
    """Count an upload. Refused: `too_many_uploads`, with the minutes to wait."""
    throttle = UploadThrottle()
    if not throttle.allow_request(request, None):
        seconds = throttle.wait() or 60
        raise Refused("too_many_uploads", minutes=max(1, round(seconds / 60)))


# Reading the record from a request of a page or the API.


ENVELOPE = 16 * 1024
"""Bytes that a form may need in addition to the record."""


def refuse_long_body(request: HttpRequest | Request, most: int = MAX_BYTES + ENVELOPE) -> None:
    """Check the Content-Length of a request before its body is read. Refused: `record_too_large`."""
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > most:
        raise Refused("record_too_large", limit=MAX_BYTES, mebibytes=MAX_MEBIBYTES)


def checks_length_first(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let a view refuse a long body before its CSRF token is checked, which reads the body.

    A view that is exempt from that check stays so.
    """
    checked = view if getattr(view, "csrf_exempt", False) else csrf_protect(view)

    @csrf_exempt
    @functools.wraps(view)
    def length_first(request: HttpRequest, **route: str) -> HttpResponseBase:
        refuse_long_body(request)
        return checked(request, **route)

    return length_first


def record_in(file: "UploadedFile[bytes] | None", text: str) -> tuple[bytes, str]:
    """Return the bytes of the record and the file name.

    Refused: `file_missing`, `file_twice`, `record_too_large`, and what `refuse_other_files` and
    `refuse_without_reader` refuse.
    """
    if file is not None and text.strip():
        raise Refused("file_twice")
    if file is None:
        if not text.strip():
            raise Refused("file_missing")
        return _checked(text.encode()), ""
    if (file.size or 0) > MAX_BYTES:
        raise Refused("record_too_large", limit=MAX_BYTES, mebibytes=MAX_MEBIBYTES)
    return _checked(file.read()), file.name or ""


def _checked(data: bytes) -> bytes:
    refuse_other_files(data)
    refuse_without_reader(data)
    return data
