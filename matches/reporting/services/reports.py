"""What players report about their match until a result stands (docs/reporting.md). A report is stored as a `Claim`.

The losing player's report is pending for two minutes, then stands. The winner's waits for the other side and stands by
itself only if that side has acted on having seen it. Two reports that differ, or one that is contested, make a dispute:
the match is frozen until one side concedes or a director rules. `report_outcomes` carries out what a report leads to.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from core.text_lengths import LONGEST_KEY, LONGEST_NOTE
from engine.errors import Refused
from matches.lifecycle import provisional
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import check_report
from matches.lifecycle.locks import changed, lock_match, refuse_over, refuse_stale
from matches.models import Claim, Match, Provisional, Submission
from matches.reporting.services import report_outcomes
from players.actors import Actor, log

State = Claim.State


class StoredReport(NamedTuple):
    """A stored report, and whether this request created it."""

    report: Claim
    created: bool


class ScoreReport(NamedTuple):
    """The final score of a match as somebody reports it."""

    winner: int
    score: tuple[int, int]
    note: str = ""
    """For the other player and the director."""


def report_score(
    *, match: Match, side: int, report: ScoreReport, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> StoredReport:
    """Report, for one side, the final score of a match that was played to its end.

    The same `key`, or the same report from the same side, returns the stored report.
    Refused: `stale`, `key_reused`, `match_settled`, `match_void`, `match_disputed`, `claim_open`, and what
    `finish.check_report` refuses.
    """
    check_texts(key, report.note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (stored := stored_report(locked, side, report, key)) is not None:
            return StoredReport(stored, created=False)
        refuse_stale(locked, after)
        refuse_settled_or_disputed(locked)
        check_report(length=locked.length, start=locked.start_score, winner=report.winner, score=report.score)
        reports = open_reports(locked)
        if (own := reports.get(side)) is not None:
            if (own.winner, own.score) != (report.winner, report.score):
                raise Refused("claim_open")
            return StoredReport(own, created=False)
        created = create_report(locked, report, by, now, side=side, key=key)
        params = {"side": side, "winner": report.winner, "score": list(report.score)}
        log(by, "claimed", locked.topic, club=locked.club, **params)
        report_outcomes.apply_report(locked, created, reports.get(1 - side), by=by, now=now)
    return StoredReport(created, created=True)


def confirm(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Claim | None:
    """Agree to the other side's report, so that it stands, or to a provisional result, so that it is final.

    Return the report; None for a provisional result. Refused: `nothing_claimed`, and as for `report_score`.
    """
    check_texts(key)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (row := provisional.provisional_of(locked)) is not None and row.against == side:
            refuse_stale(locked, after)
            provisional.end(locked, row, Provisional.End.ACCEPTED, by=by, now=now)
            return None
        if (answered := _answered_report(locked, 1 - side, key)) is not None:
            return answered
        report = _report_to_answer(locked, 1 - side, after)
        report.answer_key = key
        report.save(update_fields=["answer_key"])
        log(by, "claim_confirmed", locked.topic, club=locked.club, side=side, claim=report.public_id)
        report_outcomes.accept_report(locked, report, by=by, now=now)
        report.refresh_from_db()
    return report


def contest(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "", note: str = ""
) -> Claim:
    """Contest the other side's report without reporting a score; a director rules.

    Refused: `nothing_claimed`, and as for `report_score`.
    """
    check_texts(key, note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (answered := _answered_report(locked, 1 - side, key)) is not None:
            return answered
        report = _report_to_answer(locked, 1 - side, after)
        report.answer_key, report.answer_note = key, note
        log(by, "claim_contested", locked.topic, club=locked.club, side=side, claim=report.public_id, note=note)
        report_outcomes.open_dispute(locked, [report], now)
    return report


def concede(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "") -> Claim:
    """Concede a dispute: the other side's report stands. Refused: `nothing_to_concede`, `stale`, …"""
    check_texts(key)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (answered := _answered_report(locked, 1 - side, key)) is not None:
            return answered
        refuse_stale(locked, after)
        refuse_over(locked)
        report = locked.claims.filter(side=1 - side, state=State.CONTESTED).order_by("-created_at").first()
        if locked.state != Match.State.DISPUTED or report is None:
            raise Refused("nothing_to_concede")
        report.answer_key = key
        report.save(update_fields=["answer_key"])
        log(by, "dispute_conceded", locked.topic, club=locked.club, side=side, claim=report.public_id)
        report_outcomes.accept_report(locked, report, by=by, now=now)
        report.refresh_from_db()
    return report


