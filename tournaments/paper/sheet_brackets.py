"""The brackets of a division as matches on paper, from the same rows as the bracket page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournaments.models import Division, Slot
from tournaments.paper.bracket_layout import SheetLine, SheetMatch
from tournaments.standings.layout import Column, FixtureBox, Tree
from tournaments.standings.selectors.brackets import BracketOptions, SlotRow, rounds_of, trees
from tournaments.state.names import names_of

Slots = Mapping[int, tuple[SlotRow, SlotRow]]


@dataclass(frozen=True, slots=True)
class SheetBracket:
    """A bracket on paper: its rounds as columns, and the matches from which no line leads on."""

    title: str
    columns: list[Column]
    roots: list[SheetMatch]
    champion: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""
        return all(column.done == len(column.boxes) for column in self.columns)


def sheet_brackets(division: Division, *, unfinished: bool = False) -> list[SheetBracket]:
    """Return the brackets of a division as everybody may see them; `unfinished`: without rounds that are over."""
    rounds = rounds_of(division)
    slots = {fixture.number: fixture.slots for row in rounds for fixture in row.fixtures}
    shown = []
    for tree in trees(rounds, BracketOptions(names_of(division, staff=False))):
        columns = _columns(tree)
        if unfinished:
            columns = _from_first_open(columns)
        if columns:
            shown.append(_Builder(columns, slots).bracket(tree.title))
    return shown


def _columns(tree: Tree) -> list[Column]:
    """Return the rounds of a bracket in one piece, also if its page shows it in sections."""
    if tree.whole:
        return tree.sections[0].columns
    parts = [section.columns for section in tree.sections if not section.key.endswith("-final")]
    rest = [column for section in tree.sections if section.key.endswith("-final") for column in section.columns]
    joined = [
        Column(columns[0].name, columns[0].length, [box for column in columns for box in column.boxes])
        for columns in zip(*parts, strict=True)
    ]
    return joined + rest


def _from_first_open(columns: Sequence[Column]) -> list[Column]:
    """Return the rounds from the first unfinished one on; the last one of a bracket that is over."""
    first = next((index for index, column in enumerate(columns) if column.done < len(column.boxes)), len(columns) - 1)
    return list(columns[first:])


class _Builder:
    """Turns the boxes of a bracket into matches with their feeders."""

    def __init__(self, columns: list[Column], slots: Slots) -> None:
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
        return SheetMatch(box.number, column, lines, box.note, loser_to if not self._is_bye(box) else "")

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
