"""Pages about events: the list, the home of an event, and its settings."""

from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import times as zones
from core.links import absolute_url
from core.requests import is_htmx
from engine.errors import Refused
from players import access as people
from players.access import Role
from players.models import Club
from tournaments import access
from tournaments.events.calendar import calendar_of
from tournaments.events.forms import TournamentForm, shown_local
from tournaments.events.selectors import events
from tournaments.events.selectors.venues import hours_of, next_evening, tables_of_venue, venue_of
from tournaments.events.services import events as services
from tournaments.events.views.pages import account_needed, by, event_url_args, form_key, page, refuse, sent, zone_of
from tournaments.models import Tournament
from tournaments.state.forms import CancelForm


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """List the events of all clubs, or of one; for htmx, only the list."""
    context = events.events_page(request.user, request.GET.get("club", ""), request.GET.get("page"))
    name = "tournaments/events/_events.html" if is_htmx(request) else "tournaments/events/events.html"
    return render(request, name, context)


@require_safe
def event(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the home of an event; `?player=` searches its entries."""
    tournament = access.tournament(request.user, club, slug)
    context = events.event_home(request.user, tournament, timezone.now()) | {"key": form_key(request)}
    if text := request.GET.get("player", "").strip():
        context |= {"looked_for": text, "found": events.find_player(tournament, text, context["staff"])}
    return render(request, "tournaments/events/event.html", context)


@require_safe
def calendar(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Return the calendar of an event, for calendar programs to subscribe to."""
    tournament = access.tournament(request.user, club, slug)
    data = calendar_of(tournament, timezone.now(), partial(absolute_url, request))
    return HttpResponse(data, content_type="text/calendar; charset=utf-8")


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, club: str) -> HttpResponse:
    """Create an event of a club."""
    owner = people.club_for_director(request.user, club)
    form = TournamentForm(sent(request), initial=_defaults(owner, timezone.now()))
    if form.is_valid():
        try:
            tournament = services.create_tournament(
                club=owner, by=by(request), now=timezone.now(), key=form_key(request), **form.cleaned_data
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Event created as a draft that only directors see. Now add a division."))
            return redirect("division-create", *event_url_args(tournament))
    context = {"form": form, "club": owner, "zones": zones.offered(), "key": form_key(request)}
    return page(request, "tournaments/events/event_form.html", context, form)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Edit the settings of an event."""
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = TournamentForm(sent(request), initial=_initial(tournament))
    if form.is_valid():
        try:
            services.update_tournament(tournament=tournament, by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("event", *event_url_args(tournament))
    context = {"form": form, "club": tournament.club, "tournament": tournament, "zones": zones.offered()}
    return page(request, "tournaments/events/event_form.html", context, form)


def _defaults(club: Club, now: datetime) -> dict[str, Any]:
    """Return the initial values of a new event: the club's next evening, at its venue or where its latest event was."""
    venue = venue_of(club)
    evening = next_evening(hours_of(venue), now.astimezone(ZoneInfo(club.time_zone)).replace(tzinfo=None))
    values = {
        "name": _("Club night"), "starts_at": evening.starts, "ends_at": evening.ends, "time_zone": club.time_zone,
        "currency": "ticket",
    }  # fmt: skip
    latest = Tournament.objects.filter(club=club).order_by("-starts_at").first()
    values |= {field: getattr(latest, field) for field in ("venue", "tables", "currency")} if latest else {}
    of_club = {"venue": venue.name, "tables": tables_of_venue(venue), "currency": club.currency}
    return values | {field: value for field, value in of_club.items() if value}


def _initial(tournament: Tournament) -> dict[str, Any]:
    zone = zone_of(tournament)
    times = {field: shown_local(getattr(tournament, field), zone) for field in TournamentForm.TIMES}
    return {field: getattr(tournament, field) for field in TournamentForm.FIELDS} | times


@account_needed
@require_POST
def publish(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Publish an event."""
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    try:
        services.publish_tournament(tournament=tournament, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, _home(tournament))
    messages.success(request, _("%(event)s published.") % {"event": tournament.name})
    return redirect(_home(tournament))


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Cancel an event, after a page that asks for confirmation."""
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = CancelForm(request.POST if request.method == "POST" else None, tournament=tournament)
    if form.is_valid():
        try:
            services.cancel_tournament(
                tournament=tournament, by=by(request), now=timezone.now(), reason=form.cleaned_data["reason"]
            )
        except Refused as refused:
            return refuse(request, refused, _home(tournament))
        messages.success(request, _("%(event)s cancelled.") % {"event": tournament.name})
        return redirect(_home(tournament))
    context = {"tournament": tournament, "club": tournament.club, "form": form}
    return page(request, "tournaments/events/cancel.html", context, form)


def _home(tournament: Tournament) -> str:
    return reverse("event", args=event_url_args(tournament))
