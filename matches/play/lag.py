"""The lag of a player's connection: measured by pings, given back within bounds (docs/live.md).

The server signs its time into a ping, the page sends it back at once, and the time between is a measurement. The
estimate is the smallest of the last few, so that delaying single answers gains nothing; a change of network forgets
them. What may be given back is an allowance of the side, whatever connection it uses. Both are in the cache: without
it nothing is measured and nothing given back.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.core import signing
from django.core.cache import cache

from core.live.presence import Command
from engine.clock import MAX_LAG_CREDIT, Lag
from engine.cube import Side
from engine.errors import Refused
from matches.play.live import to_ms

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
    known_network, samples = cache.get(_measured_key(match_id, side), ("", []))
    samples = samples if known_network == network else []
    if 0 <= took <= LONGEST:
        samples = [*samples, took][-SAMPLES:]
        cache.set(_measured_key(match_id, side), (network, samples), LASTS)
    return min(samples, default=0)


def measured(match_id: int, side: Side, network: str) -> int:
    """Return the estimated lag of a side on a network in milliseconds; 0 where nothing was measured."""
    known_network, samples = cache.get(_measured_key(match_id, side), ("", []))
    return min(samples, default=0) if known_network == network else 0


class MatchLag(NamedTuple):
    """The lag of both sides of a match, as it was read from the cache."""

    networks: tuple[str, str]
    """The network that each side used last."""
    estimates: tuple[int, int]
    """The estimated lag on that network in milliseconds."""
    allowances: tuple[int, int]

    @property
    def possible_credits(self) -> tuple[int, int]:
        """What would be given back to each side for an action on the network it used last."""
        first, second = map(min, self.estimates, self.allowances)
        return first, second


NO_LAG = MatchLag(("", ""), (0, 0), (0, 0))


def lag_of(match_id: int) -> MatchLag:
    return lag_in(cache.get_many(keys_of(match_id)), match_id)


def keys_of(match_id: int) -> list[str]:
    """The keys in the cache of what is known of the lag of both sides."""
    return [key(match_id, side) for side in SIDES for key in (_measured_key, _allowance_key)]


def lag_in(stored: dict[str, Any], match_id: int) -> MatchLag:
    """The lag of both sides from the values of `keys_of`."""
    (first, first_samples), (second, second_samples) = (
        stored.get(_measured_key(match_id, side), ("", [])) for side in SIDES
    )
    left, right = (stored.get(_allowance_key(match_id, side), MAX_LAG_CREDIT) for side in SIDES)
    estimates = min(first_samples, default=0), min(second_samples, default=0)
    return MatchLag((first, second), estimates, (left, right))


def take(match_id: int, side: Side, network: str, lag: MatchLag) -> tuple[int, MatchLag]:
    """Return what is given back for an action from this network, and the lag once it is taken from the allowance.

    Whoever calls this has locked the match, and has read `lag` since.
    """
    credit, after = taken(side, network, lag)
    if after is not lag:
        cache.set(_allowance_key(match_id, side), after.allowances[side], LASTS)
    return credit, after


def take_command(match_id: int, side: Side, lag: MatchLag) -> Command:
    """The command by which `take` stores what may still be given back to a side."""
    return "SET", cache.make_key(_allowance_key(match_id, side)), lag.allowances[side], "EX", LASTS


def taken(side: Side, network: str, lag: MatchLag) -> tuple[int, MatchLag]:
    """Return the same as `take`, but store nothing."""
    measured = lag.estimates[side] if network == lag.networks[side] else 0
    if not measured:
        return 0, lag
    credit, after = Lag(lag.allowances[side]).credit(measured)
    left, right = lag.allowances
    return credit, lag._replace(allowances=(after.allowance, right) if side == 0 else (left, after.allowance))


def _measured_key(match_id: int, side: Side) -> str:
    return f"live-lag:{match_id}:{side}"


def _allowance_key(match_id: int, side: Side) -> str:
    return f"live-lag-allowance:{match_id}:{side}"
