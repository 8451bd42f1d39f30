"""Drawing brackets on sheets of paper."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from django.utils.translation import gettext as _

from display.languages import in_both
from display.paper.brackets import (
    Piece,
    Placed,
    SheetBracket,
    SheetLine,
    SheetMatch,
    onward_texts,
    pieces,
    sheet_brackets,
)
from tournaments.models import Division
from tournaments.state.figures import figures_of

NARROW = 1.5
"""Two lines closer than this have no free space between them but above the name on the lower one."""
ROOM_FOR_SCORE = 1.6
"""Kept free at the end of a line for a score written by hand, as a multiple of the font size."""
ABOVE_LINE = 0.15
"""Distance of a text from its line, as a share of the distance of two lines."""
BELOW_LINE = 0.08
"""Distance of a small text from the line above it, likewise."""
CAPITAL_HEIGHT, LINE_HEIGHT = 0.72, 1.05
"""As shares of the font size."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of what is drawn, by default in millimetres on paper. `name` and the labels are shares of the pitch."""

    gutter: float = 14.0
    """Left of the first round, for its match numbers."""
    widest_column: float = 52.0
    title: float = 7.0
    head: float = 5.5
    """Height of the names of the rounds."""
    smallest_pitch: float = 4.4
    """Distance of two lines: names of 7 points can be read, and a score can be written in."""
    largest_pitch: float = 6.6
    title_text: float = 4.2
    head_text: float = 3.1
    points_text: float = 2.6
    largest_name: float = 3.2
    largest_label: float = 2.3
    name: float = 0.56
    label: float = 0.4
    small: float = 2.0
    """The font size of where a player comes from and goes to, which can still be read; the least of a match number."""
    filled_in: bool = True
    """Whether names are written in by hand, so that where a player comes from stands below the line."""
    least: float = 0.0
    """The smallest font size."""
    gap: float = 4.0
    """Between two brackets on a page."""
    below: float = 2.4
    """Space for strokes and arrows below the last line."""


PAPER_SIZES = Sizes()
ROUNDING = 0.001
ASCII_WIDTHS = (
    24, 34, 55, 65, 66, 102, 67, 34, 38, 38, 56, 68, 34, 47, 34, 39, 68, 43, 63, 65, 68, 62, 65, 58, 65, 65, 34, 34,
    68, 68, 68, 56, 102, 75, 66, 74, 72, 61, 59, 75, 75, 28, 59, 72, 57, 93, 76, 77, 65, 78, 66, 66, 67, 73, 75, 104,
    74, 73, 67, 38, 39, 38, 49, 48, 37, 58, 63, 59, 63, 60, 40, 63, 62, 27, 27, 58, 27, 91, 62, 62, 63, 63, 41, 56, 37,
    62, 60, 85, 58, 60, 57, 47, 37, 47, 68,
)  # fmt: skip
"""Of the characters from the space to the tilde in bold Inter, the site's typeface, in hundredths of the font size."""
OTHER_WIDTHS = {"·": 34, "’": 31, "–": 50, "…": 100, "→": 96, "✓": 89, "ı": 27}
WIDTHS = dict(zip(map(chr, range(32, 127)), ASCII_WIDTHS, strict=True)) | OTHER_WIDTHS
LETTER, CAPITAL, BROAD_LETTER, BROAD_CAPITAL, IDEOGRAPH = 62, 75, 92, 104, 100
"""Of letters of other scripts, and of those that are no letter with an accent."""
BROAD_LETTERS = frozenset("æœжшщюљњ")
NAME_IN_COLUMN = 9
"""How many times its font size a column is wide at least, so that hardly any name is cut."""
SMALLEST = 0.65
"""How far a long name is made smaller before it is cut."""
SMALLEST_BELOW = 0.8
"""How far where a player comes from is made smaller before it is written above the line, where a name should stand."""
TIGHT = 0.8
"""Share of its room above which the width of a text is prescribed, since frames, and scripts that Inter lacks, are set
in other fonts."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text; `anchor` is SVG's `text-anchor`. Numbers are written for the SVG, whatever the language."""

    x: str
    y: str
    size: str
    text: str
    kind: str = "name"
    anchor: str = "start"
    width: str = ""
    """The width into which its letters are pressed, whatever the font; empty for their own."""


