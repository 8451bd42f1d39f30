"""Helpers that the views of events share."""

import zoneinfo
from collections.abc import Sequence
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.messages import sentence
from engine.errors import Refused
from players.access import Role, is_at_least, require, role_in
from players.forms import RefusingForm
from players.pages import account_needed, by, me, page, sent
from tournaments import access
from tournaments.models import Division, Entry, Tournament
from tournaments.state import log
from tournaments.state.forms import IdempotencyKeyForm, PageTimeForm

__all__ = [
    "account_needed",
    "by",
    "division_url_args",
    "event_url_args",
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


def event_url_args(tournament: Tournament) -> tuple[str, str]:
    """Return the URL arguments of an event."""
    return tournament.club.slug, tournament.slug


def directed_division(request: HttpRequest, *, club: str, slug: str, division: str) -> Division:
    """Return the division that a URL names, for a director of its club; the arguments are those of the URL."""
    return access.division_as(request.user, division, Role.DIRECTOR, (club, slug))


def directed_entry(request: HttpRequest, *, club: str, slug: str, entry: str) -> Entry:
    """Return the entry that a URL names, for a director of its club; the arguments are those of the URL."""
    row = access.entry(request.user, entry, (club, slug))
    require(request.user, row.division.tournament.club, Role.DIRECTOR)
    return row


def zone_of(tournament: Tournament) -> zoneinfo.ZoneInfo:
    """Return the time zone of an event."""
    return zoneinfo.ZoneInfo(tournament.time_zone)


def form_key(request: HttpRequest) -> str:
    """Return the idempotency key of a form, so that a double click creates one object."""
    return IdempotencyKeyForm.key_of(request.POST)


def seen_at(request: HttpRequest) -> datetime:
    """Return when the submitted form was rendered; now if it does not say."""
    return PageTimeForm.instant_of(request.POST)


def missed(request: HttpRequest, refused: Refused, tournament: Tournament, topics: Sequence[str]) -> list[log.LogLine]:
    """Return the changes since the form was rendered if it was refused as stale, else none."""
    if refused.code != "stale":
        return []
    directs = is_at_least(role_in(request.user, tournament.club), Role.DIRECTOR)
    return log.since(tournament, topics, seen_at(request), directs=directs)


def refuse(request: HttpRequest, refused: Refused, url: str, form: RefusingForm | None = None) -> HttpResponse:
    """Redirect with the reason for a refusal, shown in `form` as well if one is passed."""
    if form is not None:
        form.refuse(refused)
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(url)


def faulty(request: HttpRequest, form: RefusingForm, url: str) -> HttpResponse:
    """Redirect with the errors of a form as messages."""
    for field, errors in form.errors.items():
        label = form.fields[field].label if field in form.fields else None
        for error in errors:
            messages.error(request, f"{label}: {error}" if label else str(error))
    return redirect(url)


def division_url_args(division: Division) -> tuple[str, str, str]:
    """Return the URL arguments of a division."""
    return (*event_url_args(division.tournament), division.public_id)


def chosen_entry(division: Division, public_id: str) -> Entry:
    """Return the entry of this division that was chosen in a form. Refused: `choose_a_player`."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise Refused("choose_a_player")
    return entry
