"""Coming to an appointment, and the calendar feed of an account."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.links import absolute_url
from matches.access import MatchSeat, side_of
from matches.lifecycle import arrivals
from matches.reporting import calendars
from matches.reporting.forms import TapForm
from matches.reporting.services import feeds
from matches.reporting.views.acting import acting
from players.pages import account_needed, me


@acting(lambda request, seat: TapForm(request.POST))
def arrive(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Say that the player is there for the appointment."""
    arrivals.arrive(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
    return gettext("Your opponent can see that you are here.")


@acting(lambda request, seat: TapForm(request.POST))
def claim_no_show(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Claim the match because the opponent has not come."""
    arrivals.claim_no_show(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
    return gettext("You have won the match by forfeit.")


@never_cache
@require_safe
def calendar_feed(request: HttpRequest, feed_token: str) -> HttpResponse:
    """The appointments and deadlines of an account as a calendar, for whoever has its secret URL."""
    data = calendars.feed(calendars.user_of(feed_token), timezone.now(), partial(absolute_url, request))
    return HttpResponse(data, content_type="text/calendar; charset=utf-8")


@account_needed
@require_POST
def renew_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Make a secret URL for the reader's calendar; an earlier one stops working."""
    feeds.renew(user=me(request), now=timezone.now())
    messages.success(request, gettext("Here is your calendar link. Earlier ones no longer work."))
    return redirect("my-matches")


@account_needed
@require_POST
def revoke_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Stop the secret URL of the reader's calendar."""
    feeds.revoke(user=me(request))
    messages.success(request, gettext("Your calendar link no longer works."))
    return redirect("my-matches")
