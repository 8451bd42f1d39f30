"""Times on the floor: pauses, expected durations, lateness and clocks; without Django. All durations are in minutes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from formats.forecast.durations import MEAN_SHARE, MINUTES_PER_POINT

SLOW = 1.0
"""The share beyond which a match is slow."""
BANK_PER_POINT = 2
"""Minutes of a clock's bank for each point of the match length (product rules, “Clock”)."""
ONE_MINUTE = timedelta(minutes=1)


class Pause(NamedTuple):
    """A pause of the event; `until` is None while nobody knows when it ends."""

    since: datetime
    until: datetime | None


def expected_minutes(length: int) -> float:
    """The minutes that a match to `length` points takes on average."""
    return length * MINUTES_PER_POINT * MEAN_SHARE


def slow_minutes(length: int) -> float:
    """The minutes after which a match to `length` points counts as slow."""
    return length * MINUTES_PER_POINT * SLOW


def elapsed(since: datetime, now: datetime, pauses: Sequence[Pause]) -> float:
    """Minutes from `since` to `now`, without the pauses."""
    paused = sum((_overlap(pause, since, now) for pause in pauses), timedelta())
    return (now - since - paused) / ONE_MINUTE


def reached_at(since: datetime, minutes: float, pauses: Sequence[Pause]) -> datetime | None:
    """When `minutes` have passed since `since`, without the pauses; None while a pause has no known end."""
    due = since + timedelta(minutes=minutes)
    for pause in sorted(pauses):
        if pause.since >= due:
            break
        if pause.until is None:
            return None
        if pause.until > since:
            due += pause.until - max(pause.since, since)
    return due


def _overlap(pause: Pause, since: datetime, now: datetime) -> timedelta:
    end = now if pause.until is None else min(pause.until, now)
    return max(end - max(pause.since, since), timedelta())


def penalty_points(minutes_late: float, first: int, each: int) -> int:
    """Penalty points for lateness: one after `first` minutes, and one more after each further `each`.

    >>> [penalty_points(minutes, 5, 5) for minutes in (4, 5, 9, 10, 16)]
    [0, 1, 1, 2, 3]
    """
    return 0 if minutes_late < first else 1 + int(minutes_late - first) // max(1, each)


def loses_by_lateness(points: int, length: int) -> bool:
    """Whether so many penalty points lose the match: more than half its length.

    >>> loses_by_lateness(3, 7), loses_by_lateness(4, 7)
    (False, True)
    """
    return 2 * points > length


def clock_bank(length: int, score: tuple[int, int]) -> int:
    """The minutes on each clock that is put on a match at this score: two a point, less one for each point scored.

    >>> clock_bank(7, (3, 3))
    8
    """
    return max(1, BANK_PER_POINT * length - sum(score))
