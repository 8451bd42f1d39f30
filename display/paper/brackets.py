"""Brackets on paper."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from display.languages import slashed
from formats.elimination.places import FIRST_PLACES
from formats.settings import ELIMINATION
from tournaments.models import Division, Slot
from tournaments.standings.brackets import BracketOptions, FixtureBox, RoundColumn, SlotRow, Tree, rounds_of, trees
from tournaments.state.names import names_of

# Where the matches of a bracket stand on paper; pure arithmetic in units of one line.
#
# A match is two lines, on which names stand, and a join between them. The winner's line in the next column begins at
# the middle of the join. Lines of one column are at least one unit apart; lines of different columns may have the
# same height, so that a consolation in which losers drop needs no more space than its fullest round.


@dataclass(slots=True)
class SheetLine:
    """One side of a match; `feeder` is the match on the same sheet whose winner takes it."""

    text: str
    score: str = ""
    won: bool = False
    known: bool = False
    """Whether it is a player; otherwise where the player will come from."""
    dropped: bool = False
    """Whether the player comes from another bracket by losing there."""
    feeder: "SheetMatch | None" = None


@dataclass(slots=True)
class SheetMatch:
    """A match with its round (`column`) and where its players go; `note` says how it ended if it was not played."""

    number: int
    column: int
    lines: tuple[SheetLine, SheetLine]
    note: str = ""
    loser_to: str = ""
    winner_to: str = ""
    """Set only if no line leads to the winner's next match."""


@dataclass(slots=True)
class Placed:
    """A match and the heights of its two lines."""

    match: SheetMatch
    tops: tuple[float, float]

    @property
    def middle(self) -> float:
        """Where the winner's line begins."""
        return sum(self.tops) / 2


