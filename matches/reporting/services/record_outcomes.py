"""What a checked record means for its match: it becomes its sender's report, or it is refused with a reason.

A record proves that the plays are legal, not that the match was played, so it counts as its sender's report. It stands
if the loser sends it, if both players' records agree, or if a director sends or confirms it; otherwise it waits for the
other player. A match may let records stand at once (`Match.records_stand`), unless their ending is only stated.
In a dispute a record is kept for the director, who may accept it (`records.accept_by_ruling`).
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from engine.errors import Refused
from engine.records import from_data
from engine.transcript import Transcript
from matches.analysis.services.queue import enqueue_record
from matches.lifecycle.finish import Basis, ResultInput, append_result, same_outcome, standing_result
from matches.lifecycle.locks import changed, lock_match
from matches.models import Match, Result, Submission
from matches.records.names import is_swapped, known_names
from matches.reporting.services import report_outcomes, reports
from players.actors import SYSTEM, Actor, log

Standing = Submission.Standing
WITHOUT_RECORD = (Result.Source.CLAIM, Result.Source.DIRECTOR)
"""Sources of a result to which a record with the same outcome is added later."""
UNMOVED = "side_never_moved"
"""The finding of a record in which one side has no play."""
KIND_OF_LAST_GAME = {"concession": Result.Kind.CONCESSION, "flag": Result.Kind.FLAG}
"""How a match ended, by how its last game ended; after any other ending it was played out."""


class CheckedRecord(NamedTuple):
    """A record with its verdict; the properties are in terms of the sides of its match."""

    content: Mapping[str, Any]
    """Of the verdict."""
    transcript: Transcript
    swapped: bool

    @property
    def winner(self) -> int | None:
        """The side that won the match."""
        winner = self.content["winner"]
        return None if winner is None else winner ^ self.swapped

    @property
    def score(self) -> tuple[int, int]:
        """Points won, including those beyond the match length."""
        return self._by_side(self.content["score"])

    @property
    def start(self) -> tuple[int, int]:
        """The score the record begins with."""
        return self._by_side(self.content["start"])

    @property
    def kind(self) -> Result.Kind:
        """How the match ended."""
        games = self.content["games"]
        return KIND_OF_LAST_GAME.get(games[-1]["kind"], Result.Kind.PLAYED) if games else Result.Kind.PLAYED

    @property
    def outcome(self) -> ResultInput:
        """The result that the record shows."""
        return ResultInput(self.winner, self.score, self.kind)

    def _by_side(self, pair: tuple[int, int] | list[int]) -> tuple[int, int]:
        left, right = pair
        return (right, left) if self.swapped else (left, right)


class Fault(NamedTuple):
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
    if faults := faults_of_record(match, content):
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
    _check_match_state(match, checked)
    enqueue_record(submission=row, swapped=row.swapped, now=now)
    if row.side is not None and match.state != Match.State.SETTLED:
        _report(match, row, row.side, checked, now)
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
    report_outcomes.apply_report(match, report, other, by=by, now=now, rests_on_words=rests_on_words)


def _check_match_state(match: Match, checked: CheckedRecord) -> None:
    """Refused: `match_void`, `record_disputed`, `record_proven`, `record_contradicts`."""
    if match.state == Match.State.DISPUTED:
        raise Refused("record_disputed")
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    result = standing_result(match)
    if result is None:
        return
    same = same_outcome(match.length, result.winner, result.score, checked.winner, checked.score)
    if not same or result.kind not in (Result.Kind.PLAYED, *KIND_OF_LAST_GAME.values()):
        left, right = checked.score
        raise Refused("record_contradicts", left=left, right=right)
    if result.source not in WITHOUT_RECORD or result.submission_id is not None:
        raise Refused("record_proven")


def faults_of_record(match: Match, content: Mapping[str, Any]) -> list[Fault]:
    """Faults that do not depend on which player is which: the length of the match, then the verdict."""
    faults = []
    length = content["length"]
    if length == 0:
        faults.append(Fault("record_money", {"length": match.length}))
    elif length != match.length:
        faults.append(Fault("record_length", {"length": match.length, "stated": length or "?"}))
    errors = [finding for finding in content["findings"] if finding["severity"] == "error"]
    if errors:
        faults.append(Fault("record_rejected", {"count": len(errors)}))
    elif any(finding["code"] == UNMOVED for finding in content["findings"]):
        faults.append(Fault("record_unmoved", {}))
    elif content["outcome"] == "incomplete" or content["winner"] is None:
        left, right = content["score"]
        faults.append(Fault("record_incomplete", {"left": left, "right": right}))
    return faults


def faults_of_start(match: Match, checked: CheckedRecord) -> list[Fault]:
    """Faults that show once it is known which player is which: the start score and the Crawford rule."""
    faults = []
    if checked.start != match.start_score:
        left, right = match.start_score
        stated = "{}–{}".format(*checked.start)
        faults.append(Fault("record_start", {"left": left, "right": right, "stated": stated}))
    reached_crawford = any(match.length - 1 in game["start"] for game in checked.content["games"])
    if match.length > 1 and reached_crawford and checked.transcript.crawford_rule != match.crawford:
        faults.append(Fault("record_crawford", {}))
    return faults
