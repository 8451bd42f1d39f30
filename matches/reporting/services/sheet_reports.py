"""Reports from the score sheet: its QR code identifies the match, not the person who scans it.

Such a report is unsigned. It belongs to no side, opens no dispute, never stands by itself, and is closed by any signed
report. The losing player is asked about it by e-mail; otherwise it waits until a player or a director reports it.
"""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import check_report
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.models import Claim, Match
from matches.reporting.services import notifications, reports
from players.actors import Actor, log

MOST_REPORTS = 20
"""Reports from the sheet that one match accepts; more are abuse rather than mistakes."""


def report_from_sheet(
    *,
    match: Match,
    says_side: int | None,
    report: reports.ScoreReport,
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
) -> reports.StoredReport:
    """Store an unsigned report; `says_side` is the player the sender says they are, None for somebody else.

    It replaces an earlier one from the sheet. The same `key`, or the same report, returns the stored one.
    Refused: `signed_report_first`, `too_many_sheet_reports`, and what `reports.report_score` refuses.
    """
    reports.check_texts(key, report.note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (stored := reports.stored_report(locked, None, report, key)) is not None:
            return reports.StoredReport(stored, created=False)
        refuse_stale(locked, after)
        reports.refuse_settled_or_disputed(locked)
        check_report(length=locked.length, start=locked.start_score, winner=report.winner, score=report.score)
        if reports.open_reports(locked):
            raise Refused("signed_report_first")
        earlier = locked.claims.filter(side=None)
        same = earlier.filter(state=Claim.State.OPEN, says_side=says_side, winner=report.winner)
        if (repeated := same.filter(score_0=report.score[0], score_1=report.score[1]).first()) is not None:
            return reports.StoredReport(repeated, created=False)
        if earlier.count() >= MOST_REPORTS:
            raise Refused("too_many_sheet_reports")
        earlier.filter(state=Claim.State.OPEN).update(state=Claim.State.OVERRULED, answered_at=now)
        created = reports.create_report(locked, report, by, now, says_side=says_side, key=key)
        params = {"says_side": says_side, "winner": report.winner, "score": list(report.score)}
        log(by, "sheet_reported", locked.topic, club=locked.club, **params)
        changed(locked)
        notifications.notify_respondent(locked, created)
    return reports.StoredReport(created, created=True)