@dataclass(slots=True)
class Piece:
    """A part of a bracket that is printed together."""

    placed: list[Placed] = field(default_factory=list)
    spans: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Column -> its first and its last line."""

    @property
    def columns(self) -> tuple[int, int]:
        """The first and the last column with a match."""
        columns = [placed.match.column for placed in self.placed]
        return min(columns), max(columns)

    @property
    def height(self) -> float:
        """In lines, with the space for the name on the first one."""
        return (
            1 + max(last for _first, last in self.spans.values()) - min(first for first, _last in self.spans.values())
        )


def layout(roots: Iterable[SheetMatch]) -> Piece:
    """Return these matches with all that feed them, one below the other."""
    piece = Piece()
    for root in roots:
        _append(piece, _with_feeders(root))
    return piece


def pieces(roots: Sequence[SheetMatch], most: float) -> list[Piece]:
    """Return the matches in pieces of at most `most` lines each where that is possible.

    A match that needs more is cut: its first feeder is printed before it by itself, then the second one.
    """
    whole = layout(roots)
    if whole.height <= most:
        return [whole]
    if len(roots) > 1:
        middle = len(roots) // 2
        return pieces(roots[:middle], most) + pieces(roots[middle:], most)
    for line in roots[0].lines:
        if line.feeder is not None:
            feeder, line.feeder = line.feeder, None
            feeder.winner_to = f"M{roots[0].number}"
            return pieces([feeder], most) + pieces(roots, most)
    return [whole]


def _with_feeders(match: SheetMatch) -> Piece:
    """Return a match, its two lines where their feeders end."""
    upper, lower = (_line(line, match.column) for line in match.lines)
    shift = _append(upper[0], lower[0])
    tops = (upper[1], lower[1] + shift)
    piece = upper[0]
    piece.placed.append(Placed(match, tops))
    return piece


def _line(line: SheetLine, column: int) -> tuple[Piece, float]:
    if line.feeder is None:
        return Piece(spans={column: (0, 0)}), 0
    piece = _with_feeders(line.feeder)
    height = piece.placed[-1].middle
    for crossed in range(line.feeder.column + 1, column + 1):
        # The line runs through the columns between.
        first, last = piece.spans.get(crossed, (height, height))
        piece.spans[crossed] = (min(first, height), max(last, height))
    return piece, height


def _append(piece: Piece, below: Piece) -> float:
    """Move `below` as close under `piece` as their columns allow, join them, and return by how much it was moved."""
    gaps = [piece.spans[column][1] + 1 - first for column, (first, _) in below.spans.items() if column in piece.spans]
    shift = max(gaps, default=0)
    for placed in below.placed:
        placed.tops = (placed.tops[0] + shift, placed.tops[1] + shift)
    piece.placed += below.placed
    for column, (first, last) in below.spans.items():
        above = piece.spans.get(column, (first + shift, 0))
        piece.spans[column] = (min(above[0], first + shift), max(above[1], last + shift))
    return shift


# The brackets of a division as matches on paper, from the same rows as the bracket page.


Slots = Mapping[int, tuple[SlotRow, SlotRow]]


@dataclass(frozen=True, slots=True)
class SheetBracket:
    """A bracket on paper: its rounds as columns, and the matches that no line leads on from."""

    title: str
    columns: list[RoundColumn]
    roots: list[SheetMatch]
    champion: str = ""
    winner: str = field(default_factory=lambda: _("Winner"))
    """The heading of the line for the champion."""

    def with_second(self, other: "SheetBracket") -> "SheetBracket":
        """Return the bracket with the headings of the same one in the second language beside its own."""
        columns = [
            replace(column, name=slashed(column.name, second.name))
            for column, second in zip(self.columns, other.columns, strict=True)
        ]
        title, winner = slashed(self.title, other.title), slashed(self.winner, other.winner)
        return replace(self, title=title, columns=columns, winner=winner)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""
        return all(column.done == len(column.boxes) for column in self.columns)


def sheet_brackets(division: Division, *, unfinished: bool = False) -> list[SheetBracket]:
    """Return the brackets of a division as everybody may see them; `unfinished`: without rounds that are over.

    Stages that count points or lives have none: no line leads from a match to the next.
    """
    rounds = [row for row in rounds_of(division) if row.format in ELIMINATION]
    slots = {fixture.number: fixture.slots for row in rounds for fixture in row.fixtures}
    shown = []
    for tree in trees(rounds, BracketOptions(names_of(division, staff=False))):
        columns = _columns(tree)
        if unfinished:
            columns = _from_first_open(columns)
        if columns:
            bracket = _Builder(columns, slots).bracket(tree.title)
            first = FIRST_PLACES.get(tree.key.partition("-")[0])
            shown.append(_of_places(bracket, first) if first else bracket)
    return shown


def _of_places(bracket: SheetBracket, first: int) -> SheetBracket:
    """Return a bracket of losers, whose winner has this place, or whose winners share places from it on."""
    count = len(bracket.columns[-1].boxes)
    if count == 1:
        return replace(bracket, winner=_("Place %(place)d") % {"place": first})
    shared = _("Places %(first)d–%(last)d") % {"first": first, "last": first + count - 1}
    return replace(bracket, winner=shared, champion="")


def _columns(tree: Tree) -> list[RoundColumn]:
    """Return the rounds of a bracket in one piece, also if its page shows it in sections."""
    if tree.whole:
        return tree.sections[0].columns
    parts = [section.columns for section in tree.sections if not section.key.endswith("-final")]
    rest = [column for section in tree.sections if section.key.endswith("-final") for column in section.columns]
    joined = [
        RoundColumn(columns[0].name, columns[0].length, [box for column in columns for box in column.boxes])
        for columns in zip(*parts, strict=True)
    ]
    return joined + rest


def _from_first_open(columns: Sequence[RoundColumn]) -> list[RoundColumn]:
    """Return the rounds from the first unfinished one on; the last one of a bracket that is over."""
    first = next((index for index, column in enumerate(columns) if column.done < len(column.boxes)), len(columns) - 1)
    return list(columns[first:])


class _Builder:
    """Turns the boxes of a bracket into matches with their feeders."""

    def __init__(self, columns: list[RoundColumn], slots: Slots) -> None:
        self.columns, self.slots = columns, slots
        self.boxes = {box.number: box for column in columns for box in column.boxes}
        self.matches: dict[int, SheetMatch] = {}

    def bracket(self, title: str) -> SheetBracket:
        """Return the bracket. A bye is not drawn: its player stands on the line of the next match."""
        fed: set[int] = set()
        for index, column in enumerate(self.columns):
            for box in column.boxes:
                lines = (self._line(box, 0), self._line(box, 1))
                self.matches[box.number] = self._match(box, index, lines)
                fed |= {line.feeder.number for line in lines if line.feeder is not None}
        passed = {number for number, box in self.boxes.items() if self._is_bye(box) and box.winner_to in self.boxes}
        drawn = {number: match for number, match in self.matches.items() if number not in passed}
        roots = [match for number, match in drawn.items() if number not in fed]
        for match in roots:
            match.winner_to = self._winner_to(self.boxes[match.number])
        last = roots[-1] if roots else None
        champion = next((line.text for line in last.lines if line.won), "") if last and not last.winner_to else ""
        return SheetBracket(title, self.columns, roots, champion)

    def _match(self, box: FixtureBox, column: int, lines: tuple[SheetLine, SheetLine]) -> SheetMatch:
        loser_to = f"M{box.loser_to}" if box.loser_to is not None else box.loser_draw
        note = " · ".join(filter(None, (box.start, box.note)))
        return SheetMatch(box.number, column, lines, note, loser_to if not self._is_bye(box) else "")

    def _winner_to(self, box: FixtureBox) -> str:
        return f"M{box.winner_to}" if box.winner_to is not None else box.winner_draw

    def _line(self, box: FixtureBox, side: int) -> SheetLine:
        """Return a side of a match; the winner of a bye in an earlier round counts as coming from before the bye."""
        line, slot = box.lines[side], self.slots[box.number][side]
        score = "" if line.score is None else str(line.score)
        shown = SheetLine(line.text, score, line.won, line.entry is not None, slot.source == Slot.Source.LOSER)
        source = self.boxes.get(slot.source_fixture or 0) if slot.source == Slot.Source.WINNER else None
        if source is None:
            return shown
        if not self._is_bye(source):
            shown.feeder = self.matches.get(source.number)
            return shown
        before = self._line(source, 1 if source.lines[0].kind == "bye" else 0)
        shown.feeder, shown.dropped = before.feeder, before.dropped
        if not shown.known:
            shown.text = before.text
        return shown

    def _is_bye(self, box: FixtureBox) -> bool:
        """Whether exactly one side has no opponent by the format."""
        return [line.kind for line in box.lines].count("bye") == 1


def onward_texts(match: SheetMatch) -> list[str]:
    """Return where the players of a match play on, as far as no line shows it."""
    texts = []
    if match.winner_to:
        texts.append(_("winner → %(match)s") % {"match": match.winner_to})
    if match.loser_to:
        texts.append(_("loser → %(match)s") % {"match": match.loser_to})
    return texts
