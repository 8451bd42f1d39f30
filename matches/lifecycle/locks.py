"""Locking a match, checking that it may be changed, and saving it."""

from core.live.publishing import publish_on_commit
from core.locks import for_update
from engine.errors import Refused
from matches.models import Match


def lock_match(match_id: int) -> Match:
    """Lock the match until the transaction ends and return it as it is now, with its players.

    Lock the division of a match first if it is needed, then matches by ascending id (docs/locking.md).
    """
    rows = Match.objects.select_related("player_0__user", "player_1__user", "club")
    return for_update(rows).get(pk=match_id)


def lock_match_if_free(match_id: int) -> Match | None:
    """Lock a match for a sweep; return None if it is locked elsewhere, and leave it to the next sweep."""
    return for_update(Match.objects.filter(pk=match_id), skip_locked=True).first()


def refuse_stale(match: Match, after: int | None) -> None:
    """Refuse (`stale`) if the match has changed since `after`; None skips the check."""
    if after is not None and after != match.seq:
        raise Refused("stale", seq=match.seq)


def refuse_over(match: Match) -> None:
    """Refused: `match_settled`, `match_void`, `match_live`."""
    if match.state == Match.State.SETTLED:
        raise Refused("match_settled")
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    if match.state == Match.State.LIVE:
        raise Refused("match_live")


def changed(match: Match, *fields: str) -> None:
    """Save a locked match after a visible change, which increments `seq`."""
    match.seq += 1
    match.save(update_fields=["seq", *fields])
    publish_on_commit(match.topic, match.seq)
