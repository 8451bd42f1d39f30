"""Where the matches of a bracket stand on paper; pure arithmetic in units of one line.

A match is two lines, on which names stand, and a join between them. The winner's line in the next column begins at the
middle of the join. Lines of one column are at least one unit apart; lines of different columns may have the same
height, so that a consolation in which losers drop needs no more space than its fullest round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


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
    """Return what leads to a line, and its height."""
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
