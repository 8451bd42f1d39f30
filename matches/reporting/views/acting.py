"""What the views of a match share: rendering its page, and a decorator for actions of one side."""

import functools
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from core.messages import sentence, status_of
from core.public_ids import new_form_key
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, match_url
from matches.models import MOST_BYTES, MOST_MEBIBYTES, Match
from matches.reporting.appointments import zone_of
from matches.reporting.changes import watch_context
from matches.reporting.forms import ObjectionForm, ScoreForm, SheetScoreForm, TimesForm
from matches.reporting.match_page import match_page
from matches.reporting.my_matches import MyMatch, what_next
from players.models import User

INVALID = "form_invalid"
"""Code of a page that shows errors of form fields."""
FormFactory = Callable[[HttpRequest, MatchSeat], forms.Form]
Action = Callable[..., str]
"""Performs an action and returns the message of its success, or nothing where the next page shows it."""


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
    context = match_page(match, seat, now, request.user) | {
        "here": match_url(seat) if seat is not None else reverse("match", args=[match.public_id]),
        "next_match": _next(match, seat, now),
        "reader": f"{request.user.pk or 0}:{seat.side}" if seat is not None else "",
        "key": new_form_key(),
        "may_direct": seat is None and access.may_direct(request.user, match),
        "may_correct": seat is None and access.may_correct(request.user, match),
        "most_bytes": MOST_BYTES,
        "most_mebibytes": MOST_MEBIBYTES,
        "code": refused.code if refused else INVALID if invalid else "",
        "error": _error(refused, filled if invalid else None),
        "filled": filled,
        "link_generation": _own_link_generation(match, seat),
        **watch_context(match, seat, access.viewer_of(request.user, seat), now),
        **_forms(match, seat, zone, filled),
        **(extra or {}),
    }
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if invalid else HTTPStatus.OK
    if refused is not None:
        status = status_of(refused.code)
    with timezone.override(zone):
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
    return what_next(match.players[seat.side], match, now)


def _forms(match: Match, seat: MatchSeat | None, zone: ZoneInfo, filled: forms.Form | None) -> dict[str, forms.Form]:
    """The forms of the page: empty ones, and the refused one with what was entered."""
    if seat is None:
        return {}
    score: ScoreForm = SheetScoreForm(match=match) if seat.side is None else ScoreForm(match=match)
    empty: dict[str, forms.Form] = {
        "score_form": score,
        "times_form": TimesForm(match=match, zone=zone),
        "objection_form": ObjectionForm(),
    }
    kinds = {"score_form": ScoreForm, "times_form": TimesForm, "objection_form": ObjectionForm}
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
    """The time zone in which times are shown: that of the reader's account, else of their player, else of the club."""
    user = request.user
    if isinstance(user, User) and user.time_zone:
        return ZoneInfo(timezone.get_current_timezone_name())
    if seat is not None and seat.side is not None:
        return zone_of(match, seat.side)
    return ZoneInfo(match.club.time_zone if match.club is not None else "UTC")


def seated(request: HttpRequest, public_id: str, token: str) -> MatchSeat:
    """Return the match and the reader's side, by link or account. Raise Http404 if they have none."""
    return access.match_for_link(token) if token else access.match_for_player(request.user, public_id)


def acting(
    form_of: FormFactory, *, sheet: bool = False, leads_to: Callable[[MatchSeat], str] = match_url
) -> Callable[[Action], Callable[..., HttpResponse]]:
    """Decorate a function that performs an action for one side, to make it a view that then redirects.

    It redirects to the page of the match, or to the URL that `leads_to` returns. If the action is refused, the page
    shows the reason and keeps what was entered. `sheet` allows the sheet link, too.
    """

    def decorate(action: Action) -> Callable[..., HttpResponse]:
        @never_cache
        @require_POST
        @functools.wraps(action)
        def view(request: HttpRequest, public_id: str = "", token: str = "", **route: str) -> HttpResponse:
            if not token and not request.user.is_authenticated:
                return redirect_to_login(reverse("match", args=[public_id]))
            seat = seated(request, public_id, token)
            if seat.side is None and not sheet:
                raise Http404
            form = form_of(request, seat)
            if not form.is_valid():
                return page(request, seat.match, seat, filled=form)
            try:
                message = action(request, seat, form, **route)
            except Refused as refused:
                seat.match.refresh_from_db()
                return page(request, seat.match, seat, refused=refused, filled=form)
            if message:
                messages.success(request, message)
            return redirect(leads_to(seat))

        return view

    return decorate