@dataclass(slots=True)
class PageDrawing:
    width: float
    height: float
    strokes: list[tuple[str, str]] = field(default_factory=list)
    """Polylines: their kinds, and their points as in SVG."""
    arrows: list[str] = field(default_factory=list)
    """Triangles, as the points of a polygon."""
    texts: list[Text] = field(default_factory=list)

    @property
    def view_box(self) -> str:
        return f"0 0 {_number(self.width)} {_number(self.height)}"

    def text(
        self, x: float, y: float, size: float, text: str, kind: str = "name", anchor: str = "start",
        *, width: float = 0.0, room: float = inf,
    ) -> None:  # fmt: skip
        """Write a text that is about `width` wide, so that it never leaves its room."""
        prescribed = _number(min(width, room)) if width > TIGHT * room else ""
        self.texts.append(Text(_number(x), _number(y), _number(size), text, kind, anchor, prescribed))

    def line(self, *points: tuple[float, float], kind: str = "line") -> None:
        """Draw a line through these points."""
        self.strokes.append((kind, _points(points)))

    def arrow(self, x: float, y: float, size: float) -> None:
        """Draw a filled arrow that points to the right, from `x` on."""
        self.arrows.append(_points([(x, y - size), (x + 1.5 * size, y), (x, y + size)]))


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class BracketPiece:
    bracket: SheetBracket
    piece: Piece
    title: str
    titled: bool = True
    """Whether its title stands above it; otherwise it is that of the page."""

    def head(self, sizes: Sizes) -> float:
        """Return the height of its title and the names of its rounds."""
        return (sizes.title if self.titled else 0) + sizes.head

    def height(self, pitch: float, sizes: Sizes) -> float:
        return self.head(sizes) + self.piece.height * pitch + sizes.below


