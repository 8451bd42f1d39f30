"""A record sent in for a match: its verdict, and what the verdict means for the match."""

from datetime import datetime

from matches.models import Verdict
from matches.records.services import submissions
from matches.reporting.services import proofs


def adjudicate_submission(*, submission_id: int, now: datetime) -> Verdict | None:
    """Write the verdict of a record and apply it to the record's match; None if there was nothing left to do."""
    verdict = submissions.write_verdict(submission_id=submission_id, now=now)
    if verdict is not None:
        proofs.apply_verdict(submission_id=submission_id, now=now)
    return verdict
