"""The venue of a club: its tables, opening hours and formats, and where its next event starts from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club
from players.people.rows import club_topic, lock_club
from tournaments.models import OpeningHours, Table, Venue, VenueTable
from tournaments.state.presence import DAY_BEGINS


@dataclass(frozen=True, slots=True)
class VenueInput:
    """A venue as a director describes it: tables in order, as (label, category), and the days it is open.

    A day is (weekday, opens, closes); Monday is 0.
    """

    name: str
    tables: Sequence[tuple[str, str]]
    hours: Collection[tuple[int, time, time]]


def save_venue(*, club: Club, venue: VenueInput, after: int, by: Actor) -> Venue:
    """Replace the tables and opening hours of a club's venue; events that have their tables keep them.

    Refused: `stale`, `venue_table_twice`.
    """
    labels = [label for label, _category in venue.tables]
    twice = next((label for position, label in enumerate(labels) if label in labels[:position]), None)
    if twice is not None:
        raise Refused("venue_table_twice", table=twice)
    with transaction.atomic():
        locked = lock_club(club)
        row, _created = Venue.objects.get_or_create(club=locked)
        if row.seq != after:
            raise Refused("stale")
        row.name, row.seq = venue.name, row.seq + 1
        row.save(update_fields=["name", "seq"])
        row.tables.all().delete()
        VenueTable.objects.bulk_create(
            VenueTable(venue=row, label=label, category=category, order=order)
            for order, (label, category) in enumerate(venue.tables, start=1)
        )
        row.hours.all().delete()
        OpeningHours.objects.bulk_create(
            OpeningHours(venue=row, weekday=day, opens=opens, closes=closes) for day, opens, closes in venue.hours
        )
        log(by, "venue_changed", club_topic(locked), club=locked, name=row.name, tables=len(labels))
    return row


def tables_for_event(club: Club, count: int) -> list[tuple[str, str]]:
    """Return the label and category of the tables of an event with `count` tables, in order.

    They are the first ones of the club's venue; an event with more tables than the venue gets numbers for the others.
    """
    tables = list(VenueTable.objects.filter(venue__club=club).values_list("label", "category"))[:count]
    taken = {label for label, _category in tables}
    numbers = (str(number) for number in range(len(tables) + 1, count + len(taken) + 1))
    free = [label for label in numbers if label not in taken]
    return [*tables, *((label, Table.Category.NORMAL.value) for label in free[: count - len(tables)])]


# Where and when a club plays, as the start of its next event.


EVENING = time(19, 30)
"""When a new event starts if the club has no opening hours."""
ONE_DAY = timedelta(days=1)


def first_after(starts: datetime, closes: time) -> datetime:
    """Return the first instant after `starts` when clocks show `closes`; both are local."""
    ends = datetime.combine(starts.date(), closes)
    return ends if ends > starts else ends + ONE_DAY


def venue_of(club: Club) -> Venue:
    """Return the venue of a club; an empty one that is not stored if nothing was set."""
    rows = Venue.objects.prefetch_related("tables", "hours")
    return rows.filter(club=club).first() or Venue(club=club)


def next_evening(hours: list[OpeningHours], now: datetime) -> tuple[datetime, datetime | None]:
    """Return when a venue opens and closes next after `now` (local, naive).

    Without opening hours that is the next 19:30, with an open end.
    """
    by_weekday = {day.weekday: day for day in hours}
    for offset in range(8):
        date = (now + offset * ONE_DAY).date()
        day = by_weekday.get(date.weekday())
        opens = day.opens if day is not None else None if by_weekday else EVENING
        if opens is None or (starts := datetime.combine(date, opens)) < now:
            continue
        if day is None:
            return starts, None
        return starts, first_after(starts, day.closes)
    raise AssertionError("a week has a day on which the venue opens")


def closing_time(hours: list[OpeningHours], now: datetime) -> time | None:
    """Return when a venue closes on the evening of `now` (local, naive), until DAY_BEGINS on that of the day before.

    None if it does not open then, or has closed.
    """
    date = now.date() if now.time() >= DAY_BEGINS else (now - ONE_DAY).date()
    day = next((row for row in hours if row.weekday == date.weekday()), None)
    if day is None or now >= first_after(datetime.combine(date, day.opens), day.closes):
        return None
    return day.closes


def tables_of_venue(venue: Venue) -> int | None:
    """Return the number of tables of a venue; None if it has none."""
    return len(venue.tables.all()) or None if venue.pk else None


def hours_of(venue: Venue) -> list[OpeningHours]:
    return list(venue.hours.all()) if venue.pk else []
