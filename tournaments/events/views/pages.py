"""What the pages of this room have in common."""

import zoneinfo
from collections.abc import Sequence
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.messages import sentence
from engine.errors import Refused
from players.accounts.views.pages import account_needed, by, me, page, sent
from players.forms import RefusingForm
from tournaments.models import Division, Entry, Tournament
from tournaments.state import log
from tournaments.state.page_forms import KeyForm, SeenForm

__all__ = [
    "account_needed",
    "address",
    "by",
    "division_url",
    "faulty",
    "form_key",
    "me",
    "missed",
    "page",
    "refuse",
    "seen_at",
    "sent",
    "zone_of",
]


def address(tournament: Tournament) -> tuple[str, str]:
    """The parts of an event's address."""
    return tournament.club.slug, tournament.slug


def zone_of(tournament: Tournament) -> zoneinfo.ZoneInfo:
    """The clocks of an event; services let no unknown zone in."""
    return zoneinfo.ZoneInfo(tournament.time_zone)


def form_key(request: HttpRequest) -> str:
    """What makes the second of two clicks on “Make” find what the first has made."""
    return KeyForm.key_of(request.POST)


def seen_at(request: HttpRequest) -> datetime:
    """When the form that was sent was made, as it says itself; now where it does not say."""
    return SeenForm.instant_of(request.POST)


def missed(request: HttpRequest, refused: Refused, tournament: Tournament, topics: Sequence[str]) -> list[log.Told]:
    """What was changed since the form was made, where it was refused as stale."""
    return log.since(tournament, topics, seen_at(request)) if refused.code == "stale" else []


def refuse(request: HttpRequest, refused: Refused, url: str, form: RefusingForm | None = None) -> HttpResponse:
    """Back to where the button was, with the reason why nothing was done."""
    if form is not None:
        form.refuse(refused)
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(url)


def faulty(request: HttpRequest, form: RefusingForm, url: str) -> HttpResponse:
    """Back to where the button was, with what is wrong with the form; nothing was done."""
    for field, errors in form.errors.items():
        label = form.fields[field].label if field in form.fields else None
        for error in errors:
            messages.error(request, f"{label}: {error}" if label else str(error))
    return redirect(url)


def division_url(division: Division) -> tuple[str, str, str]:
    """The parts of a division's address."""
    return (*address(division.tournament), division.public_id)


def chosen_entry(division: Division, public_id: str) -> Entry:
    """The entry chosen from a list of this division. Refused: `choose_a_player`."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise Refused("choose_a_player")
    return entry
