"""Reports that were typed without a connection, kept on the player's device, and arrive later (docs/reporting.md).

A report counts from its arrival, as if it had been typed then. If the match has changed since the page was opened on
which it was typed, it does not count: it is stored as evidence that the players and the director can see.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle import provisional
from matches.lifecycle.finish import check_report
from matches.lifecycle.locks import changed, lock_match
from matches.models import Claim, Match
from matches.reporting.services.reports import ScoreReport, StoredReport, create_report, report_score, stored_report
from matches.reporting.services.sheet_reports import report_from_sheet
from players.actors import Actor, log

MATCH_CHANGED = frozenset(
    {"stale", "match_settled", "match_void", "match_live", "match_disputed", "claim_open", "signed_report_first"}
)
"""Refusals that say that the match is no longer as its page showed it."""
MOST_LATE = 10
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
    if locked.claims.filter(state=Claim.State.LATE).count() >= MOST_LATE:
        return False
    claim = create_report(locked, report, by, now, side=side, state=Claim.State.LATE, answered_at=now, **sent)
    params = {"side": side, "winner": report.winner, "score": list(report.score), "claim": claim.public_id}
    log(by, "late_report_kept", locked.topic, club=locked.club, **params)
    if side is not None:
        provisional.note_told(locked, side, now)
    changed(locked)
    return True
