"""A friendly match that was not really played is called off: nobody wins, and nothing is rated.

Whoever accepts friendlies and leaves them before a play has to wait, after some of them, for the next open challenge.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from engine.scoring import WinKind
from matches.lifecycle.voiding import void_matches
from matches.models import Challenge, Match, Result
from matches.play import notifications
from players.actors import SYSTEM, Actor, log
from players.models import Player

ACCEPTOR = 1
"""The side of the player who accepted the challenge."""
MAX_LEFT = 3
"""After leaving so many accepted friendlies before a play within `LEFT_WITHIN`, a player is paused."""
LEFT_WITHIN = timedelta(hours=24)
PAUSED_FOR = timedelta(hours=1)
"""How long a paused player cannot take part in open challenges."""


def abort_if_left(match: Match, *, loser: int, ending: WinKind | None, now: datetime) -> bool:
    """Call off a friendly whose loser let the time run out, or was absent, without a play; return whether that is so.

    A concession without a play stands, but counts as leaving.
    """
    is_of_event = bool(match.parent_topic)
    if is_of_event or ending not in (WinKind.FLAG, WinKind.CONCESSION) or loser in match.live.sides_that_played():
        return False
    challenge = Challenge.objects.filter(match=match).first()
    if challenge is None:
        return False
    if ending is WinKind.FLAG:
        abort_friendly(match=match, left=[loser], now=now)
        return True
    if loser == ACCEPTOR:
        challenge.left_at = now
        challenge.save(update_fields=["left_at"])
        _tell_pause(match, now)
    return False


def abort_friendly(
    *, match: Match, left: Collection[int], now: datetime, by: Actor = SYSTEM, is_withdrawn: bool = False
) -> None:
    """Call off a locked friendly match, and tell its players.

    `left` are the sides that caused it, unless the challenger withdrew the challenge.
    """
    void_matches({match: False}, club=None, by=by, now=now, source=Result.Source.LIVE.value)
    Challenge.objects.filter(match=match).update(
        state=Challenge.State.WITHDRAWN if is_withdrawn else Challenge.State.EXPIRED,
        left_at=now if ACCEPTOR in left else None,
    )
    log(by, "friendly_aborted", match.topic, left=sorted(left))
    notifications.notify_called_off(match, left, now)
    if ACCEPTOR in left:
        _tell_pause(match, now)


def paused_until(player: Player, now: datetime) -> datetime | None:
    """Until when a player has to wait for the next open challenge; None if they need not."""
    left = Challenge.objects.filter(opponent=player, left_at__gt=now - LEFT_WITHIN - PAUSED_FOR)
    times = sorted(at for at in left.values_list("left_at", flat=True) if at is not None)
    for first, last in zip(times, times[MAX_LEFT - 1 :], strict=False):
        if last - first < LEFT_WITHIN and last + PAUSED_FOR > now:
            return last + PAUSED_FOR
    return None


def _tell_pause(match: Match, now: datetime) -> None:
    """Tell whoever accepted a friendly and left it if they have to wait for the next open challenge."""
    until = paused_until(match.players[ACCEPTOR], now)
    if until is not None:
        notifications.notify_paused(match, ACCEPTOR, until, now)
