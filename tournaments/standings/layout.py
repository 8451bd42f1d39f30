"""How a bracket stands on the page: brackets, sections, columns, boxes, lines. Pure; filled by selectors.brackets."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from tournaments.formats.plans import ROUNDS, TABLE

WHOLE = 64
"""Places of a round up to which a bracket is shown in one piece."""
SECTION = 32
"""Places of a section of a larger one."""
MERGE, STRAIGHT, CURVES = "merge", "straight", "curves"
QUARTERS, SEMIS = 4, 2
LETTERED = (CONSOLATION, LAST_CHANCE, LOWER)
"""Brackets whose rounds go by a letter and a number."""


@dataclass(slots=True)
class Line:
    """One side of a box: an entry, a bye, a walkover, or to be decided; four looks.

    Where no match is needed it is nobody, which is none of them.
    """

    kind: str
    text: str
    entry: int | None = None
    player: str = ""
    """Public id of the player, where one stands here."""
    seed: int | None = None
    score: int | None = None
    won: bool = False
    lost: bool = False
    here: bool = False
    """Whether the reader is looking for him."""
    late: bool = False
    """Whether he came after the draw."""
    onward: bool = False
    """Whether he goes on although he did not win: a correction that kept the bracket."""


@dataclass(slots=True)
class Box:
    """A fixture."""

    number: int
    status: str
    lines: tuple[Line, Line]
    fixture: str = ""
    match: str = ""
    """Public ids; empty where there is none."""
    mark: str = ""
    """live, claimed, disputed, or empty."""
    note: str = ""
    """The word beside the number, such as forfeit."""
    winner_to: int | None = None
    loser_to: int | None = None
    winner_side: int = 0
    """The side on which the winner goes on."""
    winner_draw: str = ""
    """The round in whose draw the winner takes part; empty where it is known which match comes next."""
    loser_draw: str = ""
    far: bool = False
    """Whether the winner goes where no line leads, so that words must."""
    due_at: datetime | None = None
    """Only where it is not the round's."""
    path: bool = False
    can_enter: bool = False
    seq: int = 0


@dataclass(slots=True)
class Column:
    """A round, or the part of it that stands in a section."""

    name: str
    length: int
    boxes: list[Box]
    deadline: datetime | None = None
    to_be_drawn: bool = False
    """Whether lots will decide who meets whom, once everybody who comes here is known."""
    joins: str = ""
    """How the boxes lead to the next column: two into one, one to one, by curves, or by words only."""
    links: tuple[tuple[float, float], ...] = ()
    """The curves: from and to, in percent of the height."""

    @property
    def done(self) -> int:
        """Boxes with nothing left to play."""
        return sum(box.status not in ("waiting", "ready") for box in self.boxes)


@dataclass(slots=True)
class Section:
    """Columns that are read together."""

    key: str
    title: str
    columns: list[Column]
    open: bool = True
    shown: bool = True
    """Whether its boxes are in the page; very large brackets show one section at a time."""

    @property
    def boxes(self) -> list[Box]:
        """All of them."""
        return [box for column in self.columns for box in column.boxes]

    @property
    def done(self) -> int:
        """Matches with nothing left to play, byes not counted."""
        return sum(box.status not in ("waiting", "ready", "bye") for box in self.boxes)

    @property
    def total(self) -> int:
        """Matches, byes not counted."""
        return sum(box.status != "bye" for box in self.boxes)

    @property
    def live(self) -> int:
        """Matches being played."""
        return sum(box.mark == "live" for box in self.boxes)


@dataclass(slots=True)
class Tree:
    """A bracket ready to be shown. `key` is unique in a page."""

    key: str
    title: str
    sections: list[Section] = field(default_factory=list)
    stage: int = 1
    champion: str = ""
    """Its winner's name."""

    @property
    def boxes(self) -> list[Box]:
        """All of them."""
        return [box for section in self.sections for box in section.boxes]

    @property
    def live(self) -> int:
        """Matches being played."""
        return sum(section.live for section in self.sections)

    @property
    def whole(self) -> bool:
        """Whether it is in one piece."""
        return len(self.sections) == 1


def bracket_name(key: str, *, upper: bool = False) -> str:
    """What a bracket is called; `upper` is said of the main draw of a double elimination."""
    names: Mapping[str, str] = {
        MAIN: _("Upper bracket") if upper else _("Main draw"),
        CONSOLATION: _("Progressive consolation"),
        LAST_CHANCE: _("Last chance"),
        LOWER: _("Lower bracket"),
        FINAL: pgettext("bracket", "Final"),
        TABLE: _("All play all"),
        ROUNDS: _("Rounds"),
    }
    return names.get(key) or _("Group %(name)s") % {"name": key}


def ranking_name(key: str) -> str:
    """What the places of a bracket are called; those under the key of a final are all of a double elimination."""
    return _("Double elimination") if key == FINAL else bracket_name(key)


