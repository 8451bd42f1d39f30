"""Records of a match: sent in by its players, named where names do not tell, accepted by a director."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import transaction

from core.queue import hint
from engine.errors import Refused
from engine.records import from_data
from engine.version import VERSION
from matches.lifecycle.finish import append_result, check_result
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.lifecycle.own_match import check_own_match
from matches.models import Match, Result, Submission
from matches.records.names import is_swapped, known_names
from matches.records.services import submissions
from matches.records.services.submissions import Submitted
from matches.reporting.services import outcomes as report_outcomes
from matches.reporting.services import proofs
from matches.reporting.services.proofs import Evidence, Fault, Standing
from players.actors import Actor, log
from players.models import User
from players.people.services import remember_alias

SETTLE_RECORD = "matches.settle_record"
"""The task that a hint names."""
FindingName = tuple[str, int | None, int | None]
"""Code, game, ply."""


class Ending(NamedTuple):
    """How a match ends by ruling."""

    winner: int | None
    score: tuple[int, int] | None
    kind: str


def submit_for_match(
    *,
    match: Match,
    side: int | None,
    data: bytes,
    source: str,
    by: Actor,
    now: datetime,
    file_name: str = "",
    submitter: User | None = None,
    key: str = "",
    after: int | None = None,
) -> Submitted:
    """Send in the record of a match; what it proves is decided once it is checked.

    A record that is in already is looked at again: what stood in its way may be gone.
    `side` is that of the sender, None for a director. Refused: `match_void`, `stale`, and what `submissions.submit`
    refuses.
    """
    with transaction.atomic():
        row = lock_match(match.pk)
        if row.state == Match.State.VOID:
            raise Refused("match_void")
        refuse_stale(row, after)
        submitted = submissions.submit(
            data=data,
            file_name=file_name,
            source=source,
            submitter=submitter,
            key=key if submitter is not None else "",
            now=now,
            match=row,
            side=side,
        )
        record = submitted.submission
        if submitted.created:
            log(by, "record_sent", row.topic, club=row.club, side=side, record=record.public_id)
        elif not _look_again(record, now):
            return submitted
        if side is not None:
            report_outcomes.note_seen(row, side, now)
        changed(row)
    return submitted


def say_who(
    *, submission: Submission, swapped: bool, side: int, by: Actor, now: datetime, after: int | None = None
) -> Submission:
    """Tell which of the record's players is which; asked once, since the names are remembered.

    Only the side that sent the record is asked. Refused: `stale`, `names_not_asked`, `names_ask_other`.
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
    proofs.apply_verdict(submission_id=row.pk, now=now)
    row.refresh_from_db(fields=["standing", "refusal", "swapped"])
    return row


def faults_of(submission: Submission, *, swapped: bool | None = None) -> list[Fault]:
    """Everything a director must name and waive to accept a record: each error, and what does not fit the match.

    Refused: `record_unchecked`, `no_transcript`, `record_names`.
    """
    match = _match_of(submission)
    evidence = _evidence(match, submission, swapped)
    errors = [
        Fault(finding["code"], finding["params"], finding["game"], finding["ply"])
        for finding in evidence.content["findings"]
        if finding["severity"] == "error"
    ]
    others = [*proofs.faults_before_names(match, evidence.content), *proofs.faults_of_start(match, evidence)]
    return [*errors, *(fault for fault in others if fault.code != "record_rejected")]


def accept_by_ruling(
    *,
    submission: Submission,
    waived: Iterable[FindingName],
    by: Actor,
    now: datetime,
    after: int | None = None,
    swapped: bool | None = None,
    winner: int | None = None,
    score: tuple[int, int] | None = None,
    reason: str = "",
) -> Result:
    """Let a record stand that does not by itself, naming each finding that is waived.

    `winner` and `score` are needed where the record comes to no end; it is then a ruling, as it is where the score does
    not fit the match.
    Refused: `stale`, `findings_not_waived`, and what `check_own_match`, `faults_of` and `append_result` refuse.
    """
    named = [tuple(name) for name in waived]
    with transaction.atomic():
        match = lock_match(_match_of(submission).pk)
        refuse_stale(match, after)
        own_match = check_own_match(match, by, reason)
        row = match.submissions.defer("data").get(pk=submission.pk)
        evidence = _evidence(match, row, swapped)
        missing = [fault.name for fault in faults_of(row, swapped=evidence.swapped) if fault.name not in named]
        if missing:
            raise Refused("findings_not_waived", count=len(missing), missing=[list(name) for name in missing])
        ended = _ending(match, evidence) if winner is None else Ending(winner, score, Result.Kind.RULING)
        row.standing, row.swapped, row.refusal = Standing.STANDS, evidence.swapped, None
        row.save(update_fields=["standing", "swapped", "refusal"])
        return append_result(
            match,
            winner=ended.winner,
            score=ended.score,
            kind=ended.kind,
            source=Result.Source.RECORD,
            by=by,
            now=now,
            submission=row,
            waived=named,
            reason=reason,
            own_match=own_match,
        )


def _ending(match: Match, evidence: Evidence) -> Ending:
    """How the match ended: as the record has it if a match can end so, else by ruling."""
    try:
        check_result(
            length=match.length,
            start=match.start_score,
            winner=evidence.winner,
            score=evidence.score,
            kind=evidence.kind,
        )
    except Refused:
        if evidence.winner is None:
            raise
        return Ending(evidence.winner, evidence.score, Result.Kind.RULING)
    return Ending(evidence.winner, evidence.score, evidence.kind)


def _match_of(submission: Submission) -> Match:
    if submission.match is None:
        raise Refused("record_of_no_match")
    return submission.match


def _evidence(match: Match, row: Submission, swapped: bool | None) -> Evidence:
    if row.is_open:
        raise Refused("record_unchecked")
    if row.transcript is None:
        raise Refused("no_transcript")
    transcript = from_data(row.transcript)
    known = next((known for known in (swapped, row.swapped) if known is not None), None)
    if known is None:
        known = is_swapped(transcript.players, known_names(match))
    if known is None:
        raise Refused("record_names")
    return Evidence(row.verdicts.latest("created_at", "pk").content, transcript, known)


def _remember_names(match: Match, names: tuple[str, str], swapped: bool, by: Actor) -> None:
    players = match.players[::-1] if swapped else match.players
    for name, player in zip(names, players, strict=True):
        if name.strip() and player.erased_at is None:
            remember_alias(player=player, name=name, by=by)


def _look_again(record: Submission, now: datetime) -> bool:
    """Have a refused record judged once more; whether there is anything to do."""
    if record.standing != Standing.REFUSED:
        return False
    record.standing, record.refusal = Standing.WAITING, None
    fields = ["standing", "refusal"]
    judged = record.state == Submission.State.DONE and record.verdicts.filter(engine_version=VERSION).exists()
    if not judged:
        record.state, record.attempts, record.claimed_at, record.failure = Submission.State.QUEUED, 0, None, ""
        record.sent_at = now
        fields += ["state", "attempts", "claimed_at", "failure", "sent_at"]
    record.save(update_fields=fields)
    task = SETTLE_RECORD if judged else submissions.ADJUDICATE
    transaction.on_commit(partial(hint, task, record.pk), robust=True)
    return True
