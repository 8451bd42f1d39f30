"""From a written play to the position it means (docs/rules.md §1 "Legality test", §3 "Ambiguity")."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.errors import Refused
from engine.keys import BAR, BIAS, COUNTS, OFF
from engine.legality import legs_of, why_illegal
from engine.notation import Step, standard_notation, written_play
from engine.plays import steps_of
from engine.position import Position, position_of
from engine.search import TARGET, Dice, Path, after_step, legal_results, masks, sources
from engine.straight import after_steps, steps_in, straight_steps
from engine.transcript import Event

_OWN_ONLY = bytes(max(0, value - BIAS) for value in range(256))


class Resolution(NamedTuple):
    """What a written play comes to."""

    key: int
    """The position after it, still seen by the mover."""
    path: Path | None = None
    """Its steps, where a search was needed."""
    remark: str | None = None
    """`reordered`, `hidden_hit` or `last_checker_one_die`, where the words are not the play's plain form."""


def resolve(key: int, dice: Dice, moves: Sequence[Sequence[int]]) -> Resolution:
    """The one legal play that these words can mean.

    `moves` are the written ways (points from first to last). A play is legal if its final position is one that
    legal plays reach. Written touch-downs win; without them a chain means the way that hits nothing; where every
    way hits, there must be exactly one. Raises Refused: the codes of `why_illegal`, or `ambiguous`.
    """
    steps = straight_steps(dice, moves)
    straight = None if steps is None else after_steps(key, steps)
    if straight is not None and len(moves) == steps_in(dice):
        return Resolution(straight)
    found = legal_results(key, *dice)
    if not found and not moves:
        return Resolution(key, ())
    if straight in found:
        return Resolution(straight, found[straight])
    legs = list(legs_of(moves))
    candidates = _candidates(key, found, legs)
    if not candidates:
        raise why_illegal(position_of(key), dice, moves) or Refused("no_such_move")
    return _choose(key, dice, found, candidates, [way for way in moves if len(way) > 1])


def _candidates(key: int, found: Iterable[int], legs: list[tuple[int, int]]) -> list[int]:
    """The legal final positions in which the mover's checkers stand where the words put them."""
    wanted = list(key.to_bytes(COUNTS, "little").translate(_OWN_ONLY))
    for source, target in legs:
        if not OFF <= target < source <= BAR:
            return []
        wanted[source] -= 1
        wanted[target] += target != OFF
    if min(wanted) < 0:
        return []
    after = bytes(wanted)
    return [final for final in found if final.to_bytes(COUNTS, "little").translate(_OWN_ONLY) == after]


def _choose(
    key: int, dice: Dice, found: dict[int, Path], candidates: list[int], ways: Sequence[Sequence[int]]
) -> Resolution:
    """Of positions that differ only in what was hit on the way, the one that the words mean."""
    _, _, blots = masks(key)
    legs = list(legs_of(ways))
    written = _hit_among({target for _, target in legs}, blots)
    hits = {final: _hits(key, final) for final in candidates}
    for final in candidates:
        if hits[final] == written:
            left = dice if dice[0] != dice[1] else dice * 2
            return Resolution(final, found[final], None if _in_order(key, ways, left) else "reordered")
    possible = [final for final in candidates if _may_hide(hits[final] - written, written - hits[final], dice, legs)]
    if len(candidates) == 1 and not masks(candidates[0])[0]:
        return Resolution(candidates[0], found[candidates[0]], "last_checker_one_die")
    if not possible:
        raise why_illegal(position_of(key), dice, legs) or Refused("no_such_move")
    if len(possible) > 1:
        raise Refused("ambiguous")
    return Resolution(possible[0], found[possible[0]], "hidden_hit")


def _may_hide(hidden: set[int], unfounded: set[int], dice: Dice, legs: list[tuple[int, int]]) -> bool:
    """Whether these hits can have happened within ways of several dice whose touch-downs are not written.

    A blot on which the words put a checker down must have been hit.
    """
    chains = [(source, target) for source, target in legs if source - target not in dice]
    return not unfounded and all(any(source > point > target for source, target in chains) for point in hidden)


def _hits(key: int, final: int) -> set[int]:
    """The points on which the opponent had a blot and has none any more."""
    return _hit_among(set(range(1, BAR)), masks(key)[2] & ~masks(final)[2])


def _hit_among(points: set[int], mask: int) -> set[int]:
    return {point for point in points if mask >> point & 1}


def _in_order(key: int, ways: Sequence[Sequence[int]], left: tuple[int, ...]) -> bool:
    """Whether each way can be begun when its turn comes; its later steps may wait for others (`bar/13 bar/19`)."""
    if not ways:
        return True
    (source, target, *later), others = ways[0], ways[1:]
    own, closed, blots = masks(key)
    for die in set(left):
        between = TARGET[die][source]
        if source not in sources(own, closed, die) or between < target:
            continue
        spent = left.index(die)
        rest = left[:spent] + left[spent + 1 :]
        then, _ = after_step(key, own, blots, die, source)
        onward = (target, *later) if between == target else (between, target, *later)
        waits = range(len(others) + 1) if len(onward) > 1 else ()
        orders = [[*others[:at], onward, *others[at:]] for at in waits] or [list(others)]
        if any(_in_order(then, order, rest) for order in orders):
            return True
    return False


class Played(NamedTuple):
    """What a replay shows of a turn."""

    steps: tuple[Step, ...]
    notation: str
    """Standard notation; the record's own words where the play is not legal."""
    after: Position
    """Seen by the mover; unchanged where the play is not legal."""
    legal: bool


def played(before: Position, event: Event, dice: Dice, resolution: Resolution | None) -> Played:
    """The turn in single steps and standard notation; no resolution: an illegal or unwritten play."""
    if resolution is None:
        return Played((), written_play(event.moves), before, legal=False)
    steps = steps_of(before.key, _path(event, dice) if resolution.path is None else resolution.path)
    return Played(steps, standard_notation(steps), position_of(resolution.key), legal=True)


def _path(event: Event, dice: Dice) -> Path:
    """The path of a play that was written as plain steps; the die of each, a larger one for bearing off."""
    left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
    path = []
    for source, target in legs_of(move.points for move in event.moves or ()):
        exact = source - target
        die = exact if exact in left else min(die for die in left if die > exact)
        left.remove(die)
        path.append(die * 32 + source)
    return tuple(path)
