"""Draw sheets: the brackets of a division on as few pages as they can be read on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from tournaments.models import Division
from tournaments.paper.bracket_layout import pieces
from tournaments.paper.drawing import PAPER_SIZES, BracketPiece, PageDrawing, PartDrawer, Sizes
from tournaments.paper.sheet_brackets import SheetBracket, sheet_brackets
from tournaments.state.figures import figures_of


@dataclass(frozen=True, slots=True)
class Area:
    """The part of a page for brackets, in millimetres on paper."""

    width: float
    height: float


DRAW_AREAS = {"a4": Area(277, 170), "letter": Area(259, 176)}
"""Of pages in landscape with margins of 10 mm, a head and a foot."""


@dataclass(frozen=True, slots=True)
class DrawPage:
    """A page with its brackets."""

    division: Division
    title: str
    drawing: PageDrawing
    number: int
    pages: int
    matches: int | None
    """Matches of the division; None if their number depends on results."""


def draw_pages(division: Division, area: Area) -> list[DrawPage]:
    """Return the pages of a division's brackets; none if it has no bracket."""
    brackets = sheet_brackets(division)
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
    title = _("%(bracket)s, part %(number)d of %(count)d")
    return [
        BracketPiece(bracket, piece, title % {"bracket": bracket.title, "number": number, "count": len(own)})
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


def _height(parts: Sequence[BracketPiece], pitch: float, sizes: Sizes) -> float:
    return sum(part.height(pitch, sizes) for part in parts) + sizes.gap * (len(parts) - 1)
