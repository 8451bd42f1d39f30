"""What the API views of matches share: access by account or link, parameters of writes, and responses."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import parse_int
from engine.errors import Refused
from matches import access
from matches.access import Seat
from matches.models import Match
from matches.records.api import KEY
from matches.reporting.serializers import MatchSerializer, match_data
from players.accounts.serializers import PROBLEM
from players.models import User

LINK = OpenApiParameter(
    "Match-Link",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The token of a personal link, or of the sheet link (for reports only), instead of an account.",
)
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


def seat_of(request: Request, public_id: str, *, sheet: bool = False, only_seat: bool = False) -> Seat:
    """Return the match and the side that a request acts for; `sheet` allows the sheet link, too.

    With `only_seat` no more of an account's match is read than who plays it.

    Raise Http404 or NotAuthenticated without access.
    """
    if token := request.headers.get("Match-Link"):
        seat = access.match_for_link(token)
        if seat.match.public_id != public_id or (seat.side is None and not sheet):
            raise Http404
        return seat
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return access.match_for_player(request.user, public_id, only_seat=only_seat)


def match_and_seat(request: Request, public_id: str) -> tuple[Match, Seat | None]:
    """Return a match that may be seen, and the reader's side if they play it. Raise Http404 otherwise."""
    if request.headers.get("Match-Link"):
        seat = seat_of(request, public_id, sheet=True)
        return seat.match, seat
    return access.match_and_seat(request.user, public_id)


def side_of(seat: Seat) -> int:
    """The side that acts. Raise Http404 for the sheet link."""
    if seat.side is None:
        raise Http404
    return seat.side


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


def match_response(request: Request, seat: Seat, code: int = status.HTTP_200_OK) -> Response:
    """The match as it is after a write."""
    match = access.refetch(seat.match)
    return with_etag(match_data(match, seat._replace(match=match), request, timezone.now()), code)


def with_etag(data: Any, code: int = status.HTTP_200_OK) -> Response:
    """A response whose ETag is the `seq` of the match that `data` shows."""
    return Response(data, status=code, headers={"ETag": f'"{data["seq"]}"'})
