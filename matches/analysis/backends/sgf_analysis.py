"""The analysis that GNU Backgammon writes into its SGF, in the order of the decisions.

`A[i][moves E version five-chances equity depth …]` are the candidates of a play, `i` the one that was made; their
equities are normalised. `DA[E version depth … ]` has two evaluations of seven numbers, without and with a double; the
last number of each is the equity in money play and the chance to win the match in match play. `LU` is the luck of a
roll as a normalised equity. Source: files of GNU Backgammon 1.07 and 1.08.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import Refused
from engine.position import Position, position_of
from engine.records.sgf_reader import CUBE_WORDS, SIDES, moves_of_letters
from engine.records.sgf_syntax import Node, UnfinishedError, trees
from engine.resolution import resolve
from engine.transcript import Kind as EventKind
from matches.analysis.match_equity import Stakes

_PROPERTIES = frozenset(("W", "B", "A", "DA", "LU"))
_TURN = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,8})").fullmatch
_DEPTH = re.compile(r"(\d+)C?").fullmatch
_CHANCES, _EVALUATION = 5, 7
_HEAD = 2
"""Words before the numbers of a candidate: its moves and `E`."""


class RatedMove(NamedTuple):
    """A candidate of a play, in gnubg's letters."""

    letters: str
    equity: float
    plies: int

    def result(self, position: Position, dice: tuple[int, int], side: int) -> Position:
        """Return the position after it, seen by the mover. Refused or ValueError if it is not legal."""
        moves = moves_of_letters(self.letters, side)
        return position_of(resolve(position.key, dice, [move.points for move in moves]).key)


class CubeRating(NamedTuple):
    """The two evaluations of a cube decision: equities in money play, chances to win the match otherwise."""

    no_double: float
    double_take: float

    def equities(self, stakes: Stakes | None) -> tuple[float, float]:
        """Return both as equities normalised to the cube."""
        if stakes is None:
            return self.no_double, self.double_take
        return stakes.equity(self.no_double), stakes.equity(self.double_take)


class AnalysedNode(NamedTuple):
    """A turn or cube action with what gnubg says about it."""

    game: int
    """Counted from 1."""
    side: int
    action: EventKind
    dice: tuple[int, int] | None
    moves: tuple[RatedMove, ...]
    """Best first."""
    played: int | None
    """Index of the play that was made."""
    cube: CubeRating | None
    luck: float | None


def analysed_nodes(text: str) -> Iterator[AnalysedNode]:
    """Yield the turns and cube actions of a file. Refused: `analysis_unreadable`."""
    game = 0
    is_root = False
    try:
        for node in trees(text, _PROPERTIES):
            if node is None:
                game, is_root = game + 1, True
            elif is_root:
                is_root = False
            elif (analysed := _node(node, game)) is not None:
                yield analysed
    except (UnfinishedError, ValueError, IndexError):
        raise Refused("analysis_unreadable") from None


def _node(node: Node, game: int) -> AnalysedNode | None:
    turn = next(((SIDES[name], values[0]) for name, values in node.properties if name in SIDES), None)
    if turn is None:
        return None
    side, value = turn
    action = CUBE_WORDS.get(value, EventKind.PLAY)
    roll = _TURN(value)
    if action is EventKind.PLAY and roll is None:
        return None
    played, moves = _moves(node)
    luck = node.first("LU")
    return AnalysedNode(
        game=game,
        side=side,
        action=action,
        dice=(int(roll[1]), int(roll[2])) if roll is not None else None,
        moves=moves,
        played=played,
        cube=_cube(node),
        luck=float(luck.split()[0]) if luck else None,
    )


def _moves(node: Node) -> tuple[int | None, tuple[RatedMove, ...]]:
    values = next((values for name, values in node.properties if name == "A"), None)
    if not values:
        return None, ()
    moves = []
    for value in values[1:]:
        letters, kind, _, _, *numbers = value.split()
        if kind != "E":
            raise ValueError(kind)
        moves.append(RatedMove(letters, float(numbers[_CHANCES]), _plies(numbers[_CHANCES + 1])))
    played = int(values[0])
    return (played if 0 <= played < len(moves) else None), tuple(moves)


def _cube(node: Node) -> CubeRating | None:
    value = node.first("DA")
    if value is None:
        return None
    kind, _, _, _, _, _, _, *numbers = value.split()
    if kind != "E" or len(numbers) < 2 * _EVALUATION:
        raise ValueError(value)
    return CubeRating(float(numbers[_EVALUATION - 1]), float(numbers[2 * _EVALUATION - 1]))


def _plies(text: str) -> int:
    match = _DEPTH(text)
    if match is None:
        raise ValueError(text)
    return int(match[1])
