"""How a match at a table stands while it goes on. A running score is never a result.

This app knows no tables: `matches.lifecycle.events` reads and records the scores.
"""

from datetime import datetime
from typing import NamedTuple

from matches.lifecycle.length_offers import LengthOffer
from matches.models import Match


class RunningScore(NamedTuple):
    """The points of both sides, since when that is known, and the side that entered it (None: the staff)."""

    score: tuple[int, int]
    at: datetime
    side: int | None


class Seating(NamedTuple):
    """Where a match is at the tables of an event, as facts for `matches.lifecycle.where.where_is`."""

    table: str = ""
    """The label of its table."""
    called_at: datetime | None = None
    started_at: datetime | None = None
    adjourned_at: datetime | None = None
    score: tuple[int, int] | None = None
    """The running score."""
    waits_for: tuple[str, ...] = ()
    """Why it cannot be called yet, as sentences; only read for its players and those who run it."""


class AtTables(NamedTuple):
    """A match of an event whose floor is open, with the running score if there is one."""

    seat: Seating
    running: RunningScore | None = None
    notes: tuple[str, ...] = ()
    """What else there is to say of it, as sentences: that it is adjourned, or played with clocks."""
    offer: LengthOffer | None = None
    """A shorter length on which the players can agree now."""
    players_offer_from: datetime | None = None
    """From when on the players can offer a shorter length by themselves; None: never."""


class Entered(NamedTuple):
    """A running score as one of the players enters it."""

    match: Match
    side: int
    score: tuple[int, int]
