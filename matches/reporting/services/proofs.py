"""What a checked record means for its match: a report with evidence, or why it counts for nothing.

A record proves that the play is legal, not that it was played, so it counts as its sender's report: it stands if the
loser sends it, if both players' records agree, or if a director sends or confirms it; else it waits for the other
player. A match may let records stand at once (`Match.records_stand`), except for what rests on their words alone.
In a dispute a record is kept as evidence, which a director may accept (`records.accept_by_ruling`).
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from engine.errors import Refused
from engine.records import from_data
from engine.transcript import Transcript
from matches.lifecycle.finish import append_result, same_outcome, standing_result
from matches.lifecycle.locks import changed, lock_match
from matches.models import Match, Result, Submission
from matches.records.names import is_swapped, known_names
from matches.reporting.services import claims
from matches.reporting.services import outcomes as report_outcomes
from players.actors import SYSTEM, Actor, log

Standing = Submission.Standing
UNPROVEN = (Result.Source.CLAIM, Result.Source.DIRECTOR)
"""Where a standing result of such a source is told again by a record, the record becomes its proof."""
UNMOVED = "side_never_moved"
"""The finding of a record that shows no play by one of its sides."""
GIVEN_UP = {"concession": Result.Kind.CONCESSION, "flag": Result.Kind.FLAG}
"""How a match ended whose last game ended so; any other was played."""


class Evidence(NamedTuple):
    """A record with its verdict, in the sides of its match."""

    content: Mapping[str, Any]
    transcript: Transcript
    swapped: bool

    @property
    def winner(self) -> int | None:
        """Who won the match."""
        winner = self.content["winner"]
        return None if winner is None else winner ^ self.swapped

    @property
    def score(self) -> tuple[int, int]:
        """Points really won."""
        return self.turned(self.content["score"])

    @property
    def start(self) -> tuple[int, int]:
        """The score the record begins with."""
        return self.turned(self.content["start"])

    @property
    def kind(self) -> Result.Kind:
        """How the match ended."""
        games = self.content["games"]
        return GIVEN_UP.get(games[-1]["kind"], Result.Kind.PLAYED) if games else Result.Kind.PLAYED

    def turned(self, pair: tuple[int, int] | list[int]) -> tuple[int, int]:
        """A pair by the record's sides as a pair by the match's."""
        left, right = pair
        return (right, left) if self.swapped else (left, right)


class Fault(NamedTuple):
    """One reason why a record does not settle its match by itself; a director may waive it by name."""

    code: str
    params: Mapping[str, Any]
    game: int | None = None
    ply: int | None = None

    @property
    def name(self) -> tuple[str, int | None, int | None]:
        """What a ruling calls it."""
        return self.code, self.game, self.ply


def apply_verdict(*, submission_id: int, now: datetime) -> Submission | None:
    """Let a checked record have its effect, once; None where there is nothing (more) to do.

    May be called again at any time: the sweep does so for what a crash has left.
    """
    found = Submission.objects.filter(pk=submission_id, standing=Standing.WAITING).values("match_id").first()
    if found is None or found["match_id"] is None:
        return None
    with transaction.atomic():
        match = lock_match(found["match_id"])
        row = match.submissions.filter(pk=submission_id, standing=Standing.WAITING).defer("data").first()
        if row is None or row.is_open:
            return None
        try:
            _settle(match, row, now)
        except Refused as refused:
            row.standing = Standing.REFUSED
            row.refusal = {"code": refused.code, "params": refused.params}
            row.save(update_fields=["standing", "swapped", "refusal"])
            log(sender(row), "record_refused", match.topic, club=match.club, record=row.public_id, code=refused.code)
            changed(match)
        row.refresh_from_db(fields=["standing", "swapped", "refusal"])
    return row


def sender(row: Submission) -> Actor:
    """Who sent a record in."""
    if row.submitter is not None:
        return Actor.of(row.submitter)
    return SYSTEM if row.side is None else Actor.link(row.side)


def _settle(match: Match, row: Submission, now: datetime) -> None:
    """Report what the record shows, or settle the match by it. Refused where it shows no result."""
    if row.state == Submission.State.FAILED:
        raise Refused(row.failure)
    if row.transcript is None:
        raise Refused("record_unreadable")
    content = row.verdicts.latest("created_at", "pk").content
    transcript = from_data(row.transcript)
    if faults := faults_before_names(match, content):
        raise Refused(faults[0].code, **faults[0].params)
    if row.swapped is None:
        row.swapped = is_swapped(transcript.players, known_names(match))
    if row.swapped is None:
        row.standing = Standing.NAMES
        row.save(update_fields=["standing"])
        changed(match)
        return
    evidence = Evidence(content, transcript, row.swapped)
    if faults := faults_of_start(match, evidence):
        raise Refused(faults[0].code, **faults[0].params)
    _refuse_where_it_may_not(match, evidence)
    if row.side is not None and match.state != Match.State.SETTLED:
        _report(match, row, row.side, evidence, now)
        return
    row.standing, row.refusal = Standing.STANDS, None
    row.save(update_fields=["standing", "swapped", "refusal"])
    append_result(
        match,
        winner=evidence.winner,
        score=evidence.score,
        kind=evidence.kind,
        source=Result.Source.RECORD,
        by=sender(row),
        now=now,
        submission=row,
    )


def _report(match: Match, row: Submission, side: int, evidence: Evidence, now: datetime) -> None:
    """Let the record be its sender's report; an earlier report of theirs that says the same keeps its waiting time."""
    row.standing, row.refusal = Standing.REPORT, None
    row.save(update_fields=["standing", "swapped", "refusal"])
    reports = claims.open_reports(match)
    own, by = reports.get(side), sender(row)
    told = evidence.winner, evidence.score
    since = None
    if own is not None:
        if same_outcome(match.length, own.winner, own.score, *told):
            since = own.seen_at, own.stands_at, own.emailed_at
        claims.take_back(match, own, now)
    new = claims.create(
        match,
        by,
        now,
        side=side,
        winner=evidence.winner,
        score_0=evidence.score[0],
        score_1=evidence.score[1],
        kind=evidence.kind,
        submission=row,
    )
    if since is not None:
        new.seen_at, new.stands_at, new.emailed_at = since
        new.save(update_fields=["seen_at", "stands_at", "emailed_at"])
    log(by, "record_reported", match.topic, club=match.club, side=side, record=row.public_id, winner=evidence.winner)
    rests_on_words = evidence.content.get("rests_on_words", True)
    report_outcomes.follow(match, new, reports.get(1 - side), by=by, now=now, rests_on_words=rests_on_words)


