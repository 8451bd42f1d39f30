"""A match at a table: its running score, which is never a result, and offers of fewer points."""

from datetime import datetime
from typing import NamedTuple

from matches.models import Match

# Offers to play a match at a table to fewer points. The length changes once both players agree to it.
#
# This app knows no tables: `matches.lifecycle.events` records the offers, and reads them with the running score.


class LengthOffer(NamedTuple):
    """A shorter length that is offered, by one of the players or (`side` None) by the director."""

    number: int
    """Names the offer in an answer."""
    side: int | None
    length: int
    was: int
    """The length of the match when it was offered."""
    agreed: frozenset[int]
    """The sides that want to play to that length."""


class Offered(NamedTuple):
    """A shorter length that one of the players offers at the score that they saw."""

    match: Match
    side: int
    length: int
    score: tuple[int, int]


class Answered(NamedTuple):
    """What one of the players answers to an offer. Whoever offered it, or agreed, withdraws by declining."""

    match: Match
    side: int
    offer: int
    accepted: bool


# How a match at a table stands while it goes on. A running score is never a result.
#
# This app knows no tables: `matches.lifecycle.events` reads and records the scores.


class RunningScore(NamedTuple):
    """The points of both sides, since when that is known, and the side that entered it (None: the staff)."""

    score: tuple[int, int]
    at: datetime
    side: int | None
    name: str = ""
    """The act that entered it, as it is undone by."""


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


class Asked(NamedTuple):
    """That the players of a match are asked whether it is over; with the score that was entered, if it decides it."""

    score: tuple[int, int] | None = None


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
    asks_when_over: bool = False
    """Whether a score that decides the match can be entered: both players are then asked whether it is over."""
    asked: Asked | None = None


class EnteredScore(NamedTuple):
    """A running score as one of the players enters it."""

    match: Match
    side: int
    score: tuple[int, int]
