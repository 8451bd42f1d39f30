"""Whether the players of a match can be told things, and having them told."""

from functools import partial

from django.db import transaction

from matches.models import Claim, Match
from players.queue import hint

TELL_OF_CLAIM = "matches.tell_of_claim"
"""The task that a hint names."""


def address_of(match: Match, side: int) -> str:
    """Where a letter reaches the player; empty where none does."""
    user = match.players[side].user
    return user.email if user is not None and user.is_active else ""


def was_reached(match: Match, side: int) -> bool:
    """Whether the player has opened his personal link, and so sees there what happens."""
    return match.reached[side] is not None


def claim_made(match: Match, claim: Claim) -> None:
    """Have the other side told by letter, if it has an address; the sweep does what a lost hint leaves."""
    if address_of(match, 1 - claim.side):
        transaction.on_commit(partial(hint, TELL_OF_CLAIM, claim.pk), robust=True)
