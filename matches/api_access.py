"""Access to matches in the API, by account or by the token of a link in a header."""

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from matches import access
from matches.access import MatchSeat
from matches.models import Match
from players.models import User

LINK = OpenApiParameter(
    "Match-Link",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The token of a personal link, or of the sheet link (for reports only), instead of an account.",
)


def seat_of(request: Request, public_id: str, *, sheet: bool = False, only_seat: bool = False) -> MatchSeat:
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


def match_and_seat(request: Request, public_id: str) -> tuple[Match, MatchSeat | None]:
    """Return a match that may be seen, and the reader's side if they play it. Raise Http404 otherwise."""
    if request.headers.get("Match-Link"):
        seat = seat_of(request, public_id, sheet=True)
        return seat.match, seat
    return access.match_and_seat(request.user, public_id)
