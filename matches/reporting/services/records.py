"""Records of a match: sending them, saying which player is which, and accepting them by ruling."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import transaction

from core.queue import hint
from engine.errors import Refused
from engine.records import from_data
from engine.version import VERSION
from matches.analysis.services.queue import enqueue_record
from matches.lifecycle import provisional
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result, check_result
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.lifecycle.own_match import check_own_match
from matches.models import Match, Result, Submission
from matches.records.names import is_swapped, known_names
from matches.records.services import submissions
from matches.records.services.submissions import RecordFile, Submitted
from matches.reporting.services import record_outcomes, report_outcomes
from matches.reporting.services.record_outcomes import CheckedRecord, Fault, Standing
from players.actors import Actor, log
from players.people.services import remember_alias

SETTLE_RECORD = "matches.settle_record"
"""Name of the Celery task that `hint` publishes."""
FindingName = tuple[str, int | None, int | None]
"""Code, game, ply."""


def submit_for_match(
    *,
    match: Match,
    side: int | None,
    file: RecordFile,
    by: Actor,
    now: datetime,
    key: str = "",
    after: int | None = None,
) -> Submitted:
    """Send the record of a match; what it means for the match is decided once it is checked.

    If the same record was refused before, it is judged again, since the reason may no longer apply.
    `side` is the sender's, None for a director. Refused: `match_void`, `match_live`, `stale`, and what
    `submissions.submit` refuses.
    """
    with transaction.atomic():
        row = lock_match(match.pk)
        if row.state == Match.State.VOID:
            raise Refused("match_void")
        if row.state == Match.State.LIVE:
            raise Refused("match_live")
        refuse_stale(row, after)
        submitted = submissions.submit(
            file=file,
            submitter=by.user,
            key=key if by.user is not None else "",
            now=now,
            match=row,
            side=side,
        )
        record = submitted.submission
        if submitted.created:
            log(by, "record_sent", row.topic, club=row.club, side=side, record=record.public_id)
        elif not _queue_again(record, now):
            return submitted
        if side is not None:
            report_outcomes.start_waiting_time(row, side, now)
            provisional.note_told(row, side, now)
        changed(row)
    return submitted


def identify_players(
    *, submission: Submission, swapped: bool, side: int, by: Actor, now: datetime, after: int | None = None
) -> Submission:
    """Say which of the record's players is which; the names are remembered as aliases.

    Only the side that sent the record may do so. Refused: `stale`, `names_not_asked`, `names_ask_other`.
    """
    if submission.match is None:
        raise Refused("names_not_asked")
    with transaction.atomic():
        match = lock_match(submission.match.pk)
        refuse_stale(match, after)
        row = match.submissions.defer("data").get(pk=submission.pk)
        if row.standing != Standing.NAMES or row.transcript is None:
            raise Refused("names_not_asked")
        if row.side != side:
            raise Refused("names_ask_other")
        row.swapped, row.standing = swapped, Standing.WAITING
        row.save(update_fields=["swapped", "standing"])
        log(by, "record_names_told", match.topic, club=match.club, record=row.public_id, swapped=swapped)
        _remember_names(match, from_data(row.transcript).players, swapped, by)
    record_outcomes.apply_verdict(submission_id=row.pk, now=now)
    row.refresh_from_db(fields=["standing", "refusal", "swapped"])
    return row


def faults_of(submission: Submission, *, swapped: bool | None = None) -> list[Fault]:
    """Every fault a director must waive by name to accept a record: each error, and what does not fit the match.

    Refused: `record_unchecked`, `no_transcript`, `record_names`.
    """
    match = _match_of(submission)
    checked = _checked_record(match, submission, swapped)
    errors = [
        Fault(finding["code"], finding["params"], finding["game"], finding["ply"])
        for finding in checked.content["findings"]
        if finding["severity"] == "error"
    ]
    others = [
        *record_outcomes.faults_of_record(match, checked.content),
        *record_outcomes.faults_of_start(match, checked),
    ]
    return [*errors, *(fault for fault in others if fault.code != "record_rejected")]


class RecordRuling(NamedTuple):
    """A director's ruling that a rejected record counts."""

    waived: Sequence[FindingName] = ()
    """Every finding that speaks against the record, named one by one."""
    swapped: bool | None = None
    """Whether the record names the players in the other order; None: as their names say."""
    winner: int | None = None
    score: tuple[int, int] | None = None
    """The winner and the score are required if the record is incomplete."""
    reason: str = ""


