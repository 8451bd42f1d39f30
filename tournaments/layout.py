"""How a bracket stands on the page: brackets, sections, columns, boxes, lines. Pure; filled by selectors.brackets."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN

WHOLE = 64
"""Places up to which a bracket is shown in one piece."""
SECTION = 32
"""Places of a section of a larger one."""
SECTION_ROUNDS = SECTION.bit_length() - 1
MERGE, STRAIGHT = "merge", "straight"
QUARTERS, SEMIS = 4, 2


@dataclass(slots=True)
class Line:
    """One side of a box: an entry, a bye, a walkover, or to be decided; four looks."""

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
    joins: str = ""
    """How the boxes lead to the next column: two into one, one to one, or by words only."""

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
    """A bracket ready to be shown."""

    key: str
    title: str
    sections: list[Section] = field(default_factory=list)

    @property
    def boxes(self) -> list[Box]:
        """All of them."""
        return [box for section in self.sections for box in section.boxes]

    @property
    def whole(self) -> bool:
        """Whether it is in one piece."""
        return len(self.sections) == 1


def bracket_name(key: str) -> str:
    """What a bracket is called."""
    names: Mapping[str, str] = {
        MAIN: _("Main draw"),
        CONSOLATION: _("Progressive consolation"),
        LAST_CHANCE: _("Last chance"),
        LOWER: _("Lower bracket"),
        FINAL: pgettext("bracket", "Final"),
    }
    return names.get(key, key)


def round_name(key: str, number: int, fixtures: int, rounds: int) -> str:
    """What a round is called: by who is left in a main draw, by its number elsewhere."""
    if key == FINAL:
        return pgettext("round", "Final") if number == 1 else _("Second final")
    if key != MAIN:
        letter = key[0].upper()
        return _("%(letter)s final") % {"letter": letter} if number == rounds else f"{letter}{number}"
    if fixtures == 1:
        return pgettext("round", "Final")
    if fixtures == SEMIS:
        return _("Semi-finals")
    if fixtures == QUARTERS:
        return _("Quarter-finals")
    return _("Round of %(count)d") % {"count": 2 * fixtures}


def joined(columns: Sequence[Column]) -> list[Column]:
    """The columns, each knowing how it leads to the next."""
    for column, following in itertools.pairwise(columns):
        targets = [box.winner_to for box in column.boxes]
        numbers = [box.number for box in following.boxes]
        if targets == [number for number in numbers for _twice in range(2)]:
            column.joins = MERGE
        elif targets == numbers:
            column.joins = STRAIGHT
    return list(columns)


def tree(key: str, columns: Sequence[Column]) -> Tree:
    """A bracket in one piece, or in sections of 32 places and what follows them."""
    made = Tree(key, bracket_name(key))
    places = 2 * len(columns[0].boxes) if columns else 0
    if places <= WHOLE or not _halves(columns):
        made.sections = [Section(f"{key}-1", "", joined(columns))]
        return made
    for at in range(places // SECTION):
        part = []
        for depth, column in enumerate(columns[:SECTION_ROUNDS]):
            size = (SECTION // 2) >> depth
            boxes = column.boxes[at * size : (at + 1) * size]
            part.append(Column(column.name, column.length, boxes, column.deadline))
        first = at * SECTION + 1
        title = _("Places %(first)d–%(last)d") % {"first": first, "last": first + SECTION - 1}
        made.sections.append(Section(f"{key}-{at + 1}", title, joined(part)))
    made.sections.append(Section(f"{key}-final", _("To the final"), joined(columns[SECTION_ROUNDS:])))
    return made


def _halves(columns: Sequence[Column]) -> bool:
    """Whether each round has half as many fixtures as the one before."""
    counts = [len(column.boxes) for column in columns]
    return all(2 * after == before for before, after in itertools.pairwise(counts))
