"""Objections to a result that stands although the other player never answered (docs/reporting.md).

An objection freezes nothing: the result stands until a director changes it.
"""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from core import times
from engine.errors import Refused
from matches.lifecycle import provisional
from matches.lifecycle.finish import closes_at, same_outcome, standing_result
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.lifecycle.own_match import check_own_match
from matches.models import Claim, Match, Objection, Provisional, Result
from matches.reporting.for_pairs import OBJECTED
from matches.reporting.notifications import notify_answered_objection, notify_objection, notify_partner
from matches.reporting.reports import check_texts
from players.actors import Actor, log

REPORTED_BY_PLAYERS = (Result.Source.CLAIM, Result.Source.RECORD)
"""Sources of results that can be objected to; a director's result can only be corrected."""


def object_to_result(
    *, match: Match, side: int, reason: str, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Objection:
    """Object, once, to the provisional result that goes against this side, or that stands by an unanswered report.

    Refused: `stale`, `objection_reason_missing`, `nothing_to_object_to`, `objection_made`, `objection_late`.
    """
    reason = reason.strip()
    check_texts(key, reason)
    if not reason:
        raise Refused("objection_reason_missing")
    with transaction.atomic():
        locked = lock_match(match.pk)
        if key and (stored := locked.objections.filter(side=side, key=key).first()) is not None:
            return stored
        refuse_stale(locked, after)
        objected = objectable(locked, side)
        if objected is None:
            raise Refused("nothing_to_object_to")
        if objected.is_made:
            raise Refused("objection_made")
        if objected.until is not None and now > objected.until:
            raise Refused("objection_late", until=times.reader_time(objected.until))
        provisional.note_told(locked, side, now)
        objection = Objection.objects.create(
            match=locked,
            claim=objected.report,
            result=objected.result,
            side=side,
            reason=reason,
            by=by.kind,
            user=by.user,
            key=key,
            created_at=now,
        )
        log(by, "objected", locked.topic, club=locked.club, side=side, objection=objection.public_id, reason=reason)
        notify_objection(locked, objection)
        notify_partner(locked, side, OBJECTED, objected.result or objected.report, by=by, now=now)
        changed(locked)
    return objection


def answer_objection(
    *, objection: Objection, upheld: bool, answer: str, by: Actor, now: datetime, after: int | None = None
) -> Objection:
    """Uphold an objection, to be followed by a correction, or dismiss it. The caller has authorised a director.

    Refused: `stale`, `objection_answered`, `objection_answer_missing`, and what `check_own_match` refuses.
    """
    answer = answer.strip()
    check_texts("", answer)
    if not answer:
        raise Refused("objection_answer_missing")
    with transaction.atomic():
        match = lock_match(objection.match_id)
        refuse_stale(match, after)
        row = match.objections.get(pk=objection.pk)
        if row.state != Objection.State.OPEN:
            raise Refused("objection_answered")
        row.state = Objection.State.UPHELD if upheld else Objection.State.DISMISSED
        row.answer, row.answered_at, row.answered_by = answer, now, by.user
        row.save(update_fields=["state", "answer", "answered_at", "answered_by"])
        is_own = check_own_match(match, by, answer)
        if not upheld and (standing := provisional.provisional_of(match)) is not None:
            # The director's answer is a ruling, unless the director plays the match.
            how = Provisional.End.NOBODY if is_own else Provisional.End.RULING
            provisional.end(match, standing, how, by=by, now=now)
        log(by, f"objection_{row.state}", match.topic, club=match.club, objection=row.public_id, answer=answer)
        notify_answered_objection(match, row)
        changed(match)
    return row


class Objectable(NamedTuple):
    report: Claim | None
    """The unanswered report, if the result is based on one."""
    result: Result | None
    """The provisional result."""
    until: datetime | None
    """Until when; None without a limit."""
    is_made: bool
    """Whether this side has objected already."""


def objectable(match: Match, side: int) -> Objectable | None:
    """Return what this side may object to, or None: a provisional result, or an unanswered report that stands."""
    standing = standing_result(match)
    report = unanswered_report(match, side, standing)
    row = provisional.provisional_of(match)
    if row is not None and side in row.sides:
        objections = match.objections.filter(Q(result=row.result, side=side) | Q(claim__isnull=False, claim=report))
        return Objectable(report, row.result, row.ends_at, objections.exists())
    if report is None or Provisional.objects.filter(result=standing).exists():
        # What was provisional could be objected to until it ended.
        return None
    return Objectable(report, None, closes_at(report), match.objections.filter(claim=report).exists())


def unanswered_report(match: Match, side: int, standing: Result | None) -> Claim | None:
    """The other side's report that stands although this side never answered it, if it still is the result."""
    if match.state != Match.State.SETTLED or standing is None or standing.source not in REPORTED_BY_PLAYERS:
        return None
    reports = match.claims.filter(side=1 - side, state=Claim.State.STANDS, stood_unanswered=True)
    report = reports.order_by("-created_at").first()
    if report is None or not same_outcome(match.length, report.winner, report.score, standing.winner, standing.score):
        return None
    return report
