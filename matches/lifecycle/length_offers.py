"""Offers to play a match at a table to fewer points. The length changes once both players agree to it.

This app knows no tables: `matches.lifecycle.events` records the offers, and reads them with the running score.
"""

from typing import NamedTuple

from matches.models import Match


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
