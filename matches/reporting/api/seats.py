"""How a program comes to a match: by account, by token, or by one of its links; and what every write brings along."""

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
from matches.reporting.serializers import MatchSerializer, match_as_answer
from players.accounts.serializers import PROBLEM
from players.models import User

LINK = OpenApiParameter(
    "Match-Link",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The token of a personal link (or of the sheet, which may only claim), instead of an account.",
)
IF_MATCH = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="The ETag that was seen; the same as `after`."
)
WRITES: dict[str, Any] = {
    "parameters": [KEY, LINK, IF_MATCH],
    "responses": {200: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
}
"""What every write to a match takes and answers."""
MAKES = {
    **WRITES,
    "responses": {201: MatchSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
}
"""The same for those that make something."""
Given = dict[str, Any]


def seat(request: Request, public_id: str, *, sheet: bool = False) -> Seat:
    """The side for which a request acts; `sheet`: whether the sheet's link may, too."""
    if token := request.headers.get("Match-Link"):
        found = access.match_for_link(token)
        if found.match.public_id != public_id or (found.side is None and not sheet):
            raise Http404
        return found
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return access.match_for_player(request.user, public_id)


def viewed(request: Request, public_id: str) -> tuple[Match, Seat | None]:
    """A match for whoever may see it, and his side if he has one."""
    if request.headers.get("Match-Link"):
        found = seat(request, public_id, sheet=True)
        return found.match, found
    match = access.match_for_viewer(request.user, public_id)
    try:
        return match, access.match_for_player(request.user, public_id)
    except Http404:
        return match, None


def after(request: Request, *, needed: bool = True) -> int | None:
    """The state that a write was decided on. Refused: `after_missing`."""
    stated = request.data.get("after") if hasattr(request.data, "get") else None
    text = str(stated if stated is not None else request.headers.get("If-Match", "")).strip().strip('"')
    seq = parse_int(text)
    if seq is None and (needed or text):
        raise Refused("after_missing")
    return seq


def common(request: Request) -> Given:
    """What every write of ours takes."""
    return {"after": after(request), "key": request.headers.get("Idempotency-Key", ""), "now": timezone.now()}


def answer(request: Request, acting: Seat, code: int = status.HTTP_200_OK) -> Response:
    """The match after a write."""
    match = access.match_for_link(acting.token).match if acting.token else access.match_again(acting.match)
    return tagged(match_as_answer(match, acting.side, request, timezone.now()), match, code)


def tagged(body: Any, match: Match, code: int = status.HTTP_200_OK) -> Response:
    return Response(body, status=code, headers={"ETag": f'"{match.seq}"'})


def side_of(acting: Seat) -> int:
    if acting.side is None:
        raise Http404
    return acting.side
