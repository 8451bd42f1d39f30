"""The pages of matches: one match for its players, its links and its viewers; my matches; the links to hand out.

Players come by their account, or by a personal link; both lead to the same page and the same actions. No page that is
only opened writes anything.
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
from matches.reporting.action_urls import home
from matches.reporting.appointments import calendar
from matches.reporting.services import proposals
from matches.reporting.views.acting import page, seated
from players.models import User


@login_required
@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """My matches: the next one first."""
    return render(request, "matches/reporting/my_matches.html", my_matches.my_matches(_user(request), timezone.now()))


@never_cache
@require_safe
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """A match for whoever may see it; its players find their forms there."""
    found = access.match_for_viewer(request.user, public_id)
    try:
        seat: Seat | None = access.match_for_player(request.user, public_id)
    except Http404:
        seat = None
    return _unchanged(request, found) or page(request, found, seat)


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The same page behind a link of the match."""
    seat = access.match_for_link(token)
    return _unchanged(request, seat.match) or page(request, seat.match, seat)


def _unchanged(request: HttpRequest, found: Match) -> HttpResponse | None:
    """What a waiting page gets that asks from time to time: nothing, or the word to load itself anew."""
    if not is_htmx(request):
        return None
    if request.GET.get("after") == str(found.seq):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


@never_cache
@require_safe
def appointment(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """The appointment as a calendar file, for the players."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = seated(request, public_id, token)
    agreed = proposals.appointment(seat.match) if seat.side is not None else None
    if agreed is None or agreed.agreed_at is None:
        raise Http404
    return as_attachment(_calendar(request, seat, agreed.agreed_at))


def _calendar(request: HttpRequest, seat: Seat, at: datetime) -> File:
    data = calendar(seat.match, at, url=request.build_absolute_uri(home(seat)), now=timezone.now())
    return File(f"match-{seat.match.public_id}.ics", "text/calendar; charset=utf-8", data)


@login_required
@never_cache
@require_safe
def hand_out(request: HttpRequest, public_id: str) -> HttpResponse:
    """The score sheet with its QR code, and the personal links, for who runs the match."""
    found = access.match_for_director(request.user, public_id)
    context = {
        "match": found,
        "sheet": _code(request, found, None),
        "personal": [(player, _code(request, found, side)) for side, player in enumerate(found.players)],
        "games": range(1, 2 * found.length),
    }
    return render(request, "matches/reporting/hand_out.html", context)


def _code(request: HttpRequest, found: Match, side: int | None) -> dict[str, str]:
    url = request.build_absolute_uri(reverse("match-link", args=[links.token_for(found, side)]))
    drawn = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": drawn}
