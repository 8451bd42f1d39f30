"""What a player's report leads to: it waits, it stands, or it opens a dispute. The caller has locked the match."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from matches.lifecycle.begun import derive_begun, note_beginning
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result, same_outcome
from matches.lifecycle.locks import changed, lock_match_if_free
from matches.models import Claim, Match, Result, Submission
from matches.reporting.services import notifications
from players.actors import SYSTEM, Actor, log
from players.models import LogEntry

State = Claim.State


def apply_report(
    match: Match, report: Claim, other: Claim | None, *, by: Actor, now: datetime, rests_on_words: bool = True
) -> None:
    """Carry out what a new signed report leads to, given the open report of the other side if there is one.

    `rests_on_words`: whether the ending is only stated, by the player or by the record they sent.
    """
    close_sheet_reports(match, now)
    is_proven = report.submission_id is not None and not rests_on_words
    if other is not None and not reports_agree(match, other, report):
        open_dispute(match, [other, report], now)
    elif other is not None:
        accept_report(match, other if other.submission_id is not None else report, by=by, now=now)
    elif is_proven and (report.is_own_loss or match.records_stand):
        accept_report(match, report, by=by, now=now, unanswered=not report.is_own_loss)
    elif report.is_own_loss:
        _keep_pending(match, report, by, now)
    else:
        _mark_claimed(match, report)
        notifications.notify_respondent(match, report)
    if match.state != Match.State.CLAIMED:
        # The result or the dispute has changed the stored report, but not this object.
        report.refresh_from_db()


def reports_agree(match: Match, report: Claim, other: Claim) -> bool:
    """Whether two reports of a match state the same winner and score."""
    return same_outcome(match.length, report.winner, report.score, other.winner, other.score)


def _mark_claimed(match: Match, report: Claim) -> None:
    """Save that a new report waits for an answer."""
    match.state = Match.State.CLAIMED
    note_beginning(match, report.created_at)
    changed(match, "state", "begun_at")


def open_dispute(match: Match, claims: list[Claim], now: datetime) -> None:
    """Freeze the match until one side concedes or a director rules."""
    for contested in claims:
        contested.state, contested.answered_at = State.CONTESTED, now
        contested.save(update_fields=["state", "answered_at", "answer_key", "answer_note"])
    match.state = Match.State.DISPUTED
    derive_begun(match)
    changed(match, "state", "begun_at")


def accept_report(
    match: Match,
    report: Claim,
    *,
    by: Actor,
    now: datetime,
    unanswered: bool = False,
    earlier: Sequence[Result] | None = None,
    announced_by: Announced = Announced.HERE,
) -> Result:
    """Make a report the result that stands, with its record if one was sent.

    `unanswered`: the other side has not answered, so they may object. `earlier` and `announced_by` as in
    `append_result`.
    """
    if unanswered:
        report.stood_unanswered = True
        report.save(update_fields=["stood_unanswered"])
    record = report.submission
    if record is not None:
        record.standing, record.refusal = Submission.Standing.STANDS, None
        record.save(update_fields=["standing", "refusal"])
    source = Result.Source.CLAIM if record is None else Result.Source.RECORD
    outcome = ResultInput(report.winner, report.score, report.kind)
    was_silent = unanswered and report.stands_at is not None and report.stands_at <= now
    basis = Basis(source, record, was_silent=was_silent)
    return append_result(match, outcome, basis, by=by, now=now, earlier=earlier, announced_by=announced_by)


def accept_unanswered(*, claim_id: int, now: datetime) -> Result | None:
    """Accept a report whose waiting time has run out; None if it was answered, or a record is still being checked."""
    claim = Claim.objects.filter(pk=claim_id).first()
    if claim is None:
        return None
    with transaction.atomic():
        locked = lock_match_if_free(claim.match_id)
        due = None if locked is None else _due_report(locked, claim_id, now)
        if locked is None or due is None:
            return None
        log(SYSTEM, "claim_unanswered", locked.topic, club=locked.club, claim=due.public_id)
        by = Actor(LogEntry.By(due.by), due.user, due.side) if due.is_own_loss else SYSTEM
        return accept_report(locked, due, by=by, now=now, unanswered=not due.is_own_loss)


def _due_report(match: Match, claim_id: int, now: datetime) -> Claim | None:
    rows = match.claims.filter(pk=claim_id, state=State.OPEN, side__isnull=False, stands_at__lte=now)
    due = rows.select_related("submission", "user").first()
    if due is None or match.state != Match.State.CLAIMED:
        return None
    # A record that arrived in time takes precedence, however long checking it takes.
    waiting = match.submissions.filter(standing=Submission.Standing.WAITING, created_at__lte=due.stands_at)
    return None if waiting.exists() else due


def start_waiting_time(match: Match, side: int, now: datetime) -> bool:
    """Start the waiting time of the other side's report, because this side has acted; return whether it started now.

    Opening a page does not count: mail scanners and link previews open pages, too.
    """
    report = match.claims.filter(side=1 - side, winner=1 - side, state=State.OPEN, seen_at__isnull=True).first()
    if report is None:
        return False
    report.seen_at, report.stands_at = now, now + timedelta(seconds=match.claim_wait)
    report.save(update_fields=["seen_at", "stands_at"])
    return True


def close_sheet_reports(match: Match, now: datetime) -> None:
    """Close the open reports from the score sheet, which a signed report overrules."""
    match.claims.filter(side=None, state=State.OPEN).update(state=State.OVERRULED, answered_at=now)


def _keep_pending(match: Match, report: Claim, by: Actor, now: datetime) -> None:
    """Give the loser a moment to withdraw the report; if the setting allows none, accept it at once."""
    if not settings.OWN_LOSS_PENDING:
        accept_report(match, report, by=by, now=now)
        return
    report.stands_at = now + timedelta(seconds=settings.OWN_LOSS_PENDING)
    report.save(update_fields=["stands_at"])
    _mark_claimed(match, report)
