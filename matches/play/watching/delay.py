"""What a reader may see of a match played here: everything, or what had happened some minutes ago.

Players and those who run the match see it as it stands. Until it is over spectators are behind by the minutes that the
match says, or see nothing but its beginning. Every output of a match shows what `watched` returns.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.cache import cache

from engine.cube import Side
from matches.access import MatchSeat, Visitor, is_insider
from matches.lifecycle.spectators import is_delayed
from matches.models import LiveMatch
from matches.play.codec import from_data, to_data
from matches.play.live import LiveState
from matches.play.replaying import state_after, state_at_start

CACHED_FOR = 600
"""Seconds for which the last state shown to spectators is kept, from which the next one is computed."""


class Watched(NamedTuple):
    """A match as one reader sees it."""

    live: LiveMatch
    side: Side | None
    """The side that the reader plays."""
    is_insider: bool
    """Whether the reader plays or runs the match."""
    state: LiveState
    last: int
    """The number of the last action that the reader sees."""
    at: datetime
    """The moment that the reader sees: now, or the end of the delay."""
    is_behind: bool
    """Whether the reader sees the match with a delay."""


def watched(live: LiveMatch, seat: MatchSeat | None, user: Visitor, now: datetime) -> Watched:
    """The match as this reader sees it: with the seat of an account or a link, or as a user without one."""
    side = seat.side if seat is not None else None
    return seen(live, side=side, inside=side is not None or is_insider(user, live.match), now=now)


def seen(live: LiveMatch, *, side: Side | None = None, inside: bool = False, now: datetime) -> Watched:
    """The match as a side, somebody who runs it or, without either, a spectator sees it."""
    if inside or side is not None or not is_delayed(live, live.match):
        is_inside = inside or side is not None
        return Watched(live, side, is_inside, from_data(live.state), live.last, now, is_behind=False)
    at, last = _last_visible(live, now)
    return Watched(live, None, False, _state_after(live, last), last, at, is_behind=True)


def _last_visible(live: LiveMatch, now: datetime) -> tuple[datetime, int]:
    """The moment that spectators see, and the last action up to then."""
    if live.spectators_delay is None:
        return live.started_at, 0
    at = max(live.started_at, now - timedelta(minutes=live.spectators_delay))
    first_hidden = live.actions.filter(at__gt=at).order_by("seq").values_list("seq", flat=True).first()
    return at, live.last if first_hidden is None else first_hidden - 1


def _state_after(live: LiveMatch, last: int) -> LiveState:
    """The state after action `last`, computed from the one that spectators saw before."""
    key = f"watched:{live.match.public_id}"
    known, data = cache.get(key) or (0, None)
    if data is None or known > last:
        known, state = 0, state_at_start(live)
    else:
        state = from_data(data)
    if known < last:
        state = state_after(state, live.actions.filter(seq__gt=known, seq__lte=last).order_by("seq"))
        cache.set(key, (last, to_data(state)), CACHED_FOR)
    return state
