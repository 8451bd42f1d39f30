"""Analyses as topics of the event stream: `analysis` of a match, `record-analysis` of a record."""

from django.http import HttpRequest

from core.live.publishing import last_touch, touch_on_commit
from matches import access
from matches.models import Analysis, Match, Submission


def match_topic(match: Match) -> str:
    """The topic of the analysis of a match."""
    return f"analysis:{match.public_id}"


def record_topic(submission: Submission) -> str:
    """The topic of the analysis of a record."""
    return f"record-analysis:{submission.public_id}"


def announce(analysis: Analysis) -> None:
    """Publish on commit that an analysis has another state."""
    topics = [match_topic(analysis.match)] if analysis.match is not None else []
    topics += [record_topic(analysis.submission)] if analysis.submission is not None else []
    touch_on_commit(*topics)


def analysis_number(request: HttpRequest, public_id: str) -> int:
    """Return when the analysis of a match changed last, for whoever may see the match; raise Http404 for others."""
    return last_touch(match_topic(access.match_and_seat(request.user, public_id)[0]))


def record_analysis_number(request: HttpRequest, public_id: str) -> int:
    """Return when the analysis of a record changed last; raise Http404 for an unknown id."""
    return last_touch(record_topic(access.submission(public_id)))
