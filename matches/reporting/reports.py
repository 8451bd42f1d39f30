"""What players report about their match until a result stands (docs/reporting.md). A report is stored as a `Claim`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, ngettext

from core.text_lengths import MAX_KEY_LENGTH, MAX_NOTE_LENGTH
from core.times import SHORT, reader_time
from engine.errors import Refused
from matches.access import MatchSeat
from matches.lifecycle import provisional
from matches.lifecycle.begun import derive_begun, note_beginning
from matches.lifecycle.events import events
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result, check_report, same_outcome
from matches.lifecycle.locks import changed, lock_match, lock_match_if_free, refuse_over, refuse_stale
from matches.lifecycle.own_match import who_decides
from matches.models import Claim, Match, Provisional, Result, Submission
from matches.play.journal import Journal
from matches.play.lobby.services import close_board
from matches.presentation import labels
from matches.reporting import for_pairs, notifications
from matches.reporting.for_pairs import reporter_in_pair
from matches.reporting.notifications import channels_of, report_key, respondent_of
from players.actors import SYSTEM, Actor, log
from players.models import LogEntry
from players.notifications.services import Reach, reach_of

# What a player's report leads to: it waits, it stands, or it opens a dispute. The caller has locked the match.


State = Claim.State


def apply_report(
    match: Match, report: Claim, other: Claim | None, *, by: Actor, now: datetime, rests_on_words: bool = True
) -> None:
    """Carry out what a new signed report leads to, given the open report of the other side if there is one.

    `rests_on_words`: whether the ending is only stated, by the player or by the record they sent.
    """
    # A signed report overrules those from the score sheet.
    match.claims.filter(side=None, state=State.OPEN).update(state=State.OVERRULED, answered_at=now)
    is_proven = report.submission_id is not None and not rests_on_words
    if other is not None and not same_outcome(match.length, other.winner, other.score, report.winner, report.score):
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


def _keep_pending(match: Match, report: Claim, by: Actor, now: datetime) -> None:
    """Give the loser a moment to withdraw the report; if the setting allows none, accept it at once."""
    if not settings.OWN_LOSS_PENDING:
        accept_report(match, report, by=by, now=now)
        return
    report.stands_at = now + timedelta(seconds=settings.OWN_LOSS_PENDING)
    report.save(update_fields=["stands_at"])
    _mark_claimed(match, report)


# The losing player's report is pending for two minutes, then stands. The winner's waits for the other side and stands
# by itself only if that side has acted on having seen it. Two reports that differ, or one that is contested, make a
# dispute: the match is frozen until one side concedes or a director rules. `report_outcomes` carries out what a
# report leads to.


class StoredReport(NamedTuple):
    """A stored report, and whether this request created it."""

    report: Claim
    created: bool


class ScoreReport(NamedTuple):
    winner: int
    score: tuple[int, int]
    note: str = ""
    """For the other player and the director."""


def report_score(
    *, match: Match, side: int, report: ScoreReport, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> StoredReport:
    """Report, for one side, the final score of a match that was played to its end.

    The same `key`, or the same report from the same side, returns the stored report.
    Refused: `stale`, `key_reused`, `match_settled`, `match_void`, `match_disputed`, `claim_open`,
    `partner_reported`, and what `finish.check_report` refuses.
    """
    check_texts(key, report.note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (stored := stored_report(locked, side, report, key)) is not None:
            return StoredReport(stored, created=False)
        _refuse_other_report_of_pair(locked, side, report, by)
        refuse_stale(locked, after)
        close_invitation(locked, now)
        refuse_settled_or_disputed(locked)
        check_report(length=locked.length, start=locked.start_score, winner=report.winner, score=report.score)
        reports = open_reports(locked)
        if (own := reports.get(side)) is not None:
            if (own.winner, own.score) != (report.winner, report.score):
                raise Refused("claim_open")
            return StoredReport(own, created=False)
        created = create_report(locked, report, by, now, side=side, key=key)
        params = {"side": side, "winner": report.winner, "score": list(report.score), "claim": created.public_id}
        log(by, "claimed", locked.topic, club=locked.club, **params)
        notifications.notify_partner(locked, side, for_pairs.REPORTED, created, by=by, now=now)
        apply_report(locked, created, reports.get(1 - side), by=by, now=now)
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
            notifications.notify_partner(locked, side, for_pairs.CONFIRMED, row.result, by=by, now=now)
            return None
        if (answered := _answered_report(locked, 1 - side, key)) is not None:
            return answered
        report = _report_to_answer(locked, 1 - side, after)
        report.answer_key = key
        report.save(update_fields=["answer_key"])
        log(by, "claim_confirmed", locked.topic, club=locked.club, side=side, claim=report.public_id)
        notifications.notify_partner(locked, side, for_pairs.CONFIRMED, report, by=by, now=now)
        accept_report(locked, report, by=by, now=now)
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
        notifications.notify_partner(locked, side, for_pairs.CONTESTED, report, by=by, now=now)
        open_dispute(locked, [report], now)
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
        notifications.notify_partner(locked, side, for_pairs.CONFIRMED, report, by=by, now=now)
        accept_report(locked, report, by=by, now=now)
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
        notifications.notify_partner(locked, side, for_pairs.WITHDREW, own, by=by, now=now)
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
        if start_waiting_time(locked, side, now):
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


def _refuse_other_report_of_pair(match: Match, side: int, report: ScoreReport, by: Actor) -> None:
    """Refused: `partner_reported` another score, which the other of a pair has to withdraw or agree to first."""
    own = open_reports(match).get(side) if by.person is not None else None
    if own is None or (own.winner, own.score) == (report.winner, report.score):
        return
    reporter = reporter_in_pair(own)
    if reporter is not None and reporter.pk != by.person:
        score = labels.won_score(match, own)
        raise Refused("partner_reported", name=reporter.shown_name, score=score)


def open_reports(match: Match) -> dict[int, Claim]:
    """The signed reports that wait for an answer, by side."""
    rows = match.claims.filter(state=State.OPEN, side__isnull=False).select_related("submission")
    return {row.side: row for row in rows if row.side is not None}


def create_report(match: Match, report: ScoreReport, by: Actor, now: datetime, **fields: Any) -> Claim:
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


def close_invitation(match: Match, now: datetime) -> None:
    """Close the board of a locked match of an event that still waits for a player: it was played at a table."""
    if match.state == Match.State.LIVE and match.parent_topic and match.live.is_invitation:
        close_board(Journal.of(match), now)


def refuse_settled_or_disputed(match: Match) -> None:
    """Refused: `match_settled`, `match_void`, `match_live` also while the board waits, `match_disputed`."""
    refuse_over(match)
    if match.state == Match.State.LIVE:
        raise Refused("match_live")
    if match.state == Match.State.DISPUTED:
        raise Refused("match_disputed")


def check_texts(key: str, note: str = "") -> None:
    """Refused: `key_too_long`, `note_too_long`."""
    if len(key) > MAX_KEY_LENGTH:
        raise Refused("key_too_long", most=MAX_KEY_LENGTH)
    if len(note) > MAX_NOTE_LENGTH:
        raise Refused("note_too_long", most=MAX_NOTE_LENGTH)


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


# Reports from the score sheet: its QR code identifies the match, not the person who scans it.
#
# Such a report is unsigned. It belongs to no side, opens no dispute, never stands by itself, and is closed by any
# signed report. The losing player is asked about it by e-mail; otherwise it waits until a player or a director
# reports it.


MAX_REPORTS = 20
"""Reports from the sheet that one match accepts; more are abuse rather than mistakes."""


def report_from_sheet(
    *,
    match: Match,
    says_side: int | None,
    report: ScoreReport,
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
) -> StoredReport:
    """Store an unsigned report; `says_side` is the player the sender says they are, None for somebody else.

    It replaces an earlier one from the sheet. The same `key`, or the same report, returns the stored one.
    Refused: `signed_report_first`, `too_many_sheet_reports`, and what `reports.report_score` refuses.
    """
    check_texts(key, report.note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (stored := stored_report(locked, None, report, key)) is not None:
            return StoredReport(stored, created=False)
        refuse_stale(locked, after)
        refuse_settled_or_disputed(locked)
        check_report(length=locked.length, start=locked.start_score, winner=report.winner, score=report.score)
        if open_reports(locked):
            raise Refused("signed_report_first")
        earlier = locked.claims.filter(side=None)
        same = earlier.filter(state=Claim.State.OPEN, says_side=says_side, winner=report.winner)
        if (repeated := same.filter(score_0=report.score[0], score_1=report.score[1]).first()) is not None:
            return StoredReport(repeated, created=False)
        if earlier.count() >= MAX_REPORTS:
            raise Refused("too_many_sheet_reports")
        earlier.filter(state=Claim.State.OPEN).update(state=Claim.State.OVERRULED, answered_at=now)
        created = create_report(locked, report, by, now, says_side=says_side, key=key)
        params = {"says_side": says_side, "winner": report.winner, "score": list(report.score)}
        log(by, "sheet_reported", locked.topic, club=locked.club, **params)
        changed(locked)
        notifications.notify_respondent(locked, created)
    return StoredReport(created, created=True)


# Reports that were typed without a connection, kept on the player's device, and arrive later (docs/reporting.md).
#
# A report counts from its arrival, as if it had been typed then. If the match has changed since the page was opened
# on which it was typed, it does not count: it is stored as evidence that the players and the director can see.


MATCH_CHANGED = frozenset(
    {
        *("stale", "match_settled", "match_void", "match_live", "match_disputed"),
        *("claim_open", "partner_reported", "signed_report_first"),
    }
)
"""Refusals that say that the match is no longer as its page showed it."""
MAX_LATE = 10
"""Late reports that are stored of one match; more are refused as any other report."""


def report_late(
    *,
    match: Match,
    side: int | None,
    report: ScoreReport,
    by: Actor,
    now: datetime,
    after: int | None,
    key: str,
    says_side: int | None = None,
) -> StoredReport:
    """Report a score that was typed without a connection; `side` is None for the score sheet.

    Refused: `report_kept` if the match has changed since `after`, and the report is stored as evidence; and what
    `report_score` or `report_from_sheet` refuses for a report that can never count.
    """
    common: dict[str, Any] = {"by": by, "now": now, "key": key}
    try:
        if side is None:
            stored = report_from_sheet(match=match, says_side=says_side, report=report, after=after, **common)
        else:
            stored = report_score(match=match, side=side, report=report, after=after, **common)
    except Refused as refused:
        if refused.code not in MATCH_CHANGED or not _keep(match, report, side=side, says_side=says_side, **common):
            raise
        raise Refused("report_kept") from refused
    if stored.report.state == Claim.State.LATE:
        raise Refused("report_kept")
    return stored


@transaction.atomic
def _keep(match: Match, report: ScoreReport, *, side: int | None, by: Actor, now: datetime, **sent: Any) -> bool:
    """Store a report as evidence; return whether it is stored. Refused: as `check_report`.

    `sent` are the key of the request and, for the score sheet, who the sender says they are.
    """
    locked = lock_match(match.pk)
    if stored_report(locked, side, report, sent["key"]) is not None:
        return True
    check_report(length=locked.length, start=locked.start_score, winner=report.winner, score=report.score)
    if locked.claims.filter(state=Claim.State.LATE).count() >= MAX_LATE:
        return False
    claim = create_report(locked, report, by, now, side=side, state=Claim.State.LATE, answered_at=now, **sent)
    params = {"side": side, "winner": report.winner, "score": list(report.score), "claim": claim.public_id}
    log(by, "late_report_kept", locked.topic, club=locked.club, **params)
    if side is not None:
        provisional.note_told(locked, side, now)
    changed(locked)
    return True


# Who has been told of a report, and how, for the player who sent it.


def delivery_status(match: Match, report: Claim) -> str:
    """Say whether the player who has to answer a report knows of it; empty for a report that needs no answer."""
    if report.is_own_loss:
        return ""
    name = match.names[respondent_of(report)]
    if report.seen_at is not None:
        return gettext("{name} has seen it.").format(name=name)
    reach = reach_of(report_key(report))
    if reach is None:
        return gettext("{name} cannot be notified. Tell them yourself.").format(name=name)
    return _reached(reach, name)


def _reached(reach: Reach, name: str) -> str:
    if reach.emailed_at is not None:
        return gettext("{name} was sent a message at {time}.").format(
            name=name, time=reader_time(reach.emailed_at, SHORT)
        )
    if reach.pushed_at is not None:
        return gettext("{name} was sent a message at {time}.").format(
            name=name, time=reader_time(reach.pushed_at, SHORT)
        )
    if reach.is_on_its_way:
        return gettext("{name} will be sent a message.").format(name=name)
    if reach.is_on_site:
        return gettext("{name} will see it here, but gets no message.").format(name=name)
    return gettext("{name} cannot be notified. Tell them yourself.").format(name=name)


def will_be_notified(channels: frozenset[str], name: str) -> str:
    """Say how a player would learn of a report that is not sent yet, by the channels they have chosen."""
    if channels & {"email", "push"}:
        return gettext("{name} will be sent a message.").format(name=name)
    if channels:
        return gettext("{name} will see it here, but gets no message.").format(name=name)
    return gettext("{name} cannot be notified. Tell them yourself.").format(name=name)


# What a report would do, shown before it is sent.


@dataclass(frozen=True, slots=True)
class ReportPreview:
    summary: str
    """“Carol won 7–4.”"""
    follows: list[str]
    """What the result would mean for the players in their event."""
    next_step: str
    """Who would have to act next, or when the report would stand."""


def preview_of(seat: MatchSeat, winner: int, score: tuple[int, int]) -> ReportPreview:
    match = seat.match
    summary, follows = labels.ended(match, winner, score), events().consequences(match, winner, seat.side)
    return ReportPreview(summary, follows, _next_step(match, seat.side, winner, score))


def then_of(seat: MatchSeat, winner: int, other: Claim | None) -> str:
    """Say what a report of this winner would lead to; `other` is an open report of the other side."""
    match, side = seat.match, seat.side
    if other is not None:
        return gettext("If you both report the same, it stands. If not, the director decides.")
    if side is None:
        return _sheet_next_step(match, 1 - winner)
    return " ".join([_unanswered_next_step(match, side, winner), *events().consequences(match, winner, side)])


def _next_step(match: Match, side: int | None, winner: int, score: tuple[int, int]) -> str:
    if side is None:
        return _sheet_next_step(match, 1 - winner)
    other = match.claims.filter(side=1 - side, state=Claim.State.OPEN).first()
    if other is not None:
        if same_outcome(match.length, other.winner, other.score, winner, score):
            return gettext("The result stands at once.")
        return f"{gettext('The other player reported a different result.')} {who_decides(match)}"
    return _unanswered_next_step(match, side, winner)


def _unanswered_next_step(match: Match, side: int, winner: int) -> str:
    if winner != side:
        minutes = settings.OWN_LOSS_PENDING // 60
        if not settings.OWN_LOSS_PENDING:
            return gettext("The result stands at once.")
        return ngettext(
            "You can withdraw it for {minutes} minute, then it stands.",
            "You can withdraw it for {minutes} minutes, then it stands.",
            minutes,
        ).format(minutes=minutes)
    name = match.names[1 - side]
    confirms = gettext("{name} or the director has to confirm it.").format(name=name)
    return f"{confirms} {will_be_notified(channels_of(match, 1 - side), name)}"


def sheet_thanks(report: Claim) -> str:
    """Confirm a report from the score sheet and say who has to answer it."""
    return f"{gettext('Reported.')} {_sheet_next_step(report.match, respondent_of(report))}"


def _sheet_next_step(match: Match, loser: int) -> str:
    name = match.names[loser]
    confirms = gettext("{name} or the director has to confirm it.").format(name=name)
    return f"{confirms} {will_be_notified(channels_of(match, loser), name)}"
