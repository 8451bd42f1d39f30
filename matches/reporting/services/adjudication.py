"""Adjudicating a record and applying its verdict to the match."""

from datetime import datetime

from matches.models import Verdict
from matches.records.services import submissions
from matches.reporting.services import record_outcomes


def adjudicate_submission(*, submission_id: int, now: datetime) -> Verdict | None:
    """Write the verdict of a record and apply it to its match, if any; None if there was nothing left to do."""
    verdict = submissions.write_verdict(submission_id=submission_id, now=now)
    if verdict is not None:
        record_outcomes.apply_verdict(submission_id=submission_id, now=now)
    return verdict
