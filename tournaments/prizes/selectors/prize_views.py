"""The prize table as its pages, files and the API show it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.public_ids import new_form_key
from tournaments.formats.settings import ELIMINATION
from tournaments.ledger.money import Currency
from tournaments.models import AgreedSplit, Division, Stage
from tournaments.prizes.selectors.prizes import DivisionPrizes, PrizeRow, prizes_of
from tournaments.prizes.shares import WHOLE
from tournaments.standings.layout import ranking_name
from tournaments.state.names import Names, names_of


@dataclass(frozen=True, slots=True)
class PrizeLine:
    """A line of the prize table; amounts with the suffix `_amount` in minor units, the others as text."""

    place: str
    entry: int | None
    entry_id: str
    name: str
    pot: str
    share: str
    exact: str
    due: str
    due_amount: int
    paid_amount: int
    open_amount: int
    open_text: str
    """The open amount for a form field."""
    key: str
    """The idempotency key of the form that pays it."""
    pay_label: str
    paid_at: datetime | None
    state: str
    """`open`, `paid`, `too_much` or `waiting`."""
    agreed: bool
    status: str
    """What is still to be done, as a sentence."""


@dataclass(frozen=True, slots=True)
class PrizeSection:
    """A bracket, table or side pool with its lines and sums."""

    key: str
    title: str
    share: str
    exact: str
    due: str
    lines: list[PrizeLine]


@dataclass(frozen=True, slots=True)
class SplitLine:
    """An agreed split."""

    split: AgreedSplit
    text: str
    applies: bool


@dataclass(frozen=True, slots=True)
class DivisionPrizesView:
    """The prizes of a division as text."""

    division: Division
    is_published: bool
    has_plan: bool
    summary: str
    sections: list[PrizeSection] = field(default_factory=list)
    splits: list[SplitLine] = field(default_factory=list)
    open_amount: int = 0
    open_players: int = 0

    @property
    def split_sections(self) -> list[PrizeSection]:
        """The brackets and tables of which at least two known players hold prizes."""
        return [
            section
            for section in self.sections
            if not section.key.startswith("pool:") and sum(line.entry is not None for line in section.lines) > 1
        ]


def prizes_view(division: Division, names: Names, prizes: DivisionPrizes | None = None) -> DivisionPrizesView:
    """Return the prize table of a division for readers who may see these names."""
    table = prizes or prizes_of(division)
    builder = _Builder(division, names, Currency.of(division.tournament))
    rows = [row for row in table.every_row if row.open > 0]
    return DivisionPrizesView(
        division,
        is_published=table.plan is not None and table.plan.published,
        has_plan=table.plan is not None,
        summary=builder.summary(table),
        sections=builder.sections(table),
        splits=[builder.split(row, applies) for row, applies in table.splits],
        open_amount=sum(row.open for row in rows),
        open_players=len({row.entry for row in rows}),
    )


def prizes_for_staff(division: Division) -> DivisionPrizesView:
    """Return the prize table with full names."""
    return prizes_view(division, names_of(division, staff=True))


def percent(share: Fraction | int) -> str:
    """Format hundredths of a percent, such as 40 % or 12.5 %."""
    return f"{float(share) / 100:.2f}".rstrip("0").rstrip(".") + " %"


class _Builder:
    """Formats prizes for one reader."""

    def __init__(self, division: Division, names: Names, currency: Currency) -> None:
        self.division, self.names, self.currency = division, names, currency
        self.in_brackets = _in_brackets(division)

    def summary(self, table: DivisionPrizes) -> str:
        """Say where the prize money comes from and how it is rounded."""
        fund, text = table.fund, self.currency.text
        parts = [f"{fund.entries} × {text(fund.each)}"]
        if fund.reentries:
            parts.append(f"{fund.reentries} × {text(fund.each_reentry)}")
        if fund.added:
            parts.append(_("%(amount)s added by the club") % {"amount": text(fund.added)})
        sentence = f"{' + '.join(parts)} = {text(fund.total)}"
        if table.plan is not None and table.plan.unit > 1:
            rounding = _("rounded down to %(unit)s, remainder to first") % {"unit": text(table.plan.unit)}
            return f"{sentence} · {rounding}"
        return sentence

    def sections(self, table: DivisionPrizes) -> list[PrizeSection]:
        """Return the brackets, then the side pools."""
        titles = {row.pot: "" for row in table.rows}
        pools = {pool.pool.key: pool for pool in table.pools}
        sections = []
        for key in titles:
            rows = [row for row in table.rows if row.pot == key]
            title = pools[key].pool.name if key in pools else ranking_name(key)
            sections.append(self._section(key, title, rows))
        sections += [self._section(key, pool.pool.name, pool.rows) for key, pool in pools.items() if pool.rows]
        return sections

    def _section(self, key: str, title: str, rows: Sequence[PrizeRow]) -> PrizeSection:
        prizes = [row.prize for row in rows if row.prize is not None]
        share = sum((prize.share for prize in prizes), Fraction(0))
        exact = sum((prize.exact for prize in prizes), Fraction(0))
        return PrizeSection(
            key,
            title,
            percent(share) if share else "",
            self.currency.text(int(exact)),
            self.currency.text(sum(row.due for row in rows)),
            [self._line(row) for row in rows],
        )

    def _line(self, row: PrizeRow) -> PrizeLine:
        prize, entry = row.prize, self.names.entries.get(row.entry or 0)
        state, name = self._state(row), self.names.of(row.entry)
        amount = {"amount": self.currency.text(max(0, row.open)), "name": name}
        return PrizeLine(
            self._place(row),
            row.entry,
            entry.public_id if entry is not None else "",
            name,
            row.pot,
            percent(prize.share) if prize is not None else "",
            self.currency.text(int(prize.exact)) if prize is not None else "",
            self.currency.text(row.due),
            row.due,
            row.paid,
            row.open,
            self.currency.plain(max(0, row.open)),
            new_form_key(),
            _("Pay %(amount)s to %(name)s") % amount,
            row.paid_at,
            state,
            prize is not None and prize.agreed,
            self._status(row, state),
        )

    def _state(self, row: PrizeRow) -> str:
        if row.entry is None or (not row.due and not row.paid):
            return "waiting"
        if row.open < 0:
            return "too_much"
        return "open" if row.open else "paid"

    def _status(self, row: PrizeRow, state: str) -> str:
        """Return what is still to be done for a prize."""
        if state == "too_much":
            return _("%(amount)s too much was paid") % {"amount": self.currency.text(-row.open)}
        if state == "open" and row.paid:
            return _("%(paid)s paid, %(open)s to pay") % {
                "paid": self.currency.text(row.paid),
                "open": self.currency.text(row.open),
            }
        return ""

    def _place(self, row: PrizeRow) -> str:
        if row.prize is None:
            return "–"
        first, last = row.prize.first, row.prize.last
        if first != last:
            return f"{first}–{last}"
        if self.in_brackets and not row.pot.startswith("pool:"):
            return {1: pgettext("prize", "Winner"), 2: pgettext("prize", "Finalist")}.get(first, str(first))
        return str(first)

    def split(self, row: AgreedSplit, applies: bool) -> SplitLine:
        """Describe an agreed split."""
        shares = [f"{self.names.of(entry)} {self.currency.text(amount)}" for entry, amount in row.amounts]
        return SplitLine(row, " · ".join(shares), applies)


def _in_brackets(division: Division) -> bool:
    last: Stage | None = division.stages.order_by("-number").first()
    return last is None or last.format in ELIMINATION


def default_shares(keys: Sequence[str]) -> dict[str, list[int]]:
    """Return the shares that are suggested for these brackets: 40/25 and 25/10, or 50/30/20 for a single one."""
    if len(keys) == 1:
        return {keys[0]: [5000, 3000, 2000]}
    suggested = {keys[0]: [4000, 2500], keys[1]: [2500, 1000]}
    assert sum(map(sum, suggested.values())) == WHOLE  # noqa: S101, the suggestion is complete
    return suggested