class PartDrawer:
    """Draws a part of a bracket at a height of the page; `pitch` is the distance of two lines."""

    def __init__(self, drawing: PageDrawing, part: BracketPiece, top: float, pitch: float, sizes: Sizes) -> None:
        self.drawing, self.part, self.pitch, self.sizes = drawing, part, pitch, sizes
        self.first, self.last = part.piece.columns
        columns = self.last - self.first + 2
        self.column = min(sizes.widest_column, (drawing.width - sizes.gutter) / columns)
        self.name = max(min(sizes.name * pitch, sizes.largest_name, self.column / NAME_IN_COLUMN), sizes.least)
        self.label = max(min(sizes.label * pitch, sizes.largest_label), sizes.small)
        self.margin = 0.25 * self.name
        self.title_y = top + sizes.title - 0.4 * sizes.head
        self.head_y = top + part.head(sizes) - 0.4 * sizes.head
        highest = min(first for first, _last in part.piece.spans.values())
        self.line_0 = top + part.head(sizes) + pitch * (1 - highest)

    def draw(self) -> None:
        if self.part.titled:
            self.drawing.text(0, self.title_y, self.sizes.title_text, self.part.title, "title")
        for index in range(self.first, self.last + 1):
            column = self.part.bracket.columns[index]
            x = self._x(index)
            points = _("%(length)d pt") % {"length": column.length}
            small = self.sizes.points_text
            end = x + self.column - small
            room = end - x - text_width(points, small) - small
            self._head(x + self.margin, column.name, room)
            self.drawing.text(end, self.head_y, small, points, "points", "end")
        for placed in self.part.piece.placed:
            self._match(placed)

    def _head(self, x: float, text: str, room: float) -> None:
        size, text = self._fitted(text, self.sizes.head_text, room)
        self.drawing.text(x, self.head_y, size, text, "head", width=text_width(text, size), room=room)

    def _x(self, column: int) -> float:
        return self.sizes.gutter + (column - self.first) * self.column

    def _y(self, line: float) -> float:
        return self.line_0 + line * self.pitch

    def _match(self, placed: Placed) -> None:
        match = placed.match
        left = self._x(match.column)
        right = left + self.column
        upper, lower = (self._y(line) for line in placed.tops)
        is_narrow = placed.tops[1] - placed.tops[0] < NARROW
        shared = self._onward_width(match) if is_narrow and match.column > self.first else 0.0
        for line, y, taken in zip(match.lines, (upper, lower), (shared, 0.0), strict=True):
            self._side(line, left, y, match.column, taken)
        self.drawing.line((left, upper), (right, upper), (right, lower), (left, lower))
        self._match_number(placed, left, right, upper)
        if not match.winner_to and self._is_last(placed):
            self._winner(placed, right)

    def _side(self, line: SheetLine, left: float, y: float, column: int, taken: float) -> None:
        """Write a player and the score on their line, after the line from an earlier match or the arrow of a drop.

        `taken` is the width that the match number takes below the line.
        """
        base = y - ABOVE_LINE * self.pitch
        if line.feeder is not None and line.feeder.column < column - 1:
            self.drawing.line((self._x(line.feeder.column + 1), y), (left, y))
        start = left + self.margin
        if line.dropped:
            size = 0.22 * self.pitch
            self.drawing.arrow(left, y, size)
            start += 1.3 * size
        score = f"✓ {line.score}".strip() if line.won else line.score
        end = left + self.column - 1.5 * self.margin
        if score:
            self.drawing.text(end, base, self.name, score, "won" if line.won else "name", "end")
        room = end - start - (text_width(score, self.name) + 2 * self.margin if score else ROOM_FOR_SCORE * self.name)
        if line.known:
            size, text = self._fitted(line.text, self.name, room)
            kind, width = "won" if line.won else "name", text_width(text, size)
            self.drawing.text(start, base, size, text, kind, width=width, room=room)
        else:
            self._coming(line.text, start, y, room, below=end - start - taken)

    def _coming(self, text: str, x: float, y: float, room: float, *, below: float) -> None:
        """Write where a player comes from: below the line if it fits there, so that a name can be written on it."""
        size = min(self.sizes.small, below / max(text_width(text, 1.0), ROUNDING))
        if self.sizes.filled_in and size >= SMALLEST_BELOW * self.sizes.small:
            width, y = text_width(text, size), self._below(y, size)
            self.drawing.text(x, y, size, text, "coming", width=width, room=below)
            return
        size, text = self._fitted(text, self.sizes.small if self.sizes.filled_in else 0.85 * self.name, room)
        self.drawing.text(x, y - ABOVE_LINE * self.pitch, size, text, "coming")

    def _below(self, y: float, size: float) -> float:
        """Return the base of a text below a line."""
        return y + BELOW_LINE * self.pitch + CAPITAL_HEIGHT * size

    def _onward_width(self, match: SheetMatch) -> float:
        """Return the width of a match number with where its players go."""
        onward = ", ".join(filter(None, (match.note, *onward_texts(match))))
        return text_width(f"M{match.number}", self.label) + text_width(onward, self.sizes.small) + 3 * self.margin

    def _match_number(self, placed: Placed, left: float, right: float, upper: float) -> None:
        """Write the match number and where its players go: in the gutter for the first column, else in the join."""
        match, small = placed.match, self.sizes.small
        middle, number = self._y(placed.middle), f"M{match.number}"
        onward = list(filter(None, (match.note, *onward_texts(match))))
        if match.column == self.first:
            y = middle + 0.35 * self.label - 0.5 * LINE_HEIGHT * small * len(onward)
            self.drawing.text(left - self.margin, y, self.label, number, "number", "end")
            x, room = left - self.margin, self.sizes.gutter - 1.5 * self.margin
            for line in onward:
                y += LINE_HEIGHT * small
                size, text = self._fitted(line, small, room)
                self.drawing.text(x, y, size, text, "onward", "end", width=text_width(text, size), room=room)
            return
        is_narrow = placed.tops[1] - placed.tops[0] < NARROW
        base = self._below(upper, small) if is_narrow else middle + 0.35 * self.label
        label = small if is_narrow else self.label
        # Three texts stand side by side here, so each is as wide as was computed, in whatever font.
        width = text_width(number, label)
        self.drawing.text(right - 1.5 * self.margin, base, label, number, "number", "end", width=width, room=width)
        if onward:
            end = right - 3 * self.margin - width
            size, text = self._fitted(", ".join(onward), small, end - left)
            width = text_width(text, size)
            self.drawing.text(end, base, size, text, "onward", "end", width=width, room=width)

    def _fitted(self, text: str, size: float, room: float) -> tuple[float, str]:
        return _fitted(text, size, room, self.sizes.least)

    def _is_last(self, placed: Placed) -> bool:
        return placed.match.column == self.last and placed is self.part.piece.placed[-1]

    def _winner(self, placed: Placed, right: float) -> None:
        """Draw the line for the winner of the bracket."""
        y = self._y(placed.middle)
        self.drawing.line((right, y), (right + self.column, y), kind="winner")
        self._head(right + self.margin, self.part.bracket.winner, self.column - 2 * self.margin)
        base = y - ABOVE_LINE * self.pitch
        if winner := next((line.text for line in placed.match.lines if line.won), ""):
            size, text = self._fitted(winner, self.name, self.column - 2 * self.margin)
            self.drawing.text(right + self.margin, base, size, text, "won")
        else:
            text, room = _("Winner of M%(number)s") % {"number": placed.match.number}, self.column - 2 * self.margin
            self._coming(text, right + self.margin, y + 0.5 * BELOW_LINE * self.pitch, room, below=room)


def text_width(text: str, size: float) -> float:
    """Return how wide a text is in bold, and about so in scripts that Inter lacks."""
    return size * sum(map(_letter_width, unicodedata.normalize("NFC", text))) / 100


