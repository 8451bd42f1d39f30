"""What the API views of tournaments share."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from core.requests import parse_int
from players.accounts.api import by, me, validated
from players.accounts.serializers import PROBLEM, example
from tournaments.models import Division, Entry

__all__ = ["AFTER", "PROBLEM", "READ", "WRITE", "by", "example", "me", "read_after", "validated", "with_etag"]

READ = {404: PROBLEM}
"""Error responses of read operations."""
WRITE = {400: PROBLEM, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}
"""Error responses of write operations."""
AFTER = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=(
        "The ETag of the version you saw, which is its `seq` in quotation marks. You can send `after` in the body "
        "instead. If it has changed since, the response is 409 with the code `stale`."
    ),
)


def read_after(request: Request, values: dict[str, Any], *, required: bool = True) -> int | None:
    """Return the `seq` that the client saw, from the body or the If-Match header; 422 if it is required and missing."""
    after: int | None = values.pop("after", None)
    if after is None:
        after = parse_int(request.headers.get("If-Match", "").strip().removeprefix("W/").strip('"'))
    if after is None and required:
        raise exceptions.ValidationError(
            {"after": [_("Send the `seq` you saw, either here or in the If-Match header.")]}, code="required"
        )
    return after


def with_etag(body: Any, seq: int | None, status: int = 200, **headers: str) -> Response:
    """Return a response whose ETag is `seq`."""
    etag = {} if seq is None else {"ETag": f'"{seq}"'}
    return Response(body, status=status, headers={**etag, **headers})


def entry_by_public_id(division: Division, public_id: str, field: str = "entry") -> Entry:
    """Return the entry of this division with this public id; 422 for `field` if there is none."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise exceptions.ValidationError({field: [_("This division has no such entry.")]}, code="unknown")
    return entry
