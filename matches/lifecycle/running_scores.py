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


class AtTables(NamedTuple):
    """A match of an event that keeps running scores, with the score if there is one."""

    running: RunningScore | None
    version: str
    """Another text whenever the score or a note is another."""
    notes: tuple[str, ...] = ()
    """What else there is to say of it, as sentences: that it is adjourned, or played with clocks."""
    is_adjourned: bool = False
    offer: LengthOffer | None = None
    """A shorter length on which the players can agree now."""
    players_offer_from: datetime | None = None
    """From when on the players can offer a shorter length by themselves; None: never."""


class Entered(NamedTuple):
    """A running score as one of the players enters it."""

    match: Match
    side: int
    score: tuple[int, int]


Reader = Callable[[Collection[int]], Mapping[int, AtTables]]
Recorder = Callable[[Entered, Actor, datetime], bool]
_readers: list[Reader] = []
_recorders: list[Recorder] = []


def register(reader: Reader, recorder: Recorder) -> None:
    """Add a reader, which maps ids of matches to their running scores, and a recorder.

    Both leave out matches that are not theirs; the recorder then returns False.
    """
    _readers.append(reader)
    _recorders.append(recorder)


def at_tables(matches: Collection[int]) -> dict[int, AtTables]:
    """Return match id -> its running score, for those of these matches whose event keeps running scores."""
    rows: dict[int, AtTables] = {}
    for reader in _readers if matches else ():
        rows |= reader(matches)
    return rows


def record(entered: Entered, *, by: Actor, now: datetime) -> None:
    """Record the running score that a player enters; the last one stands.

    Refused: `no_running_scores`, and what the recorder refuses.
    """
    if not any(recorder(entered, by, now) for recorder in _recorders):
        raise Refused("no_running_scores")
