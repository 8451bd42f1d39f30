"""The layout of a bracket page: trees, sections, columns, boxes, lines. Filled in by `selectors.brackets`."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from tournaments.formats.plans import ROUNDS, TABLE
from tournaments.state.figures import Counted, Matches

MOST_PLACES_IN_ONE_PIECE = 64
"""Places of the first round up to which a bracket is shown in one piece."""
PLACES_PER_SECTION = 32
MERGE, STRAIGHT, CURVES = "merge", "straight", "curves"
QUARTERS, SEMIS = 4, 2
LETTERED = (CONSOLATION, LAST_CHANCE, LOWER)
"""Brackets whose rounds are named by a letter and a number."""


@dataclass(slots=True)
class BoxLine:
    """One side of a box; `kind` is "entry", "bye", "walkover", "to_be_decided", or "nobody" if no match is needed."""

    kind: str
    text: str
    entry: int | None = None
    player: str = ""
    """Public id of the player; empty if there is none."""
    seed: int | None = None
    score: int | None = None
    won: bool = False
    lost: bool = False
    here: bool = False
    """Whether this is the player that the user searched for."""
    late: bool = False
    """Whether the player entered after the draw."""
    onward: bool = False
    """Whether the player advances without having won, after a correction that kept the bracket."""


@dataclass(slots=True)
class FixtureBox:
    """A fixture on the page."""

    number: int
    status: str
    lines: tuple[BoxLine, BoxLine]
    counted: Counted = Counted.NO_MATCH
    fixture: str = ""
    match: str = ""
    """Public ids of fixture and match; empty if there is none."""
    mark: str = ""
    """"live", "claimed", "disputed", or empty."""
    where: str = ""
    """Where the match is, in a few words; empty before it is called, and once it is over."""
    note: str = ""
    """A note beside the number, such as “forfeit”."""
    winner_to: int | None = None
    loser_to: int | None = None
    winner_side: int = 0
    """The side that the winner takes in the next match."""
    winner_draw: str = ""
    """The round in whose draw the winner takes part; empty if the next match is known."""
    loser_draw: str = ""
    far: bool = False
    """Whether no line leads to the winner's next match, so that it is named in words."""
    due_at: datetime | None = None
    """Set only if it differs from the round's."""
    path: bool = False
    can_enter: bool = False
    seq: int = 0


@dataclass(slots=True)
class Column:
    """A round, or the part of it in a section."""

    name: str
    length: int
    boxes: list[FixtureBox]
    deadline: datetime | None = None
    to_be_drawn: bool = False
    """Whether the pairings will be drawn by lot, once all entrants are known."""
    joins: str = ""
    """How lines lead to the next column: MERGE (two into one), STRAIGHT (one to one), CURVES, or none."""
    links: tuple[tuple[float, float], ...] = ()
    """Curves as (from, to), in percent of the height."""

    @property
    def done(self) -> int:
        """Number of boxes with nothing left to play."""
        return sum(box.status not in ("waiting", "ready") for box in self.boxes)


@dataclass(slots=True)
class BracketSection:
    """Columns that are shown together."""

    key: str
    title: str
    columns: list[Column]
    open: bool = True
    shown: bool = True
    """Whether its boxes are in the page; very large brackets load sections one at a time."""

    @property
    def boxes(self) -> list[FixtureBox]:
        """All boxes of its columns."""
        return [box for column in self.columns for box in column.boxes]

    @property
    def matches(self) -> Matches:
        """Its matches."""
        return Matches.of(box.counted for box in self.boxes)

    @property
    def live(self) -> int:
        """Number of matches being played."""
        return sum(box.mark == "live" for box in self.boxes)


@dataclass(slots=True)
class Tree:
    """A bracket on the page; `key` is unique in the page."""

    key: str
    title: str
    sections: list[BracketSection] = field(default_factory=list)
    stage: int = 1
    champion: str = ""
    """The winner's name."""

    @property
    def boxes(self) -> list[FixtureBox]:
        """All boxes of its sections."""
        return [box for section in self.sections for box in section.boxes]

    @property
    def live(self) -> int:
        """Number of matches being played."""
        return sum(section.live for section in self.sections)

    @property
    def whole(self) -> bool:
        """Whether the bracket is shown in one piece."""
        return len(self.sections) == 1


def bracket_name(key: str, *, upper: bool = False) -> str:
    """Return the name of a bracket; `upper` is set for the main draw of a double elimination."""
    names: Mapping[str, str] = {
        MAIN: _("Upper bracket") if upper else _("Main draw"),
        CONSOLATION: _("Progressive consolation"),
        LAST_CHANCE: _("Last chance"),
        LOWER: _("Lower bracket"),
        FINAL: pgettext("bracket", "Final"),
        TABLE: _("Round robin"),
        ROUNDS: _("Rounds"),
    }
    return names.get(key) or _("Group %(name)s") % {"name": key}


