"""Pages about events, clubs, helpers and venues."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.cache import never_cache

from core import throttle
from core import times as zones
from core.access import Who, open_to
from core.links import absolute_url, qr_svg
from core.messages import sentence, status_of
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from matches.reporting.calendars import CalendarEvent, written
from players import access as people
from players.access import Role
from players.models import Club
from tournaments import access
from tournaments.events import helpers as helper_services
from tournaments.events import home, services
from tournaments.events import selectors as event_selectors
from tournaments.events.actions import by, event_url_args, faulty, form_key, me, page, refuse, sent
from tournaments.events.forms import EditTournamentForm, HelperForm, RemoveHelperForm, TournamentForm, VenueForm
from tournaments.events.helpers import helpers_of, state_of
from tournaments.events.venues import hours_of, next_evening, save_venue, tables_of_venue, venue_of
from tournaments.models import Round, Tournament
from tournaments.standings.rounds import RoundNames
from tournaments.state.changes import audience_of
from tournaments.state.forms import CancelForm

# The calendar of an event (iCalendar): when it takes place, and until when its rounds are to be played.


USUAL_DURATION = timedelta(hours=6)
"""Of an event that does not say when it ends."""


def calendar_of(tournament: Tournament, absolute: Callable[[str], str]) -> bytes:
    """Return the calendar of an event in its language; `absolute` makes URLs."""
    with override(tournament.effective_language):
        return written(_events(tournament, absolute))


def calendar_entry(tournament: Tournament, absolute: Callable[[str], str]) -> CalendarEvent:
    is_cancelled = tournament.status == Tournament.Status.CANCELLED
    return CalendarEvent(
        uid=f"event-{tournament.public_id}@barpoint",
        sequence=tournament.calendar_sequence,
        starts_at=tournament.starts_at,
        ends_at=tournament.ends_at or tournament.starts_at + USUAL_DURATION,
        changed_at=tournament.calendar_changed_at or tournament.created_at,
        title=_("{event} is cancelled").format(event=tournament.name) if is_cancelled else tournament.name,
        detail=tournament.club.name,
        url=absolute(reverse("event", args=[tournament.club.slug, tournament.slug])),
        location=tournament.venue,
        is_cancelled=is_cancelled,
    )


def _events(tournament: Tournament, absolute: Callable[[str], str]) -> Iterator[CalendarEvent]:
    args = [tournament.club.slug, tournament.slug]
    divisions = {division.pk: division for division in tournament.divisions.all()}
    event = calendar_entry(tournament, absolute)
    yield event
    rounds = Round.objects.filter(bracket__stage__division__in=divisions)
    names = RoundNames(rounds)
    due = rounds.filter(deadline__isnull=False).select_related("bracket__stage").order_by("deadline", "pk")
    for row in due:
        division = divisions[row.bracket.stage.division_id]
        assert row.deadline is not None  # noqa: S101, filtered above
        yield event._replace(
            uid=f"round-{tournament.public_id}-{row.pk}@barpoint",
            starts_at=row.deadline,
            ends_at=row.deadline,
            title=_("Deadline: {match}").format(match=f"{division.name} · {names[row.pk]}"),
            detail=tournament.name,
            url=absolute(reverse("division", args=[*args, division.public_id])),
            location="",
        )


@open_to(get=Who.EVERYBODY)
def event_list(request: HttpRequest) -> HttpResponse:
    """List the events of all clubs, or of one; for htmx, only the list."""
    context = event_selectors.events_page(request.user, request.GET.get("club", ""), request.GET.get("page"))
    name = "tournaments/events/_events.html" if is_htmx(request) else "tournaments/events/events.html"
    return render(request, name, context)


@open_to(get=Who.EVERYBODY)
def event(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the home of an event; `?player=` searches its entries."""
    tournament = access.tournament(request.user, club, slug)
    context = home.event_home(request.user, tournament, timezone.now()) | {"key": form_key(request)}
    if text := request.GET.get("player", "").strip():
        context |= {"looked_for": text, "found": home.find_player(tournament, text, context["staff"])}
    return render(request, "tournaments/events/event.html", context)


