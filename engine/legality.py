"""Why a play is illegal, the legal plays nearest to it, and the graph of the steps that lead to legal plays."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

from engine.errors import Refused
from engine.keys import BAR, OFF
from engine.notation import Step, parse_play, point_name
from engine.plays import Play, checked_dice, dice_to_play, legal_plays, step_of
from engine.position import Position, position_of
from engine.search import HOME, Dice, after_step, legal_results, masks, sources

Way = Sequence[int]
"""The points of one written sub-move, from first to last: a Step, a pair, or a chain such as (24, 18, 13)."""
Leg = tuple[int, int]


def explain_illegal(position: Position, dice: Dice, steps: str | Iterable[Way]) -> str | None:
    """Return the code of the reason why a play is illegal; None if it is legal.

    `steps` is a play in notation, or what `parse_play` returns.
    Codes: `no_checker`, `bar_first`, `blocked`, `wrong_die`, `more_than_dice`, `not_all_home`, `higher_checker`,
    `no_such_move`, `must_play`, `must_play_both`, `must_play_larger`, `must_play_more`.
    Raises Refused (`bad_dice`, `bad_notation`).
    """
    reason = why_illegal(position, dice, steps)
    return reason.code if reason else None


def why_illegal(position: Position, dice: Dice, steps: str | Iterable[Way]) -> Refused | None:
    """Like `explain_illegal`, but return a `Refused` with the parameters of its sentence (`point`, `source` …)."""
    low, high = sorted(checked_dice(dice))
    ways = parse_play(steps) if isinstance(steps, str) else steps
    legs = tuple(sorted(legs_of(ways), reverse=True))
    if any(not OFF <= target < source <= BAR for source, target in legs):
        return Refused("no_such_move")
    left = dice_to_play((high, low))
    if len(legs) > len(left):
        return Refused("more_than_dice")
    results = legal_results(position.key, high, low)
    walk = _Walk()
    walk.go(position.key, legs, left)
    if not walk.finals:
        return walk.reason
    if not walk.finals.isdisjoint(results) or not (results or legs):
        return None
    if not legs:
        return Refused("must_play")
    if high == low:
        return Refused("must_play_more", count=len(next(iter(results.values()))))
    both = len(next(iter(results.values()))) > 1
    return Refused("must_play_both") if both else Refused("must_play_larger", die=high)


def legs_of(steps: Iterable[Way]) -> Iterator[Leg]:
    """Yield each written pair of neighbouring points."""
    for way in steps:
        points = way[:2] if isinstance(way, Step) else way
        yield from pairwise(points)


class _Walk:
    """A search that tries the written legs in every order with every die.

    Keeps the positions it ends in (`finals`), and the reason that stopped the attempt that got furthest.
    """

    def __init__(self) -> None:
        self.finals: set[int] = set()
        self.reason = Refused("no_such_move")
        self._depth = -2
        self._seen: set[tuple[int, tuple[Leg, ...], tuple[int, ...]]] = set()

    def go(self, key: int, legs: tuple[Leg, ...], left: tuple[int, ...], depth: int = 0) -> None:
        if (key, legs, left) in self._seen:
            return
        self._seen.add((key, legs, left))
        if not legs:
            self.finals.add(key)
        for at, leg in enumerate(legs):
            others = legs[:at] + legs[at + 1 :]
            for die in sorted(set(left), reverse=True):
                self._try(key, leg, others, die, left, depth)
            if not left:
                self._note(depth, Refused("more_than_dice"))

    def _try(self, key: int, leg: Leg, others: tuple[Leg, ...], die: int, left: tuple[int, ...], depth: int) -> None:
        source, target = leg
        between = max(OFF, source - die)
        spent = left.index(die)
        rest = left[:spent] + left[spent + 1 :]
        if between < target or not _can_go_on(between, target, rest):
            self._note(depth - 1, Refused("wrong_die", source=point_name(source), target=point_name(target)))
            return
        reason = _step_refused(key, source, die)
        if reason:
            self._note(depth, reason)
            return
        own, _, blots = masks(key)
        then, _ = after_step(key, own, blots, die, source)
        legs = others if between == target else (*others, (between, target))
        self.go(then, tuple(sorted(legs, reverse=True)), rest, depth + 1)

    def _note(self, depth: int, reason: Refused) -> None:
        if depth > self._depth:
            self._depth, self.reason = depth, reason


def _can_go_on(source: int, target: int, left: tuple[int, ...]) -> bool:
    """Whether some of these dice take a checker from one point to another; to bear off, a larger total will do."""
    totals = {sum(dice) for count in range(len(left) + 1) for dice in combinations(left, count)}
    return source - target in totals or (target == OFF and max(totals) > source)


def _step_refused(key: int, source: int, die: int) -> Refused | None:
    """Return why this one step is illegal; None if it is legal."""
    own, closed, _ = masks(key)
    if source in sources(own, closed, die):
        return None
    if not own >> source & 1:
        return Refused("no_checker", point=point_name(source))
    if own >> BAR and source != BAR:
        return Refused("bar_first")
    if source > die:
        return Refused("blocked", source=point_name(source), point=point_name(source - die))
    return Refused("not_all_home" if own & ~HOME else "higher_checker", point=point_name(source))


def nearest_plays(position: Position, dice: Dice, steps: Iterable[Way], most: int = 3) -> list[Play]:
    """Return the legal plays that end most like the written steps, by checkers on the same points, best first."""
    intended = [max(0, count) for count in position.counts]
    for source, target in legs_of(steps):
        if OFF <= target < source <= BAR:
            intended[source] -= 1
            intended[target] += target != OFF

    def distance(play: Play) -> int:
        return sum(abs(max(0, count) - wish) for count, wish in zip(play.result.counts[1:], intended[1:], strict=True))

    return sorted(legal_plays(position, dice), key=distance)[:most]


class Edge(NamedTuple):
    """A legal single step and the node it leads to."""

    step: Step
    node: int


@dataclass(frozen=True, slots=True)
class PlayNode:
    """A position within a play, with the dice still to be played."""

    position: Position
    dice: tuple[int, ...]
    edges: tuple[Edge, ...]
    complete: bool
    """The play may be committed here."""


def step_graph(position: Position, dice: Dice) -> tuple[PlayNode, ...]:
    """Return every legal single step that is part of a legal play; node 0 is the start.

    A path along the edges from node 0 to a `complete` node is a legal play, and every order of every legal play is such
    a path. If there is no move, node 0 is the only node and is complete. Raises Refused (`bad_dice`).
    """
    high, low = checked_dice(dice)
    finals = legal_results(position.key, high, low) or {position.key: ()}
    start = (position.key, dice_to_play((high, low)))
    steps = _explore(start)
    useful = _leading_to({state for state, out in steps.items() if not out and state[0] in finals}, steps)
    index = {state: at for at, state in enumerate(state for state in steps if state in useful)}
    return tuple(
        PlayNode(
            position=position_of(state[0]),
            dice=state[1],
            edges=tuple(Edge(step, index[then]) for step, then in steps[state] if then in index),
            complete=not steps[state],
        )
        for state in index
    )


State = tuple[int, tuple[int, ...]]
"""A key and the dice left."""


def _explore(start: State) -> dict[State, list[tuple[Step, State]]]:
    """Return every state that legal steps reach, each with the steps out of it; the start comes first."""
    steps: dict[State, list[tuple[Step, State]]] = {start: []}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        key, left = state
        own, closed, blots = masks(key)
        for at, die in enumerate(left):
            if die in left[:at]:
                continue
            for source in sources(own, closed, die):
                then = after_step(key, own, blots, die, source)[0], left[:at] + left[at + 1 :]
                steps[state].append((step_of(key, die, source), then))
                if then not in steps:
                    steps[then] = []
                    waiting.append(then)
    return steps


def _leading_to(ends: set[State], steps: dict[State, list[tuple[Step, State]]]) -> set[State]:
    """Return the states from which an end can be reached, ends included."""
    before: dict[State, list[State]] = {}
    for state, out in steps.items():
        for _, then in out:
            before.setdefault(then, []).append(state)
    waiting = list(ends)
    useful = set(ends)
    while waiting:
        for state in before.get(waiting.pop(), ()):
            if state not in useful:
                useful.add(state)
                waiting.append(state)
    return useful
