"""Boards of judged decisions: what was played and what would have been best."""

from dataclasses import replace

from engine import parse_play, parse_xgid
from engine.errors import Refused
from engine.match import Phase
from matches.models import Decision
from matches.records.board import Diagram, Path, Scene, draw


def diagram_of(decision: Decision, names: tuple[str, str], *, swapped: bool = False) -> Diagram | None:
    """The position of a decision, with the best play marked; None if it cannot be read.

    `names` are those of sides 0 and 1 of the match, and `swapped` says that side 0 of the record is side 1 of it.
    """
    try:
        state = parse_xgid(decision.xgid)
    except Refused:
        return None
    doubled = state.phase is Phase.DOUBLED
    turn = state.turn or 0
    side = decision.side
    own = state.position.swapped() if turn != side else state.position
    diagram = Diagram(
        position=own,
        side=side,
        names=names[::-1] if swapped else names,
        dice=state.dice if decision.kind == Decision.Kind.PLAY else None,
        cube=state.cube,
        cube_owner=state.cube_owner,
        offered=doubled,
        cube_in_play=not state.crawford and state.length != 1,
        paths=paths_of(decision.best) if decision.kind == Decision.Kind.PLAY else (),
    )
    return _mirrored(diagram) if swapped else diagram


def scene_of(decision: Decision, names: tuple[str, str], *, swapped: bool = False) -> Scene | None:
    """The board of a decision with the best play as solid arrows and the one that was made as dotted ones."""
    diagram = diagram_of(decision, names, swapped=swapped)
    if diagram is None:
        return None
    best = draw(diagram)
    if decision.kind != Decision.Kind.PLAY or decision.played == decision.best:
        return best
    return replace(best, played=draw(replace(diagram, paths=paths_of(decision.played))).arrows)


def paths_of(play: str) -> tuple[Path, ...]:
    """The paths of the checkers of a play in notation; empty if there are none."""
    try:
        return tuple(parse_play(play))
    except Refused:
        return ()


def _mirrored(diagram: Diagram) -> Diagram:
    """The same position with the sides exchanged: only colours and names differ."""
    owner = diagram.cube_owner
    return replace(
        diagram,
        side=1 - diagram.side,
        names=diagram.names[::-1],
        cube_owner=1 - owner if owner is not None else None,
    )