@open_to(get=Who.EVERYBODY)
def calendar(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Return the calendar of an event, for calendar programs to subscribe to."""
    tournament = access.tournament(request.user, club, slug)
    data = calendar_of(tournament, partial(absolute_url, request))
    headers = {"Content-Language": tournament.effective_language}
    return HttpResponse(data, content_type="text/calendar; charset=utf-8", headers=headers)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def create(request: HttpRequest, club: str) -> HttpResponse:
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


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def edit(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    now = timezone.now()
    form = EditTournamentForm(sent(request), tournament=tournament, audience=audience_of(tournament, by(request), now))
    if form.is_valid() and not form.asks:
        values, move = form.values(form.cleaned_data), form.cleaned_data["move"]
        try:
            services.update_tournament(tournament=tournament, by=by(request), now=now, move=move, **values)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("event", *event_url_args(tournament))
    context = {"form": form, "club": tournament.club, "tournament": tournament, "zones": zones.offered()}
    context["is_asked"] = form.is_bound and not form.errors
    return page(request, "tournaments/events/event_form.html", context, form)


def _defaults(club: Club, now: datetime) -> dict[str, Any]:
    """Return the initial values of a new event: the club's next evening, at its venue or where its latest event was."""
    venue = venue_of(club)
    starts, ends = next_evening(hours_of(venue), now.astimezone(ZoneInfo(club.time_zone)).replace(tzinfo=None))
    values = {
        "name": _("Club night"), "starts_at": starts, "ends_at": ends, "time_zone": club.time_zone,
        "currency": "ticket",
    }  # fmt: skip
    latest = Tournament.objects.filter(club=club).order_by("-starts_at").first()
    values |= {field: getattr(latest, field) for field in ("venue", "tables", "currency")} if latest else {}
    of_club = {"venue": venue.name, "tables": tables_of_venue(venue), "currency": club.currency}
    return values | {field: value for field, value in of_club.items() if value}


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def publish(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    try:
        services.publish_tournament(tournament=tournament, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, _home(tournament))
    messages.success(request, _("%(event)s published.") % {"event": tournament.name})
    return redirect(_home(tournament))


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
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
    audience = audience_of(tournament, by(request), timezone.now())
    context = {"tournament": tournament, "club": tournament.club, "form": form, "notified": audience.text}
    return page(request, "tournaments/events/cancel.html", context, form)


def _home(tournament: Tournament) -> str:
    return reverse("event", args=event_url_args(tournament))


@open_to(get=Who.DIRECTORS)
@never_cache
def helpers(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who helps at an event, who is invited, and what helpers can do."""
    return _page(request, access.tournament_as(request.user, club, slug, Role.DIRECTOR), HelperForm())


def _page(request: HttpRequest, event: Tournament, form: HelperForm, status: int = HTTPStatus.OK) -> HttpResponse:
    now = timezone.now()
    context = {
        "tournament": event,
        "club": event.club,
        "may_direct": True,
        "rows": [(row, state_of(row, now)) for row in helpers_of(event)],
        "form": form,
    }
    return render(request, "tournaments/events/helpers.html", context, status=status)


@open_to(post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.KEY)
def add(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Invite a helper and show the link once; only its hash is stored."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = HelperForm(request.POST)
    if not form.is_valid():
        return _page(request, event, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        throttle.count(throttle.INVITE_BY, str(me(request).pk))
        invited = helper_services.add_helper(
            tournament=event,
            email=form.cleaned_data["email"],
            by=by(request),
            now=timezone.now(),
            link=lambda secret: absolute_url(request, reverse("helping", args=[secret])),
        )
    except Refused as refused:
        form.refuse(refused)
        return _page(request, event, form, status_of(refused.code))
    context = {
        "tournament": event,
        "club": event.club,
        "helper": invited.helper,
        "url": invited.url,
        "qr": qr_svg(invited.url),
    }
    return render(request, "tournaments/events/helper_invited.html", context)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def remove(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Remove a helper, or withdraw an invitation."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("helpers", args=event_url_args(event))
    form = RemoveHelperForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    helper = access.helper_of(event, form.cleaned_data["helper"])
    helper_services.remove_helper(helper=helper, by=by(request), now=timezone.now())
    if helper.user is not None:
        messages.success(request, _("%(name)s no longer helps at this event.") % {"name": helper.user})
    else:
        messages.success(request, _("Invitation withdrawn. Its link no longer works."))
    return redirect(url)


@never_cache
@open_to(get=Who.EVERYBODY)
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation to help and the way to accept it, or why it is no longer valid; opening it changes nothing."""
    helper = access.helper_invitation(secret)
    event = helper.tournament
    context = {"helper": helper, "event": event, "club": event.club, "secret": secret}
    try:
        helper_services.must_be_open(helper, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        return render(request, "tournaments/events/helping.html", context, status=HTTPStatus.GONE)
    return render(request, "tournaments/events/helping.html", context)


@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Accept an invitation to help as the signed-in user."""
    helper = access.helper_invitation(secret)
    try:
        helper_services.accept_helping(helper=helper, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("helping", secret)
    messages.success(request, _("You now help at %(event)s.") % {"event": helper.tournament})
    return redirect("event", *event_url_args(helper.tournament))


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def venue(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change the tables and opening hours of a club."""
    club = people.club_for_director(request.user, slug)
    form = VenueForm(sent(request), venue=venue_of(club))
    if form.is_valid():
        try:
            save_venue(club=club, venue=form.venue(), after=form.cleaned_data["after"], by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved. New events start with these tables and hours."))
            return redirect("venue", club.slug)
    return page(request, "tournaments/events/venue.html", {"form": form, "club": club}, form)
