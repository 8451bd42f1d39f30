"""The drawn board: from a position to the shapes of a picture, in units of a 892 × 622 board.

Pure: no request, no database. Side 0 has the white checkers and side 1 the black ones, whoever sits at the bottom.
The viewer at the bottom moves counter-clockwise and bears off at the bottom right; point numbers are the viewer's.
"""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext, ngettext

from engine.keys import BAR, OFF
from engine.position import Position

WIDTH, HEIGHT = 892, 622
LEFT_TABLE, RIGHT_TABLE = 85, 477
POINT_WIDTH, POINT_HEIGHT = 55, 221
TOP, BOTTOM, MIDDLE = 28, 594, 311
BAR_X, TRAY_X, CUBE_X = 446, 848, 43
FIRST_CHECKER, NEXT_CHECKER = 26, 47
BAR_GAP = 66
"""From the middle of the board to the first checker on the bar."""
MOST_SHOWN = 5
SLAB_HEIGHT, SLAB_PITCH = 12, 14
DICE_X = {True: 642, False: 250}
"""Middle of the two dice: right for the bottom player, left for the top one."""
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

Way = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """What is to be drawn."""

    position: Position
    """Seen by `side`."""
    side: int
    """Who decides here."""
    names: tuple[str, str]
    bottom: int = 0
    """The side that sits at the bottom."""
    dice: tuple[int, int] | None = None
    cube: int = 1
    cube_owner: int | None = None
    offered: bool = False
    """The cube was just turned by the other side; `side` takes or drops."""
    cube_in_play: bool = True
    """False in the Crawford game and in a match to one point: the cube is dimmed."""
    ways: tuple[Way, ...] = ()
    """What `side` plays, each checker from first to last point, to be marked."""
    tried: bool = False
    """The play was not legal: its marks say so."""
    over: bool = False
    """The game has ended here."""


class Checker(NamedTuple):
    """A disc; `label` counts what is stacked under it."""

    x: int
    y: int
    colour: str
    label: str = ""


class Slab(NamedTuple):
    """A checker borne off, seen from its edge."""

    x: int
    y: int
    colour: str


class Spot(NamedTuple):
    """A place of interest."""

    x: int
    y: int


class Die(NamedTuple):
    """A die with its middle and its pips."""

    x: int
    y: int
    colour: str
    pips: tuple[Spot, ...]


class Cube(NamedTuple):
    """The cube, at the side (`side_y`), or on the bar where a phone has no room at the side."""

    text: str
    side_y: int
    bar_y: int
    dimmed: bool


class Arrow(NamedTuple):
    """The way of a checker."""

    points: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything on the board, ready for the template."""

    description: str
    checkers: tuple[Checker, ...]
    slabs: tuple[Slab, ...]
    dice: tuple[Die, ...]
    cube: Cube | None
    offered: Checker | None
    arrows: tuple[Arrow, ...]
    starts: tuple[Spot, ...]
    ends: tuple[Spot, ...]
    tried: bool


def draw(diagram: Diagram) -> Scene:
    """The shapes of a diagram."""
    at_bottom = diagram.side == diagram.bottom
    counts = (diagram.position if at_bottom else diagram.position.swapped()).counts
    arrows, starts, ends = _marks(diagram, counts)
    return Scene(
        description=describe(diagram),
        checkers=tuple(_checkers(counts, diagram.bottom)),
        slabs=tuple(_slabs(counts, diagram.bottom)),
        dice=_dice(diagram),
        cube=None if diagram.offered else _cube(diagram),
        offered=Checker(DICE_X[not at_bottom], MIDDLE, "", str(2 * diagram.cube)) if diagram.offered else None,
        arrows=arrows,
        starts=starts,
        ends=ends,
        tried=diagram.tried,
    )


def point_x(point: int) -> int:
    """Middle of the viewer's point 1–24."""
    column = (point - 13) % 12 if point > 12 else 12 - point
    table = LEFT_TABLE if column < 6 else RIGHT_TABLE
    return table + column % 6 * POINT_WIDTH + POINT_WIDTH // 2


def stack_y(point: int, height: int) -> int:
    """Middle of the checker that lies `height` (0 …) high on a point; beyond five they lie on one another."""
    rise = FIRST_CHECKER + NEXT_CHECKER * min(height, MOST_SHOWN - 1)
    return BOTTOM - rise if point <= 12 else TOP + rise


