"""Whether the players of a match can be written to, and having them written to."""

from functools import partial

from django.db import transaction

from core.queue import hint
from matches.models import Claim, Match

TELL_OF_CLAIM = "matches.tell_of_claim"
"""The task that a hint names."""


def address_of(match: Match, side: int) -> str:
    """Where an e-mail reaches the player; empty where none does."""
    user = match.players[side].user
    return user.email if user is not None and user.is_active else ""


def asked_by(report: Claim) -> int:
    """The side that is asked to answer a report: the other one, or of an unsigned report the loser."""
    return 1 - (report.winner if report.side is None else report.side)


def report_made(match: Match, report: Claim) -> None:
    """Have whoever is asked written to, if they have an address; the sweep does what a lost hint leaves."""
    if address_of(match, asked_by(report)):
        transaction.on_commit(partial(hint, TELL_OF_CLAIM, report.pk), robust=True)
