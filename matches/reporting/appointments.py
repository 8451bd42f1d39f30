"""Times in the players' time zones, and calendar files of appointments."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from core.time_zones import known
from engine.errors import Refused
from matches.models import Match

MINUTES_A_POINT = 11
"""Usual duration of a match, in minutes per point of its length."""
LINE = 75
"""Longest line of a calendar file, in bytes (RFC 5545 §3.1)."""


def zone_of(match: Match, side: int) -> ZoneInfo:
    """The time zone of a player: that of their account, else of the player, else of the club, else UTC."""
    player = match.players[side]
    candidates = (
        player.user.time_zone if player.user is not None else "",
        player.time_zone,
        match.club.time_zone if match.club is not None else "",
    )
    return ZoneInfo(next((zone for zone in candidates if zone in known()), "UTC"))


def instant(text: str, zone: ZoneInfo) -> datetime:
    """Parse a local time such as `2026-11-20T20:00` in this zone. Refused: `bad_time`, `time_skipped`.

    A local time that occurs twice means its first occurrence.
    """
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        raise Refused("bad_time", text=text[:40]) from None
    if local.tzinfo is not None:
        return local.astimezone(UTC)
    try:
        parsed = local.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        raise Refused("bad_time", text=text[:40]) from None
    if parsed.astimezone(zone).replace(tzinfo=None) != local:
        raise Refused("time_skipped", text=text[:40])
    return parsed


def calendar(match: Match, at: datetime, *, url: str, now: datetime) -> bytes:
    """An appointment as an iCalendar file (RFC 5545), with the usual duration of such a match."""
    first, second = (player.shown_name for player in match.players)
    title = gettext("Backgammon: {first} – {second}").format(first=first, second=second)
    detail = gettext("Match to {length} points").format(length=match.length)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Barpoint//Appointments//EN",
        "BEGIN:VEVENT",
        f"UID:match-{match.public_id}@barpoint",
        f"SEQUENCE:{match.seq}",
        f"DTSTAMP:{_utc(now)}",
        f"DTSTART:{_utc(at)}",
        f"DTEND:{_utc(at + timedelta(minutes=MINUTES_A_POINT * match.length))}",
        f"SUMMARY:{_text(title)}",
        f"DESCRIPTION:{_text(detail)}",
        f"URL:{url}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines).encode()


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    for special in ("\\", ";", ","):
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())


def _folded(line: str) -> str:
    """Fold a line into pieces of at most 75 bytes, never inside a character."""
    pieces, piece = [], ""
    for character in line:
        if len((piece + character).encode()) >= LINE:
            pieces.append(piece)
            piece = " "
        piece += character
    return "\r\n".join([*pieces, piece])
