"""The cash report on paper: accounts, prizes, payments, and the box with a place to sign."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from display.paper.lists import BOX, NAME, NUMBER, ROWS_ON_PAGE, ListColumn
from prizes.page.cash import CashPage, cash_page
from tournaments.models import Tournament

HEAD_ROWS = 3
"""Height of a title and a table head, in rows."""
SIGNED_ROWS = 5
"""Height of the fields for the count, the date and the signature."""
FEWEST_ROWS = 2
"""Rows that follow a title on the same page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the report."""

    title: str
    columns: Sequence[ListColumn]
    rows: Sequence[Sequence[str]]

    @property
    def cells(self) -> list[list[tuple[str, str]]]:
        """The rows with the kind of each column."""
        return [[(column.kind, text) for column, text in zip(self.columns, row, strict=True)] for row in self.rows]


@dataclass(slots=True)
class CashSheet:
    """A page of the report; the last one is signed."""

    sections: list[Section] = field(default_factory=list)
    number: int = 1
    is_last: bool = False


def cash_report(tournament: Tournament, paper: str) -> dict[str, Any]:
    """Return the pages of the report and the currency."""
    page = cash_page(tournament)
    zone = ZoneInfo(tournament.time_zone)
    sections = [_accounts(page), _prizes(page), _payments(page, zone)]
    pages = in_sheets([section for section in sections if section.rows], _box(page), ROWS_ON_PAGE[paper, "portrait"])
    return {"pages": pages, "currency": page.currency.name, "difference": page.difference}


def in_sheets(sections: Sequence[Section], last: Section, rows: int) -> list[CashSheet]:
    """Return the sections on pages of `rows` rows; a title has rows below it, and the last section is not divided."""
    pages, left = [CashSheet()], rows
    for section in sections:
        title, rest = section.title, list(section.rows)
        while rest:
            if left < HEAD_ROWS + min(FEWEST_ROWS, len(rest)):
                pages.append(CashSheet())
                left = rows
            part, rest = rest[: left - HEAD_ROWS], rest[left - HEAD_ROWS :]
            pages[-1].sections.append(replace(section, title=title, rows=part))
            left -= HEAD_ROWS + len(part)
            title = _("%(title)s, continued") % {"title": section.title}
    if left < HEAD_ROWS + len(last.rows) + SIGNED_ROWS:
        pages.append(CashSheet())
    pages[-1].sections.append(last)
    pages[-1].is_last = True
    for number, page in enumerate(pages, start=1):
        page.number = number
    return pages


def _accounts(page: CashPage) -> Section:
    columns = [
        ListColumn(_("Player"), NAME),
        ListColumn(_("For")),
        ListColumn(pgettext("amount", "Due"), NUMBER),
        ListColumn(_("Paid")),
        ListColumn(pgettext("amount", "Open"), NUMBER),
        ListColumn("✓", BOX),
    ]
    rows = [
        [line.name, line.what, line.due, line.paid, line.status if line.state != "paid" else "", ""]
        for line in page.accounts
    ]
    return Section(_("Entries and fees"), columns, rows)


def _prizes(page: CashPage) -> Section:
    columns = [
        ListColumn(_("Bracket")),
        ListColumn(_("Place")),
        ListColumn(_("Player"), NAME),
        ListColumn(_("Amount"), NUMBER),
        ListColumn(_("Paid"), NUMBER),
        ListColumn(_("Signature"), BOX),
    ]
    return Section(_("Prizes"), columns, list(_prize_rows(page)))


def _prize_rows(page: CashPage) -> Iterator[list[str]]:
    several = len(page.prizes) > 1
    for division in page.prizes:
        for section in division.sections:
            title = f"{division.division.name} · {section.title}" if several else section.title
            for line in section.lines:
                if not line.due_amount and not line.paid_amount:
                    continue
                paid = page.currency.text(line.paid_amount) if line.paid_amount else ""
                yield [title, line.place, line.name, line.due, paid, ""]


def _payments(page: CashPage, zone: ZoneInfo) -> Section:
    columns = [
        ListColumn(_("Time"), NUMBER),
        ListColumn(_("Player"), NAME),
        ListColumn(_("For")),
        ListColumn(_("Paid")),
        ListColumn(_("Note")),
        ListColumn(_("Amount"), NUMBER),
    ]
    rows = [
        [
            time_format(line.payment.at.astimezone(zone)),
            line.name,
            line.what,
            str(line.payment.get_method_display()),
            line.payment.note,
            line.amount,
        ]
        for line in reversed(page.payments)
    ]
    return Section(_("All payments"), columns, rows)


def _box(page: CashPage) -> Section:
    rows = [[line.label, line.amount] for line in page.box]
    rows.append([_("Expected in the box"), page.expected])
    rows += [[line.label, line.amount] for line in page.other]
    for line in page.season_pools:
        rows.append([_("Series pool: %(season)s") % {"season": line.label}, line.amount])
    if page.open_prize_amount:
        rows.append([_("Prizes still to be paid"), page.open_prizes])
    if page.owed_amount:
        rows.append([_("Still owed"), page.owed])
    if page.closed is not None:
        rows.append([_("Counted"), page.currency.text(page.closed.counted)])
    return Section(_("Closing"), [ListColumn(_("Item")), ListColumn(_("Amount"), NUMBER)], rows)
