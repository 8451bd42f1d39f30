"""Pages of matches: a match, “My matches”, and the links and the score sheet to hand out.

Players use their account or a personal link; both show the same page with the same actions. Opening a page never
changes anything.
"""

from datetime import datetime
from http import HTTPStatus

import segno
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.htmx import is_htmx
from matches import access
from matches.access import Seat
from matches.lifecycle import links
from matches.models import Match
from matches.records.downloads import File, as_attachment
from matches.reporting import my_matches
from matches.reporting.action_urls import match_url
from matches.reporting.appointments import calendar
from matches.reporting.services import proposals
from matches.reporting.views.acting import page, seated
from players.models import User


@login_required
@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """“My matches”, with the next match first."""
    return render(request, "matches/reporting/my_matches.html", my_matches.my_matches(_user(request), timezone.now()))


@never_cache
@require_safe
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page of a match, with forms for its players."""
    viewed = access.match_for_viewer(request.user, public_id)
    try:
        seat: Seat | None = access.match_for_player(request.user, public_id)
    except Http404:
        seat = None
    return _poll(request, viewed) or page(request, viewed, seat)


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a match for a holder of one of its links."""
    seat = access.match_for_link(token)
    return _poll(request, seat.match) or page(request, seat.match, seat)


def _poll(request: HttpRequest, match: Match) -> HttpResponse | None:
    """Answer an open page that polls for changes: 204, or an instruction to reload; None for any other request."""
    if not is_htmx(request):
        return None
    if request.GET.get("after") == str(match.seq):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


@never_cache
@require_safe
def appointment(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Download the appointment as a calendar file; for the players only."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = seated(request, public_id, token)
    agreed = proposals.appointment(seat.match) if seat.side is not None else None
    if agreed is None or agreed.agreed_at is None:
        raise Http404
    return as_attachment(_calendar(request, seat, agreed.agreed_at))


def _calendar(request: HttpRequest, seat: Seat, at: datetime) -> File:
    data = calendar(seat.match, at, url=request.build_absolute_uri(match_url(seat)), now=timezone.now())
    return File(f"match-{seat.match.public_id}.ics", "text/calendar; charset=utf-8", data)


@login_required
@never_cache
@require_safe
def hand_out(request: HttpRequest, public_id: str) -> HttpResponse:
    """The score sheet with its QR code and the personal links, for those who run the match."""
    match = access.match_for_director(request.user, public_id)
    context = {
        "match": match,
        "sheet": _qr_code(request, match, None),
        "personal": [(player, _qr_code(request, match, side)) for side, player in enumerate(match.players)],
        "games": range(1, 2 * match.length),
    }
    return render(request, "matches/reporting/hand_out.html", context)


def _qr_code(request: HttpRequest, match: Match, side: int | None) -> dict[str, str]:
    """URL and QR code (SVG) of a link of the match."""
    url = request.build_absolute_uri(reverse("match-link", args=[links.token_for(match, side)]))
    svg = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": svg}
