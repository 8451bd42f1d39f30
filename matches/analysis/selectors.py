"""Finding the analysis to show of a record or a match."""

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from matches.lifecycle.finish import standing_result
from matches.models import Analysis, Match, Result, Submission


def analysis_of_record(submission: Submission) -> Analysis | None:
    """Return the newest finished analysis made here of a record, else the one that waits, works or was given up."""
    return _newest(Q(submission=submission))


def analysis_of_match(match: Match) -> Analysis | None:
    """Return the same for a match: of the record of its result, or of what was played here."""
    result = standing_result(match)
    if result is not None and result.submission_id is not None:
        return _newest(Q(submission_id=result.submission_id))
    return _newest(Q(match=match, submission=None))


def analyses_of_results() -> QuerySet[Analysis]:
    """Return the finished analyses that `analysis_of_match` chooses from, of all matches that are over.

    A record that was sent for a match, but is not that of its result, says nothing about how its players played.
    """
    latest = Result.objects.filter(match=OuterRef("match")).order_by("-version").values("submission")[:1]
    finished = Analysis.objects.filter(
        origin=Analysis.Origin.COMPUTED, state=Analysis.State.DONE, match__finished_at__isnull=False
    )
    rows = finished.annotate(record_of_result=Subquery(latest)).filter(
        Q(submission=F("record_of_result")) | Q(submission=None, record_of_result=None)
    )
    return rows.defer("submission__data", "submission__transcript")


def _newest(subject: Q) -> Analysis | None:
    rows = Analysis.objects.filter(subject, origin=Analysis.Origin.COMPUTED).order_by("-created_at", "-pk")
    rows = rows.select_related("submission").defer("submission__data", "submission__transcript")
    return rows.filter(state=Analysis.State.DONE).first() or rows.first()
