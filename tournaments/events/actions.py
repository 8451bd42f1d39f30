"""What the pages of an event share: helpers of views, and the URLs they go on to."""

import zoneinfo
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from engine.errors import Refused
from players.access import Role, Visitor, is_at_least, require, role_in
from players.actions import UserAction
from players.requests import by, faulty, me, page, refuse, sent
from tournaments import access
from tournaments.models import Division, Entry, Tournament
from tournaments.state import log
from tournaments.state.api import AFTER, read_after
from tournaments.state.forms import IdempotencyKeyForm, PageTimeForm

__all__ = [
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
    return tournament.club.slug, tournament.slug


def directed_division(request: HttpRequest, *, club: str, slug: str, division: str) -> Division:
    """Return the division named by the arguments of a URL, for a director of its club."""
    return access.division_as(request.user, division, Role.DIRECTOR, (club, slug))


def directed_entry(user: Visitor, *, entry: str, club: str = "", slug: str = "") -> Entry:
    """Return the entry named by the arguments of a URL, for a director of its club."""
    row = access.entry(user, entry, (club, slug) if club else None)
    require(user, row.division.tournament.club, Role.DIRECTOR)
    return row


class TournamentAction(UserAction):
    """What somebody does in an event; `after` may be in a header."""

    def parameters(self) -> list[OpenApiParameter]:
        return [AFTER] if "after" in self.form.base_fields else []

    def values(self, request: Request) -> dict[str, Any]:
        values = super().values(request)
        return {**values, "after": read_after(request, values)} if self.parameters() else values


class EventAction(TournamentAction):
    def fetch(self, user: Visitor, **url: str) -> Tournament:
        if "tournament" in url:
            return access.tournament_by_id(user, url["tournament"], self.needed)
        return access.tournament_as(user, url["club"], url["slug"], self.needed)


class DivisionAction(TournamentAction):
    def fetch(self, user: Visitor, **url: str) -> Division:
        at = (url["club"], url["slug"]) if "club" in url else None
        return access.division_as(user, url["division"], self.needed, at)


class EntryAction(TournamentAction):
    """What a director does with an entry; the list of entries follows."""

    def fetch(self, user: Visitor, **url: str) -> Entry:
        return directed_entry(user, **url)

    def url(self, request: HttpRequest, obj: Entry) -> str:
        return desk_url(obj.division)


def desk_url(division: Division) -> str:
    """Return the URL of the arrivals desk, opened at a division."""
    url = reverse("check-in", args=event_url_args(division.tournament))
    return f"{url}?division={division.public_id}"


def zone_of(tournament: Tournament) -> zoneinfo.ZoneInfo:
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


def division_url_args(division: Division) -> tuple[str, str, str]:
    return (*event_url_args(division.tournament), division.public_id)


def chosen_entry(division: Division, public_id: str) -> Entry:
    """Return the entry of this division that was chosen in a form. Refused: `choose_a_player`."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise Refused("choose_a_player")
    return entry
