"""Views of the page on which a match is played or watched."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matches import access
from matches.access import MatchSeat
from matches.models import Match
from matches.play.page.context import page_context, replay_url
from matches.play.watching.access import watched_match

TEMPLATE = "matches/play/play.html"


@never_cache
@require_safe
def play(request: HttpRequest, public_id: str) -> HttpResponse:
    """The board of a match, for its players and for whoever may watch."""
    match, seat = access.match_and_seat(request.user, public_id)
    return _page(request, match, seat)


@never_cache
@require_safe
def play_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The board of a match for the holder of one of its links."""
    seat = access.match_for_link(token)
    return _page(request, seat.match, seat)


def _page(request: HttpRequest, match: Match, seat: MatchSeat | None) -> HttpResponse:
    """The page, or the replay of a match that is over. Raise Http404 where the match is not played here."""
    if watched_match(match, seat, request.user).state.match.is_over:
        return redirect(replay_url(match, seat))
    return render(request, TEMPLATE, page_context(request, match, seat))
