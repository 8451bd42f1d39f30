"""Time zones for people to choose."""

import functools
import zoneinfo

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
