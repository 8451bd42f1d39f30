"""“I come”: the link of a letter by which one person enters the next evening.

Mail scanners open links, so opening it changes nothing, and it signs nobody in.
"""

from datetime import datetime
from typing import NamedTuple

from django import forms
from django.contrib import messages
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from clubhouse.clubs import NextEvening, calendar_lines, divisions_shown, next_evening_of
from core.access import Who, open_to
from core.repeats import Repeat, repeated
from core.times import WEEKDAY, pattern
from engine.errors import Refused
from players.accounts.services import ensure_player
from players.actors import Actor
from players.forms import RefusingForm
from players.models import LogEntry, User
from players.requests import faulty, refuse
from tournaments.entries import services as entries
from tournaments.models import Tournament

TOKEN = r"(?P<coming_token>\d{1,18}\.[2-9a-z]{10}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of the token in a URL: the account, the event, and the signature."""
_SIGNER = Signer(salt="clubhouse.letters.coming", sep=".")
BY_LINK = Actor(LogEntry.By.LINK)


def coming_path(user: User, event: Tournament) -> str:
    """Return the path of the link by which a user enters an event, until it starts."""
    return reverse("coming", args=[_SIGNER.sign(f"{user.pk}.{event.public_id}")])


class ComingReader(NamedTuple):
    user: User
    event: Tournament


def invited_by(token: str, now: datetime) -> ComingReader:
    """Return whom a link lets enter what. Raise Http404 if it is forged, or the event has started or is cancelled."""
    try:
        pk, public_id = _SIGNER.unsign(token).split(".")
    except BadSignature:
        raise Http404 from None
    user = User.objects.filter(pk=pk, is_active=True).first()
    event = Tournament.objects.select_related("club").filter(public_id=public_id, starts_at__gt=now).first()
    if user is None or event is None or not event.is_open:
        raise Http404
    return ComingReader(user, event)


def day_and_time(evening: NextEvening) -> str:
    """Return when an evening starts on its own clocks, such as “Thursday, 3 December, 19:30”."""
    starts = evening.line.starts
    return f"{date_format(starts, pattern(WEEKDAY))}, {date_format(starts, 'H:i')}"


def evening_for(invited: ComingReader, now: datetime) -> NextEvening | None:
    """Return the event as the next evening of the reader, with their way in; None if it is over."""
    event = invited.event
    divisions = [row for row in divisions_shown([event], event.club) if row.tournament_id == event.pk]
    return next_evening_of(invited.user, calendar_lines([event], divisions), now)


class ComingForm(RefusingForm):
    """Whether the reader comes."""

    coming = forms.TypedChoiceField(choices=[("1", "1"), ("0", "0")], coerce=lambda value: value == "1")


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def coming(request: HttpRequest, coming_token: str) -> HttpResponse:
    """Show the next evening with one button; by POST, enter or withdraw the person of the link."""
    now = timezone.now()
    invited = invited_by(coming_token, now)
    evening = evening_for(invited, now)
    if evening is None:
        raise Http404
    if request.method == "POST":
        return _enter_or_leave(request, invited, evening, now)
    when = day_and_time(evening)
    context = {"club": invited.event.club, "tournament": invited.event, "evening": evening, "when": when}
    return render(request, "clubhouse/letters/coming.html", context)


def _enter_or_leave(request: HttpRequest, invited: ComingReader, evening: NextEvening, now: datetime) -> HttpResponse:
    form = ComingForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, request.path)
    player = ensure_player(user=invited.user, by=BY_LINK)
    try:
        if not form.cleaned_data["coming"] and evening.may_leave:
            entries.withdraw_from_event(tournament=invited.event, player=player, by=BY_LINK, now=now)
            messages.success(request, _("You are not coming."))
        elif form.cleaned_data["coming"] and evening.way in ("join", "wait") and evening.division is not None:
            entries.register(division=evening.division, player=player, by=BY_LINK, now=now)
    except Refused as refused:
        return refuse(request, refused, request.path)
    return redirect(request.path)
