"""How a match ends: a new version of its result, and all that follows from it in this room."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.queue import hint
from engine.errors import Refused
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.locks import changed
from matches.lifecycle.signals import match_settled
from matches.models import Claim, Match, Objection, Result, Submission
from matches.presentation.labels import shown_score
from matches.ratings.services import ratings
from players.actors import Actor, log

ANNOUNCE = "matches.announce_result"
"""The task that a hint names."""
Kind = Result.Kind
Score = tuple[int, int]

MOST_POINTS = 9999
"""No score is higher; cubes may be turned without limit, but not in earnest."""
ENDINGS = [choice for choice in Kind.choices if choice[0] != Kind.VOID]
"""What a match can end by, with its name: `check_result` refuses void."""
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


def append_result(
    match: Match,
    *,
    winner: int | None,
    score: Score | None,
    kind: str,
    source: str,
    by: Actor,
    now: datetime,
    submission: Submission | None = None,
    waived: Sequence[Any] = (),
    reason: str = "",
    own_match: bool = False,
    announce_in_worker: bool = False,
) -> Result:
    """Let a result stand, as the next version; what stood before is kept. The caller has locked the match.

    `score` are the points really won, start score included; `waived` are findings as [code, game, ply].
    With `announce_in_worker` a worker tells whatever made the match, not the request.
    `own_match` is what `own_match.check_own_match` says of a director's decision.
    Closes open claims, marks ratings, and after the commit tells whoever made the match.
    Refused: `match_void`, and what `check_result` refuses.
    """
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    check_result(length=match.length, start=match.start_score, winner=winner, score=score, kind=kind)
    submission = submission or _agreeing_record(match, winner, score)
    result = _append(
        match,
        by,
        now,
        score,
        winner=winner,
        kind=kind,
        source=source,
        submission=submission,
        waived=[list(finding) for finding in waived],
        reason=reason,
        own_match=own_match,
    )
    close_claims(match, result, now)
    _replace_records(match, submission, result)
    _uphold_objections(match, result, by, now)
    match.state = Match.State.SETTLED
    match.finished_at = match.finished_at or now
    match.unsettled = bool(match.parent_topic)
    derive_begun(match)
    changed(match, "state", "finished_at", "unsettled", "begun_at")
    said = {"winner": winner, "score": list(score) if score else None, "kind": kind, "source": source}
    log(by, "result_appended", match.topic, club=match.club, version=result.version, reason=reason, **said)
    ratings.mark_dirty(match=match)
    if match.unsettled:
        notify = partial(hint, ANNOUNCE, match.pk) if announce_in_worker else partial(announce, match.pk)
        transaction.on_commit(notify, robust=True)
    return result


def announce(match_id: int) -> None:
    """Tell whoever made the match of its result. A receiver that fails is logged, and the sweep tells again."""
    match_settled.send_robust(sender=Match, match_id=match_id)


def standing_result(match: Match) -> Result | None:
    """The version that counts."""
    return match.results.order_by("-version").first()


def same_outcome(
    length: int, winner: int | None, score: Score | None, other_winner: int | None, other_score: Score | None
) -> bool:
    """Whether two accounts of a match agree; points beyond the length are often left out, so they do not count."""
    first, second = (None if one is None else shown_score(length, one) for one in (score, other_score))
    return (winner, first) == (other_winner, second)


def check_report(*, length: int, start: Score, winner: int, score: Score) -> None:
    """Whether a player can report this: an end by play, with points up to the length.

    Points beyond it come from records and directors. Refused: `score_above_length`, and what `check_result` refuses.
    """
    check_result(length=length, start=start, winner=winner, score=score, kind=Kind.PLAYED)
    if max(score) > length:
        left, right = (min(points, length) for points in score)
        raise Refused("score_above_length", length=length, left=left, right=right)


def check_result(*, length: int, start: Score, winner: int | None, score: Score | None, kind: str) -> None:
    """Whether a match can end so.

    Only a match that was played must reach the length (docs/rules.md §2).
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
    if any(points < begun_with for points, begun_with in zip(score, start, strict=True)):
        raise Refused("result_below_start", left=start[0], right=start[1])
    if max(score) > MOST_POINTS:
        raise Refused("result_too_high", most=MOST_POINTS)
    if min(score) >= length:
        raise Refused("result_both_reached", length=length)
    if kind == Kind.PLAYED and max(score) < length:
        raise Refused("result_not_reached", length=length, left=score[0], right=score[1])
    leader_must_win = kind in (Kind.PLAYED, Kind.LEADER) or max(score) >= length
    if winner is not None and leader_must_win and score[winner] <= score[1 - winner]:
        raise Refused("result_loser_leads", left=score[0], right=score[1])


def _append(match: Match, by: Actor, now: datetime, score: Score | None = None, **fields: Any) -> Result:
    version = match.results.aggregate(Max("version"))["version__max"] or 0
    left, right = score or (None, None)
    return Result.objects.create(
        match=match, version=version + 1, score_0=left, score_1=right, by=by.kind, user=by.user, at=now, **fields
    )


def close_claims(match: Match, result: Result, now: datetime) -> None:
    """A claim that said what stands now stands; any other is overruled."""
    for claim in match.claims.filter(state__in=[Claim.State.OPEN, Claim.State.CONTESTED]):
        says_the_same = same_outcome(match.length, claim.winner, claim.score, result.winner, result.score)
        claim.state = Claim.State.STANDS if says_the_same else Claim.State.OVERRULED
        claim.answered_at = now
        claim.save(update_fields=["state", "answered_at"])


def _agreeing_record(match: Match, winner: int | None, score: Score | None) -> Submission | None:
    """The record of an open report that says just this: confirmed by a result, it is its proof."""
    for report in match.claims.filter(state=Claim.State.OPEN, submission__isnull=False).select_related("submission"):
        if same_outcome(match.length, report.winner, report.score, winner, score):
            return report.submission
    return None


def _replace_records(match: Match, standing: Submission | None, result: Result) -> None:
    """A record that stood or was reported does so no longer beside another version, unless it is its proof."""
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
    """Another outcome than the one objected to is what the objection asked for."""
    for objection in match.objections.filter(state=Objection.State.OPEN).select_related("claim"):
        report = objection.claim
        if not same_outcome(match.length, report.winner, report.score, result.winner, result.score):
            objection.state, objection.answered_at, objection.answered_by = Objection.State.UPHELD, now, by.user
            objection.answer = result.reason
            objection.save(update_fields=["state", "answered_at", "answered_by", "answer"])


def record_replaced() -> dict[str, Any]:
    """What becomes of a record that stood, as fields of its row."""
    return {"standing": Submission.Standing.REFUSED, "refusal": {"code": "record_replaced", "params": {}}}
