"""The position that a recorded play leads to (docs/rules.md §1 "Legality test", §3 "Ambiguity")."""

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
    """The result of a recorded play."""

    key: int
    """The position after it, still seen by the mover."""
    path: Path | None = None
    """Its steps, if a search was needed."""
    remark: str | None = None
    """`reordered`, `hidden_hit` or `last_checker_one_die`, if the play is not recorded in its plain form."""


def resolve(key: int, dice: Dice, moves: Sequence[Sequence[int]]) -> Resolution:
    """Return the one legal play that these moves can mean.

    `moves` are the points of each checker moved, from first to last. A play is legal if a legal play reaches its final
    position. Intermediate points count where they are written; otherwise the way that hits nothing is meant, and if
    every way hits, there must be only one. Raises Refused: the codes of `why_illegal`, or `ambiguous`.
    """
    steps = straight_steps(dice, moves)
    straight = None if steps is None else after_steps(key, steps)
    if straight is not None and len(moves) == steps_in(dice):
        return Resolution(straight)
    results = legal_results(key, *dice)
    if not results and not moves:
        return Resolution(key, ())
    if straight in results:
        return Resolution(straight, results[straight])
    legs = list(legs_of(moves))
    candidates = _candidates(key, results, legs)
    if not candidates:
        raise why_illegal(position_of(key), dice, moves) or Refused("no_such_move")
    return _choose(key, dice, results, candidates, [way for way in moves if len(way) > 1])


def _candidates(key: int, results: Iterable[int], legs: list[tuple[int, int]]) -> list[int]:
    """Return the legal final positions in which the mover's checkers are where the written moves put them."""
    intended = list(key.to_bytes(COUNTS, "little").translate(_OWN_ONLY))
    for source, target in legs:
        if not OFF <= target < source <= BAR:
            return []
        intended[source] -= 1
        intended[target] += target != OFF
    if min(intended) < 0:
        return []
    after = bytes(intended)
    return [final for final in results if final.to_bytes(COUNTS, "little").translate(_OWN_ONLY) == after]


def _choose(
    key: int, dice: Dice, results: dict[int, Path], candidates: list[int], ways: Sequence[Sequence[int]]
) -> Resolution:
    """Choose among positions that differ only in what was hit on the way."""
    _, _, blots = masks(key)
    legs = list(legs_of(ways))
    written = _hit_among({target for _, target in legs}, blots)
    hits = {final: _hits(key, final) for final in candidates}
    for final in candidates:
        if hits[final] == written:
            left = dice if dice[0] != dice[1] else dice * 2
            return Resolution(final, results[final], None if _in_order(key, ways, left) else "reordered")
    possible = [final for final in candidates if _may_hide(hits[final] - written, written - hits[final], dice, legs)]
    if len(candidates) == 1 and not masks(candidates[0])[0]:
        return Resolution(candidates[0], results[candidates[0]], "last_checker_one_die")
    if not possible:
        raise why_illegal(position_of(key), dice, legs) or Refused("no_such_move")
    if len(possible) > 1:
        raise Refused("ambiguous")
    return Resolution(possible[0], results[possible[0]], "hidden_hit")


def _may_hide(hidden: set[int], unfounded: set[int], dice: Dice, legs: list[tuple[int, int]]) -> bool:
    """Whether these hits can have happened within moves of several dice whose intermediate points are not written.

    A blot on which a written move puts a checker down must have been hit.
    """
    chains = [(source, target) for source, target in legs if source - target not in dice]
    return not unfounded and all(any(source > point > target for source, target in chains) for point in hidden)


def _hits(key: int, final: int) -> set[int]:
    """Return the points on which the opponent had a blot and no longer has one."""
    return _hit_among(set(range(1, BAR)), masks(key)[2] & ~masks(final)[2])


def _hit_among(points: set[int], mask: int) -> set[int]:
    return {point for point in points if mask >> point & 1}


def _in_order(key: int, ways: Sequence[Sequence[int]], left: tuple[int, ...]) -> bool:
    """Whether each move can start when its turn comes; its later steps may wait for others (`bar/13 bar/19`)."""
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


class PlayedTurn(NamedTuple):
    """A turn as a replay shows it."""

    steps: tuple[Step, ...]
    notation: str
    """Standard notation; the play as recorded if it is not legal."""
    after: Position
    """Seen by the mover; unchanged if the play is not legal."""
    legal: bool


def played(before: Position, event: Event, dice: Dice, resolution: Resolution | None) -> PlayedTurn:
    """Return a turn in steps and standard notation; without a resolution the play is illegal or not recorded."""
    if resolution is None:
        return PlayedTurn((), written_play(event.moves), before, legal=False)
    steps = steps_of(before.key, _path(event, dice) if resolution.path is None else resolution.path)
    return PlayedTurn(steps, standard_notation(steps), position_of(resolution.key), legal=True)


def _path(event: Event, dice: Dice) -> Path:
    """Return the path of a play that is written step by step; bearing off may take a larger die."""
    left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
    path = []
    for source, target in legs_of(move.points for move in event.moves or ()):
        exact = source - target
        die = exact if exact in left else min(die for die in left if die > exact)
        left.remove(die)
        path.append(die * 32 + source)
    return tuple(path)
