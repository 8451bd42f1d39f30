"""The pages of matches: one match for its players, its links and its viewers; my matches; the links to hand out.

A player comes by his account, or by a personal link; both lead to the same page and the same actions.
"""

import functools
import secrets
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from engine.errors import Refused
from matches import access, links, my_matches
from matches.access import Seat
from matches.addresses import home
from matches.appointments import calendar, instant, zone_of
from matches.downloads import File, as_attachment
from matches.intake import record_in, refuse_long_body
from matches.match_page import match_page
from matches.messages import STATUS
from matches.models import MOST_BYTES, MOST_MEBIBYTES, MOST_TIMES, Match, Submission
from matches.services import claims, proposals, records
from matches.throttle import count_upload
from players.messages import sentence
from players.models import User

Act = Callable[..., str]
KEY_BYTES = 9


@login_required
@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """My matches: the next one first."""
    return render(request, "matches/my_matches.html", my_matches.my_matches(_user(request), timezone.now()))


@never_cache
@require_safe
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """A match for whoever may see it; its players find their forms there."""
    found = access.match_for_viewer(request.user, public_id)
    try:
        seat: Seat | None = access.match_for_player(request.user, public_id)
    except Http404:
        seat = None
    return _unchanged(request, found) or _page(request, found, seat)


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The same page behind a link of the match. Opening a personal link tells that its player can be reached."""
    seat = access.match_for_link(token)
    if seat.side is not None and request.method == "GET":
        claims.reach(match=seat.match, side=seat.side, now=timezone.now())
        seat.match.refresh_from_db(fields=["seq"])
    return _unchanged(request, seat.match) or _page(request, seat.match, seat)


def _unchanged(request: HttpRequest, found: Match) -> HttpResponse | None:
    """What a waiting page gets that asks from time to time: nothing, or the word to load itself anew."""
    if not request.headers.get("HX-Request"):
        return None
    if request.GET.get("after") == str(found.seq):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _page(request: HttpRequest, found: Match, seat: Seat | None, refused: Refused | None = None) -> HttpResponse:
    context = match_page(found, seat, timezone.now(), request.user)
    context |= {
        "here": home(seat) if seat is not None else reverse("match", args=[found.public_id]),
        "key": secrets.token_urlsafe(KEY_BYTES),
        "may_direct": seat is None and access.may_direct(request.user, found),
        "most_times": range(1, MOST_TIMES + 1),
        "most_bytes": MOST_BYTES,
        "most_mebibytes": MOST_MEBIBYTES,
        "code": refused.code if refused else "",
        "error": sentence(refused.code, refused.params) if refused else "",
        "given": request.POST,
    }
    status = STATUS.get(refused.code, HTTPStatus.UNPROCESSABLE_ENTITY) if refused else HTTPStatus.OK
    with timezone.override(_zone(request, found, seat)):
        return render(request, "matches/match.html", context, status=status)


def _zone(request: HttpRequest, found: Match, seat: Seat | None) -> ZoneInfo:
    """The zone in which the reader sees times: his own, his player's, the club's."""
    user = request.user
    if isinstance(user, User) and user.time_zone:
        return ZoneInfo(timezone.get_current_timezone_name())
    if seat is not None and seat.side is not None:
        return zone_of(found, seat.side)
    return ZoneInfo(found.club.time_zone if found.club is not None else "UTC")


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def _seated(request: HttpRequest, public_id: str, token: str) -> Seat:
    return access.match_for_link(token) if token else access.match_for_player(request.user, public_id)


def _acting(act: Act, *, sheet: bool = False) -> Callable[..., HttpResponse]:
    """A view that does one thing for one side, then shows the match again; refused, it shows why.

    `sheet`: whether the sheet's link, which names no side, may do it too.
    """

    @never_cache
    @require_POST
    @functools.wraps(act)
    def view(request: HttpRequest, public_id: str = "", token: str = "", **more: str) -> HttpResponse:
        if not token and not request.user.is_authenticated:
            return redirect_to_login(reverse("match", args=[public_id]))
        seat = _seated(request, public_id, token)
        if seat.side is None and not sheet:
            raise Http404
        try:
            said = act(request, seat, **more)
        except Refused as refused:
            seat.match.refresh_from_db()
            return _page(request, seat.match, seat, refused)
        messages.success(request, said)
        return redirect(home(seat))

    return view


def _given(request: HttpRequest) -> dict[str, Any]:
    """What every form brings: the state its reader saw, and a key that makes a second click harmless."""
    after = request.POST.get("after", "")
    return {
        "after": int(after) if after.isdecimal() and len(after) < 10 else None,
        "key": request.POST.get("key", "")[:40],
        "now": timezone.now(),
    }


def _points(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise Refused("result_score_missing")
    return int(text)


@functools.partial(_acting, sheet=True)
def claim(request: HttpRequest, seat: Seat) -> str:
    """Report a score; who has more points has won."""
    score = _points(request, "score_0"), _points(request, "score_1")
    made = claims.claim(
        match=seat.match,
        side=seat.side,
        winner=0 if score[0] > score[1] else 1,
        score=score,
        by=seat.by,
        note=request.POST.get("note", "").strip(),
        **_given(request),
    ).claim
    made.match.refresh_from_db()
    return {
        Match.State.SETTLED: gettext("The result stands."),
        Match.State.DISPUTED: gettext("The other player reports something else. The director rules."),
    }.get(Match.State(made.match.state), gettext("Reported. The other player is asked to confirm."))


@_acting
def confirm(request: HttpRequest, seat: Seat) -> str:
    """Agree to what the other side claims."""
    claims.confirm(match=seat.match, side=_side(seat), by=seat.by, **_given(request))
    return gettext("Confirmed. The result stands.")


@_acting
def contest(request: HttpRequest, seat: Seat) -> str:
    """Say that the claim is wrong."""
    note = request.POST.get("note", "").strip()
    claims.contest(match=seat.match, side=_side(seat), by=seat.by, note=note, **_given(request))
    return gettext("Contested. The director rules.")


@_acting
def withdraw_claim(request: HttpRequest, seat: Seat) -> str:
    """Take one's own claim back."""
    claims.withdraw_claim(match=seat.match, side=_side(seat), by=seat.by, **_given(request))
    return gettext("Your report is taken back.")


