"""Pages of matches, and the calendar feed of an account; what players do on them is in `actions`."""

from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

import segno
from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from core import times
from core.access import Who, open_to
from core.links import absolute_url
from core.messages import sentence, status_of
from core.public_ids import new_form_key
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, match_url
from matches.lifecycle import arrivals, links
from matches.lifecycle.finish import check_report
from matches.lifecycle.own_match import side_of as player_side_of
from matches.models import MAX_BYTES, MAX_MEBIBYTES, CalendarFeed, Match
from matches.play.watching import where_of
from matches.presentation import labels
from matches.records.downloads import File, as_attachment
from matches.reporting import appointments, calendars, my_matches, reports
from matches.reporting import links as personal_links
from matches.reporting.appointments import zone_of, zone_of_match
from matches.reporting.forms import ObjectionForm, RevokeLinkForm, ScoreForm, TimesForm
from matches.reporting.links import log_link_shown, withheld_side
from matches.reporting.match_context import match_page, outbox, version_of, watch_context
from matches.reporting.my_matches import MyMatch, what_next
from matches.reporting.reports import preview_of
from players.actors import Actor
from players.kept.outboxes import reader_id
from players.models import User
from players.people.pairs import persons
from players.people.services import home_club
from players.requests import me

# What the views of a match share: rendering its page.


INVALID = "form_invalid"
"""Code of a page that shows errors of form fields."""


def page(
    request: HttpRequest,
    match: Match,
    seat: MatchSeat | None,
    *,
    refused: Refused | None = None,
    filled: forms.Form | None = None,
    extra: dict[str, Any] | None = None,
) -> HttpResponse:
    """Render the page of a match; `filled` is a refused form, shown again with what was entered."""
    zone, now = zone_for(request, match, seat), timezone.now()
    invalid = filled is not None and filled.is_bound and bool(filled.errors)
    score_form = filled if isinstance(filled, ScoreForm) else None
    context = match_page(match, seat, now, request.user, score_form) | {
        "here": match_url(seat) if seat is not None else reverse("match", args=[match.public_id]),
        "next_match": _next(match, seat, now),
        "outbox": outbox(seat, reader_id(seat.by), now) if seat is not None else None,
        "key": new_form_key(),
        "may_direct": seat is None and access.may_direct(request.user, match),
        "may_correct": seat is None and access.may_correct(request.user, match),
        "most_bytes": MAX_BYTES,
        "most_mebibytes": MAX_MEBIBYTES,
        "code": refused.code if refused else INVALID if invalid else "",
        "error": _error(refused, filled if invalid else None),
        "filled": filled,
        "link_generation": _own_link_generation(match, seat),
        **watch_context(match, seat, access.viewer_of(request.user, seat), now),
        **_forms(seat, zone, filled),
        **(extra or {}),
    }
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if invalid else HTTPStatus.OK
    if refused is not None:
        status = status_of(refused.code)
    own = _own_zone(request, match, seat)
    with times.on_clocks_of(zone_of_match(match)) if own is None else timezone.override(own):
        return render(request, "matches/reporting/match.html", context, status=status)


def _own_link_generation(match: Match, seat: MatchSeat | None) -> int | None:
    """The generation of the reader's personal link, if they may revoke it: with their account, while it is of use."""
    if seat is None or seat.side is None or seat.token or match.is_over:
        return None
    return match.link_generations[seat.side]


def _next(match: Match, seat: MatchSeat | None, now: datetime) -> MyMatch | None:
    """The player's next match, if this one needs nothing more from them.

    The page links to that match but not to its personal link: holding one link must not give access to others.
    """
    if seat is None or seat.side is None or match.state == Match.State.OPEN:
        return None
    return what_next(seat, now)


def _forms(seat: MatchSeat | None, zone: ZoneInfo, filled: forms.Form | None) -> dict[str, forms.Form]:
    """The forms of the page: empty ones, and the refused one with what was entered."""
    if seat is None:
        return {}
    empty: dict[str, forms.Form] = {
        "times_form": TimesForm(seat=seat, zone=zone),
        "objection_form": ObjectionForm(seat=seat),
    }
    kinds = {"times_form": TimesForm, "objection_form": ObjectionForm}
    if filled is None:
        return empty
    return empty | {name: filled for name, kind in kinds.items() if isinstance(filled, kind)}


def _error(refused: Refused | None, invalid: forms.Form | None) -> str:
    """The error message of a refused form; errors of a field start with its label."""
    if refused is not None:
        return sentence(refused.code, refused.params)
    if invalid is None:
        return ""
    errors_by_field = [
        f"{invalid.fields[name].label or name}: {' '.join(map(str, errors))}"
        if name in invalid.fields
        else " ".join(map(str, errors))
        for name, errors in invalid.errors.items()
    ]
    return " ".join([gettext("Nothing was sent."), *errors_by_field])


def zone_for(request: HttpRequest, match: Match, seat: MatchSeat | None) -> ZoneInfo:
    """The time zone for times on the page: the reader's account's, else their player's, else the match's, else UTC."""
    return _own_zone(request, match, seat) or ZoneInfo(zone_of_match(match) or "UTC")


def _own_zone(request: HttpRequest, match: Match, seat: MatchSeat | None) -> ZoneInfo | None:
    user = request.user
    if isinstance(user, User) and user.time_zone:
        return ZoneInfo(timezone.get_current_timezone_name())
    if seat is not None and seat.side is not None:
        return zone_of(match, seat.side)
    return None


