"""Amounts of money, and the fees of an event."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.numbers import UnclearNumberError, read_number
from tournaments.models import Tournament
from tournaments.models.events import MAX_MINOR_UNITS

TICKET = "ticket"
WITHOUT_CENTS = ("ticket", "CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF", "XPF")
"""Currencies whose amounts have no decimals."""
WITH_MILS = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")
"""Those whose amounts have three (ISO 4217)."""
SIGNS = {
    **dict.fromkeys(("DKK", "ISK", "NOK", "SEK"), ("kr.", "kr")), **dict.fromkeys(("AUD", "CAD", "NZD", "USD"), ("$",)),
    "CHF": ("Fr.", "Fr", "sFr."), "CZK": ("Kč",), "EUR": ("€", "Euro", "Euros"), "GBP": ("£",), "JPY": ("¥", "円"),
    "PLN": ("zł",),
}  # fmt: skip
"""What people write for a currency, beside its code."""
_NO_CENTS = re.compile(r"(?<=\d)[.,:] ?[-–—−]{1,2}$")


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency code (or “ticket”) and its decimal places."""

    code: str
    exponent: int

    @classmethod
    def of(cls, tournament: Tournament) -> "Currency":
        return cls(tournament.currency, tournament.currency_exponent)

    @classmethod
    def usual(cls, code: str) -> "Currency":
        """Return the currency with this code and its usual decimal places."""
        return cls(code, 0 if code in WITHOUT_CENTS else 3 if code in WITH_MILS else 2)

    @property
    def name(self) -> str:
        """The currency as it stands beside amounts: its code, or “tickets”."""
        return _("tickets") if self.code == TICKET else self.code

    def text(self, amount: int) -> str:
        """Format an amount without the currency, such as 1,060.00 or −5.00, for the reader's language."""
        digits = number_format(Decimal(abs(amount)).scaleb(-self.exponent), self.exponent, force_grouping=True)
        return f"−{digits}" if amount < 0 else digits

    def with_name(self, amount: int) -> str:
        """Format an amount with the currency, such as 10.60 EUR or 1 ticket."""
        return self._named(self.text(amount), abs(amount))

    def _named(self, text: str, count: int) -> str:
        if self.code == TICKET:
            return ngettext("%(amount)s ticket", "%(amount)s tickets", count) % {"amount": text}
        return f"{text} {self.code}"

    def plain(self, amount: int) -> str:
        """Format an amount for files and form fields, such as 1060.00 or -5.00."""
        return f"{Decimal(amount).scaleb(-self.exponent):.{self.exponent}f}"

    def parse(self, text: str) -> int:
        """Return the minor units of an amount as people and pages write it: 15, 1.060,00, 15.00 EUR, €15 or 15,-.

        Raises UnclearNumberError, with its readings in minor units, and ValueError for anything else.
        """
        names = "|".join(map(re.escape, (*SIGNS.get(self.code, ()), *(self._named("", n).strip() for n in (1, 2)))))
        text = " ".join(text.split())
        number = re.sub(
            rf"^([-−]? ?)(?:{names}) ?(?=\S)|(?<=\S) ?(?:{names})$", r"\1", text, count=1, flags=re.IGNORECASE
        )
        try:
            value = read_number(_NO_CENTS.sub("", number), self.exponent)
        except UnclearNumberError as unclear:
            raise UnclearNumberError([reading.scaleb(self.exponent) for reading in unclear.readings]) from None
        if abs(value := value.scaleb(self.exponent)) > MAX_MINOR_UNITS:
            raise ValueError(f"too large an amount: {text!r}")
        return int(value)


# Fees and the cash box: pure arithmetic in whole minor units of a currency.


WHOLE = 10_000
"""A share of 100 %, in hundredths of a percent."""


def percent(share: Fraction | int) -> str:
    """Format hundredths of a percent, such as 40 % or 12.5 %, for the reader's language."""
    digits = f"{float(share) / 100:.2f}".rstrip("0").rstrip(".")
    return digits.replace(".", get_format("DECIMAL_SEPARATOR")) + " %"


def part_of(amount: int, share: int) -> int:
    """Return a share in hundredths of a percent of an amount, rounded down to whole minor units."""
    return amount * share // WHOLE


@dataclass(frozen=True, slots=True)
class FeeShare:
    """The part of an entry fee that goes to the pool of a season.

    Either hundredths of a percent, or an amount in minor units; of a re-entry in proportion.
    """

    percent: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Fees:
    """The fees of a division; `registration` is the part of the entry fee that the club keeps."""

    entry: int
    registration: int = 0
    reentry: int | None = None
    """The fee of a re-entry; None for half the entry fee."""
    share: int = 0
    """What the club keeps of the sum of all fees beside it, in hundredths of a percent."""

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

    def fund(self, entries: int, reentries: int, guaranteed: int = 0, seasons: int = 0) -> int:
        """Return the prize money of so many entries and re-entries, raised to what is guaranteed.

        `seasons` is the part that goes to the pools of seasons.
        """
        return max(self.collected(entries, reentries) - seasons, guaranteed)

    def collected(self, entries: int, reentries: int) -> int:
        """Return what so many entries and re-entries cost without what the club keeps."""
        prize_money = entries * self.prize_money(is_reentry=False) + reentries * self.prize_money(is_reentry=True)
        return max(0, prize_money - self.kept_of_all(entries, reentries))

    def kept_of_all(self, entries: int, reentries: int) -> int:
        """Return the club's share of the sum of all fees, rounded down to whole minor units.

        >>> Fees(3, share=500).kept_of_all(7, 0)
        1
        """
        total = entries * self.of(is_reentry=False) + reentries * self.of(is_reentry=True)
        return part_of(total, self.share)

    def for_seasons(self, entries: int, reentries: int, shares: Sequence["FeeShare"]) -> list[int]:
        """Return what each share takes of so many entries and re-entries, rounded down to whole minor units.

        The club's registration share comes first, then these in their order: none takes more than is left.

        >>> Fees(3000, 600).for_seasons(8, 1, [FeeShare(percent=2000), FeeShare(amount=200)])
        [5100, 1700]
        """
        left, parts = self.collected(entries, reentries), []
        for share in shares:
            parts.append(min(self._wanted(share, entries, reentries), left))
            left -= parts[-1]
        return parts

    def _wanted(self, share: "FeeShare", entries: int, reentries: int) -> int:
        again = self.of(is_reentry=True)
        if share.percent:
            return (entries * self.entry + reentries * again) * share.percent // WHOLE
        each = min(share.amount, self.entry)
        return entries * each + reentries * (again * each // self.entry if self.entry else 0)


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
