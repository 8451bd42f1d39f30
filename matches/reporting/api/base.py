"""What the API views of matches share: parameters of writes, and responses."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from core.requests import parse_int
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat
from matches.api_access import LINK
from matches.records.api import KEY
from matches.reporting.serializers import MatchSerializer, match_data
from players.accounts.serializers import PROBLEM

IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The ETag of the match you are changing; the same as `after`.",
)
UPDATE: dict[str, Any] = {
    "parameters": [KEY, LINK, IF_MATCH],
    "responses": {200: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
}
"""Parameters and responses of a write to a match, for `extend_schema`."""
CREATE: dict[str, Any] = {
    "parameters": [KEY, LINK, IF_MATCH],
    "responses": {201: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
}
"""The same for a write that creates something."""


def parse_after(request: Request, *, required: bool = True) -> int | None:
    """The `seq` of the match that a write is based on. Refused: `after_missing`."""
    stated = request.data.get("after") if hasattr(request.data, "get") else None
    text = str(stated if stated is not None else request.headers.get("If-Match", "")).strip().strip('"')
    seq = parse_int(text)
    if seq is None and (required or text):
        raise Refused("after_missing")
    return seq


def write_params(request: Request) -> dict[str, Any]:
    """Keyword arguments that every service takes."""
    return {"after": parse_after(request), "key": request.headers.get("Idempotency-Key", ""), "now": timezone.now()}


def match_response(request: Request, seat: MatchSeat, code: int = status.HTTP_200_OK) -> Response:
    """The match as it is after a write."""
    match = access.refetch(seat.match)
    return with_etag(match_data(match, seat._replace(match=match), request, timezone.now()), code)


def with_etag(data: Any, code: int = status.HTTP_200_OK) -> Response:
    """A response whose ETag is the `seq` of the match that `data` shows."""
    return Response(data, status=code, headers={"ETag": f'"{data["seq"]}"'})