def ranking_name(key: str) -> str:
    """Return the title of a bracket's places; a double elimination lists all of its places under its final."""
    return _("Double elimination") if key == FINAL else bracket_name(key)


def round_name(key: str, number: int, fixtures: int, rounds: int, *, upper: bool = False) -> str:
    """Return the name of a round: by the entrants left in a main draw, by its number elsewhere.

    The last round of an `upper` bracket is not the final: its winner still has to meet the lower bracket's winner.
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
    """Return 1st, 2nd, 3rd, 4th …"""
    teens = number // 10 % 10 == 1
    texts = {1: _("%(number)dst"), 2: _("%(number)dnd"), 3: _("%(number)drd")}
    text = _("%(number)dth") if teens else texts.get(number % 10, _("%(number)dth"))
    return text % {"number": number}


def place_name(stage: str, place: int) -> str:
    """Return the name of a place in an earlier stage (`1`) or group (`1:A`)."""
    _number, _colon, group = stage.partition(":")
    if group:
        return _("%(place)s of group %(name)s") % {"place": ordinal(place), "name": group}
    return _("%(place)s of stage %(number)s") % {"place": ordinal(place), "number": stage}


def connect(columns: Sequence[Column]) -> list[Column]:
    """Set on each column how lines lead to the next one, and return the columns."""
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
                (_height(row, len(targets)), _height(numbers.index(target), len(numbers)))
                for row, target in enumerate(targets)
                if target in numbers
            )
        for box in column.boxes:
            box.far = box.winner_to is not None and box.winner_to not in numbers
    return list(columns)


def uncross(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with their boxes ordered so that no two lines to the next column cross.

    Every winner goes to one box, so a bracket is a tree, and each column can follow the order of the next one. A box
    without a line to the next column keeps roughly its height.
    """
    ordered = list(columns)
    for index in reversed(range(len(ordered) - 1)):
        boxes, following = ordered[index].boxes, [box.number for box in ordered[index + 1].boxes]
        places = {number: place for place, number in enumerate(following)}
        ranks = {
            box.number: (
                places.get(box.winner_to or 0, (row + 0.5) * len(following) / len(boxes) - 0.5),
                box.winner_side,
                row,
            )
            for row, box in enumerate(boxes)
        }
        ordered[index] = replace(ordered[index], boxes=sorted(boxes, key=lambda box: ranks[box.number]))
    return ordered


def _height(row: int, count: int) -> float:
    """Return the middle of a box in percent, where `count` boxes share the height of a column."""
    return round(100 * (row + 0.5) / count, 1)


def tree(key: str, columns: Sequence[Column], *, name: str = "", title: str = "") -> Tree:
    """Return a bracket in one piece, or in sections of 32 places and a last one with what follows them.

    `name` is used in URLs, `title` on the page; by default both come from the key.
    """
    name, columns = name or key, uncross(columns)
    bracket = Tree(name, title or bracket_name(key))
    widest = max((len(column.boxes) for column in columns), default=0)
    parts = -(-2 * widest // PLACES_PER_SECTION)
    shared = list(itertools.takewhile(lambda column: len(column.boxes) >= parts, columns))
    if 2 * widest <= MOST_PLACES_IN_ONE_PIECE or not shared:
        bracket.sections = [BracketSection(f"{name}-1", "", connect(columns))]
        return bracket
    for index in range(parts):
        part = [replace(column, boxes=_part(column.boxes, index, parts)) for column in shared]
        bracket.sections.append(
            BracketSection(f"{name}-{index + 1}", _part_title(key, part, index, parts), connect(part))
        )
    rest = list(columns[len(shared) :])
    if rest:
        bracket.sections.append(BracketSection(f"{name}-final", _("To the final"), connect(rest)))
    return bracket


def _part(boxes: Sequence[FixtureBox], index: int, parts: int) -> list[FixtureBox]:
    """Return the boxes of a round in one of `parts` equal sections."""
    return list(boxes[index * len(boxes) // parts : (index + 1) * len(boxes) // parts])


def _part_title(key: str, part: Sequence[Column], index: int, parts: int) -> str:
    if key != MAIN:
        return _("Part %(number)d of %(count)d") % {"number": index + 1, "count": parts}
    size = 2 * len(part[0].boxes)
    return _("Places %(first)d–%(last)d") % {"first": index * size + 1, "last": (index + 1) * size}
