"""The checkers on the board, seen by the player on roll; stored as a key (see `engine.keys`)."""

import binascii
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from engine.errors import Refused
from engine.keys import BAR, BIAS, CHECKERS, COUNTS, OFF, key_of, swapped_key

_START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
_COUNT_OF_LETTER = {"-": 0} | {letter: n for n, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1)}
_COUNT_OF_LETTER |= {letter.lower(): -n for letter, n in _COUNT_OF_LETTER.items() if n}
_LETTER_OF_COUNT = {n: letter for letter, n in _COUNT_OF_LETTER.items()}
_START_ID = "4HPwATDgc/ABMA"
_ID_LENGTH = 14
_ID_BYTES = 10


class Position(tuple[int]):
    """The checkers on a board, seen by the player on roll. Immutable, hashable and equal by value.

    `Position()` is the opening position, `Position("4HPwATDgc/ABMA")` that of a GNU Backgammon ID; see also
    `from_counts` and `from_letters`. All raise Refused for an impossible board. `print` draws the board.
    """

    # A tuple, because millions are created and nothing in Python is created faster.
    __slots__ = ()

    def __new__(cls, gnubg_id: str = _START_ID) -> Self:
        return cls.from_gnubg_id(gnubg_id)

    def __getnewargs__(self) -> tuple[str]:
        return (self.gnubg_id,)

    @property
    def key(self) -> int:
        """The whole position as one number; see `engine.keys`."""
        return self[0]

    @classmethod
    def start(cls) -> Self:
        """Return the opening position: 24×2, 13×5, 8×3, 6×5 for each side."""
        return tuple.__new__(cls, (key_of(_START),))

    @classmethod
    def from_counts(cls, counts: Sequence[int]) -> Self:
        """The position of 26 counts seen by the player on roll.

        Index 0: the opponent's checkers on the bar, as a negative number. 1–24: the points, positive for the player
        on roll, negative for the opponent. 25: the bar of the player on roll. Checkers missing from fifteen are borne
        off. Raises Refused: `bad_counts`, `wrong_bar_side`, `too_many_checkers`, `no_checkers_left`.
        """
        numbers = tuple(counts) if isinstance(counts, Sequence) else ()
        if len(numbers) != COUNTS or not all(type(count) is int for count in numbers):
            raise Refused("bad_counts")
        if numbers[0] > 0 or numbers[BAR] < 0:
            raise Refused("wrong_bar_side")
        own, opposing = _totals(numbers)
        if max(own, opposing) > CHECKERS:
            raise Refused("too_many_checkers", count=max(own, opposing))
        if own == opposing == 0:
            raise Refused("no_checkers_left")
        return tuple.__new__(cls, (key_of(numbers),))

    @classmethod
    def from_gnubg_id(cls, text: str) -> Self:
        """Return the position of a GNU Backgammon position ID (14 characters, e.g. `4HPwATDgc/ABMA`).

        The ID describes first the player *not* on roll, then the one on roll (docs/rules.md §5).
        Raises Refused: `bad_position_id`, and what `from_counts` raises.
        """
        if not isinstance(text, str):
            raise Refused("bad_position_id", text=text)
        try:
            raw = binascii.a2b_base64(text.encode("ascii") + b"==", strict_mode=False)
        except (UnicodeEncodeError, binascii.Error):
            raise Refused("bad_position_id", text=text) from None
        if len(text) != _ID_LENGTH or len(raw) != _ID_BYTES:
            raise Refused("bad_position_id", text=text)
        bits = format(int.from_bytes(raw, "little"), "080b")[::-1]
        runs = [len(run) for run in bits.split("0")]
        if len(runs) < 2 * BAR or any(runs[2 * BAR :]):
            raise Refused("bad_position_id", text=text)
        opposing, own = runs[:BAR], runs[BAR : 2 * BAR]
        counts = [-opposing[24], *own]
        for point in range(1, 25):
            theirs = opposing[24 - point]
            if theirs and counts[point]:
                raise Refused("two_sides_on_a_point", point=point)
            counts[point] -= theirs
        return cls.from_counts(counts)

    @classmethod
    def from_letters(cls, text: str) -> Self:
        """Return the position of 26 letters as in an XGID: `A` to `O` are 1 to 15 checkers of the player on roll.

        Lower-case letters are the opponent's, `-` is an empty point; the order is that of `from_counts`.
        Raises Refused: `bad_letters`, and what `from_counts` raises.
        """
        if not isinstance(text, str) or len(text) != COUNTS or not set(text) <= _COUNT_OF_LETTER.keys():
            raise Refused("bad_letters", text=text)
        return cls.from_counts([_COUNT_OF_LETTER[letter] for letter in text])

    @property
    def letters(self) -> str:
        """The 26 letters that `from_letters` takes."""
        return "".join(_LETTER_OF_COUNT[count] for count in self.counts)

    @property
    def counts(self) -> tuple[int, ...]:
        """The 26 counts that `from_counts` takes."""
        return tuple(byte - BIAS for byte in self.key.to_bytes(COUNTS, "little"))

    @property
    def gnubg_id(self) -> str:
        """The GNU Backgammon position ID."""
        counts = self.counts
        theirs = [max(0, -counts[25 - point]) for point in range(1, 26)]
        own = [max(0, counts[point]) for point in range(1, 26)]
        bits = "".join("1" * count + "0" for count in theirs + own)
        raw = int(bits[::-1], 2).to_bytes(_ID_BYTES, "little")
        return binascii.b2a_base64(raw, newline=False).decode().rstrip("=")

    @property
    def pips(self) -> tuple[int, int]:
        """Pips left to bear off: (player on roll, opponent)."""
        counts = self.counts
        own = sum(point * count for point, count in enumerate(counts) if count > 0)
        opposing = sum((25 - point) * -count for point, count in enumerate(counts) if count < 0)
        return own, opposing

    @property
    def borne_off(self) -> tuple[int, int]:
        """Checkers borne off: (player on roll, opponent)."""
        own, opposing = _totals(self.counts)
        return CHECKERS - own, CHECKERS - opposing

    @property
    def is_over(self) -> bool:
        """Whether one side has borne off all its checkers."""
        raw = self.key.to_bytes(COUNTS, "little")
        return max(raw) <= BIAS or min(raw) >= BIAS

    def swapped(self) -> "Position":
        """Return the same board seen by the other player."""
        return position_of(swapped_key(self.key))

    def __repr__(self) -> str:
        return f"Position({self.gnubg_id!r})"

    def __str__(self) -> str:
        """Draw the board: X is the player on roll and moves from 24 down to 1, O the opponent."""
        return "\n".join(_drawn(self))


