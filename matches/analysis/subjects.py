"""The analysis of a match or of a record as one reader may see it, with the pages around it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.urls import reverse

from engine.cube import Side
from matches import access
from matches.access import Visitor
from matches.analysis import topics
from matches.analysis.visibility import (
    SeenAnalysis,
    is_open_to_analysis,
    seen_from_sender,
    seen_of_match,
    seen_of_record,
    side_in_match,
)
from matches.lifecycle.finish import standing_result
from matches.models import Analysis, Match, Result, Submission
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.records.masking import mask_for
from matches.records.selectors import latest_verdict


@dataclass(frozen=True, slots=True)
class Subject:
    """What is analysed; sides are those of the match, or of a record that was sent for no match."""

    names: tuple[str, str]
    winner: Side | None
    replay_url: str
    topic: str
    """The topic of the event stream that changes with the analysis."""
    url: str
    """The page of the analysis."""
    back: str
    """The page of the match or the record."""
    is_over: bool
    """Whether it may be analysed."""
    file: str = ""
    """The decisions as CSV; empty for a record."""


class Requested(NamedTuple):
    """A subject and its analyses; None if there is none, or none that may be shown yet."""

    subject: Subject
    seen: SeenAnalysis | None
    senders: SeenAnalysis | None
    """The one that was part of the record."""


def requested_match(user: Visitor, public_id: str) -> Requested:
    """Return a match that this user may see. Raise Http404 otherwise."""
    match, _ = access.match_and_seat(user, public_id)
    viewer = Viewer.of(user)
    seen = seen_of_match(match, viewer)
    result = standing_result(match)
    record_id = result.submission_id if result is not None else None
    record = match.submissions.filter(pk=record_id).defer("data", "transcript").first() if record_id else None
    senders = seen_from_sender(record, viewer) if record is not None else None
    return Requested(_of_match(match, result, seen), seen, senders)


def requested_record(user: Visitor, public_id: str) -> Requested:
    """Return a record with the names that this user may see. Raise Http404 for an unknown id."""
    submission = access.submission(public_id)
    viewer = Viewer.of(user)
    seen, senders = seen_of_record(submission, viewer), seen_from_sender(submission, viewer)
    return Requested(_of_record(user, submission, seen or senders), seen, senders)


def replay_url(analysis: Analysis, match: Match) -> str:
    """The replay of the record that was analysed, or of the match as it was played here."""
    if analysis.submission is not None:
        return reverse("replay", args=[analysis.submission.public_id])
    return reverse("match-replay", args=[match.public_id])


def _of_match(match: Match, result: Result | None, seen: SeenAnalysis | None) -> Subject:
    left, right = match.names
    return Subject(
        names=(left, right),
        winner=result.winner if result is not None else None,
        replay_url=replay_url(seen.analysis, match) if seen is not None else "",
        topic=topics.match_topic(match),
        url=reverse("match-analysis", args=[match.public_id]),
        back=reverse("match", args=[match.public_id]),
        is_over=is_open_to_analysis(match),
        file=reverse("match-analysis-file", args=[match.public_id]),
    )


def _of_record(user: Visitor, submission: Submission, seen: SeenAnalysis | None) -> Subject:
    content: dict[str, Any] = (
        latest_verdict(submission).content if seen is not None else {"players": ["", ""], "winner": None}
    )
    players = mask_for(user, submission).inside(content["players"])
    names, winner = labels.names(players), content["winner"]
    if seen is not None and seen.analysis.swapped:
        names = names[::-1]
        winner = side_in_match(seen.analysis, winner) if winner is not None else None
    return Subject(
        names=names,
        winner=winner,
        replay_url=reverse("replay", args=[submission.public_id]),
        topic=topics.record_topic(submission),
        url=reverse("record-analysis", args=[submission.public_id]),
        back=reverse("submission", args=[submission.public_id]),
        is_over=submission.match is None or is_open_to_analysis(submission.match),
    )
