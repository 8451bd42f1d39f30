"""Drawing a board: from a position to shapes, in the units of a board of 892 × 622.

Pure functions. Side 0 has the white checkers and side 1 the black ones, whichever side is at the bottom. The player at
the bottom moves counter-clockwise and bears off at the bottom right; points are numbered from that player's side.
"""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext, ngettext

from engine.cube import face
from engine.keys import BAR, OFF
from engine.position import Position

WIDTH, HEIGHT = 892, 622
LEFT_TABLE, RIGHT_TABLE = 85, 477
POINT_WIDTH, POINT_HEIGHT = 55, 221
TOP, BOTTOM, MIDDLE = 28, 594, 311
BAR_X, TRAY_X, CUBE_X = 446, 848, 43
FIRST_CHECKER, NEXT_CHECKER = 26, 47
BAR_GAP = 66
"""Distance from the middle of the board to the first checker on the bar."""
MAX_SHOWN = 5
SLAB_HEIGHT, SLAB_PITCH = 12, 14
DICE_X = {True: 642, False: 250}
"""Middle of the two dice: on the right for the player at the bottom, else on the left."""
DIE_DISTANCE = 70
COLOURS = ("white", "black")
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
PIP_DISTANCE = 14

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    position: Position
    """From the point of view of `side`."""
    side: int
    """The side to act."""
    names: tuple[str, str]
    bottom: int = 0
    """The side at the bottom."""
    dice: tuple[int, int] | None = None
    cube: int = 1
    cube_owner: int | None = None
    offered: bool = False
    """The other side has doubled; `side` takes or drops."""
    cube_in_play: bool = True
    """False in the Crawford game and in a match to 1 point; the cube is then dimmed."""
    paths: tuple[Path, ...] = ()
    """The checkers that `side` moves, each with the points of its path, to be marked."""
    tried: bool = False
    """The play was illegal, and is marked as such."""
    over: bool = False
    """The game is over."""

    @property
    def face(self) -> int:
        return face(self.cube, offered=self.offered)


class Checker(NamedTuple):
    """A checker, on its point or borne off; `label` is the number of checkers in a high stack."""

    x: int
    y: int
    colour: str
    label: str = ""


class Spot(NamedTuple):
    x: int
    y: int


class Die(NamedTuple):
    """A die: its middle and its pips."""

    x: int
    y: int
    colour: str
    pips: tuple[Spot, ...]


class Cube(NamedTuple):
    """The cube: at the side of the board (`side_y`), or on the bar of a small board (`bar_y`)."""

    text: str
    side_y: int
    bar_y: int
    dimmed: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """All shapes of a board, ready for the template."""

    description: str
    checkers: tuple[Checker, ...]
    slabs: tuple[Checker, ...]
    """Checkers that were borne off, seen from their edge."""
    dice: tuple[Die, ...]
    cube: Cube | None
    offered: Checker | None
    arrows: tuple[str, ...]
    """The paths of checkers, each as the points of a line."""
    starts: tuple[Spot, ...]
    ends: tuple[Spot, ...]
    tried: bool
    played: tuple[str, ...] = ()
    """Dotted arrows of the play that was made, where `arrows` shows a better one."""
    ways: tuple[tuple[str, ...], ...] = ()
    """The arrows of each answer to a question; those of the chosen one are shown."""


def draw(diagram: Diagram) -> Scene:
    at_bottom = diagram.side == diagram.bottom
    counts = (diagram.position if at_bottom else diagram.position.swapped()).counts
    arrows, starts, ends = _marks(diagram, counts)
    return Scene(
        description=describe(diagram),
        checkers=tuple(_checkers(counts, diagram.bottom)),
        slabs=tuple(_slabs(counts, diagram.bottom)),
        dice=_dice(diagram),
        cube=None if diagram.offered else _cube(diagram),
        offered=Checker(DICE_X[not at_bottom], MIDDLE, "", str(diagram.face)) if diagram.offered else None,
        arrows=arrows,
        starts=starts,
        ends=ends,
        tried=diagram.tried,
    )


def point_x(point: int) -> int:
    """The x coordinate of a point (1–24, seen from the bottom)."""
    column = (point - 13) % 12 if point > 12 else 12 - point
    table = LEFT_TABLE if column < 6 else RIGHT_TABLE
    return table + column % 6 * POINT_WIDTH + POINT_WIDTH // 2


def stack_y(point: int, height: int) -> int:
    """The y coordinate of the checker at `height` (from 0) on a point. Checkers above the fifth overlap."""
    rise = FIRST_CHECKER + NEXT_CHECKER * min(height, MAX_SHOWN - 1)
    return BOTTOM - rise if point <= 12 else TOP + rise


def _place(point: int, height: int, owner_at_bottom: bool) -> Spot:
    """The middle of a checker on a point (1–24, seen from the bottom) or on the bar (25 bottom, 0 top)."""
    if 1 <= point <= 24:
        return Spot(point_x(point), stack_y(point, height))
    # A checker on the bar is drawn in the half of the board where it will enter.
    away = BAR_GAP + NEXT_CHECKER * min(height, MAX_SHOWN - 2)
    return Spot(BAR_X, MIDDLE - away if owner_at_bottom else MIDDLE + away)