def position_of(key: int) -> Position:
    """Return the position of a key without checking it; for keys that come from another position."""
    return _new(Position, (key,))


_new = tuple.__new__
_ROWS = 5
"""Checkers drawn on a point; where there are more, the last row shows their number."""


def _drawn(position: Position) -> Iterator[str]:
    counts = position.counts
    upper = [*range(13, 19), BAR, *range(19, 25)]
    lower = [*range(12, 6, -1), OFF, *range(6, 0, -1)]
    off = position.borne_off
    yield _row(f"{point:>2}" if point != BAR else "" for point in upper)
    for height in range(_ROWS):
        yield _row(_checker(counts[point], height) for point in upper)
    yield _row("" if point != BAR else "bar" for point in upper)
    for height in reversed(range(_ROWS)):
        yield _row(_checker(counts[point], height) for point in lower)
    yield _row(f"{point:>2}" if point != OFF else "" for point in lower)
    yield f"X on roll: {position.pips[0]} pips, {off[0]} off   O: {position.pips[1]} pips, {off[1]} off"


def _row(cells: Iterable[str]) -> str:
    texts = [f"{cell:^3}" for cell in cells]
    return f"|{''.join(texts[:6])}|{texts[6]}|{''.join(texts[7:])}|"


def _checker(count: int, height: int) -> str:
    """Return what is drawn of a point at this height: a checker, the number of a high stack, or nothing."""
    if height == _ROWS - 1 and abs(count) > _ROWS:
        return str(abs(count))
    return "" if height >= abs(count) else "X" if count > 0 else "O"


def _totals(counts: Iterable[int]) -> tuple[int, int]:
    own = opposing = 0
    for count in counts:
        if count > 0:
            own += count
        else:
            opposing -= count
    return own, opposing
