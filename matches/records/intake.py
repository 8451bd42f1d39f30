"""Reading the record from a request of a page or the API."""

import functools
from collections.abc import Callable

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from rest_framework.request import Request

from engine.errors import Refused
from engine.records import refuse_other_files
from matches.models import MOST_BYTES, MOST_MEBIBYTES

ENVELOPE = 16 * 1024
"""Bytes that a form may need in addition to the record."""


def refuse_long_body(request: HttpRequest | Request, most: int = MOST_BYTES + ENVELOPE) -> None:
    """Check the Content-Length of a request before its body is read. Refused: `record_too_large`."""
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > most:
        raise Refused("record_too_large", limit=MOST_BYTES, mebibytes=MOST_MEBIBYTES)


def checks_length_first(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view refuse a long body before its CSRF token is checked, which reads the body.

    A view that is exempt from that check stays so.
    """
    checked = view if getattr(view, "csrf_exempt", False) else csrf_protect(view)

    @csrf_exempt
    @functools.wraps(view)
    def length_first(request: HttpRequest, **route: str) -> HttpResponse:
        refuse_long_body(request)
        return checked(request, **route)

    return length_first


def record_in(file: "UploadedFile[bytes] | None", text: str) -> tuple[bytes, str]:
    """Return the bytes of the record and the file name.

    Refused: `file_missing`, `file_twice`, `record_too_large`, and what `refuse_other_files` refuses.
    """
    if file is not None and text.strip():
        raise Refused("file_twice")
    if file is None:
        if not text.strip():
            raise Refused("file_missing")
        return _checked(text.encode()), ""
    if (file.size or 0) > MOST_BYTES:
        raise Refused("record_too_large", limit=MOST_BYTES, mebibytes=MOST_MEBIBYTES)
    return _checked(file.read()), file.name or ""


def _checked(data: bytes) -> bytes:
    refuse_other_files(data)
    return data
