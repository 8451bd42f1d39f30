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


def keys_of_backward_play(key: int, event: Event) -> list[int]:
    """Return the positions after a play that was written backwards, or with the points as the opponent counts them."""
    ways = [move.points for move in event.moves or ()]
    if all(source > target for source, target in legs_of(ways)):
        return []
    backwards = [way if way[0] > way[-1] else way[::-1] for way in ways]
    opposite = [[BAR - point for point in way] for way in ways]
    keys = (
        _after(key, event._replace(moves=tuple(Move(tuple(way)) for way in meant))) for meant in (backwards, opposite)
    )
    return [after for after in keys if after is not None]


def likeliest_key(key: int, event: Event, dice: Dice, following: Sequence[Event]) -> int:
    """Return the position after an illegal play from which most of the following plays are legal, seen by the mover.

    Tried in this order: what a backward play means, the position that the recorded moves lead to, those of the nearest
    legal plays, and the position before the play. Of positions that fit equally many plays, the first is returned.
    """
    ways = [move.points for move in event.moves or ()]
    legal = [play.result.key for play in nearest_plays(position_of(key), dice, ways, MAX_CANDIDATES)]
    candidates = dict.fromkeys([*keys_of_backward_play(key, event), literal_key(key, event.moves), *legal, key])
    side, tried = 1 - event.side, 0
    # Current position, seen by the side on turn -> the candidate it came from; equal positions are merged.
    left = {swapped_key(candidate): candidate for candidate in candidates}
    for play in _plays_that_follow(following):
        tried += len(left)
        if len(left) == 1 or tried > MAX_TRIED or play.side != side:
            break
        surviving: dict[int, int] = {}
        for now, candidate in left.items():
            if (after := _after(now, play)) is not None:
                surviving.setdefault(swapped_key(after), candidate)
        if not surviving:
            break
        left, side = surviving, 1 - side
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
