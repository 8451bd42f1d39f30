"""Recording a result: appending a version, and updating the match, its reports, records and ratings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal

from core.queue import hint
from engine.errors import Refused
from matches.lifecycle import finality
from matches.lifecycle.begun import derive_begun, note_beginning
from matches.lifecycle.locks import changed
from matches.models import Claim, Match, Objection, Provisional, Result, Submission
from matches.presentation.labels import shown_score
from matches.ratings import services as ratings
from players.actors import Actor, log
from players.models import LogEntry

match_settled = Signal()
"""Sent with `match_id` after the commit that wrote a result, and again by the sweep while the match is unsettled.

A receiver opens a transaction of its own, locks its own rows and then the match, reads the result that stands, and
clears `Match.unsettled` and `Match.settle_at` in the same transaction. It may be called twice for the same result, and
does nothing before `settle_at`.
"""


# Until when a player may object to a report that stands although they never answered it (docs/reporting.md).


AFTER_SEEN = timedelta(hours=24)
"""How long a player may object after having seen the report."""
AFTER_STANDING = timedelta(minutes=10)
"""How long a player may object at least, once the result stands."""


def closes_at(report: Claim) -> datetime | None:
    """Until when the other side may object: a day after seeing the report, or None if they never saw it."""
    if report.seen_at is None or report.answered_at is None:
        return None
    return max(report.seen_at + AFTER_SEEN, report.answered_at + AFTER_STANDING)


ANNOUNCE = "matches.announce_result"
"""The task that a hint names."""
Kind = Result.Kind
Score = tuple[int, int]

MAX_POINTS = 9999
"""Largest score that can be entered; the cube itself has no limit."""
ENDINGS = [choice for choice in Kind.choices if choice[0] != Kind.VOID]
"""Choices for the kind of a result, except void, which `check_result` refuses."""
NO_WINNER = (Kind.DOUBLE_FORFEIT,)
MAY_LACK_WINNER = (*NO_WINNER, Kind.SETTLED, Kind.RULING)
NEEDS_SCORE = (Kind.PLAYED, Kind.LEADER)


@dataclass(frozen=True, slots=True)
class ResultInput:
    """A result to record: the winning side (None: nobody), the points by side, and the kind of ending."""

    winner: int | None
    score: Score | None = None
    kind: str = Kind.PLAYED.value

    @classmethod
    def played(cls, score: Score) -> "ResultInput":
        """Return the result of a match that was played to this score."""
        return cls(0 if score[0] > score[1] else 1, score)

    @classmethod
    def of(cls, result: Result) -> "ResultInput":
        """Return the outcome that a stored version records."""
        return cls(result.winner, result.score, result.kind)


@dataclass(frozen=True, slots=True)
class Basis:
    source: str
    """Of `Result.Source`."""
    submission: Submission | None = None
    waived: Sequence[Any] = ()
    """Findings that a director waived, as [code, game, ply]."""
    reason: str = ""
    own_match: bool = False
    """Whether a director decided their own match, as returned by `own_match.check_own_match`."""
    acted: frozenset[int] = frozenset()
    """The sides that acted for it, beside the actor and those whose reports agree (`finality.Facts`)."""
    is_ruled: bool = False
    """Whether a person who does not play the match decided, if that is not the actor."""
    was_silent: bool = False
    """As in `finality.Facts`."""


class Announced(Enum):
    """How the app that opened a match learns of a result."""

    HERE = auto()
    """`match_settled` is sent after the commit."""
    WORKER = auto()
    """A worker sends `match_settled`."""
    CALLER = auto()
    """It is the caller, and acts on the result in the same transaction."""


def append_result(
    match: Match,
    outcome: ResultInput,
    basis: Basis,
    *,
    by: Actor,
    now: datetime,
    earlier: Sequence[Result] | None = None,
    announced_by: Announced = Announced.HERE,
    settle_at: datetime | None = None,
) -> Result:
    """Append a result as the next version, which then stands. The caller has locked the match.

    Whether it is final or provisional is decided here, and only here (`finality.why_provisional`).
    The score includes the start score and points beyond the length. `earlier` are the versions so far, oldest first, if
    the caller has read them. Closes open reports and marks the ratings. If an app above opened the match, it acts on
    the result as `announced_by` says, or at `settle_at`, if that is given.
    Refused: `match_void`, and what `check_result` refuses.
    """
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    winner, score, kind = outcome.winner, outcome.score, outcome.kind
    check_result(length=match.length, start=match.start_score, winner=winner, score=score, kind=kind)
    if earlier is None:
        earlier = list(match.results.order_by("version"))
    # A match that nobody has changed since it was opened has no reports.
    reports = list(match.claims.all()) if match.seq else []
    submission = basis.submission or _agreeing_record(match, reports, winner, score)
    result = _append(match, outcome, replace(basis, submission=submission), by, now, earlier=earlier, reports=reports)
    _close(match, reports, result, now)
    # Accepted records belong to a report or a result, and objections are made to results.
    if submission or any(row.submission_id for row in reports) or any(row.submission_id for row in earlier):
        _replace_records(match, submission, result)
    if earlier:
        _uphold_objections(match, result, by, now)
    match.state = Match.State.SETTLED
    match.provisional = result.finality == Result.Finality.PROVISIONAL
    match.finished_at = match.finished_at or now
    match.settle_at = settle_at if match.parent_topic else None
    match.unsettled = bool(match.parent_topic) and (announced_by != Announced.CALLER or settle_at is not None)
    if earlier:
        derive_begun(match)
    elif score is not None:
        note_beginning(match, now)
    changed(match, "state", "finished_at", "unsettled", "settle_at", "begun_at", "provisional")
    params = {"winner": winner, "score": list(score) if score else None, "kind": kind, "source": basis.source}
    log(by, "result_appended", match.topic, club=match.club, version=result.version, reason=basis.reason, **params)
    ratings.mark_dirty(match=match, standing=result)
    if match.settle_at is not None:
        transaction.on_commit(partial(hint, ANNOUNCE, match.pk, after=match.settle_at - now), robust=True)
    elif match.unsettled:
        in_worker = announced_by == Announced.WORKER
        notify = partial(hint, ANNOUNCE, match.pk) if in_worker else partial(announce, match.pk)
        transaction.on_commit(notify, robust=True)
    return result


def announce(match_id: int) -> None:
    """Send `match_settled`. A receiver that fails is logged; the sweep sends the signal again."""
    match_settled.send_robust(sender=Match, match_id=match_id)


def standing_result(match: Match) -> Result | None:
    """The newest version of the result; None without a result."""
    return match.results.order_by("-version").first()


def same_outcome(
    length: int, winner: int | None, score: Score | None, other_winner: int | None, other_score: Score | None
) -> bool:
    """Whether two results of a match agree. Points beyond the length are ignored, since they are often left out."""
    score_shown, other_score_shown = (
        None if points is None else shown_score(length, points) for points in (score, other_score)
    )
    return (winner, score_shown) == (other_winner, other_score_shown)


def check_report(*, length: int, start: Score, winner: int, score: Score) -> None:
    """Check a player's report: the match was played to its end, with no more points than the length.

    Only records and directors state points beyond the length.
    Refused: `score_above_length`, and what `check_result` refuses.
    """
    check_result(length=length, start=start, winner=winner, score=score, kind=Kind.PLAYED)
    if max(score) > length:
        left, right = (min(points, length) for points in score)
        raise Refused("score_above_length", length=length, left=left, right=right)


def check_result(*, length: int, start: Score, winner: int | None, score: Score | None, kind: str) -> None:
    """Check that a match can end with this result.

    Only a match that was played out must reach the length (docs/rules.md §2).
    Refused: `result_void`, `result_no_winner`, `result_winner_missing`, `result_score_missing`, `result_below_start`,
    `result_too_high`, `result_both_reached`, `result_not_reached`, `result_loser_leads`.
    """
    if kind == Kind.VOID:
        raise Refused("result_void")
    if winner is not None and kind in NO_WINNER:
        raise Refused("result_no_winner")
    if winner not in (0, 1, None) or (winner is None and kind not in MAY_LACK_WINNER):
        raise Refused("result_winner_missing")
    if score is not None:
        _check_score(length, start, winner, score, kind)
    elif kind in NEEDS_SCORE:
        raise Refused("result_score_missing")


def _check_score(length: int, start: Score, winner: int | None, score: Score, kind: str) -> None:
    if any(points < first for points, first in zip(score, start, strict=True)):
        raise Refused("result_below_start", left=start[0], right=start[1])
    if max(score) > MAX_POINTS:
        raise Refused("result_too_high", most=MAX_POINTS)
    if min(score) >= length:
        raise Refused("result_both_reached", length=length)
    if kind == Kind.PLAYED and max(score) < length:
        raise Refused("result_not_reached", length=length, left=score[0], right=score[1])
    leader_must_win = kind in (Kind.PLAYED, Kind.LEADER) or max(score) >= length
    if winner is not None and leader_must_win and score[winner] <= score[1 - winner]:
        raise Refused("result_loser_leads", left=score[0], right=score[1])


def _append(
    match: Match,
    outcome: ResultInput,
    basis: Basis,
    by: Actor,
    now: datetime,
    *,
    earlier: Sequence[Result],
    reports: Sequence[Claim],
) -> Result:
    """Store a version, final or provisional; one that only adds a record to the version before is as final as that."""
    agreeing = [
        row
        for row in reports
        if row.is_signed
        and row.state in finality.COUNTED_REPORTS
        and same_outcome(match.length, row.winner, row.score, outcome.winner, outcome.score)
    ]
    last = earlier[-1] if earlier else None
    why = finality.why_provisional(_facts(match, outcome, basis, by, agreeing))
    state = Result.Finality.FINAL if why is None else Result.Finality.PROVISIONAL
    repeated = why is not None and last is not None and _repeats(match, last, outcome)
    if repeated and last is not None:
        state = Result.Finality(last.finality)
    before = None
    if last is not None and last.finality == Result.Finality.PROVISIONAL:
        before = Provisional.objects.get(result=last)
        before.ended_at, before.end, before.by, before.user = now, Provisional.End.REPLACED, by.kind, by.user
        before.save(update_fields=["ended_at", "end", "by", "user"])
    left, right = outcome.score or (None, None)
    result = Result.objects.create(
        match=match,
        version=last.version + 1 if last is not None else 1,
        winner=outcome.winner,
        score_0=left,
        score_1=right,
        kind=outcome.kind,
        source=basis.source,
        submission=basis.submission,
        waived=[list(finding) for finding in basis.waived],
        reason=basis.reason,
        own_match=basis.own_match,
        by=by.kind,
        user=by.user,
        at=now,
        finality=state,
    )
    if why is not None and state == Result.Finality.PROVISIONAL:
        finality.begin(match, result, why, before=before if repeated else None, agreeing=agreeing)
        if repeated and last is not None:
            Objection.objects.filter(result=last).update(result=result)
    return result


def _facts(
    match: Match, outcome: ResultInput, basis: Basis, by: Actor, agreeing: Iterable[Claim]
) -> finality.FinalityFacts:
    side = finality.actor_side(match, by)
    acted = {*basis.acted, *(row.side for row in agreeing), side}
    sources = finality.RULED_BY_PEOPLE if by.user is not None else finality.ENTERED_BY_COMMANDS
    is_ruling = by.kind != LogEntry.By.LINK and side is None and basis.source in sources
    return finality.FinalityFacts(
        winner=outcome.winner,
        source=basis.source,
        kind=outcome.kind,
        acted=frozenset(side for side in acted if side is not None),
        is_ruled=basis.is_ruled or is_ruling,
        was_silent=basis.was_silent,
    )


def _repeats(match: Match, last: Result, outcome: ResultInput) -> bool:
    """Whether a new version has the outcome of the last one, so that only its record or reason is new."""
    is_void = last.kind == Kind.VOID
    return not is_void and same_outcome(match.length, last.winner, last.score, outcome.winner, outcome.score)


def close_claims(match: Match, result: Result, now: datetime) -> None:
    """Mark each open or contested report: it stands if it agrees with the result, else it is overruled."""
    _close(match, match.claims.all(), result, now)


def _close(match: Match, reports: Iterable[Claim], result: Result, now: datetime) -> None:
    for claim in reports:
        if claim.state not in (Claim.State.OPEN, Claim.State.CONTESTED):
            continue
        agrees = same_outcome(match.length, claim.winner, claim.score, result.winner, result.score)
        claim.state = Claim.State.STANDS if agrees else Claim.State.OVERRULED
        claim.answered_at = now
        claim.save(update_fields=["state", "answered_at"])


def _agreeing_record(
    match: Match, reports: Iterable[Claim], winner: int | None, score: Score | None
) -> Submission | None:
    """The record of an open report with this outcome; the result confirms it."""
    for report in reports:
        if report.state != Claim.State.OPEN or report.submission_id is None:
            continue
        if same_outcome(match.length, report.winner, report.score, winner, score):
            return report.submission
    return None


def _replace_records(match: Match, standing: Submission | None, result: Result) -> None:
    """Mark earlier accepted records as replaced, except the record of the result that stands now."""
    records = match.submissions.filter(standing__in=[Submission.Standing.STANDS, Submission.Standing.REPORT])
    if standing is not None:
        match.submissions.filter(pk=standing.pk).update(standing=Submission.Standing.STANDS, refusal=None)
        records = records.exclude(pk=standing.pk)
    agreeing = match.claims.filter(state=Claim.State.STANDS, answered_at=result.at).values("submission")
    records.filter(standing=Submission.Standing.REPORT, pk__in=agreeing).update(
        standing=Submission.Standing.REFUSED, refusal={"code": "record_proven", "params": {}}
    )
    records.update(**record_replaced())


def _uphold_objections(match: Match, result: Result, by: Actor, now: datetime) -> None:
    """Uphold open objections if the new result differs from what they object to."""
    for objection in match.objections.filter(state=Objection.State.OPEN).select_related("claim", "result"):
        objected = objection.result or objection.claim
        assert objected is not None  # noqa: S101, an objection is made to one of them
        if not same_outcome(match.length, objected.winner, objected.score, result.winner, result.score):
            objection.state, objection.answered_at, objection.answered_by = Objection.State.UPHELD, now, by.user
            objection.answer = result.reason
            objection.save(update_fields=["state", "answered_at", "answered_by", "answer"])


def record_replaced() -> dict[str, Any]:
    """Fields of a submission whose result was replaced."""
    return {"standing": Submission.Standing.REFUSED, "refusal": {"code": "record_replaced", "params": {}}}
