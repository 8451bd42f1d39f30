"""What the pages of this room show."""

from datetime import datetime
from typing import Any

from matches.models import Submission

SLOW_AFTER = 20.0
"""Seconds after which a waiting page says that it takes longer than usual."""


def submission_page(submission: Submission, now: datetime) -> dict[str, Any]:
    """A record that waits, was given up, or has its verdict."""
    context: dict[str, Any] = {"submission": submission}
    if submission.is_open:
        context["slow"] = (now - submission.created_at).total_seconds() > SLOW_AFTER
    elif submission.state == Submission.State.DONE:
        context["verdict"] = submission.verdicts.last()
    return context
