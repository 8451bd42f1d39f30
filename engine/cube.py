"""The doubling cube: who may double, when it is dead, and which game is the Crawford game (docs/rules.md §2)."""

from engine.errors import Refused

Side = int
Score = tuple[int, int]
CENTRED_FACE = 64


def double_refused(
    *, side: Side, cube: int, owner: Side | None, length: int, crawford: bool, opened: bool
) -> Refused | None:
    """Return why `side`, on roll, may not double; None if it may.

    `length` is 0 in money play; `opened` says whether the opening roll was made.
    """
    if not opened:
        return Refused("double_before_opening")
    if length == 1:
        return Refused("cube_in_one_point")
    if crawford:
        return Refused("cube_in_crawford")
    if owner not in (None, side):
        return Refused("cube_not_owned")
    return None


def is_dead(*, side: Side, cube: int, score: Score, length: int) -> bool:
    """Whether doubling gains `side` nothing, because the cube already wins it the match. Never in money play."""
    return length > 0 and length - score[side] <= cube


def is_crawford_game(*, length: int, score: Score, played: bool, rule: bool = True) -> bool:
    """Whether the game at `score` is the Crawford game.

    That is the first game after either side has come to exactly one point short of the match. There is only one in a
    match (`played`: it is over), none in a match to one point, which has no cube, and none once both sides are one
    point short, where the cube gains nobody anything.
    """
    return rule and length > 1 and not played and score.count(length - 1) == 1


def doubled(cube: int) -> int:
    """Return the value of the cube after a double."""
    return 2 * cube


def face(cube: int, *, offered: bool = False) -> int:
    """Return the number on the upper side of the cube; `offered`: a double of it waits for its answer.

    >>> face(1), face(1, offered=True), face(4)
    (64, 2, 4)
    """
    if offered:
        return doubled(cube)
    return CENTRED_FACE if cube == 1 else cube
