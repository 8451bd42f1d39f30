"""Who has to answer a report, and sending them an e-mail about it."""

from functools import partial

from django.db import transaction

from core.queue import hint
from matches.models import Claim, Match

SEND_REPORT_EMAIL = "matches.tell_of_claim"
"""Name of the Celery task that `hint` publishes."""


def email_of(match: Match, side: int) -> str:
    """The player's e-mail address; empty if they have no active account."""
    user = match.players[side].user
    return user.email if user is not None and user.is_active else ""


def respondent_of(report: Claim) -> int:
    """The side that has to answer a report: the other side, or the loser for a report from the score sheet."""
    return 1 - (report.winner if report.side is None else report.side)


def notify_respondent(match: Match, report: Claim) -> None:
    """Have an e-mail sent after the commit, if the respondent has an address. A sweep repeats what gets lost."""
    if email_of(match, respondent_of(report)):
        transaction.on_commit(partial(hint, SEND_REPORT_EMAIL, report.pk), robust=True)
