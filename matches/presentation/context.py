"""What this app shows of the events of matches; `matches.lifecycle.events` asks for it."""

from datetime import datetime
from typing import NamedTuple


class MatchContext(NamedTuple):
    """What a match is played for, e.g. “Spring Cup · quarter-final”, and the page of it."""

    title: str
    url: str = ""


class OwnEntry(NamedTuple):
    """A division that a player has entered or waits to get into."""

    title: str
    url: str
    status: str
    waits: bool = False


class EventEnd(NamedTuple):
    """When an event was over."""

    at: datetime | None
    """None while it goes on."""
