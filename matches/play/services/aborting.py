"""A friendly match that was not really played is called off: nobody wins, and nothing is rated."""

from collections.abc import Collection
from datetime import datetime

from engine.scoring import WinKind
from matches.lifecycle.voiding import void_matches
from matches.models import Challenge, LiveMatch, Match, Result
from players.actors import SYSTEM, Actor, log

ACCEPTOR = 1
"""The side of the player who accepted the challenge."""


def is_left_unplayed(live: LiveMatch, *, loser: int, ending: WinKind | None) -> bool:
    """Whether a friendly ended because a side left it that had never made a play."""
    if ending is not WinKind.FLAG or loser in live.sides_that_played():
        return False
    return Challenge.objects.filter(match=live.pk).exists()


def abort_friendly(
    *,
    match: Match,
    left: Collection[int],
    now: datetime,
    by: Actor = SYSTEM,
    state: str = Challenge.State.EXPIRED.value,
) -> None:
    """Call off a locked friendly match; `left` are the sides because of which, which counts against who accepted it.

    Its challenge becomes `state`: it has led to no match.
    """
    void_matches({match: False}, club=None, by=by, now=now, source=Result.Source.LIVE.value)
    Challenge.objects.filter(match=match).update(state=state, left_at=now if ACCEPTOR in left else None)
    log(by, "friendly_aborted", match.topic, left=sorted(left))