def _letter_width(letter: str) -> int:
    if known := WIDTHS.get(letter) or WIDTHS.get(unicodedata.normalize("NFD", letter)[0]):
        return known
    if unicodedata.east_asian_width(letter) in "WF":
        return IDEOGRAPH
    is_broad = letter.lower() in BROAD_LETTERS
    if letter.isupper():
        return BROAD_CAPITAL if is_broad else CAPITAL
    return BROAD_LETTER if is_broad else LETTER


def _fitted(text: str, size: float, room: float, least: float = 0.0) -> tuple[float, str]:
    """Return a font size of at least `least` and the text so that it fits: made smaller first, then cut."""
    size = max(size, least)
    wide = text_width(text, size)
    if wide <= room:
        return size, text
    smaller = max(size * room / wide, SMALLEST * size, least)
    if text_width(text, smaller) <= room + ROUNDING:
        return smaller, text
    while len(text) > 1 and text_width(text + "…", smaller) > room:
        text = text[:-1].rstrip()
        if text_width(text + "…", smaller) <= room:
            return smaller, text + "…"
    return smaller, text


# Draw sheets: the brackets of a division on as few pages as they can be read on.


@dataclass(frozen=True, slots=True)
class Area:
    """The part of a page for brackets, in millimetres on paper."""

    width: float
    height: float


DRAW_AREAS = {"a4": Area(277, 170), "letter": Area(259, 176)}
"""Of pages in landscape with margins of 10 mm, a head and a foot."""


@dataclass(frozen=True, slots=True)
class DrawPage:
    division: Division
    title: str
    drawing: PageDrawing
    number: int
    pages: int
    matches: int | None
    """Matches of the division; None if their number depends on results."""


def draw_pages(division: Division, area: Area, second: str = "") -> list[DrawPage]:
    """Return the pages of a division's brackets; none if it has no bracket. Their headings are in `second`, too."""
    first, others = in_both(lambda: sheet_brackets(division), second)
    brackets = [bracket.with_second(other) for bracket, other in zip(first, others, strict=True)]
    packed = pack(brackets, area, PAPER_SIZES)
    matches = figures_of([division])[division.pk].matches.total
    return [
        DrawPage(division, _title(parts), drawing(parts, area, PAPER_SIZES), number, len(packed), matches)
        for number, parts in enumerate(packed, start=1)
    ]


def _title(parts: Sequence[BracketPiece]) -> str:
    return ", ".join(part.title for part in parts)


def pack(brackets: Sequence[SheetBracket], area: Area, sizes: Sizes) -> list[list[BracketPiece]]:
    """Return the parts on each page, in order and as many on a page as can be read.

    A part that has a page of its own needs no title above it.
    """
    most = (area.height - sizes.head - sizes.below) / sizes.smallest_pitch
    pages: list[list[BracketPiece]] = []
    for bracket in brackets:
        for part in _parts(bracket, most):
            together = [replace(other, titled=True) for other in (*(pages[-1] if pages else ()), part)]
            height = _height(together, sizes.smallest_pitch, sizes)
            if pages and height <= area.height:
                pages[-1] = together
            else:
                pages.append([replace(part, titled=False)])
    return pages


def _parts(bracket: SheetBracket, most: float) -> list[BracketPiece]:
    own = pieces(bracket.roots, most) if bracket.roots else []
    if len(own) == 1:
        return [BracketPiece(bracket, own[0], bracket.title)]
    part = _("Part %(number)d of %(count)d")
    return [
        BracketPiece(bracket, piece, f"{bracket.title} · {part % {'number': number, 'count': len(own)}}")
        for number, piece in enumerate(own, start=1)
    ]


def drawing(parts: Sequence[BracketPiece], area: Area, sizes: Sizes) -> PageDrawing:
    """Return the parts of a page, drawn as large as the page allows."""
    lines = sum(part.piece.height for part in parts)
    pitch = min(sizes.largest_pitch, (area.height - _height(parts, 0, sizes)) / lines)
    drawn = PageDrawing(area.width, area.height)
    top = 0.0
    for part in parts:
        PartDrawer(drawn, part, top, pitch, sizes).draw()
        top += part.height(pitch, sizes) + sizes.gap
    return drawn


def least_height(parts: Sequence[BracketPiece], sizes: Sizes) -> float:
    """Return the height that the parts of a page need at least."""
    return _height(parts, sizes.smallest_pitch, sizes)


def _height(parts: Sequence[BracketPiece], pitch: float, sizes: Sizes) -> float:
    return sum(part.height(pitch, sizes) for part in parts) + sizes.gap * (len(parts) - 1)
