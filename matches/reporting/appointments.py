"""Times in the players' own zones, and an appointment as a calendar file."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from core.time_zones import known
from engine.errors import Refused
from matches.models import Match

MINUTES_A_POINT = 11
"""What a match takes, by experience."""
LINE = 75
"""Bytes of a line in a calendar file (RFC 5545 §3.1)."""


def zone_of(match: Match, side: int) -> ZoneInfo:
    """The zone a player reads times in: his own choice, else that of the club."""
    player = match.players[side]
    wishes = (
        player.user.time_zone if player.user is not None else "",
        player.time_zone,
        match.club.time_zone if match.club is not None else "",
    )
    return ZoneInfo(next((zone for zone in wishes if zone in known()), "UTC"))


def instant(text: str, zone: ZoneInfo) -> datetime:
    """The instant that somebody in a zone means by `2026-11-20T20:00`. Refused: `bad_time`, `time_skipped`.

    Of an hour that comes twice, the first is meant.
    """
    try:
        wall = datetime.fromisoformat(text)
    except ValueError:
        raise Refused("bad_time", text=text[:40]) from None
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    try:
        meant = wall.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        raise Refused("bad_time", text=text[:40]) from None
    if meant.astimezone(zone).replace(tzinfo=None) != wall:
        raise Refused("time_skipped", text=text[:40])
    return meant


def calendar(match: Match, at: datetime, *, url: str, now: datetime) -> bytes:
    """An appointment as an iCalendar file (RFC 5545), from its start for as long as such a match takes."""
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
    for plain in ("\\", ";", ","):
        text = text.replace(plain, f"\\{plain}")
    return " ".join(text.split())


def _folded(line: str) -> str:
    """The line cut into pieces of at most 75 bytes, never within a character."""
    pieces, piece = [], ""
    for letter in line:
        if len((piece + letter).encode()) >= LINE:
            pieces.append(piece)
            piece = " "
        piece += letter
    return "\r\n".join([*pieces, piece])
