"""The lag of a player's connection: measured by pings, given back within bounds (docs/live.md).

The server signs its time into a ping, the page sends it back at once, and the time between is a measurement. The
estimate is the smallest of the last few, so that delaying single answers gains nothing; a change of network forgets
them. What may be given back is an allowance of the side, whatever connection it uses. Both are in the cache: without
it nothing is measured and nothing given back.
"""

from datetime import datetime

from django.core import signing
from django.core.cache import cache

from engine.clock import MAX_LAG_CREDIT, Lag
from engine.cube import Side
from engine.errors import Refused
from matches.play.instants import to_ms

SIDES: tuple[Side, Side] = (0, 1)
LASTS = 24 * 3600
"""Seconds for which measurements and allowances are kept."""
SAMPLES = 5
LONGEST = 10_000
"""A ping that took longer (milliseconds) measured a page that slept, not its network."""
_signer = signing.Signer(salt="barpoint.live-ping")


def new_ping(match_id: int, side: Side, now: datetime) -> str:
    """Return a ping for a side to send back at once."""
    return _signer.sign(f"{match_id}:{side}:{to_ms(now)}")


def measure(*, match_id: int, side: Side, network: str, ping: str, now: datetime) -> int:
    """Store the time that a ping took; return the estimate for this network in milliseconds. Refused: `bad_ping`."""
    try:
        signed_match, signed_side, sent_at = _signer.unsign(ping).split(":")
    except (signing.BadSignature, ValueError):
        raise Refused("bad_ping") from None
    if (signed_match, signed_side) != (str(match_id), str(side)):
        raise Refused("bad_ping")
    took = to_ms(now) - int(sent_at)
    known, samples = cache.get(_measured_key(match_id, side), ("", []))
    samples = samples if known == network else []
    if 0 <= took <= LONGEST:
        samples = [*samples, took][-SAMPLES:]
        cache.set(_measured_key(match_id, side), (network, samples), LASTS)
    return min(samples, default=0)


def measured(match_id: int, side: Side, network: str) -> int:
    """Return the estimated lag of a side on a network in milliseconds; 0 where nothing was measured."""
    known, samples = cache.get(_measured_key(match_id, side), ("", []))
    return min(samples, default=0) if known == network else 0


def possible_credits(match_id: int) -> tuple[int, int]:
    """Return what would be given back to each side for an action on the network it used last."""
    keys = [key(match_id, side) for side in SIDES for key in (_measured_key, _allowance_key)]
    stored = cache.get_many(keys)
    first, second = (
        min(
            min(stored.get(_measured_key(match_id, side), ("", []))[1], default=0),
            stored.get(_allowance_key(match_id, side), MAX_LAG_CREDIT),
        )
        for side in SIDES
    )
    return first, second


def take(match_id: int, side: Side, lag: int) -> int:
    """Return what is given back for an action with this measured lag, and take it from the side's allowance.

    Whoever calls this has locked the match.
    """
    key = _allowance_key(match_id, side)
    credit, after = Lag(cache.get(key, MAX_LAG_CREDIT)).credit(lag)
    cache.set(key, after.allowance, LASTS)
    return credit


def _measured_key(match_id: int, side: Side) -> str:
    return f"live-lag:{match_id}:{side}"


def _allowance_key(match_id: int, side: Side) -> str:
    return f"live-lag-allowance:{match_id}:{side}"
