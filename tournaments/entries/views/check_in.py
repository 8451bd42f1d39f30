"""Check-in: by directors on their page, and by players on theirs."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.links import absolute_url
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role, is_at_least, my_player
from players.models import Player, User
from tournaments import access
from tournaments.entries.forms import AllHereForm, OwnCheckInForm, PresenceForm, UndoCheckInForm
from tournaments.entries.selectors import check_in as selectors
from tournaments.entries.selectors.event_links import link_of
from tournaments.entries.services import check_in as services
from tournaments.events.views.pages import account_needed, by, event_url_args, faulty, me, refuse
from tournaments.models import CheckIn, Division, Tournament

CHANGED = "tournaments/entries/_check_in_changed.html"
"""The list with an undo, which stays outside it, so that a live update of the list does not remove it."""


@account_needed
@never_cache
@require_safe
def page(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who is here and who is missing; an htmx request gets only the list."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    template = "tournaments/entries/_check_in.html" if is_htmx(request) else "tournaments/entries/check_in.html"
    return render(request, template, _context(request, event))


def _context(request: HttpRequest, event: Tournament) -> dict[str, Any]:
    role = access.require_in(request.user, event, access.HELPER)
    context = selectors.check_in_page(
        event,
        _division(event, request.GET.get("division", "")),
        show=request.GET.get("show", selectors.ALL),
        text=request.GET.get("q", "").strip(),
        may_direct=is_at_least(role, Role.DIRECTOR),
    )
    return context | {"only_helps": role is None}


def _division(event: Tournament, public_id: str) -> Division | None:
    """Return the division of the event with this public id; None, for all of them, if there is none."""
    return event.divisions.filter(public_id=public_id).first() if public_id else None


@account_needed
@require_POST
def mark(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Record that a player is here, away or missing; an htmx request gets the changed row, the counts and an undo."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = PresenceForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(event))
    now = timezone.now()
    until = form.cleaned_data["until"]
    entry = access.entry_as_player_or(request.user, form.cleaned_data["entry"], access.HELPER, (club, slug))
    try:
        services.mark(
            entry=entry,
            state=form.cleaned_data["state"],
            until=selectors.instant_of(until, event.time_zone, now) if until else None,
            by=by(request),
            now=now,
        )
    except Refused as refused:
        return refuse(request, refused, _url(event))
    if not is_htmx(request):
        return redirect(_url(event))
    context = _context(request, event)
    role = access.require_in(request.user, event, access.HELPER)
    rows = selectors.arrivals_of(
        event, [entry.division], may_direct=is_at_least(role, Role.DIRECTOR), several=len(context["divisions"]) > 1
    )
    newest = CheckIn.objects.filter(entry=entry).order_by("pk").last()
    context |= {"arrival": next(row for row in rows if row.entry == entry), "newest": newest}
    return render(request, "tournaments/entries/_marked.html", context)


@account_needed
@require_POST
def mark_all(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Check in everybody who is missing."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = AllHereForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(event))
    division = _division(event, form.cleaned_data["division"])
    batch, count = services.mark_all_here(tournament=event, division=division, by=by(request), now=timezone.now())
    context = _context(request, event)
    if is_htmx(request):
        return render(request, CHANGED, context | {"all_batch": batch, "all_count": count})
    messages.success(
        request, ngettext("%(count)d player checked in.", "%(count)d players checked in.", count) % {"count": count}
    )
    return redirect(_url(event))


@account_needed
@require_POST
def undo(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Undo what one tap recorded."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = UndoCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(event))
    try:
        services.undo(tournament=event, batch=form.cleaned_data["batch"], by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, _url(event))
    if is_htmx(request):
        return render(request, CHANGED, _context(request, event))
    return redirect(_url(event))


@never_cache
@require_safe
def own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show a player whether they are checked in; opening the page, as link previews do, checks nobody in."""
    event = access.tournament(request.user, club, slug)
    user = request.user
    player = Player.objects.filter(user=user).first() if isinstance(user, User) else None
    context = selectors.own_page(event, player, timezone.now())
    is_poster = request.GET.get("from") == CheckIn.Source.POSTER
    context["source"] = CheckIn.Source.POSTER if is_poster else CheckIn.Source.PLAYER
    if context["entries"]:
        context["link"] = link_of(context["entries"][0], partial(absolute_url, request))
        context["revoke_url"] = reverse("arrive-revoke-link", args=event_url_args(event))
    return render(request, "tournaments/entries/arrive.html", context)


@account_needed
@require_POST
def mark_own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Check the signed-in player in, or out again."""
    event = access.tournament(request.user, club, slug)
    player = my_player(me(request))
    url = reverse("arrive", args=event_url_args(event))
    form = OwnCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    present = form.cleaned_data["present"]
    try:
        services.check_in_self(tournament=event, player=player, by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("You are checked in.") if present else _("Your check-in is undone."))
    return redirect(url)


def _url(event: Tournament) -> str:
    return reverse("check-in", args=event_url_args(event))