def _place(point: int, height: int, owner_at_bottom: bool) -> Spot:
    """Where a checker lies: a viewer's point 1–24, or its owner's bar (25 bottom, 0 top) or tray."""
    if 1 <= point <= 24:
        return Spot(point_x(point), stack_y(point, height))
    # A checker on the bar lies on the half where it will enter.
    away = BAR_GAP + NEXT_CHECKER * min(height, MOST_SHOWN - 2)
    return Spot(BAR_X, MIDDLE - away if owner_at_bottom else MIDDLE + away)


def _checkers(counts: tuple[int, ...], bottom: int) -> list[Checker]:
    found = []
    for point, count in enumerate(counts):
        own = count > 0
        most = MOST_SHOWN if 1 <= point <= 24 else MOST_SHOWN - 1
        for height in range(min(abs(count), most)):
            place = _place(point, height, own)
            label = str(abs(count)) if height == most - 1 and abs(count) > most else ""
            found.append(Checker(place.x, place.y, COLOURS[bottom if own else 1 - bottom], label))
    return found


def _slabs(counts: tuple[int, ...], bottom: int) -> list[Slab]:
    own = 15 - sum(count for count in counts if count > 0)
    theirs = 15 + sum(count for count in counts if count < 0)
    left, top = TRAY_X - 27, TOP + 6
    slabs = [Slab(left, BOTTOM - 6 - SLAB_HEIGHT - SLAB_PITCH * n, COLOURS[bottom]) for n in range(own)]
    return slabs + [Slab(left, top + SLAB_PITCH * n, COLOURS[1 - bottom]) for n in range(theirs)]


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
    text = "64" if diagram.cube == 1 else str(diagram.cube)
    if diagram.cube_owner is None:
        side_y = bar_y = MIDDLE
    elif diagram.cube_owner == diagram.bottom:
        side_y, bar_y = BOTTOM - 27, HEIGHT - 30
    else:
        side_y, bar_y = TOP + 27, 30
    return Cube(text, side_y, bar_y, not diagram.cube_in_play)


# What was played


def _marks(diagram: Diagram, counts: tuple[int, ...]) -> tuple[tuple[Arrow, ...], tuple[Spot, ...], tuple[Spot, ...]]:
    """An arrow for each checker that moves, a ring where it lay and a dashed one where it comes to lie."""
    own = diagram.side == diagram.bottom
    sign = 1 if own else -1
    left = [max(0, sign * count) for count in counts]
    lifted: list[tuple[Way, Spot]] = []
    for way in diagram.ways:
        source = _seen(way[0], own)
        # A play that was not legal may name a checker that is not there.
        if left[source]:
            left[source] -= 1
            lifted.append((way, _place(source, left[source], own)))
    arrows, ends = [], []
    for way, start in lifted:
        spots = [start, *(_landing(point, left, own) for point in way[1:])]
        if way[-1] != OFF:
            left[_seen(way[-1], own)] += 1
            ends.append(spots[-1])
        arrows.append(Arrow(" ".join(f"{spot.x},{spot.y}" for spot in spots)))
    return tuple(arrows), tuple(start for _, start in lifted), tuple(ends)


def _seen(point: int, own: bool) -> int:
    """The mover's point as an index of the counts seen from the bottom."""
    return point if own else BAR - point


def _landing(point: int, left: list[int], own: bool) -> Spot:
    if point == OFF:
        return Spot(TRAY_X, BOTTOM - POINT_HEIGHT // 2 if own else TOP + POINT_HEIGHT // 2)
    seen = _seen(point, own)
    return _place(seen, left[seen], own)


# In words, for those who do not see it


def describe(diagram: Diagram) -> str:
    """The position in words, each player's points counted from the player's own side."""
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
        parts.append(gettext("{name} is offered the cube at {value}.").format(name=name, value=2 * diagram.cube))
    elif diagram.dice:
        roll = "{}-{}".format(*diagram.dice)
        parts.append(gettext("{name} to play {roll}.").format(name=name, roll=roll))
    else:
        parts.append(gettext("{name} to roll or double.").format(name=name))
    return " ".join(parts)


def _describe_side(diagram: Diagram, side: int, position: Position) -> str:
    colour = gettext("white") if side == 0 else gettext("black")
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
        return gettext("The cube is in the middle.")
    owner = diagram.names[diagram.cube_owner]
    return gettext("{name} owns the cube at {value}.").format(name=owner, value=diagram.cube)
