"""A match played here, fetched and authorised, as its reader may see it."""

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone

from matches import access
from matches.access import MatchSeat, Visitor
from matches.models import LiveMatch, Match
from matches.play.watching.delay import Watched, watched


def watched_match(match: Match, seat: MatchSeat | None, user: Visitor) -> Watched:
    """Return an authorised match as its reader sees it now. Raise Http404 if it is not played here."""
    live = get_object_or_404(LiveMatch.objects.select_related("match__player_0", "match__player_1"), pk=match.pk)
    return watched(live, seat, user, timezone.now())


def watched_by_request(request: HttpRequest, public_id: str, token: str) -> tuple[Watched, MatchSeat | None]:
    """Return the match of a page or a link as its reader sees it now, and the seat of the link.

    Raise Http404 if they may not see it or it is not played here.
    """
    seat = access.match_for_link(token) if token else None
    match = seat.match if seat is not None else access.match_for_viewer(request.user, public_id)
    return watched_match(match, seat, request.user), seat