@csrf_exempt
def send_record(request: HttpRequest, **route: str) -> HttpResponse:
    """Send in a record. What is far too long is refused by its announced length, before the form is read."""
    refuse_long_body(request)
    return _send_record(request, **route)


@csrf_protect
@_acting
def _send_record(request: HttpRequest, seat: Seat) -> str:
    count_upload(request)
    file = request.FILES.get("file")
    data, name = record_in(file, request.POST.get("text", ""))
    records.submit_for_match(
        match=seat.match,
        side=seat.side,
        data=data,
        file_name=name,
        source=Submission.Source.UPLOAD if file else Submission.Source.PASTE,
        submitter=seat.by.user,
        by=seat.by,
        now=timezone.now(),
    )
    return gettext("The record is in and is being checked.")


@_acting
def say_who(request: HttpRequest, seat: Seat, record_id: str) -> str:
    """Tell which of a record's players is which."""
    record = access.record_of(seat, record_id)
    swapped = request.POST.get("left") == "1"
    given = _given(request)
    records.say_who(
        submission=record, swapped=swapped, side=_side(seat), by=seat.by, after=given["after"], now=given["now"]
    )
    return gettext("Thank you. These names are remembered.")


@_acting
def propose(request: HttpRequest, seat: Seat) -> str:
    """Offer times to play, written as clocks show them where the player is."""
    zone = _zone(request, seat.match, seat)
    times = [instant(text, zone) for text in request.POST.getlist("time") if text.strip()]
    note = request.POST.get("note", "").strip()
    proposals.propose(match=seat.match, side=_side(seat), times=times, by=seat.by, note=note, **_given(request))
    return gettext("Your times are proposed.")


@_acting
def accept_time(request: HttpRequest, seat: Seat, proposal_id: str) -> str:
    """Accept one of the times offered."""
    offered = access.proposal_of(seat, proposal_id)
    at = instant(request.POST.get("time", ""), ZoneInfo("UTC"))
    proposals.accept(match=seat.match, proposal=offered, side=_side(seat), time=at, by=seat.by, **_given(request))
    return gettext("You have an appointment.")


@_acting
def withdraw_times(request: HttpRequest, seat: Seat, proposal_id: str) -> str:
    """Take one's own times back."""
    offered = access.proposal_of(seat, proposal_id)
    proposals.withdraw_proposal(match=seat.match, proposal=offered, side=_side(seat), by=seat.by, **_given(request))
    return gettext("Your times are taken back.")


def _side(seat: Seat) -> int:
    if seat.side is None:
        raise Http404
    return seat.side


@never_cache
@require_safe
def appointment(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """The appointment as a calendar file, for the players."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = _seated(request, public_id, token)
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
    return render(request, "matches/hand_out.html", context)


def _code(request: HttpRequest, found: Match, side: int | None) -> dict[str, str]:
    url = request.build_absolute_uri(reverse("match-link", args=[links.token_for(found, side)]))
    drawn = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": drawn}
