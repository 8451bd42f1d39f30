"""What players report about their match, until a result stands (docs/reporting.md).

The loser's report is pending for two minutes, then stands. The winner's waits for the other side and stands by itself
only if that side has acted on having seen it. Two reports that differ, or one that is contested, make a dispute: frozen
until one side concedes or a director rules. What comes of a report is in `report_outcomes`.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import check_report
from matches.lifecycle.locks import changed, lock_match, refuse_over, refuse_stale
from matches.models import LONGEST_KEY, Claim, Match, Submission
from matches.reporting.services import outcomes as report_outcomes
from players.actors import Actor, log

LONGEST_NOTE = 300
State = Claim.State


class Claimed(NamedTuple):
    """A report that is in, and whether it is new."""

    claim: Claim
    created: bool


def claim(
    *,
    match: Match,
    side: int,
    winner: int,
    score: tuple[int, int],
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
    note: str = "",
) -> Claimed:
    """Report for one side how a match that was played to its end ended.

    The same `key`, or the same report from the same side, gives the first one again.
    Refused: `stale`, `key_reused`, `match_settled`, `match_void`, `match_disputed`, `claim_open`, and what
    `finish.check_report` refuses.
    """
    check_texts(key, note)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := seen_before(row, side, winner, score, key)) is not None:
            return Claimed(seen, created=False)
        refuse_stale(row, after)
        refuse_settled_or_disputed(row)
        check_report(length=row.length, start=row.start_score, winner=winner, score=score)
        reports = open_reports(row)
        if (own := reports.get(side)) is not None:
            if (own.winner, own.score) != (winner, score):
                raise Refused("claim_open")
            return Claimed(own, created=False)
        new = create(row, by, now, side=side, winner=winner, score_0=score[0], score_1=score[1], note=note, key=key)
        log(by, "claimed", row.topic, club=row.club, side=side, winner=winner, score=list(score))
        report_outcomes.follow(row, new, reports.get(1 - side), by=by, now=now)
    return Claimed(new, created=True)


def confirm(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "") -> Claim:
    """Agree to the other side's report; it stands. Refused: `nothing_claimed`, and what `claim` refuses."""
    check_texts(key)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, 1 - side, key)) is not None:
            return seen
        theirs = _claim_to_answer(row, 1 - side, after)
        theirs.answer_key = key
        theirs.save(update_fields=["answer_key"])
        log(by, "claim_confirmed", row.topic, club=row.club, side=side, claim=theirs.public_id)
        report_outcomes.stand(row, theirs, by=by, now=now)
        theirs.refresh_from_db()
    return theirs


def contest(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "", note: str = ""
) -> Claim:
    """Say that the other side's report is wrong, without a score of one's own; a director rules.

    Refused: `nothing_claimed`, and what `claim` refuses.
    """
    check_texts(key, note)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, 1 - side, key)) is not None:
            return seen
        theirs = _claim_to_answer(row, 1 - side, after)
        theirs.answer_key, theirs.answer_note = key, note
        log(by, "claim_contested", row.topic, club=row.club, side=side, claim=theirs.public_id, note=note)
        report_outcomes.dispute(row, [theirs], now)
    return theirs


def concede(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "") -> Claim:
    """Give in to the other side's report in a dispute; it stands. Refused: `nothing_to_concede`, `stale`, …"""
    check_texts(key)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, 1 - side, key)) is not None:
            return seen
        refuse_stale(row, after)
        refuse_over(row)
        theirs = row.claims.filter(side=1 - side, state=State.CONTESTED).order_by("-created_at").first()
        if row.state != Match.State.DISPUTED or theirs is None:
            raise Refused("nothing_to_concede")
        theirs.answer_key = key
        theirs.save(update_fields=["answer_key"])
        log(by, "dispute_conceded", row.topic, club=row.club, side=side, claim=theirs.public_id)
        report_outcomes.stand(row, theirs, by=by, now=now)
        theirs.refresh_from_db()
    return theirs


def withdraw_claim(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Claim:
    """Take one's own report back while it waits. Refused: `nothing_claimed`, and what `claim` refuses."""
    check_texts(key)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, side, key)) is not None:
            return seen
        own = _claim_to_answer(row, side, after)
        take_back(row, own, now, key)
        log(by, "claim_withdrawn", row.topic, club=row.club, side=side, claim=own.public_id)
        row.state = Match.State.OPEN
        derive_begun(row)
        changed(row, "state", "begun_at")
    return own


def acknowledge(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None) -> None:
    """Say that one has seen the other side's report; from then on its waiting time runs.

    Refused: `nothing_claimed`, and what `claim` refuses.
    """
    with transaction.atomic():
        row = lock_match(match.pk)
        theirs = _claim_to_answer(row, 1 - side, after)
        if report_outcomes.note_seen(row, side, now):
            log(by, "claim_seen", row.topic, club=row.club, side=side, claim=theirs.public_id)
            changed(row)


def take_back(match: Match, own: Claim, now: datetime, key: str = "") -> None:
    """Close an open report of a locked match as withdrawn; its record counts for nothing then."""
    own.state, own.answered_at, own.answer_key = State.WITHDRAWN, now, key
    own.save(update_fields=["state", "answered_at", "answer_key"])
    if own.submission_id is not None:
        refusal = {"code": "record_withdrawn", "params": {}}
        match.submissions.filter(pk=own.submission_id).update(standing=Submission.Standing.REFUSED, refusal=refusal)


def open_reports(match: Match) -> dict[int, Claim]:
    """The signed reports that wait for an answer, by side."""
    rows = match.claims.filter(state=State.OPEN, side__isnull=False).select_related("submission")
    return {row.side: row for row in rows if row.side is not None}


def create(match: Match, by: Actor, now: datetime, **fields: Any) -> Claim:
    """Store a report."""
    return Claim.objects.create(match=match, by=by.kind, user=by.user, created_at=now, **fields)


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


def seen_before(match: Match, side: int | None, winner: int, score: tuple[int, int], key: str) -> Claim | None:
    """The report that came with this key. Refused: `key_reused` where that was another one."""
    seen = match.claims.filter(key=key).first() if key else None
    if seen is not None and (seen.side, seen.winner, seen.score) != (side, winner, score):
        raise Refused("key_reused")
    return seen


def _answered_before(match: Match, claimant: int, key: str) -> Claim | None:
    return match.claims.filter(side=claimant, answer_key=key).first() if key else None


def _claim_to_answer(match: Match, claimant: int, after: int | None) -> Claim:
    refuse_stale(match, after)
    refuse_settled_or_disputed(match)
    found = match.claims.filter(side=claimant, state=State.OPEN).select_related("submission").first()
    if found is None:
        raise Refused("nothing_claimed")
    return found
