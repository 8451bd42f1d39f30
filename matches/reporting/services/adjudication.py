"""Adjudicating a record and applying its verdict to the match."""

from datetime import datetime
from functools import partial

from engine.verdict import Outcome
from matches.analysis.services.queue import enqueue_record
from matches.models import Verdict
from matches.records.services import submissions
from matches.reporting.services import record_outcomes

ACCEPTED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)


def adjudicate_submission(*, submission_id: int, now: datetime) -> Verdict | None:
    """Write the verdict of a record and apply it to its match, if any; None if there was nothing left to do."""
    verdict = submissions.write_verdict(submission_id=submission_id, now=now, then=partial(_have_analysed, now=now))
    if verdict is not None:
        record_outcomes.apply_verdict(submission_id=submission_id, now=now)
    return verdict


def _have_analysed(verdict: Verdict, *, now: datetime) -> None:
    """Enqueue the analysis of an accepted record without a match; `apply_verdict` does so for the others."""
    if verdict.submission.match_id is None and verdict.outcome in ACCEPTED:
        enqueue_record(submission=verdict.submission, swapped=False, now=now)
