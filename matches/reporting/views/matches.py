"""Pages of matches: a match, “My matches”, and the links and the score sheet to hand out.

Players use their account or a personal link; both show the same page with the same actions. Opening a page never
changes anything.
"""

from datetime import datetime
from http import HTTPStatus
from typing import Any

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.links import absolute_url
from core.requests import is_htmx
from matches import access
from matches.access import MatchSeat, action_url, match_url
from matches.lifecycle import arrivals, links
from matches.lifecycle.own_match import side_of
from matches.models import CalendarFeed, Match
from matches.play.services import starting
from matches.play.whereabouts import where_of
from matches.records.downloads import File, as_attachment
from matches.reporting import calendars, my_matches
from matches.reporting.changes import version_of
from matches.reporting.forms import RevokeLinkForm, TapForm
from matches.reporting.link_handouts import log_link_shown, withheld_side
from matches.reporting.services import personal_links, proposals
from matches.reporting.views.acting import acting, page, seated
from players.actors import Actor
from players.models import User


@login_required
@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """“My matches”, with the next match first."""
    context = my_matches.my_matches(_user(request), timezone.now())
    feed = CalendarFeed.objects.filter(user=_user(request)).first()
    if feed is not None:
        path = reverse("calendar-feed", args=[calendars.token_of(feed)])
        context["calendar_url"] = absolute_url(request, path)
    return render(request, "matches/reporting/my_matches.html", context)


@never_cache
@require_safe
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page of a match, with forms for its players."""
    viewed, seat = access.match_and_seat(request.user, public_id)
    if request.method == "GET" and seat is not None and seat.side is not None and viewed.state == Match.State.OPEN:
        proposals.note_shown(match=viewed, side=seat.side, now=timezone.now())
    return _poll(request, viewed, seat) or page(request, viewed, seat)


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a match for a holder of one of its links."""
    seat = access.match_for_link(token)
    return _poll(request, seat.match, seat) or page(request, seat.match, seat)


def _poll(request: HttpRequest, match: Match, seat: MatchSeat | None) -> HttpResponse | None:
    """Answer an open page that polls for changes: 204, or an instruction to reload; None for any other request."""
    if not is_htmx(request):
        return None
    if request.GET.get("after") == version_of(match, access.viewer_of(request.user, seat), timezone.now()):
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
    agreed = arrivals.appointment(seat.match) if seat.side is not None else None
    if agreed is None or agreed.agreed_at is None:
        raise Http404
    return as_attachment(_calendar(request, seat, agreed.agreed_at))


def _calendar(request: HttpRequest, seat: MatchSeat, at: datetime) -> File:
    now = timezone.now()
    where = where_of([seat.match], access.viewer_of(request.user, seat), now)[seat.match.pk]
    event = calendars.appointment_event(seat.match, where, at, absolute_url(request, match_url(seat)))
    data = calendars.written([event], now)
    return File(f"match-{seat.match.public_id}.ics", "text/calendar; charset=utf-8", data)


@login_required
@never_cache
@require_safe
def hand_out(request: HttpRequest, public_id: str) -> HttpResponse:
    """The score sheet with its QR code and the personal links, for those who run the match."""
    match, by = access.match_for_director(request.user, public_id), Actor.of(_user(request))
    withheld = withheld_side(match, by)
    log_link_shown(match=match, by=by)
    context = {
        "match": match,
        "sheet": _qr_code(request, match, None),
        "personal": [_personal_link(request, match, side) for side in (0, 1) if side != withheld],
        "withheld": match.players[withheld] if withheld is not None else None,
        "is_logged": withheld is None and side_of(match, by) is not None,
        "games": range(1, 2 * match.length),
    }
    return render(request, "matches/reporting/hand_out.html", context)


@login_required
@require_POST
def revoke_link(request: HttpRequest, public_id: str, side: str) -> HttpResponse:
    """Revoke the personal link of a side; for its player and for those who run the match."""
    match = access.match_for_link_owner(request.user, public_id, int(side))
    form = RevokeLinkForm(request.POST)
    if not form.is_valid():
        raise BadRequest("The generation of the link is missing.")
    generation = form.cleaned_data["generation"]
    personal_links.revoke_link(match=match, side=int(side), generation=generation, by=Actor.of(_user(request)))
    messages.success(request, gettext("The personal link was revoked. There is a new one."))
    return redirect("match-links" if access.may_direct(request.user, match) else "match", match.public_id)


def _personal_link(request: HttpRequest, match: Match, side: int) -> dict[str, Any]:
    """The personal link of a side with its player and generation."""
    owner = {"player": match.players[side], "side": side, "generation": match.link_generations[side]}
    return owner | _qr_code(request, match, side)


def _qr_code(request: HttpRequest, match: Match, side: int | None) -> dict[str, str]:
    """URL and QR code (SVG) of a link of the match."""
    url = absolute_url(request, reverse("match-link", args=[links.token_for(match, side)]))
    svg = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": svg}


@acting(lambda request, seat: TapForm(request.POST), leads_to=lambda seat: action_url(seat, "play"))
def play_here(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Open the reader's match for play here, and go to its board."""
    starting.open_by_player(match=seat.match, by=seat.by, now=timezone.now())
    return ""
