"""Provisional results: who has been told, and how each of them ends (docs/reporting.md).

The caller has locked the match, unless a function says that it does so itself.
"""

from datetime import datetime
from functools import partial

from django.db import transaction

from matches.lifecycle import finality
from matches.lifecycle.finish import announce, standing_result
from matches.lifecycle.locks import changed, lock_match_if_free
from matches.models import Match, Provisional, Result
from matches.ratings import services as ratings
from players.actors import SYSTEM, Actor, log

End = Provisional.End


def provisional_of(match: Match) -> Provisional | None:
    """Return the provisional result that stands, or None if the match has none or it is final."""
    result = standing_result(match) if match.provisional else None
    if result is None:
        return None
    row = Provisional.objects.get(result=result)
    row.result = result
    return row


def note_told(match: Match, side: int, now: datetime) -> bool:
    """Note that a side has acted in a match, so that it knows of the provisional result; return whether that is new.

    From then on its time to answer runs. The caller calls `changed`. Opening a page is no act: mail scanners and link
    previews open pages, too.
    """
    row = provisional_of(match)
    if row is None or row.told[side] is not None:
        return False
    setattr(row, f"told_{side}", now)
    if side in row.sides:
        row.ends_at = finality.ends_at(match, row, row.result.at)
    row.save(update_fields=["told_0", "told_1", "ends_at"])
    match.claims.filter(side=1 - side, seen_at=None, stood_unanswered=True).update(seen_at=now)
    return True


def end(match: Match, row: Provisional, how: str, *, by: Actor, now: datetime, is_announced: bool = True) -> None:
    """End a provisional result: it is final from now on, and rated unless nobody but the winner has confirmed it.

    `is_announced`: whether the app that opened the match is told after the commit; otherwise the caller is that app.
    """
    result = row.result
    row.ended_at, row.end, row.by, row.user = now, how, by.kind, by.user
    row.save(update_fields=["ended_at", "end", "by", "user"])
    result.finality = Result.Finality.UNCONFIRMED if how == End.NOBODY else Result.Finality.FINAL
    result.save(update_fields=["finality"])
    match.provisional, match.settle_at = False, None
    match.unsettled = bool(match.parent_topic) and is_announced
    changed(match, "provisional", "unsettled", "settle_at")
    log(by, "result_final", match.topic, club=match.club, version=result.version, how=how, why=row.why)
    ratings.mark_dirty(match=match, standing=result)
    if match.unsettled:
        transaction.on_commit(partial(announce, match.pk), robust=True)


def end_due(*, provisional_id: int, now: datetime) -> bool:
    """End a provisional result whose time is over, unless somebody objected; return whether it ended.

    Locks the match and checks again. In a match of no club, where nobody can answer an objection, that ends it, too.
    """
    match_id = Provisional.objects.filter(pk=provisional_id).values_list("result__match", flat=True).first()
    with transaction.atomic():
        match = lock_match_if_free(match_id) if match_id is not None else None
        row = provisional_of(match) if match is not None else None
        if match is None or row is None or row.pk != provisional_id or row.ends_at is None or row.ends_at > now:
            return False
        is_objected = row.result.objections.exists()
        if is_objected and match.club_id is not None:
            return False
        was_told = all(row.told[side] is not None for side in row.sides)
        end(match, row, End.SILENCE if was_told and not is_objected else End.NOBODY, by=SYSTEM, now=now)
    return True
