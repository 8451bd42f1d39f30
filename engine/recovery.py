"""The most likely position after an illegal play, judged by the plays that follow it in the record."""

from collections.abc import Iterable, Iterator, Sequence

from engine.errors import Refused
from engine.keys import BAR, OFF, key_of, swapped_key
from engine.legality import legs_of, nearest_plays
from engine.position import position_of
from engine.resolution import resolve
from engine.search import ROLLS, Dice, legal_results
from engine.transcript import Event, Kind, Move

MAX_TRIED = 1000
"""Plays tried in one search, over all positions."""
MAX_CANDIDATES = 200
"""Positions to start with; doubles can have hundreds of plays."""
_MOVES_NO_CHECKER = frozenset({Kind.DOUBLE, Kind.TAKE, Kind.BEAVER})


def likeliest_key(key: int, event: Event, dice: Dice, following: Sequence[Event]) -> int:
    """Return the position after an illegal play from which most of the following plays are legal, seen by the mover.

    Tried in this order: the position that the recorded moves lead to, those of the nearest legal plays, and the
    position before the play. Of positions that fit equally many plays, the first is returned.
    """
    ways = [move.points for move in event.moves or ()]
    legal = [play.result.key for play in nearest_plays(position_of(key), dice, ways, MAX_CANDIDATES)]
    candidates = [literal_key(key, event.moves), *legal, key]
    side, tried = 1 - event.side, 0
    # Current position, seen by the side on turn -> the candidate it came from; equal positions are merged.
    left = {swapped_key(candidate): candidate for candidate in reversed(candidates)}
    left = dict(reversed(left.items()))
    for play in _plays_that_follow(following):
        tried += len(left)
        if len(left) == 1 or tried > MAX_TRIED or play.side != side:
            break
        after = [(_after(now, play), candidate) for now, candidate in left.items()]
        surviving = {swapped_key(now): candidate for now, candidate in reversed(after) if now is not None}
        if not surviving:
            break
        left, side = dict(reversed(surviving.items())), 1 - side
    return next(iter(left.values()))


def literal_key(key: int, moves: Iterable[Move] | None) -> int:
    """Return the position after moving the checkers as written, as far as possible; seen by the mover."""
    counts = list(position_of(key).counts)
    for source, target in legs_of(move.points for move in moves or ()):
        if not OFF <= target < source <= BAR or counts[source] <= 0 or (target and counts[target] < -1):
            continue
        counts[source] -= 1
        if target:
            hit = counts[target] == -1
            counts[target] += 1 + hit
            counts[0] -= hit
    return key_of(counts)


def _plays_that_follow(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the next plays, up to the first event after which the position may not follow from them."""
    for event in events:
        if event.kind is Kind.PLAY and event.dice in ROLLS and event.moves is not None:
            yield event
        elif event.kind not in _MOVES_NO_CHECKER:
            return


def _after(key: int, event: Event) -> int | None:
    """Return the position after a later play, seen by its mover; None if the play is not legal."""
    if event.dice is None:
        return None
    if not event.moves:
        return None if legal_results(key, *event.dice) else key
    try:
        return resolve(key, event.dice, [move.points for move in event.moves]).key
    except Refused:
        return None
