"""How instants are written for a reader: in their time zone, or in the one of an event."""

import zoneinfo
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

LONG, SHORT = "DATETIME_FORMAT", "SHORT_DATETIME_FORMAT"


def reader_zone_known() -> bool:
    """Return whether the reader's zone is known, by preference or from the browser; else times are shown in UTC."""
    return timezone.get_current_timezone_name() != "UTC"


def reader_time(at: datetime, style: str = LONG) -> str:
    """Return an instant on the reader's clock; the zone is named where it is not known to be theirs."""
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


def time_element(at: datetime, text: str) -> SafeString:
    """Return a `<time>` element with `text` for an instant."""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), text)