def _refuse_where_it_may_not(match: Match, evidence: Evidence) -> None:
    """Refused: `match_void`, `record_disputed`, `record_proven`, `record_contradicts`."""
    if match.state == Match.State.DISPUTED:
        raise Refused("record_disputed")
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    standing = standing_result(match)
    if standing is None:
        return
    same = same_outcome(match.length, standing.winner, standing.score, evidence.winner, evidence.score)
    if not same or standing.kind not in (Result.Kind.PLAYED, *GIVEN_UP.values()):
        left, right = evidence.score
        raise Refused("record_contradicts", left=left, right=right)
    if standing.source not in UNPROVEN or standing.submission_id is not None:
        raise Refused("record_proven")


def faults_before_names(match: Match, content: Mapping[str, Any]) -> list[Fault]:
    """What speaks against a record whoever its players are: its length, then its verdict."""
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


def faults_of_start(match: Match, evidence: Evidence) -> list[Fault]:
    """What speaks against a record once it is known who is who: its start score, its Crawford rule."""
    faults = []
    if evidence.start != match.start_score:
        left, right = match.start_score
        stated = "{}–{}".format(*evidence.start)
        faults.append(Fault("record_start", {"left": left, "right": right, "stated": stated}))
    one_short = any(match.length - 1 in game["start"] for game in evidence.content["games"])
    if match.length > 1 and one_short and evidence.transcript.crawford_rule != match.crawford:
        faults.append(Fault("record_crawford", {}))
    return faults