def withdraw_report(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Claim:
    """Withdraw the side's own report while it is open. Refused: `nothing_claimed`, and as for `report_score`."""
    check_texts(key)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (answered := _answered_report(locked, side, key)) is not None:
            return answered
        own = _report_to_answer(locked, side, after)
        close_as_withdrawn(locked, own, now, key)
        log(by, "claim_withdrawn", locked.topic, club=locked.club, side=side, claim=own.public_id)
        locked.state = Match.State.OPEN
        changed(locked, "state", "begun_at")
    return own


def acknowledge(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None) -> None:
    """Note that this side has seen the other side's report, or a provisional result, which starts its waiting time.

    Refused: `nothing_claimed`, and as for `report_score`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        if provisional.provisional_of(locked) is not None:
            if provisional.note_told(locked, side, now):
                log(by, "result_seen", locked.topic, club=locked.club, side=side)
                changed(locked)
            return
        report = _report_to_answer(locked, 1 - side, after)
        if report_outcomes.start_waiting_time(locked, side, now):
            log(by, "claim_seen", locked.topic, club=locked.club, side=side, claim=report.public_id)
            changed(locked)


def close_as_withdrawn(match: Match, own: Claim, now: datetime, key: str = "") -> None:
    """Close an open report of a locked match as withdrawn; a record sent with it no longer counts.

    Sets `begun_at` of the match, since the report no longer begins it; the caller saves the match.
    """
    own.state, own.answered_at, own.answer_key = State.WITHDRAWN, now, key
    own.save(update_fields=["state", "answered_at", "answer_key"])
    derive_begun(match)
    if own.submission_id is not None:
        refusal = {"code": "record_withdrawn", "params": {}}
        match.submissions.filter(pk=own.submission_id).update(standing=Submission.Standing.REFUSED, refusal=refusal)


def open_reports(match: Match) -> dict[int, Claim]:
    """The signed reports that wait for an answer, by side."""
    rows = match.claims.filter(state=State.OPEN, side__isnull=False).select_related("submission")
    return {row.side: row for row in rows if row.side is not None}


def create_report(match: Match, report: ScoreReport, by: Actor, now: datetime, **fields: Any) -> Claim:
    """Store a report by this actor."""
    return Claim.objects.create(
        match=match,
        winner=report.winner,
        score_0=report.score[0],
        score_1=report.score[1],
        note=report.note,
        by=by.kind,
        user=by.user,
        created_at=now,
        **fields,
    )


def refuse_settled_or_disputed(match: Match) -> None:
    """Refused: `match_settled`, `match_void`, `match_disputed`."""
    refuse_over(match)
    if match.state == Match.State.DISPUTED:
        raise Refused("match_disputed")


def check_texts(key: str, note: str = "") -> None:
    """Refused: `key_too_long`, `note_too_long`."""
    if len(key) > LONGEST_KEY:
        raise Refused("key_too_long", most=LONGEST_KEY)
    if len(note) > LONGEST_NOTE:
        raise Refused("note_too_long", most=LONGEST_NOTE)


def stored_report(match: Match, side: int | None, report: ScoreReport, key: str) -> Claim | None:
    """The report that was sent with this key. Refused: `key_reused` if that report says something else."""
    stored = match.claims.filter(key=key).first() if key else None
    if stored is not None and (stored.side, stored.winner, stored.score) != (side, report.winner, report.score):
        raise Refused("key_reused")
    return stored


def _answered_report(match: Match, reporter: int, key: str) -> Claim | None:
    """The report of this side that was answered by a request with the same key."""
    return match.claims.filter(side=reporter, answer_key=key).first() if key else None


def _report_to_answer(match: Match, reporter: int, after: int | None) -> Claim:
    refuse_stale(match, after)
    refuse_settled_or_disputed(match)
    report = match.claims.filter(side=reporter, state=State.OPEN).select_related("submission").first()
    if report is None:
        raise Refused("nothing_claimed")
    return report
