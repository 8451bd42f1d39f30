"""What the pages of an event share: helpers of views, and the tabs of the console."""

import zoneinfo
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from engine.errors import Refused
from players.access import Role, Visitor, is_at_least, require, role_in
from players.actions import Action
from players.pages import account_needed, by, faulty, me, page, refuse, sent
from tournaments import access
from tournaments.formats.settings import BY_ROUND, ELIMINATION
from tournaments.models import Division, Entry, Stage, Tournament
from tournaments.state import log
from tournaments.state.api import AFTER, read_after
from tournaments.state.forms import IdempotencyKeyForm, PageTimeForm

# Helpers that the views of events share.


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
    """Return the division named by the arguments of a URL, for a director of its club."""
    return access.division_as(request.user, division, Role.DIRECTOR, (club, slug))


def directed_entry(user: Visitor, *, club: str, slug: str, entry: str) -> Entry:
    """Return the entry named by the arguments of a URL, for a director of its club."""
    row = access.entry(user, entry, (club, slug))
    require(user, row.division.tournament.club, Role.DIRECTOR)
    return row


class TournamentAction(Action):
    """What somebody does in an event; `after` may be in a header."""

    def parameters(self) -> list[OpenApiParameter]:
        return [AFTER] if "after" in self.form.base_fields else []

    def values(self, request: Request) -> dict[str, Any]:
        values = super().values(request)
        return {**values, "after": read_after(request, values)} if self.parameters() else values


class EventAction(TournamentAction):
    """What somebody does to an event."""

    def fetch(self, user: Visitor, **url: str) -> Tournament:
        if "tournament" in url:
            return access.tournament_by_id(user, url["tournament"], self.needed)
        return access.tournament_as(user, url["club"], url["slug"], self.needed)


class DivisionAction(TournamentAction):
    """What somebody does to a division."""

    def fetch(self, user: Visitor, **url: str) -> Division:
        at = (url["club"], url["slug"]) if "club" in url else None
        return access.division_as(user, url["division"], self.needed, at)


class EntryAction(TournamentAction):
    """What a director does with an entry; the list of entries follows."""

    def fetch(self, user: Visitor, **url: str) -> Entry:
        return directed_entry(user, **url)

    def url(self, request: HttpRequest, obj: Entry) -> str:
        return reverse("entries", args=division_url_args(obj.division))


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


def division_url_args(division: Division) -> tuple[str, str, str]:
    """Return the URL arguments of a division."""
    return (*event_url_args(division.tournament), division.public_id)


def chosen_entry(division: Division, public_id: str) -> Entry:
    """Return the entry of this division that was chosen in a form. Refused: `choose_a_player`."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise Refused("choose_a_player")
    return entry


# The tabs above every page of the director's console.


_KEPT_BETWEEN_DIVISIONS = {"entries", "draw"}
"""Pages that stay open when the director goes to another division."""


class Tab(NamedTuple):
    """A link of the console's navigation."""

    label: str
    url: str
    is_current: bool = False


class Reader(NamedTuple):
    """Who reads a page of the console: a director, an assistant (neither of the two), or a helper of the event."""

    may_direct: bool
    only_helps: bool


def console_head(
    tournament: Tournament,
    division: Division | None,
    divisions: Sequence[Division],
    *,
    page: str,
    reader: Reader,
    has_floor: bool,
) -> tuple[list[Tab], list[Tab]]:
    """Return the navigation above `page`, opened at a division or, if None, at the event's only one or at the event.

    `has_floor` is the event's.
    """
    if division is None and len(divisions) == 1:
        division = divisions[0]
    if has_floor:
        tabs = [Tab(_("Floor"), reverse("floor", args=event_url_args(tournament)), page == "floor")]
    else:
        tabs = [Tab(_("Console"), console_url(tournament, division), page == "console")]
        if reader.may_direct and tournament.is_open:
            tabs.append(Tab(_("Floor"), reverse("floor", args=event_url_args(tournament)), page == "floor"))
    if division is not None:
        tabs += _tabs_of(division, page, reader)
    tabs.append(Tab(_("Check-in"), check_in_url(tournament, division), page == "check-in"))
    if reader.may_direct:
        tabs.append(Tab(_("Cash"), reverse("cash", args=event_url_args(tournament)), page == "cash"))
    tabs.append(Tab(_("Paper"), reverse("paper", args=event_url_args(tournament)), page == "paper"))
    if not reader.only_helps:
        tabs.append(Tab(_("Log"), reverse("event-log", args=event_url_args(tournament)), page == "log"))
    others = [Tab(row.name, _url_at(tournament, row, page), row == division) for row in divisions]
    return tabs, others if len(others) > 1 else []


def console_url(tournament: Tournament, division: Division | None) -> str:
    """The URL of the console, opened at `division`."""
    url = reverse("console", args=event_url_args(tournament))
    return f"{url}?division={division.public_id}" if division else url


def check_in_url(tournament: Tournament, division: Division | None) -> str:
    """The URL of the check-in page, of `division` or of the whole event."""
    url = reverse("check-in", args=event_url_args(tournament))
    return f"{url}?division={division.public_id}" if division else url


def _url_at(tournament: Tournament, division: Division, page: str) -> str:
    """The URL of the same page for another division, or of the console."""
    if page in _KEPT_BETWEEN_DIVISIONS:
        return reverse(page, args=division_url_args(division))
    if page == "check-in":
        return check_in_url(tournament, division)
    return console_url(tournament, division)


def _tabs_of(division: Division, page: str, reader: Reader) -> Iterator[Tab]:
    """The pages of a division that the reader may open."""
    args = division_url_args(division)
    if not reader.only_helps:
        yield Tab(_("Entries"), reverse("entries", args=args), page == "entries")
    if division.status != Division.Status.ENTRIES:
        stages = sorted(division.stages.all(), key=lambda stage: stage.number)
        yield _standings_tab(division, stages)
        if reader.may_direct and any(
            stage.format in BY_ROUND and stage.status != Stage.Status.PLANNED for stage in stages
        ):
            yield Tab(_("Rounds"), reverse("rounds", args=args), page == "rounds")
    if reader.may_direct:
        yield Tab(_("Draw"), reverse("draw", args=args), page == "draw")


def _standings_tab(division: Division, stages: Sequence[Stage]) -> Tab:
    """The public page of a division: a bracket if its first stage is one, otherwise standings."""
    if not stages or stages[0].format in ELIMINATION:
        return Tab(_("Bracket"), reverse("division", args=division_url_args(division)))
    return Tab(_("Standings"), reverse("standings", args=division_url_args(division)))
