"""What a player's report leads to: it waits, it stands, or it makes a dispute. Callers hold the lock on the match."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import append_result, same_outcome
from matches.lifecycle.locks import changed, lock_match_if_free
from matches.models import Claim, Match, Result, Submission
from matches.reporting.services import notices
from players.actors import SYSTEM, Actor, log
from players.models import LogEntry

State = Claim.State


def follow(
    match: Match, report: Claim, other: Claim | None, *, by: Actor, now: datetime, rests_on_words: bool = True
) -> None:
    """Do what a new signed report leads to, beside the open report of the other side if there is one.

    `rests_on_words`: whether its ending is only stated, by the player or by the record they sent.
    """
    give_way(match, now)
    proven = report.submission_id is not None and not rests_on_words
    if other is not None and not agree(match, other, report):
        dispute(match, [other, report], now)
    elif other is not None:
        stand(match, other if other.submission_id is not None else report, by=by, now=now)
    elif proven and (report.is_own_loss or match.records_stand):
        stand(match, report, by=by, now=now, unanswered=not report.is_own_loss)
    elif report.is_own_loss:
        _wait_for_second_thoughts(match, report, by, now)
    else:
        wait(match)
        notices.report_made(match, report)
    report.refresh_from_db()


def agree(match: Match, one: Claim, other: Claim) -> bool:
    """Whether two reports of a match tell of the same winner and score."""
    return same_outcome(match.length, one.winner, one.score, other.winner, other.score)


def wait(match: Match) -> None:
    """Show that a report waits for an answer."""
    match.state = Match.State.CLAIMED
    derive_begun(match)
    changed(match, "state", "begun_at")


def dispute(match: Match, claims: list[Claim], now: datetime) -> None:
    """Freeze the match until one side concedes or a director rules."""
    for contested in claims:
        contested.state, contested.answered_at = State.CONTESTED, now
        contested.save(update_fields=["state", "answered_at", "answer_key", "answer_note"])
    match.state = Match.State.DISPUTED
    derive_begun(match)
    changed(match, "state", "begun_at")


def stand(match: Match, report: Claim, *, by: Actor, now: datetime, unanswered: bool = False) -> Result:
    """Let a report stand as the result; its record, if it has one, is the proof.

    `unanswered`: it stands against the other side without their word, so they may object.
    """
    if unanswered:
        report.stood_unanswered = True
        report.save(update_fields=["stood_unanswered"])
    record = report.submission
    if record is not None:
        record.standing, record.refusal = Submission.Standing.STANDS, None
        record.save(update_fields=["standing", "refusal"])
    return append_result(
        match,
        winner=report.winner,
        score=report.score,
        kind=report.kind,
        source=Result.Source.CLAIM if record is None else Result.Source.RECORD,
        by=by,
        now=now,
        submission=record,
    )


def stand_unanswered(*, claim_id: int, now: datetime) -> Result | None:
    """Let a report stand whose time has run out; None where it was answered, or waits for a record."""
    found = Claim.objects.filter(pk=claim_id).first()
    if found is None:
        return None
    with transaction.atomic():
        row = lock_match_if_free(found.match_id)
        due = None if row is None else _due(row, claim_id, now)
        if row is None or due is None:
            return None
        log(SYSTEM, "claim_unanswered", row.topic, club=row.club, claim=due.public_id)
        by = Actor(LogEntry.By(due.by), due.user, due.side) if due.is_own_loss else SYSTEM
        return stand(row, due, by=by, now=now, unanswered=not due.is_own_loss)


def _due(match: Match, claim_id: int, now: datetime) -> Claim | None:
    rows = match.claims.filter(pk=claim_id, state=State.OPEN, side__isnull=False, stands_at__lte=now)
    due = rows.select_related("submission", "user").first()
    if due is None or match.state != Match.State.CLAIMED:
        return None
    # A record that came in time is heard first, however long its check takes.
    waiting = match.submissions.filter(standing=Submission.Standing.WAITING, created_at__lte=due.stands_at)
    return None if waiting.exists() else due


def note_seen(match: Match, side: int, now: datetime) -> bool:
    """Start the waiting time of the other side's report, now that this side has acted; whether it started now.

    Opening a page is no act: mail scanners and link previews do that, too.
    """
    report = match.claims.filter(side=1 - side, winner=1 - side, state=State.OPEN, seen_at__isnull=True).first()
    if report is None:
        return False
    report.seen_at, report.stands_at = now, now + timedelta(seconds=match.claim_wait)
    report.save(update_fields=["seen_at", "stands_at"])
    return True


def give_way(match: Match, now: datetime) -> None:
    """Close the open reports from the score sheet: a signed report has come."""
    match.claims.filter(side=None, state=State.OPEN).update(state=State.OVERRULED, answered_at=now)


def _wait_for_second_thoughts(match: Match, report: Claim, by: Actor, now: datetime) -> None:
    """The loser may still take the report back for a moment; without such a moment it stands at once."""
    if not settings.OWN_LOSS_PENDING:
        stand(match, report, by=by, now=now)
        return
    report.stands_at = now + timedelta(seconds=settings.OWN_LOSS_PENDING)
    report.save(update_fields=["stands_at"])
    wait(match)