def _checkers(counts: tuple[int, ...], bottom: int) -> list[Checker]:
    checkers = []
    for point, count in enumerate(counts):
        own = count > 0
        most = MAX_SHOWN if 1 <= point <= 24 else MAX_SHOWN - 1
        for height in range(min(abs(count), most)):
            place = _place(point, height, own)
            label = str(abs(count)) if height == most - 1 and abs(count) > most else ""
            checkers.append(Checker(place.x, place.y, COLOURS[bottom if own else 1 - bottom], label))
    return checkers


def _slabs(counts: tuple[int, ...], bottom: int) -> list[Checker]:
    own = 15 - sum(count for count in counts if count > 0)
    theirs = 15 + sum(count for count in counts if count < 0)
    left, top = TRAY_X - 27, TOP + 6
    slabs = [Checker(left, BOTTOM - 6 - SLAB_HEIGHT - SLAB_PITCH * n, COLOURS[bottom]) for n in range(own)]
    return slabs + [Checker(left, top + SLAB_PITCH * n, COLOURS[1 - bottom]) for n in range(theirs)]


def _dice(diagram: Diagram) -> tuple[Die, ...]:
    if diagram.dice is None:
        return ()
    middle = DICE_X[diagram.side == diagram.bottom]
    places = (middle - DIE_DISTANCE // 2, middle + DIE_DISTANCE // 2)
    return tuple(
        Die(
            x,
            MIDDLE,
            COLOURS[diagram.side],
            tuple(Spot(x + PIP_DISTANCE * dx, MIDDLE + PIP_DISTANCE * dy) for dx, dy in PIPS[value]),
        )
        for x, value in zip(places, diagram.dice, strict=True)
        if value in PIPS
    )


def _cube(diagram: Diagram) -> Cube:
    if diagram.cube_owner is None:
        side_y = bar_y = MIDDLE
    elif diagram.cube_owner == diagram.bottom:
        side_y, bar_y = BOTTOM - 27, HEIGHT - 30
    else:
        side_y, bar_y = TOP + 27, 30
    return Cube(str(diagram.face), side_y, bar_y, not diagram.cube_in_play)


# Marks of a play


def _marks(diagram: Diagram, counts: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[Spot, ...], tuple[Spot, ...]]:
    """An arrow for each checker that moves, and the spots where it starts and ends."""
    own = diagram.side == diagram.bottom
    sign = 1 if own else -1
    left = [max(0, sign * count) for count in counts]
    moved: list[tuple[Path, Spot]] = []
    for path in diagram.paths:
        source = _from_bottom(path[0], own)
        # An illegal play may name a checker that is not there.
        if left[source]:
            left[source] -= 1
            moved.append((path, _place(source, left[source], own)))
    arrows, ends = [], []
    for path, start in moved:
        spots = [start, *(_landing(point, left, own) for point in path[1:])]
        if path[-1] != OFF:
            left[_from_bottom(path[-1], own)] += 1
            ends.append(spots[-1])
        arrows.append(" ".join(f"{spot.x},{spot.y}" for spot in spots))
    return tuple(arrows), tuple(start for _, start in moved), tuple(ends)


def _from_bottom(point: int, own: bool) -> int:
    """A point of the side to act as an index of the counts seen from the bottom."""
    return point if own else BAR - point


def _landing(point: int, left: list[int], own: bool) -> Spot:
    if point == OFF:
        return Spot(TRAY_X, BOTTOM - POINT_HEIGHT // 2 if own else TOP + POINT_HEIGHT // 2)
    index = _from_bottom(point, own)
    return _place(index, left[index], own)


# Description for screen readers


def describe(diagram: Diagram) -> str:
    """Describe the position in words; each player's points are numbered from their own side."""
    own, other = diagram.side, 1 - diagram.side
    parts = [
        _describe_side(diagram, own, diagram.position),
        _describe_side(diagram, other, diagram.position.swapped()),
        _describe_cube(diagram),
    ]
    name = diagram.names[own]
    if diagram.over:
        parts.append(gettext("The game is over."))
    elif diagram.offered:
        parts.append(gettext("{name} is offered the cube at {value}.").format(name=name, value=diagram.face))
    elif diagram.dice:
        roll = "{}-{}".format(*diagram.dice)
        parts.append(gettext("{name} to play {roll}.").format(name=name, roll=roll))
    else:
        parts.append(gettext("{name} to roll or double.").format(name=name))
    return " ".join(parts)


def _describe_side(diagram: Diagram, side: int, position: Position) -> str:
    colour = gettext("White") if side == 0 else gettext("Black")
    counts = position.counts
    places = [
        gettext("{count} on the {point} point").format(count=counts[point], point=point)
        for point in range(24, 0, -1)
        if counts[point] > 0
    ]
    if counts[BAR]:
        places.insert(0, gettext("{count} on the bar").format(count=counts[BAR]))
    if off := position.borne_off[0]:
        places.append(ngettext("{count} checker off", "{count} checkers off", off).format(count=off))
    return gettext("{name}, {colour}: {places}.").format(
        name=diagram.names[side], colour=colour, places=", ".join(places)
    )


def _describe_cube(diagram: Diagram) -> str:
    if not diagram.cube_in_play:
        return gettext("No cube in this game.")
    if diagram.cube_owner is None:
        return gettext("The cube is centred.")
    owner = diagram.names[diagram.cube_owner]
    return gettext("{name} owns the cube at {value}.").format(name=owner, value=diagram.cube)
