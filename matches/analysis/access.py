"""Which analysis, and which of its decisions, a reader may see."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse

from core.live.publishing import last_touch, touch_on_commit
from engine.cube import Side
from matches import access
from matches.access import Visitor
from matches.analysis.arithmetic import RecordSummary, summary
from matches.lifecycle.finish import standing_result
from matches.lifecycle.spectators import is_behind_for_spectators
from matches.models import Analysis, Decision, Match, Result, Submission
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.ratings.rated import merged_players
from matches.records.names import mask_for
from matches.records.page import latest_verdict
from players.models import Membership, Player

# Finding the analysis to show of a record or a match.


def analysis_of_record(submission: Submission) -> Analysis | None:
    """Return the newest finished analysis made here of a record, else the one that waits, works or was given up."""
    return _newest(Q(submission=submission))


def analysis_of_match(match: Match) -> Analysis | None:
    """Return the analysis of a match: of the record that its result is based on, or of the play here."""
    result = standing_result(match)
    if result is not None and result.submission_id is not None:
        return _newest(Q(submission_id=result.submission_id))
    return _newest(Q(match=match, submission=None))


def analyses_of_results(origin: Analysis.Origin = Analysis.Origin.COMPUTED) -> QuerySet[Analysis]:
    """Return the finished analyses that `analysis_of_match` chooses from, of all matches that are over.

    With another origin, those that came with the same records.

    A record of a match other than the one that its result is based on says nothing about how its players played, nor
    does one of an imported match, which is as somebody told it.
    """
    latest = Result.objects.filter(match=OuterRef("match")).order_by("-version").values("submission")[:1]
    finished = Analysis.objects.filter(
        origin=origin,
        state=Analysis.State.DONE,
        match__finished_at__isnull=False,
        match__as_told=False,
    )
    rows = finished.annotate(record_of_result=Subquery(latest)).filter(
        Q(submission=F("record_of_result")) | Q(submission=None, record_of_result=None)
    )
    return rows.defer("submission__data", "submission__transcript")


def _newest(subject: Q) -> Analysis | None:
    rows = Analysis.objects.filter(subject, origin=Analysis.Origin.COMPUTED).order_by("-created_at", "-pk")
    rows = rows.select_related("submission").defer("submission__data", "submission__transcript")
    return rows.filter(state=Analysis.State.DONE).first() or rows.first()


# Which decisions a reader may see judged. Pages, replays, reports, the API and downloads all get them here.
#
# Each player chooses who else sees how well they played (`Player.AnalysisVisibility`). The play of players without an
# account is shown to nobody, and a director or the holder of a link sees no more than others. Nothing is shown of a
# match that is not over, or that spectators see with a delay that has not ended: not even to its players.


Audience = Player.AnalysisVisibility


@dataclass(frozen=True, slots=True)
class SeenAnalysis:
    """An analysis as one reader may see it. Sides are numbered as in the record."""

    analysis: Analysis
    shown: tuple[bool, bool]
    """Whether the reader may see how each side played."""
    decisions: tuple[Decision, ...] = ()
    """Of the sides that are shown, in the order of the record; empty until the analysis is done."""

    @property
    def is_done(self) -> bool:
        return self.analysis.state == Analysis.State.DONE

    @property
    def summary(self) -> RecordSummary:
        """The totals; empty for a side that is not shown."""
        return summary(self.decisions)


def players_shown(viewer: Viewer, players: Collection[int]) -> frozenset[int]:
    """Return which of these players (ids) let the viewer see how well they play. At most three queries.

    A merged player stands for the one they were merged into.
    """
    same = merged_players()
    canonical_ids = {player: same.get(player, player) for player in players}
    claimed = Player.objects.filter(pk__in=set(canonical_ids.values()), user__isnull=False, erased_at__isnull=True)
    choices = dict(claimed.order_by().values_list("pk", "analysis_visibility"))
    visible_players = {
        player for player, choice in choices.items() if choice == Audience.PUBLIC or player == viewer.player
    }
    for_clubs = {player for player, choice in choices.items() if choice == Audience.CLUB} - visible_players
    if for_clubs and viewer.clubs:
        shared = Membership.objects.filter(player__in=for_clubs, club__in=viewer.clubs, left_at__isnull=True)
        visible_players |= set(shared.order_by().values_list("player", flat=True))
    # A pair has no account, so what it shows is for both of them alone.
    visible_players |= viewer.players.intersection(canonical_ids.values())
    return frozenset(player for player, canonical_id in canonical_ids.items() if canonical_id in visible_players)


def is_open_to_analysis(match: Match) -> bool:
    """Whether the match and the delay of its spectators have ended."""
    return match.is_over and not is_behind_for_spectators(match)


def seen_of_match(match: Match, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis of an authorised match; None if there is none or nothing may be shown yet."""
    analysis = analysis_of_match(match) if is_open_to_analysis(match) else None
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_of_live(match: Match, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis of the games played here, as `seen_of_match` does; None if a record replaced their result."""
    seen = seen_of_match(match, viewer)
    return seen if seen is not None and seen.analysis.submission_id is None else None


def seen_of_record(submission: Submission, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis of an authorised record; None if there is none or nothing may be shown yet.

    The players of a record that was sent for no match are unknown, and everybody who has its URL sees all of it.
    """
    match = submission.match
    if match is not None and not is_open_to_analysis(match):
        return None
    analysis = analysis_of_record(submission)
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_from_sender(submission: Submission, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis that was part of an authorised record; None if there is none or nothing may be shown yet.

    It is its sender's, so it is never mixed with an analysis made here.
    """
    match = submission.match
    if match is not None and not is_open_to_analysis(match):
        return None
    stored = submission.analyses.filter(origin=Analysis.Origin.SENDER, state=Analysis.State.DONE)
    analysis = stored.order_by("-pk").first()
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_of_matches(analyses: Iterable[Analysis], viewer: Viewer) -> list[SeenAnalysis]:
    """Return finished analyses of matches that the viewer may see and that are over, with few queries.

    Load them with `select_related("match__live")`. Analyses are left out if nothing of them may be shown. Decisions are
    not loaded, since an event may have some ten thousand: `decisions_of` queries them.
    """
    rows = [row for row in analyses if row.match is not None and is_open_to_analysis(row.match)]
    sides = {row.pk: _players(row, row.match) for row in rows if row.match is not None}
    shown_players = players_shown(viewer, {player for pair in sides.values() for player in pair})
    shown_sides = {pk: (left in shown_players, right in shown_players) for pk, (left, right) in sides.items()}
    return [SeenAnalysis(row, shown_sides[row.pk]) for row in rows if any(shown_sides[row.pk])]


def decisions_of(seen: Collection[SeenAnalysis]) -> QuerySet[Decision]:
    """Return the decisions of the shown sides of these analyses, in no order and without candidates."""
    return Decision.objects.filter(_visible(seen)).defer("candidates").order_by()


def side_in_match(analysis: Analysis, side: Side) -> Side:
    """Convert a side of the record to the side of the match, or the reverse."""
    return 1 - side if analysis.swapped else side


def _seen(analysis: Analysis, match: Match | None, viewer: Viewer) -> SeenAnalysis:
    shown_sides = (True, True)
    if match is not None:
        left, right = _players(analysis, match)
        shown_players = players_shown(viewer, {left, right})
        shown_sides = (left in shown_players, right in shown_players)
    seen = SeenAnalysis(analysis, shown_sides)
    if not seen.is_done or not any(shown_sides):
        return seen
    decisions = Decision.objects.filter(_visible([seen])).order_by("game", "event", "pk")
    return replace(seen, decisions=tuple(decisions))


def _players(analysis: Analysis, match: Match) -> tuple[int, int]:
    """The ids of the players by sides of the record."""
    ids = match.player_0_id, match.player_1_id
    return (ids[1], ids[0]) if analysis.swapped else ids


def _visible(seen: Collection[SeenAnalysis]) -> Q:
    """The condition of decisions of the shown sides of done analyses."""
    sides = {(True, True): (0, 1), (True, False): (0,), (False, True): (1,)}
    condition = Q(pk__in=())
    for shown, of_sides in sides.items():
        ids = [row.analysis.pk for row in seen if row.shown == shown and row.is_done]
        if ids:
            condition |= Q(analysis__in=ids, side__in=of_sides)
    return condition


# Analyses as topics of the event stream: `analysis` of a match, `record-analysis` of a record.


def match_topic(match: Match) -> str:
    return f"analysis:{match.public_id}"


def record_topic(submission: Submission) -> str:
    return f"record-analysis:{submission.public_id}"


def announce(analysis: Analysis) -> None:
    """After commit, publish that the state of an analysis has changed."""
    topics = [match_topic(analysis.match)] if analysis.match is not None else []
    topics += [record_topic(analysis.submission)] if analysis.submission is not None else []
    touch_on_commit(*topics)


def analysis_number(request: HttpRequest, public_id: str) -> int:
    """Return when the analysis of a match changed last, for whoever may see the match; raise Http404 for others."""
    return last_touch(match_topic(access.match_and_seat(request.user, public_id)[0]))


def record_analysis_number(request: HttpRequest, public_id: str) -> int:
    """Return the time of the last change to the analysis of a record. Raises Http404 for an unknown id."""
    return last_touch(record_topic(access.submission(public_id)))


# The analysis of a match or of a record as one reader may see it, with the pages around it.


@dataclass(frozen=True, slots=True)
class Subject:
    """What is analysed. Sides are numbered as in the match, or in the record where there is no match."""

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
    own_decisions: str = ""
    """The page of what the reader decided worst; empty unless they played it and it was analysed."""


class Requested(NamedTuple):
    """A subject and its analyses; None if there is none, or none that may be shown yet."""

    subject: Subject
    seen: SeenAnalysis | None
    senders: SeenAnalysis | None
    """The one that was part of the record."""


def seen_with_subject(match: Match, user: Visitor) -> tuple[Subject, SeenAnalysis | None]:
    """Return an authorised match as a subject, with its analysis as this user may see it."""
    seen = seen_of_match(match, Viewer.of(user))
    return _of_match(match, standing_result(match), seen), seen


def requested_match(user: Visitor, public_id: str) -> Requested:
    """Return a match that this user may see. Raise Http404 otherwise."""
    match, seat = access.match_and_seat(user, public_id)
    viewer = Viewer.of(user)
    seen = seen_of_match(match, viewer)
    result = standing_result(match)
    record_id = result.submission_id if result is not None else None
    record = match.submissions.filter(pk=record_id).defer("data", "transcript").first() if record_id else None
    senders = seen_from_sender(record, viewer) if record is not None else None
    subject = _of_match(match, result, seen)
    if seat is not None and (senders is not None or (seen is not None and seen.is_done)):
        subject = replace(subject, own_decisions=reverse("match-decisions", args=[public_id]))
    return Requested(subject, seen, senders)


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
        topic=match_topic(match),
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
        topic=record_topic(submission),
        url=reverse("record-analysis", args=[submission.public_id]),
        back=reverse("submission", args=[submission.public_id]),
        is_over=submission.match is None or is_open_to_analysis(submission.match),
    )
