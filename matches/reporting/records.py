"""Records of a match: sending them, checking them, and what their verdicts mean for the match."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction

from core.queue import hint
from engine.errors import Refused
from engine.records import from_data
from engine.transcript import Transcript
from engine.verdict import Outcome
from engine.version import VERSION
from matches.analysis.queue import enqueue_record
from matches.lifecycle import provisional
from matches.lifecycle.finish import (
    Announced,
    Basis,
    ResultInput,
    append_result,
    check_result,
    same_outcome,
    standing_result,
)
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.lifecycle.own_match import check_own_match
from matches.models import Match, Result, Submission, Verdict
from matches.records import submissions
from matches.records.comparison import first_difference
from matches.records.names import is_swapped, known_names
from matches.records.repeats import REPEATS, matches_repeated
from matches.records.submissions import RecordFile, Submitted
from matches.reporting import reports
from players.actors import SYSTEM, Actor, log
from players.people.services import remember_alias

# What a checked record means for its match: it becomes its sender's report, or it is refused with a reason.
#
# A record proves that the plays are legal, not that the match was played, so it counts as its sender's report. It
# stands if the loser sends it, if both players' records agree, or if a director sends or confirms it; otherwise it
# waits for the other player. A match may let records stand at once (`Match.records_stand`), unless their ending is
# only stated. In a dispute a record is kept for the director, who may accept it (`records.accept_by_ruling`).


Standing = Submission.Standing
WITHOUT_RECORD = (Result.Source.CLAIM, Result.Source.DIRECTOR)
"""Sources of a result to which a record with the same outcome is added later."""
NOTES = frozenset({"already_uploaded", "record_differs", "record_proven"})
"""Why a record is not that of the result although it agrees with it: another one is."""
UNMOVED = "side_never_moved"
"""The finding of a record in which one side has no play."""
KIND_OF_LAST_GAME = {"concession": Result.Kind.CONCESSION, "flag": Result.Kind.FLAG}
"""How a match ended, by how its last game ended; after any other ending it was played out."""
PLAYED = (Result.Kind.PLAYED, *KIND_OF_LAST_GAME.values())
"""How a match ended that was played; a record can show no other."""


class CheckedRecord(NamedTuple):
    """A record with its verdict; the properties are in terms of the sides of its match."""

    content: Mapping[str, Any]
    """Of the verdict."""
    transcript: Transcript
    swapped: bool

    @property
    def winner(self) -> int | None:
        winner = self.content["winner"]
        return None if winner is None else winner ^ self.swapped

    @property
    def score(self) -> tuple[int, int]:
        """Points won, including those beyond the match length."""
        return self._by_side(self.content["score"])

    @property
    def start(self) -> tuple[int, int]:
        return self._by_side(self.content["start"])

    @property
    def kind(self) -> Result.Kind:
        games = self.content["games"]
        return KIND_OF_LAST_GAME.get(games[-1]["kind"], Result.Kind.PLAYED) if games else Result.Kind.PLAYED

    @property
    def outcome(self) -> ResultInput:
        """The result that the record shows, as services take it."""
        return ResultInput(self.winner, self.score, self.kind)

    def _by_side(self, pair: tuple[int, int] | list[int]) -> tuple[int, int]:
        left, right = pair
        return (right, left) if self.swapped else (left, right)


class RecordFault(NamedTuple):
    """One reason why a record is not accepted as the result; a director may waive it by name."""

    code: str
    params: Mapping[str, Any]
    game: int | None = None
    ply: int | None = None

    @property
    def name(self) -> tuple[str, int | None, int | None]:
        """How a ruling refers to it."""
        return self.code, self.game, self.ply


def apply_verdict(*, submission_id: int, now: datetime) -> Submission | None:
    """Apply the verdict of a checked record to its match, once; None if there is nothing (more) to do.

    Safe to call at any time: the sweep calls it for records that a crash left behind.
    """
    waiting = Submission.objects.filter(pk=submission_id, standing=Standing.WAITING).values("match_id").first()
    if waiting is None or waiting["match_id"] is None:
        return None
    with transaction.atomic():
        match = lock_match(waiting["match_id"])
        row = match.submissions.filter(pk=submission_id, standing=Standing.WAITING).defer("data").first()
        if row is None or row.is_open:
            return None
        try:
            _apply(match, row, now)
        except Refused as refused:
            row.standing = Standing.REFUSED
            row.refusal = {"code": refused.code, "params": refused.params}
            row.save(update_fields=["standing", "swapped", "refusal"])
            log(sender(row), "record_refused", match.topic, club=match.club, record=row.public_id, code=refused.code)
            changed(match)
        row.refresh_from_db(fields=["standing", "swapped", "refusal"])
    return row


def sender(row: Submission) -> Actor:
    """Who sent a record: a user, the holder of a personal link, or the system."""
    if row.submitter is not None:
        return Actor.of(row.submitter)
    return SYSTEM if row.side is None else Actor.link(row.side)


def _apply(match: Match, row: Submission, now: datetime) -> None:
    """Store what the record shows as a report, or as the result. Refused if it shows no result."""
    if row.state == Submission.State.FAILED:
        raise Refused(row.failure)
    if row.transcript is None:
        raise Refused("record_unreadable")
    content = row.verdicts.latest("created_at", "pk").content
    transcript = from_data(row.transcript)
    if faults := faults_of_record(match, content) + faults_of_plays(row, lock=True):
        raise Refused(faults[0].code, **faults[0].params)
    if row.swapped is None:
        row.swapped = is_swapped(transcript.players, known_names(match))
    if row.swapped is None:
        row.standing = Standing.NAMES
        row.save(update_fields=["standing"])
        changed(match)
        return
    checked = CheckedRecord(content, transcript, row.swapped)
    if faults := faults_of_start(match, checked):
        raise Refused(faults[0].code, **faults[0].params)
    accepted = _check_match_state(match, checked)
    comparison = _compared(row, accepted or _reported_record(match, row), transcript)
    if comparison is None or comparison.code == "record_differs":
        enqueue_record(submission=row, swapped=row.swapped, now=now)
    if accepted is not None:
        raise comparison or Refused("record_proven")
    if row.side is not None and match.state != Match.State.SETTLED:
        _report(match, row, row.side, checked, now)
        _note_comparison(row, comparison)
        return
    row.standing, row.refusal = Standing.STANDS, None
    row.save(update_fields=["standing", "swapped", "refusal"])
    append_result(match, checked.outcome, Basis(Result.Source.RECORD, row), by=sender(row), now=now)


def _report(match: Match, row: Submission, side: int, checked: CheckedRecord, now: datetime) -> None:
    """Store the record as its sender's report. It keeps the waiting time of an earlier report with the same outcome."""
    row.standing, row.refusal = Standing.REPORT, None
    row.save(update_fields=["standing", "swapped", "refusal"])
    open_reports = reports.open_reports(match)
    own, by = open_reports.get(side), sender(row)
    earlier_times = None
    if own is not None:
        if same_outcome(match.length, own.winner, own.score, checked.winner, checked.score):
            earlier_times = own.seen_at, own.stands_at, own.emailed_at
        reports.close_as_withdrawn(match, own, now)
    assert checked.winner is not None  # noqa: S101, an incomplete record was refused before
    score = reports.ScoreReport(checked.winner, checked.score)
    report = reports.create_report(match, score, by, now, side=side, kind=checked.kind, submission=row)
    if earlier_times is not None:
        report.seen_at, report.stands_at, report.emailed_at = earlier_times
        report.save(update_fields=["seen_at", "stands_at", "emailed_at"])
    log(by, "record_reported", match.topic, club=match.club, side=side, record=row.public_id, winner=checked.winner)
    rests_on_words = checked.content.get("rests_on_words", True)
    other = open_reports.get(1 - side)
    reports.apply_report(match, report, other, by=by, now=now, rests_on_words=rests_on_words)


