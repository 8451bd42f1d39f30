"""When the letter about an event is sent, and when a correction; pure."""

from datetime import datetime, time, timedelta

from core.times import MORNING, in_zone, morning_of, next_morning

EVENING = time(22)
"""Nothing is sent between EVENING and MORNING on the reader's clock."""
TO_CORRECT = timedelta(hours=1)
"""How long a director has to correct an event after its end, before letters are sent."""
LATEST = timedelta(hours=72)
"""How long after the last result letters are sent; later there is only their page."""
CORRECTED_FOR = timedelta(days=7)
"""How long after a letter its correction is sent."""
A_MINUTE = 60
"""Letters about one event that are sent in a minute."""


def ready_at(*, last_result: datetime, finished: datetime, zone: str, on_close: bool) -> datetime:
    """Return when the letters about an event may be sent: an hour after its end, and usually not before the morning.

    `zone` is that of the event; clubs that write `on_close` do not wait for the morning after the last result.
    """
    corrected = finished + TO_CORRECT
    return corrected if on_close else max(next_morning(last_result, zone), corrected)


def send_at(*, last_result: datetime, ready: datetime, zone: str) -> datetime | None:
    """Return when the letter is sent to a reader in `zone`; None if that would be too late."""
    at = after_quiet_hours(ready, zone)
    return at if at <= last_result + LATEST else None


def after_quiet_hours(at: datetime, zone: str) -> datetime:
    """Return `at`, or the end of the quiet hours in `zone` that it is in."""
    there = in_zone(at, zone).time()
    return at if MORNING <= there < EVENING else next_morning(at, zone)


def last_morning(at: datetime, zone: str) -> datetime:
    there = in_zone(at, zone)
    morning = morning_of(there)
    return morning if morning <= at else morning_of(there - timedelta(days=1))


def staged(at: datetime, number: int) -> datetime:
    """Return when the letter with this number, from 0, of an event is sent, so that a server has some each minute."""
    return at + timedelta(minutes=number // A_MINUTE)
