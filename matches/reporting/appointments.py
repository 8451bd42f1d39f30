"""Times in the players' time zones."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.times import known
from engine.errors import Refused
from matches.models import Match


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
