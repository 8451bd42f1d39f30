"""How a match at a table stands while it goes on. A running score is never a result.

This app knows no tables: the app above that does keeps the scores, and registers how to read and to record them.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.errors import Refused
from matches.lifecycle.length_offers import LengthOffer
from matches.models import Match
from players.actors import Actor


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


Reader = Callable[[Collection[int], Mapping[int, bool], datetime], Mapping[int, AtTables]]
Recorder = Callable[[Entered, Actor, datetime], bool]
_readers: list[Reader] = []
_recorders: list[Recorder] = []


def register(reader: Reader, recorder: Recorder) -> None:
    """Add a reader, which maps ids of matches to how they stand, and a recorder of running scores.

    Both leave out matches that are not theirs; the recorder then returns False. The reader also gets the ids of those
    matches of which it is to say what they wait for, each with whether that is for the staff, and the time.
    """
    _readers.append(reader)
    _recorders.append(recorder)


def at_tables(matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> dict[int, AtTables]:
    """Return match id -> how it stands, for those of these matches whose event has opened its floor.

    What a match waits for is only read for those in `inside`: the matches that the reader plays (False) or runs (True).
    """
    rows: dict[int, AtTables] = {}
    for reader in _readers if matches else ():
        rows |= reader(matches, inside, now)
    return rows


def record(entered: Entered, *, by: Actor, now: datetime) -> None:
    """Record the running score that a player enters; the last one stands.

    Refused: `no_running_scores`, and what the recorder refuses.
    """
    if not any(recorder(entered, by, now) for recorder in _recorders):
        raise Refused("no_running_scores")
