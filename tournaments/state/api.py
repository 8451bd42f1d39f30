"""What the API of this room has in common."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import parse_int
from players.accounts.api import by, me, validated
from players.accounts.serializers import PROBLEM, example
from tournaments.models import Division, Entry

__all__ = ["AFTER", "PROBLEM", "READ", "WRITE", "by", "example", "me", "read_after", "validated", "with_etag"]

READ = {404: PROBLEM}
"""What reading something may answer besides the thing itself."""
WRITE = {400: PROBLEM, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}
"""The same for changing it."""
AFTER = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=(
        "The ETag you saw, that is `seq` in quotation marks; or send `after` in the body. "
        "If somebody has changed it since, the answer is 409 with the code `stale`."
    ),
)


def read_after(request: Request, values: dict[str, Any], *, required: bool = True) -> int | None:
    """The seq that was seen, from the body or the If-Match header; 422 where one is needed and none is sent."""
    after: int | None = values.pop("after", None)
    if after is None:
        after = parse_int(request.headers.get("If-Match", "").strip().removeprefix("W/").strip('"'))
    if after is None and required:
        raise exceptions.ValidationError({"after": ["Send the `seq` you saw, here or as If-Match."]}, code="required")
    return after


def with_etag(body: Any, seq: int | None, status: int = 200, **headers: str) -> Response:
    """An answer whose ETag is the seq of what it shows."""
    tag = {} if seq is None else {"ETag": f'"{seq}"'}
    return Response(body, status=status, headers={**tag, **headers})


def entry_by_public_id(division: Division, public_id: str, field: str = "entry") -> Entry:
    """The entry of this division with this public id; 422 for `field` where there is none."""
    found = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if found is None:
        raise exceptions.ValidationError({field: ["There is no such entry in this division."]}, code="unknown")
    return found
