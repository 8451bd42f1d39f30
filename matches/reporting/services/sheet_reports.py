"""Reports from the score sheet: its QR code names the match, not who holds it.

Nobody has signed such a report, so it occupies no side, makes no dispute, never stands by itself, and gives way to any
signed report. It asks the loser by e-mail, and otherwise waits for a player or a director.
"""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import check_report
from matches.lifecycle.locks import changed, lock_match, refuse_stale
from matches.models import Claim, Match
from matches.reporting.services import claims, notices
from players.actors import Actor, log

MOST_REPORTS = 20
"""More of them for one match are no mistakes."""


def report_from_sheet(
    *,
    match: Match,
    says_side: int | None,
    winner: int,
    score: tuple[int, int],
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
    note: str = "",
) -> claims.Claimed:
    """Pass on a score that nobody signs; `says_side` is who the sender says they are, None for somebody else.

    It replaces an earlier one from the sheet. The same `key`, or the same words, give the first one again.
    Refused: `signed_report_first`, `too_many_sheet_reports`, and what `claims.claim` refuses.
    """
    claims.check_texts(key, note)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := claims.seen_before(row, None, winner, score, key)) is not None:
            return claims.Claimed(seen, created=False)
        refuse_stale(row, after)
        claims.refuse_settled_or_disputed(row)
        check_report(length=row.length, start=row.start_score, winner=winner, score=score)
        if claims.open_reports(row):
            raise Refused("signed_report_first")
        earlier = row.claims.filter(side=None)
        same = earlier.filter(state=Claim.State.OPEN, says_side=says_side, winner=winner)
        if (again := same.filter(score_0=score[0], score_1=score[1]).first()) is not None:
            return claims.Claimed(again, created=False)
        if earlier.count() >= MOST_REPORTS:
            raise Refused("too_many_sheet_reports")
        earlier.filter(state=Claim.State.OPEN).update(state=Claim.State.OVERRULED, answered_at=now)
        new = claims.create(
            row, by, now, says_side=says_side, winner=winner, score_0=score[0], score_1=score[1], note=note, key=key
        )
        log(by, "sheet_reported", row.topic, club=row.club, says_side=says_side, winner=winner, score=list(score))
        changed(row)
        notices.report_made(row, new)
    return claims.Claimed(new, created=True)