def _reported_record(match: Match, row: Submission) -> Submission | None:
    """The record by which the other side has reported the result, which waits for an answer."""
    if row.side is None:
        return None
    report = reports.open_reports(match).get(1 - row.side)
    return report.submission if report is not None else None


def _compared(row: Submission, earlier: Submission | None, transcript: Transcript) -> Refused | None:
    """How a record compares with an earlier one: `record_differs`; the same: `already_uploaded` or `record_proven`."""
    if earlier is None or earlier.transcript is None:
        return None
    turned = bool(row.swapped) != bool(earlier.swapped)
    difference = first_difference(transcript, from_data(earlier.transcript), turned=turned)
    if difference is not None:
        return Refused("record_differs", game=difference.game, ply=difference.ply)
    return Refused("already_uploaded" if is_from_opponent(earlier, row.side) else "record_proven")


def is_from_opponent(record: Submission, side: int | None) -> bool:
    return side is not None and record.side == 1 - side


def _note_comparison(row: Submission, comparison: Refused | None) -> None:
    """Say of a record that has only confirmed another one how they compare."""
    if comparison is None:
        return
    row.refresh_from_db(fields=["standing"])
    if row.standing == Standing.REFUSED:
        row.refusal = {"code": comparison.code, "params": comparison.params}
        row.save(update_fields=["refusal"])


