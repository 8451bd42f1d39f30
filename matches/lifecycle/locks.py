"""A match's row while it is locked: taking it, what refuses a change of it, saving it."""

from core.locks import for_update
from engine.errors import Refused
from matches.models import Match


def lock_match(match_id: int) -> Match:
    """The match as it is now, with its players; others who want to change it wait until the transaction ends.

    Who also needs what stands above a match locks that first, then matches by ascending id.
    """
    rows = Match.objects.select_related("player_0__user", "player_1__user", "club")
    return for_update(rows).get(pk=match_id)


def lock_match_if_free(match_id: int) -> Match | None:
    """The same for a sweep: None where somebody else has the match just now, so the next sweep will see to it."""
    return for_update(Match.objects.filter(pk=match_id), skip_locked=True).first()


def refuse_stale(match: Match, after: int | None) -> None:
    """Refused (`stale`) where somebody has changed the match since `after`; None asks for no such check."""
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
    """Save a locked match after a change that others can see: its number grows by one."""
    match.seq += 1
    match.save(update_fields=["seq", *fields])