def seated(request: HttpRequest, public_id: str, token: str) -> MatchSeat:
    """Return the match and the reader's side, by link or account. Raise Http404 if they have none."""
    return access.match_for_link(token) if token else access.match_for_player(request.user, public_id)


# Pages of matches: a match, “My matches”, and the links and the score sheet to hand out.
#
# Players use their account or a personal link; both show the same page with the same actions. Opening a page never
# changes anything.


@open_to(get=Who.SIGNED_IN)
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """“My matches”, with the next match first."""
    context = my_matches.my_matches(_user(request), timezone.now())
    if context["player"] is not None:
        # As whose app the page can be installed.
        context["club"] = home_club(context["player"])
    feed = CalendarFeed.objects.filter(user=_user(request)).first()
    if feed is not None:
        path = reverse("calendar-feed", args=[calendars.token_of(feed)])
        context["calendar_url"] = absolute_url(request, path)
    return render(request, "matches/reporting/my_matches.html", context)


@never_cache
@open_to(get=Who.EVERYBODY)
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page of a match, with forms for its players."""
    viewed, seat = access.match_and_seat(request.user, public_id)
    if request.method == "GET" and seat is not None and seat.side is not None and viewed.state == Match.State.OPEN:
        appointments.note_shown(match=viewed, side=seat.side, now=timezone.now())
    return _poll(request, viewed, seat) or page(request, viewed, seat)


@never_cache
@open_to(get=Who.EVERYBODY)
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
@open_to(get=Who.PLAYERS)
def appointment(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Download the appointment as a calendar file; for the players only."""
    seat = seated(request, public_id, token)
    agreed = arrivals.appointment(seat.match) if seat.side is not None else None
    if agreed is None or agreed.agreed_at is None:
        raise Http404
    return as_attachment(_calendar(request, seat))


def _calendar(request: HttpRequest, seat: MatchSeat) -> File:
    now = timezone.now()
    where = where_of([seat.match], access.viewer_of(request.user, seat), now)[seat.match.pk]
    url = absolute_url(request, match_url(seat))
    data = calendars.written(calendars.match_events([seat.match], {seat.match.pk: where}, lambda _path: url))
    return File(f"match-{seat.match.public_id}.ics", "text/calendar; charset=utf-8", data)


@open_to(get=Who.STAFF)
@never_cache
def hand_out(request: HttpRequest, public_id: str) -> HttpResponse:
    """The score sheet with its QR code and the personal links, for those who run the match."""
    match, by = access.match_for_director(request.user, public_id), Actor.of(_user(request))
    withheld = withheld_side(match, by)
    log_link_shown(match=match, by=by)
    context = {
        "match": match,
        "sheet": _qr_code(request, match, None),
        "personal": [link for side in (0, 1) if side != withheld for link in _personal_links(request, match, side)],
        "withheld": match.players[withheld] if withheld is not None else None,
        "is_logged": withheld is None and player_side_of(match, by) is not None,
        "games": range(1, 2 * match.length),
        "length": labels.length(match.length),
    }
    return render(request, "matches/reporting/hand_out.html", context)


@open_to(post=Who.STAFF)
@repeated(Repeat.STATE)
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


def _personal_links(request: HttpRequest, match: Match, side: int) -> list[dict[str, Any]]:
    """The personal links of a side, each with its player and generation: two of a pair."""
    return [
        {"player": person, "side": side, "generation": match.link_generations[side]}
        | _qr_code(request, match, side, second=bool(number))
        for number, person in enumerate(persons(match.players[side]))
    ]


def _qr_code(request: HttpRequest, match: Match, side: int | None, *, second: bool = False) -> dict[str, str]:
    """URL and QR code (SVG) of a link of the match."""
    url = absolute_url(request, reverse("match-link", args=[links.token_for(match, side, second=second)]))
    svg = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": svg}


@never_cache
@open_to(get=Who.PLAYERS)
def preview(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Show what a report would do before it is sent; nothing is stored."""
    seat = seated(request, public_id, token)
    form = ScoreForm(request.GET, seat=seat)
    if not form.is_valid():
        return page(request, seat.match, seat, filled=form)
    try:
        reports.refuse_settled_or_disputed(seat.match)
        winner, score = form.report
        check_report(length=seat.match.length, start=seat.match.start_score, winner=winner, score=score)
    except Refused as refused:
        return page(request, seat.match, seat, refused=refused, filled=form)
    return page(request, seat.match, seat, filled=form, extra={"preview": preview_of(seat, winner, score)})


@never_cache
@open_to(get=Who.EVERYBODY)
def calendar_feed(request: HttpRequest, feed_token: str) -> HttpResponse:
    """The appointments and deadlines of an account as a calendar, for whoever has its secret URL."""
    data = calendars.feed(calendars.user_of(feed_token), timezone.now(), partial(absolute_url, request))
    return HttpResponse(data, content_type="text/calendar; charset=utf-8")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def renew_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Make a secret URL for the reader's calendar; an earlier one stops working."""
    calendars.renew(user=me(request), now=timezone.now())
    messages.success(request, gettext("Here is your calendar link. Earlier ones no longer work."))
    return redirect("my-matches")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def revoke_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Stop the secret URL of the reader's calendar."""
    calendars.revoke(user=me(request))
    messages.success(request, gettext("Your calendar link no longer works."))
    return redirect("my-matches")
