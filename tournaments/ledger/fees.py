"""Fees and the cash box: pure arithmetic in whole minor units of a currency."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fees:
    """The fees of a division; `registration` is the part of the entry fee that the club keeps."""

    entry: int
    registration: int = 0
    reentry: int | None = None
    """The fee of a re-entry; None for half the entry fee."""

    def __post_init__(self) -> None:
        """Raise ValueError for a negative fee, or a registration share larger than the fee."""
        if min(self.entry, self.registration, self.reentry or 0) < 0 or self.registration > self.entry:
            raise ValueError(f"impossible fees: {self}")

    def of(self, *, is_reentry: bool) -> int:
        """Return what an entry costs; half a fee is rounded up."""
        if not is_reentry:
            return self.entry
        return -(-self.entry // 2) if self.reentry is None else self.reentry

    def kept(self, *, is_reentry: bool) -> int:
        """Return the part of it that the club keeps: for a re-entry the same proportion, rounded down.

        >>> Fees(3000, 600).kept(is_reentry=True)
        300
        """
        if not is_reentry:
            return self.registration
        return self.of(is_reentry=True) * self.registration // self.entry if self.entry else 0

    def prize_money(self, *, is_reentry: bool) -> int:
        """Return the part of it that goes into the prizes."""
        return self.of(is_reentry=is_reentry) - self.kept(is_reentry=is_reentry)

    def fund(self, entries: int, reentries: int, guaranteed: int = 0) -> int:
        """Return the prize money of so many entries and re-entries, raised to what is guaranteed."""
        collected = entries * self.prize_money(is_reentry=False) + reentries * self.prize_money(is_reentry=True)
        return max(collected, guaranteed)


def allocate(amount: int, open_amounts: Sequence[int]) -> list[int]:
    """Spread an amount over open amounts, paying each in full before the next one.

    Raises ValueError if it is more than all of them together.

    >>> allocate(3500, [3000, 1000])
    [3000, 500]
    """
    rest, parts = amount, []
    for owed in open_amounts:
        parts.append(min(rest, max(0, owed)))
        rest -= parts[-1]
    if rest:
        raise ValueError(f"{amount} is more than {sum(open_amounts)}")
    return parts


@dataclass(frozen=True, slots=True)
class Movement:
    """A payment for the purposes of counting: `amount` is positive if the club received it."""

    kind: str
    method: str
    amount: int
    undone: bool = False
    """Whether it was taken back, or takes another one back."""


@dataclass(frozen=True, slots=True)
class KindTotal:
    """The sum of the payments of one kind, and how many there were."""

    kind: str
    count: int
    amount: int


@dataclass(frozen=True, slots=True)
class Box:
    """What should be in the cash box, and what was paid by other methods."""

    cash: tuple[KindTotal, ...]
    expected: int
    other: tuple[KindTotal, ...]
    """Totals by method."""


CASH = "cash"


def count_box(movements: Iterable[Movement], order: Sequence[str]) -> Box:
    """Count the cash by kind in this order; expected = float + cash in − cash out."""
    rows = list(movements)
    in_cash = [row for row in rows if row.method == CASH]
    methods = sorted({row.method for row in rows} - {CASH})
    return Box(
        tuple(total for kind in order if (total := _total(kind, [row for row in in_cash if row.kind == kind])).count),
        sum(row.amount for row in in_cash),
        tuple(total for name in methods if (total := _total(name, [row for row in rows if row.method == name])).count),
    )


def _total(name: str, rows: Sequence[Movement]) -> KindTotal:
    return KindTotal(name, sum(not row.undone for row in rows), sum(row.amount for row in rows))