def _check_match_state(match: Match, checked: CheckedRecord) -> Submission | None:
    """Return the record of the result that stands, with which this one agrees; None without one.

    Refused: `match_void`, `record_disputed`, `record_proven`, `record_contradicts`.
    """
    if match.state == Match.State.DISPUTED:
        raise Refused("record_disputed")
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    result = standing_result(match)
    if result is None:
        return None
    same = same_outcome(match.length, result.winner, result.score, checked.winner, checked.score)
    if not same or result.kind not in PLAYED:
        left, right = checked.score
        raise Refused("record_contradicts", left=left, right=right)
    if result.submission_id is None and not lacks_record(result):
        raise Refused("record_proven")
    return match.submissions.defer("data").get(pk=result.submission_id) if result.submission_id is not None else None


def lacks_record(result: Result) -> bool:
    """Whether a match was played for this result, and neither a record nor our board shows how."""
    return result.submission_id is None and result.source in WITHOUT_RECORD and result.kind in PLAYED


def faults_of_record(match: Match, content: Mapping[str, Any]) -> list[RecordFault]:
    """The faults of the record itself, whoever its players are: the length of the match, then the verdict."""
    faults = []
    length = content["length"]
    if length == 0:
        faults.append(RecordFault("record_money", {"length": match.length}))
    elif length != match.length:
        faults.append(RecordFault("record_length", {"length": match.length, "stated": length or "?"}))
    errors = [finding for finding in content["findings"] if finding["severity"] == "error"]
    if errors:
        faults.append(RecordFault("record_rejected", {"count": len(errors)}))
    elif any(finding["code"] == UNMOVED for finding in content["findings"]):
        faults.append(RecordFault("record_unmoved", {}))
    elif content["outcome"] == "incomplete" or content["winner"] is None:
        left, right = content["score"]
        faults.append(RecordFault("record_incomplete", {"left": left, "right": right}))
    return faults


def faults_of_plays(row: Submission, *, lock: bool = False) -> list[RecordFault]:
    """The fault of a record whose plays already stand for another match."""
    return [RecordFault(REPEATS, {})] if matches_repeated(row, lock=lock).exists() else []


def faults_of_start(match: Match, checked: CheckedRecord) -> list[RecordFault]:
    """Faults that show once it is known which player is which: the start score and the Crawford rule."""
    faults = []
    if checked.start != match.start_score:
        left, right = match.start_score
        stated = "{}–{}".format(*checked.start)
        faults.append(RecordFault("record_start", {"left": left, "right": right, "stated": stated}))
    reached_crawford = any(match.length - 1 in game["start"] for game in checked.content["games"])
    if match.length > 1 and reached_crawford and checked.transcript.crawford_rule != match.crawford:
        faults.append(RecordFault("record_crawford", {}))
    return faults


# Records of a match: sending them, saying which player is which, and accepting them by ruling.


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
        refuse_stale(row, after)
        reports.close_invitation(row, now)
        if row.state == Match.State.LIVE:
            raise Refused("match_live")
        submitted = submissions.submit(
            file=file,
            submitter=by.user,
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
            reports.start_waiting_time(row, side, now)
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
    apply_verdict(submission_id=row.pk, now=now)
    row.refresh_from_db(fields=["standing", "refusal", "swapped"])
    return row


def faults_of(submission: Submission, *, swapped: bool | None = None) -> list[RecordFault]:
    """Every fault a director must waive by name to accept a record: each error, and what does not fit the match.

    Refused: `record_unchecked`, `no_transcript`, `record_names`.
    """
    match = _match_of(submission)
    checked = _checked_record(match, submission, swapped)
    errors = [
        RecordFault(finding["code"], finding["params"], finding["game"], finding["ply"])
        for finding in checked.content["findings"]
        if finding["severity"] == "error"
    ]
    others = [
        *faults_of_record(match, checked.content),
        *faults_of_plays(submission),
        *faults_of_start(match, checked),
    ]
    return [*errors, *(fault for fault in others if fault.code != "record_rejected")]


class RecordRuling(NamedTuple):
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


# Adjudicating a record and applying its verdict to the match.


ACCEPTED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)


def adjudicate_submission(*, submission_id: int, now: datetime) -> Verdict | None:
    """Write the verdict of a record and apply it to its match, if any; None if there was nothing left to do."""
    verdict = submissions.write_verdict(submission_id=submission_id, now=now, then=partial(_have_analysed, now=now))
    if verdict is not None:
        apply_verdict(submission_id=submission_id, now=now)
    return verdict


def _have_analysed(verdict: Verdict, *, now: datetime) -> None:
    """Enqueue the analysis of an accepted record without a match; `apply_verdict` does so for the others."""
    if verdict.submission.match_id is None and verdict.outcome in ACCEPTED:
        enqueue_record(submission=verdict.submission, swapped=False, now=now)