def accept_by_ruling(
    *,
    submission: Submission,
    ruling: RecordRuling,
    by: Actor,
    now: datetime,
    after: int | None = None,
    announced_by: Announced = Announced.HERE,
) -> Result:
    """Accept a record that was refused, naming each finding that is waived.

    The result of an incomplete record is a ruling, as it is when the score does not fit the match. `announced_by` as
    in `append_result`.
    Refused: `stale`, `findings_not_waived`, and what `check_own_match`, `faults_of` and `append_result` refuse.
    """
    waived = [tuple(name) for name in ruling.waived]
    with transaction.atomic():
        match = lock_match(_match_of(submission).pk)
        refuse_stale(match, after)
        own_match = check_own_match(match, by, ruling.reason)
        row = match.submissions.defer("data").get(pk=submission.pk)
        checked = _checked_record(match, row, ruling.swapped)
        missing = [fault.name for fault in faults_of(row, swapped=checked.swapped) if fault.name not in waived]
        if missing:
            raise Refused("findings_not_waived", count=len(missing), missing=[list(name) for name in missing])
        if ruling.winner is None:
            outcome = _outcome(match, checked)
        else:
            outcome = ResultInput(ruling.winner, ruling.score, Result.Kind.RULING)
        row.standing, row.swapped, row.refusal = Standing.STANDS, checked.swapped, None
        row.save(update_fields=["standing", "swapped", "refusal"])
        enqueue_record(submission=row, swapped=checked.swapped, now=now)
        basis = Basis(Result.Source.RECORD, row, waived, ruling.reason, own_match)
        return append_result(match, outcome, basis, by=by, now=now, announced_by=announced_by)


def _outcome(match: Match, checked: CheckedRecord) -> ResultInput:
    """How the match ended: as in the record if that is a possible result, otherwise by ruling."""
    try:
        check_result(
            length=match.length,
            start=match.start_score,
            winner=checked.winner,
            score=checked.score,
            kind=checked.kind,
        )
    except Refused:
        if checked.winner is None:
            raise
        return replace(checked.outcome, kind=Result.Kind.RULING)
    return checked.outcome


def _match_of(submission: Submission) -> Match:
    if submission.match is None:
        raise Refused("record_of_no_match")
    return submission.match


def _checked_record(match: Match, row: Submission, swapped: bool | None) -> CheckedRecord:
    if row.is_open:
        raise Refused("record_unchecked")
    if row.transcript is None:
        raise Refused("no_transcript")
    transcript = from_data(row.transcript)
    if swapped is None:
        swapped = row.swapped
    if swapped is None:
        swapped = is_swapped(transcript.players, known_names(match))
    if swapped is None:
        raise Refused("record_names")
    return CheckedRecord(row.verdicts.latest("created_at", "pk").content, transcript, swapped)


def _remember_names(match: Match, names: tuple[str, str], swapped: bool, by: Actor) -> None:
    players = match.players[::-1] if swapped else match.players
    for name, player in zip(names, players, strict=True):
        if name.strip() and player.erased_at is None:
            remember_alias(player=player, name=name, by=by)


def _queue_again(record: Submission, now: datetime) -> bool:
    """Have a refused record judged again; return False if it was not refused."""
    if record.standing != Standing.REFUSED:
        return False
    record.standing, record.refusal = Standing.WAITING, None
    fields = ["standing", "refusal"]
    has_verdict = record.state == Submission.State.DONE and record.verdicts.filter(engine_version=VERSION).exists()
    if not has_verdict:
        record.state, record.attempts, record.claimed_at, record.failure = Submission.State.QUEUED, 0, None, ""
        record.sent_at = now
        fields += ["state", "attempts", "claimed_at", "failure", "sent_at"]
    record.save(update_fields=fields)
    task = SETTLE_RECORD if has_verdict else submissions.ADJUDICATE
    transaction.on_commit(partial(hint, task, record.pk), robust=True)
    return True
