"""Where and when a club plays, as the start of its next event."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from players.models import Club
from tournaments.models import OpeningHours, Venue

EVENING = time(19, 30)
"""When a new event starts if the club has no opening hours."""
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NextEvening:
    """The local times at which a new event starts, and ends if the closing time of the venue is known."""

    starts: datetime
    ends: datetime | None


def venue_of(club: Club) -> Venue:
    """Return the venue of a club; an empty one that is not stored if nothing was set."""
    rows = Venue.objects.prefetch_related("tables", "hours")
    return rows.filter(club=club).first() or Venue(club=club)


def next_evening(hours: list[OpeningHours], now: datetime) -> NextEvening:
    """Return the next opening of a venue after `now` (local, naive), or the next 19:30 without opening hours."""
    by_weekday = {day.weekday: day for day in hours}
    for offset in range(8):
        date = (now + offset * ONE_DAY).date()
        day = by_weekday.get(date.weekday())
        opens = day.opens if day is not None else None if by_weekday else EVENING
        if opens is None or (starts := datetime.combine(date, opens)) < now:
            continue
        if day is None:
            return NextEvening(starts, None)
        ends = datetime.combine(date, day.closes)
        return NextEvening(starts, ends if ends > starts else ends + ONE_DAY)
    raise AssertionError("a week has a day on which the venue opens")


def tables_of_venue(venue: Venue) -> int | None:
    """Return the number of tables of a venue; None if it has none."""
    return len(venue.tables.all()) or None if venue.pk else None


def hours_of(venue: Venue) -> list[OpeningHours]:
    """Return the opening hours of a venue."""
    return list(venue.hours.all()) if venue.pk else []
