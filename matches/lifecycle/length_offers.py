"""Offers to play a match at a table to fewer points. The length changes once both players agree to it.

This app knows no tables: the app above that does keeps the offers, and registers how to record them. They are read with
the running score (`matches.lifecycle.running_scores`).
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor


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


Recorder = Callable[[Offered | Answered, Actor, datetime], bool]
_recorders: list[Recorder] = []


def register(recorder: Recorder) -> None:
    """Add a recorder, which returns False for matches that are not its own."""
    _recorders.append(recorder)


def record(move: Offered | Answered, *, by: Actor, now: datetime) -> None:
    """Record what a player offers or answers. Refused: `no_length_offers`, and what the recorder refuses."""
    if not any(recorder(move, by, now) for recorder in _recorders):
        raise Refused("no_length_offers")