def round_name(key: str, number: int, fixtures: int, rounds: int, *, upper: bool = False) -> str:
    """What a round is called: by who is left in a main draw, by its number elsewhere.

    The last round of an `upper` bracket is not the final: its winner has the lower one's still to meet.
    """
    if key == FINAL:
        return pgettext("round", "Final") if number == 1 else _("Second final")
    if key in LETTERED:
        letter = key[0].upper()
        return _("%(letter)s final") % {"letter": letter} if number == rounds else f"{letter}{number}"
    if key in (TABLE, ROUNDS):
        return _("Round %(number)d") % {"number": number}
    if key != MAIN:
        return f"{key}{number}"
    if fixtures == 1:
        return _("Upper final") if upper else pgettext("round", "Final")
    if fixtures == SEMIS:
        return _("Upper semi-finals") if upper else _("Semi-finals")
    if fixtures == QUARTERS:
        return _("Upper quarter-finals") if upper else _("Quarter-finals")
    return _("Round of %(count)d") % {"count": 2 * fixtures}


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    teens = number // 10 % 10 == 1
    texts = {1: _("%(number)dst"), 2: _("%(number)dnd"), 3: _("%(number)drd")}
    text = _("%(number)dth") if teens else texts.get(number % 10, _("%(number)dth"))
    return text % {"number": number}


def place_name(stage: str, place: int) -> str:
    """Who comes from an earlier stage, such as `1:A`, until it is known."""
    _number, _colon, group = stage.partition(":")
    if group:
        return _("%(place)s of group %(name)s") % {"place": ordinal(place), "name": group}
    return _("%(place)s of stage %(number)s") % {"place": ordinal(place), "number": stage}


def joined(columns: Sequence[Column]) -> list[Column]:
    """The columns, each knowing how it leads to the next."""
    for column, following in itertools.pairwise([*columns, Column("", 0, [])]):
        targets = [box.winner_to for box in column.boxes]
        numbers = [box.number for box in following.boxes]
        if targets and targets == [number for number in numbers for _twice in range(2)]:
            column.joins = MERGE
        elif targets and targets == numbers:
            column.joins = STRAIGHT
        elif set(targets) & set(numbers):
            column.joins = CURVES
            column.links = tuple(
                (_height(at, len(targets)), _height(numbers.index(target), len(numbers)))
                for at, target in enumerate(targets)
                if target in numbers
            )
        for box in column.boxes:
            box.far = box.winner_to is not None and box.winner_to not in numbers
    return list(columns)


def uncrossed(columns: Sequence[Column]) -> list[Column]:
    """The columns with their boxes in such an order that no two lines to the next column cross.

    Where a winner goes is one box, so a bracket is a tree, and can be drawn so: each column follows the order of the
    next. A box from which no line leads keeps about the height that it has.
    """
    ordered = list(columns)
    for at in reversed(range(len(ordered) - 1)):
        boxes, following = ordered[at].boxes, [box.number for box in ordered[at + 1].boxes]
        places = {number: place for place, number in enumerate(following)}
        ranks = {
            box.number: (
                places.get(box.winner_to or 0, (own + 0.5) * len(following) / len(boxes) - 0.5),
                box.winner_side,
                own,
            )
            for own, box in enumerate(boxes)
        }
        ordered[at] = replace(ordered[at], boxes=sorted(boxes, key=lambda box: ranks[box.number]))
    return ordered


def _height(at: int, count: int) -> float:
    """The middle of a box among so many that share the height of a column, in percent."""
    return round(100 * (at + 0.5) / count, 1)


def tree(key: str, columns: Sequence[Column], *, name: str = "", title: str = "") -> Tree:
    """A bracket in one piece, or in sections of 32 places and what follows them.

    `name` is what it is called in addresses, `title` on the page; by default both come from its key.
    """
    name, columns = name or key, uncrossed(columns)
    made = Tree(name, title or bracket_name(key))
    widest = max((len(column.boxes) for column in columns), default=0)
    parts = -(-2 * widest // SECTION)
    shared = list(itertools.takewhile(lambda column: len(column.boxes) >= parts, columns))
    if 2 * widest <= WHOLE or not shared:
        made.sections = [Section(f"{name}-1", "", joined(columns))]
        return made
    for at in range(parts):
        part = [replace(own, boxes=_part(own.boxes, at, parts)) for own in shared]
        made.sections.append(Section(f"{name}-{at + 1}", _part_title(key, part, at, parts), joined(part)))
    rest = list(columns[len(shared) :])
    if rest:
        made.sections.append(Section(f"{name}-final", _("To the final"), joined(rest)))
    return made


def _part(boxes: Sequence[Box], at: int, parts: int) -> list[Box]:
    """What one of so many equal sections holds of a round."""
    return list(boxes[at * len(boxes) // parts : (at + 1) * len(boxes) // parts])


def _part_title(key: str, part: Sequence[Column], at: int, parts: int) -> str:
    if key != MAIN:
        return _("Part %(number)d of %(count)d") % {"number": at + 1, "count": parts}
    size = 2 * len(part[0].boxes)
    return _("Places %(first)d–%(last)d") % {"first": at * size + 1, "last": (at + 1) * size}
