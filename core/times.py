"""Instants as readers see them, and the time zones that people choose from."""

import functools
import zoneinfo
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.formats import date_format, get_format, time_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

# How instants are written for a reader: in their time zone, or in the one of an event.


LONG, SHORT, DATE = "DATETIME_FORMAT", "SHORT_DATETIME_FORMAT", "DATE_FORMAT"
WEEKDAY, DAY, FULL = "WEEKDAY_FORMAT", "DAY_FORMAT", "FULL_DATE_FORMAT"
OWN_FORMATS: Mapping[str, str] = {WEEKDAY: "l, j F", DAY: "j F", FULL: "j F Y"}
"""Formats that Django does not have, as they are in languages for which `config/formats` says nothing else."""
_clocks: ContextVar[str] = ContextVar("clocks", default="")


@contextmanager
def on_clocks_of(zone: str) -> Iterator[None]:
    """Write what is written on the reader's clock on the clocks of an event, on a page for everybody."""
    token = _clocks.set(zone)
    try:
        yield
    finally:
        _clocks.reset(token)


def pattern(style: str) -> str:
    """Return how the active language writes dates or times of this style, which may be a pattern itself."""
    found = get_format(style)
    return OWN_FORMATS.get(found, found)


def reader_zone_known() -> bool:
    """Return whether the reader's zone is known, by preference or from the browser; else times are shown in UTC."""
    return timezone.get_current_timezone_name() != "UTC"


def reader_time(at: datetime, style: str = LONG) -> str:
    """Return an instant on the reader's clock; the zone is named where it is not known to be theirs."""
    if zone := _clocks.get():
        return event_time(at, zone, style)
    text = date_format(timezone.localtime(at), style)
    return text if reader_zone_known() else gettext("{time} {zone}").format(time=text, zone="UTC")


def event_time(at: datetime, zone: str, style: str = SHORT) -> str:
    """Return an instant on the clocks of an event in `zone`, with its zone unless it is the reader's as well.

    Where the reader's clock differs, their time follows.
    """
    there, here = at.astimezone(zoneinfo.ZoneInfo(zone)), timezone.localtime(at)
    text = date_format(there, style)
    if not reader_zone_known():
        return gettext("{time} {zone}").format(time=text, zone=there.tzname())
    if here.utcoffset() == there.utcoffset():
        return text
    return gettext("{time} {zone} ({here} for you)").format(
        time=text, zone=there.tzname(), here=date_format(here, style)
    )


def in_zone(at: datetime, zone: str) -> datetime:
    """Return an instant on the clocks of an event or a club, for `written`."""
    return at.astimezone(zoneinfo.ZoneInfo(zone))


def written(at: date | time, style: str = DATE) -> str:
    """Return a date or a time as it is, or an instant `in_zone`; one in no zone, on the reader's clock.

    An instant whose style has a time is followed by its zone, unless the reader's clock shows the same.
    """
    if not isinstance(at, datetime):
        return time_format(at, style) if isinstance(at, time) else date_format(at, pattern(style))
    if at.tzinfo is UTC:
        zone = _clocks.get()
        at = in_zone(at, zone) if zone else timezone.localtime(at)
    text = date_format(at, pattern(style))
    is_theirs = reader_zone_known() and at.utcoffset() == timezone.localtime(at).utcoffset()
    if is_theirs or not any(hour in pattern(style) for hour in "HGPfgh"):
        return text
    return gettext("{time} {zone}").format(time=text, zone=at.tzname())


def duration(seconds: int) -> str:
    """Return a duration in words: whole hours from two hours on, otherwise minutes."""
    minutes = max(1, seconds // 60)
    if minutes >= 2 * 60 and minutes % 60 == 0:
        return ngettext("{count} hour", "{count} hours", minutes // 60).format(count=minutes // 60)
    return ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)


def reader_element(at: datetime) -> SafeString:
    """Return a `<time>` element on the reader's clock; where the reader is unknown, their browser puts it right."""
    if zone := _clocks.get():
        return event_element(at, zone, LONG)
    return _element(at, reader_time(at), LONG, offset=0, plain="")


def event_element(at: datetime, zone: str, style: str = SHORT) -> SafeString:
    """Return a `<time>` element on the clocks of an event; an unknown reader's browser adds their own time."""
    there = at.astimezone(zoneinfo.ZoneInfo(zone))
    offset = there.utcoffset() or timedelta()
    return _element(
        at,
        event_time(at, zone, style),
        style,
        offset=int(offset.total_seconds() // 60),
        plain=date_format(there, style),
    )


def _element(at: datetime, text: str, style: str, *, offset: int, plain: str) -> SafeString:
    """Return a `<time>` element; without a known reader, with what `config/local_times.js` needs.

    `offset` is the zone's in minutes, and `plain` the text without the zone's name.
    """
    if reader_zone_known():
        return format_html('<time datetime="{}">{}</time>', at.isoformat(), text)
    return format_html(
        '<time datetime="{}" data-clock="{}" data-offset="{}" data-plain="{}">{}</time>',
        at.isoformat(),
        "long" if style == LONG else "short",
        offset,
        plain,
        text,
    )


# Time zones for people to choose.


_NOT_OFFERED = ("Etc/", "SystemV/", "posix/", "right/", "US/")


@functools.cache
def known() -> frozenset[str]:
    """Return all zones, including old names."""
    return frozenset(zoneinfo.available_timezones())


@functools.cache
def offered() -> tuple[str, ...]:
    """Return the zones named after places, and UTC."""
    places = (name for name in known() if "/" in name and not name.startswith(_NOT_OFFERED))
    return ("UTC", *sorted(places))


@functools.cache
def _by_city() -> dict[str, list[str]]:
    cities: dict[str, list[str]] = {}
    for name in offered():
        cities.setdefault(name.rsplit("/", 1)[-1].casefold(), []).append(name)
    return cities


@functools.cache
def _by_lower() -> dict[str, str]:
    return {name.casefold(): name for name in known()}


def find(text: str) -> str | None:
    """Return the zone that a text refers to, by its name or its city alone; None if there is no or more than one match.

    >>> find("new york")
    'America/New_York'
    """
    typed = "_".join(text.split()).casefold()
    if typed in _by_lower():
        return _by_lower()[typed]
    named = _by_city().get(typed, [])
    return named[0] if len(named) == 1 else None


MORNING = time(8)
"""When people want to hear of the night before."""


def next_morning(at: datetime, zone: str) -> datetime:
    """Return the first MORNING in `zone` after `at`."""
    there = in_zone(at, zone)
    morning = morning_of(there)
    return morning if morning > at else morning_of(there + timedelta(days=1))


def morning_of(there: datetime) -> datetime:
    """Return MORNING of the day of `there`, in its zone."""
    return datetime.combine(there.date(), MORNING, there.tzinfo)
