"""What a kiosk shows, and the kiosks of an event for its directors."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from core.names import fold
from players.models import Player
from tournaments.entries.services.check_in import is_open_for_players
from tournaments.entries.services.kiosks import PAIRING_LASTS, UNDO_LASTS, pairing_token, undoable
from tournaments.models import CheckIn, Division, Entry, Kiosk, Tournament
from tournaments.state.names import Names, shown


@dataclass(frozen=True, slots=True)
class KioskRow:
    """A kiosk on the directors' page; `pairing_url` is empty once it is paired or its link has expired."""

    kiosk: Kiosk
    pairing_url: str
    check_ins: int


def kiosks_of(tournament: Tournament, now: datetime, absolute: Callable[[str], str]) -> list[KioskRow]:
    """Return the kiosks of an event that are not revoked; `absolute` makes a path a URL."""
    rows = []
    for kiosk in tournament.kiosks.filter(revoked_at=None):
        is_pairable = kiosk.paired_at is None and now < kiosk.created_at + PAIRING_LASTS
        path = reverse("kiosk-pair", args=[pairing_token(kiosk)]) if is_pairable else ""
        check_ins = kiosk.check_ins.filter(undoes=None, undone_by=None)
        rows.append(KioskRow(kiosk, absolute(path) if path else "", check_ins.count()))
    return rows


def kiosk_page(kiosk: Kiosk, text: str, now: datetime) -> dict[str, Any]:
    """Return the context of the page of a kiosk: the entries by name, as everybody may see them.

    They are in the order of the names that are shown: the place of initials among full names would hint at theirs.
    """
    tournament = kiosk.tournament
    divisions = tournament.divisions.exclude(status=Division.Status.CANCELLED).select_related("tournament")
    admitting = [division for division in divisions if is_open_for_players(division, now)]
    rows = Entry.objects.filter(division__in=admitting, status=Entry.Status.IN).select_related("player", "division")
    entries = sorted(rows, key=lambda entry: (fold(_name(entry.player)), entry.pk))
    if text:
        matching = {entry.pk for entry in Names({entry.pk: entry for entry in entries}, staff=False).find(text)}
        entries = [entry for entry in entries if entry.pk in matching]
    last = undoable(kiosk, now)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "q": text,
        "is_open": bool(admitting),
        "arrivals": [(entry, _name(entry.player), entry.division.name) for entry in entries],
        "several": len(admitting) > 1,
        "last": last,
        "last_name": _name(last.entry.player) if last else "",
        "undo_seconds": _undo_seconds(last, now) if last else 0,
        "topics": " ".join(f"{division.topic}={division.seq}" for division in admitting),
    }


def _undo_seconds(check_in: CheckIn, now: datetime) -> int:
    """Return for how many seconds a check-in can still be undone at its kiosk, rounded up."""
    return -(-(check_in.at + UNDO_LASTS - now) // timedelta(seconds=1))


def _name(player: Player) -> str:
    return shown(player, staff=False)
