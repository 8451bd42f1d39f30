"""Who is here, away and missing, for the check-in pages."""

import zoneinfo
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Max
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from players.models import Player
from tournaments.entries.services.check_in import is_open_for_players, opens_at, state_of
from tournaments.entries.services.entries import same_person
from tournaments.events.selectors.events import divisions_of
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.accounts import owed_by_entry
from tournaments.models import CheckIn, Division, Entry, Tournament
from tournaments.state.names import Names, shown_entry

ALL, WITHDRAWN = "all", "withdrawn"
STATES = CheckIn.State


class Filter(NamedTuple):
    """A number of entries that is a link to the list of them."""

    key: str
    label: str
    number: int
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """One entry on the check-in page."""

    entry: Entry
    name: str
    state: str
    """A value of `CheckIn.State`, or `withdrawn`."""
    next_state: str
    """The state that a tap on the row records."""
    owes: str
    details: str
    clock: str
    """When the player was checked in, or comes back; on the event's clocks."""


def check_in_page(
    tournament: Tournament, division: Division | None, *, show: str, text: str, may_direct: bool
) -> dict[str, Any]:
    """Return the context of the check-in page; what players owe only for directors."""
    counts = divisions_of(tournament)
    divisions = [row.division for row in counts]
    shown_divisions = [row for row in divisions if division is None or row == division]
    arrivals = arrivals_of(tournament, shown_divisions, may_direct=may_direct, several=len(shown_divisions) > 1)
    url = reverse("check-in", args=(tournament.club.slug, tournament.slug))
    filters = _filters(arrivals, show, url, division)
    listed = _named(arrivals, text)
    query = _query(division, show, text)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "divisions": counts,
        "may_direct": may_direct,
        "filters": filters,
        "show": show,
        "q": text,
        "arrivals": [row for row in listed if _is_shown(row, show)],
        "missing": sum(row.state == STATES.MISSING for row in arrivals),
        "topics": " ".join(f"{row.topic}={row.seq}" for row in shown_divisions),
        "query": query,
        "refresh_url": f"{url}?{query}",
    }


def arrivals_of(
    tournament: Tournament, divisions: Sequence[Division], *, may_direct: bool, several: bool
) -> list[Arrival]:
    """Return the entries of these divisions by name; their number does not change the number of queries."""
    owed: dict[int, int] = {}
    if may_direct:
        for division in divisions:
            owed |= owed_by_entry(division)
    entries = Entry.objects.filter(division__in=divisions).exclude(status=Entry.Status.WAITING)
    rows = list(entries.select_related("player", "division").order_by("player__name_key", "pk"))
    newest = CheckIn.objects.filter(entry__division__in=divisions).values("entry").annotate(newest=Max("pk"))
    check_ins = {row.entry_id: row for row in CheckIn.objects.filter(pk__in=newest.values("newest"))}
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    currency = Currency.of(tournament)
    return [_arrival(row, check_ins.get(row.pk), owed.get(row.pk, 0), currency, zone, several) for row in rows]


def _arrival(
    entry: Entry, check_in: CheckIn | None, owed: int, currency: Currency, zone: zoneinfo.ZoneInfo, several: bool
) -> Arrival:
    state = WITHDRAWN if entry.status == Entry.Status.OUT else str(state_of(entry))
    details = [entry.division.name] if several else []
    at = entry.checked_in_at
    if state == STATES.HERE and check_in is not None:
        details.append(str(CheckIn.Source(check_in.source).label))
    if state == STATES.AWAY and entry.away_until is not None:
        at = entry.away_until
        details.append(_("away until %(time)s") % {"time": _clock(at, zone)})
    return Arrival(
        entry=entry,
        name=shown_entry(entry, staff=True),
        state=state,
        next_state=STATES.MISSING if state == STATES.HERE else STATES.HERE,
        owes=_("Owes %(amount)s") % {"amount": currency.text(owed)} if owed > 0 and state != WITHDRAWN else "",
        details=" · ".join(details),
        clock=_clock(at, zone) if at and state in (STATES.HERE, STATES.AWAY) else "",
    )


def _clock(at: datetime, zone: zoneinfo.ZoneInfo) -> str:
    return formats.time_format(at.astimezone(zone).time(), "TIME_FORMAT")


def _filters(arrivals: Iterable[Arrival], show: str, url: str, division: Division | None) -> list[Filter]:
    labels = {
        str(STATES.HERE): _("here"),
        str(STATES.MISSING): _("missing"),
        str(STATES.AWAY): _("away"),
        WITHDRAWN: _("withdrawn"),
    }
    states = [row.state for row in arrivals]
    return [
        Filter(key, label, states.count(key), f"{url}?{_query(division, ALL if key == show else key)}", key == show)
        for key, label in labels.items()
    ]


def _query(division: Division | None, show: str, text: str = "") -> str:
    values = {"division": division.public_id if division else "", "show": "" if show == ALL else show, "q": text}
    return urlencode({key: value for key, value in values.items() if value})


def _named(arrivals: list[Arrival], text: str) -> list[Arrival]:
    """Return the arrivals whose name contains `text`, or all of them if it is empty."""
    if not text:
        return arrivals
    named = {entry.pk for entry in Names({row.entry.pk: row.entry for row in arrivals}, staff=True).find(text)}
    return [row for row in arrivals if row.entry.pk in named]


def _is_shown(row: Arrival, show: str) -> bool:
    return row.state != WITHDRAWN if show == ALL else row.state == show


def instant_of(clock: time, zone: str, now: datetime) -> datetime:
    """Return the next instant at which clocks in a time zone show this time of day."""
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    instant = local.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return instant if instant > local else instant + timedelta(days=1)


def own_page(tournament: Tournament, player: Player | None, now: datetime) -> dict[str, Any]:
    """Return the context of the page on which players check themselves in; `player` is None without an account."""
    entries: list[Entry] = []
    if player is not None:
        rows = Entry.objects.filter(same_person(player), division__tournament=tournament, status=Entry.Status.IN)
        entries = list(rows.select_related("player", "division__tournament").order_by("division__order", "pk"))
    admitting = [entry for entry in entries if is_open_for_players(entry.division, now)]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "entries": entries,
        "is_open": bool(admitting),
        "is_here": bool(entries) and all(entry.checked_in_at for entry in entries),
        "is_partly_missing": any(entry.checked_in_at is None for entry in admitting),
        "may_undo": any(entry.checked_in_at for entry in admitting),
        "opens_at": opens_at(tournament) if now < opens_at(tournament) else None,
    }
