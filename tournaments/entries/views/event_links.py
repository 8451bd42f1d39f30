"""A player's personal link for an event: the page behind it, handing it out, and revoking it."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.links import absolute_url
from engine.errors import Refused
from players.access import Role, my_player, require
from players.actors import Actor
from players.models import LogEntry
from tournaments import access
from tournaments.entries.event_links import link_holder
from tournaments.entries.forms import CheckInForm, RevokeEventLinkForm
from tournaments.entries.selectors.event_links import event_link_page, link_to_hand_out
from tournaments.entries.services import check_in as presence
from tournaments.entries.services.entries import same_person
from tournaments.entries.services.event_links import revoke_event_link
from tournaments.events.views.pages import account_needed, by, event_url_args, faulty, me, refuse, zone_of
from tournaments.models import CheckIn, Entry


@never_cache
@require_safe
def event_link(request: HttpRequest, event_token: str) -> HttpResponse:
    """Show a player their check-in and their matches; opening the page, as link previews do, changes nothing."""
    now = timezone.now()
    holder = link_holder(event_token, now)
    context = event_link_page(holder, now) | {
        "url": reverse("event-link", args=[event_token]),
        "check_in_url": reverse("event-link-check-in", args=[event_token]),
    }
    with timezone.override(zone_of(holder.tournament)):
        return render(request, "tournaments/entries/event_link.html", context)


@never_cache
@require_POST
def check_in(request: HttpRequest, event_token: str) -> HttpResponse:
    """Check the player of a link in, or out again."""
    now = timezone.now()
    holder = link_holder(event_token, now)
    url = reverse("event-link", args=[event_token])
    form = CheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    present = form.cleaned_data["present"]
    try:
        presence.check_in_self(
            tournament=holder.tournament,
            player=holder.player,
            present=present,
            by=Actor(LogEntry.By.LINK),
            now=now,
            source=CheckIn.Source.LINK,
        )
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("You are checked in.") if present else _("Your check-in is undone."))
    return redirect(url)


def _entry(request: HttpRequest, club: str, slug: str, entry: str) -> Entry:
    """Return the entry that a URL names, for those who run its event."""
    row = access.entry(request.user, entry, (club, slug))
    require(request.user, row.division.tournament.club, Role.ASSISTANT)
    return row


@account_needed
@never_cache
@require_safe
def hand_out(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the personal link of a player with its QR code, to those who run the event."""
    entry = _entry(request, **kwargs)
    event = event_url_args(entry.division.tournament)
    args = (*event, entry.public_id)
    try:
        link = link_to_hand_out(entry, by(request), partial(absolute_url, request))
    except Refused as refused:
        return refuse(request, refused, reverse("entries", args=(*event, entry.division.public_id)))
    context = {
        "tournament": entry.division.tournament,
        "club": entry.division.tournament.club,
        "division": entry.division,
        "entry": entry,
        "link": link,
        "revoke_url": reverse("entry-revoke-link", args=args),
    }
    return render(request, "tournaments/entries/hand_out_link.html", context)


@account_needed
@require_POST
def revoke(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Revoke the personal link of a player; for those who run the event."""
    entry = _entry(request, **kwargs)
    url = reverse("entry-link", args=(*event_url_args(entry.division.tournament), entry.public_id))
    return _revoke(request, entry, url)


@account_needed
@require_POST
def revoke_own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Revoke the signed-in player's own link."""
    event = access.tournament(request.user, club, slug)
    player = my_player(me(request))
    url = reverse("arrive", args=event_url_args(event))
    rows = Entry.objects.filter(same_person(player), division__tournament=event)
    entry = rows.select_related("player", "division__tournament__club").order_by("pk").first()
    if entry is None:
        return refuse(request, Refused("check_in_not_entered"), url)
    return _revoke(request, entry, url)


def _revoke(request: HttpRequest, entry: Entry, url: str) -> HttpResponse:
    form = RevokeEventLinkForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    revoke_event_link(entry=entry, generation=form.cleaned_data["generation"], by=by(request))
    messages.success(request, _("The personal link was revoked. There is a new one."))
    return redirect(url)
