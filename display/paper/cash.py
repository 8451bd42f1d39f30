"""The cash report on paper: accounts, prizes, payments, and the box with a place to sign."""

from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from display.paper.lists import BOX, NAME, NUMBER, ListColumn, PrintedList
from prizes.page.cash import CashPage, cash_page
from tournaments.models import Tournament


def cash_report(tournament: Tournament) -> dict[str, Any]:
    """Return the parts of the report, the last of which is signed, and the currency."""
    page = cash_page(tournament)
    sections = [_accounts(page), _prizes(page), _payments(page, ZoneInfo(tournament.time_zone))]
    return {
        "sections": [section for section in sections if section.rows],
        "box": _box(page),
        "currency": page.currency.name,
        "difference": page.difference,
    }


def _accounts(page: CashPage) -> PrintedList:
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
    return PrintedList(_("Entries and fees"), columns, rows)


def _prizes(page: CashPage) -> PrintedList:
    columns = [
        ListColumn(_("Bracket")),
        ListColumn(_("Place")),
        ListColumn(_("Player"), NAME),
        ListColumn(_("Amount"), NUMBER),
        ListColumn(_("Paid"), NUMBER),
        ListColumn(_("Signature"), BOX),
    ]
    return PrintedList(_("Prizes"), columns, list(_prize_rows(page)))


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


def _payments(page: CashPage, zone: ZoneInfo) -> PrintedList:
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
    return PrintedList(_("All payments"), columns, rows)


def _box(page: CashPage) -> PrintedList:
    rows = [[line.label, line.amount] for line in page.box]
    rows.append([_("Expected in the box"), page.expected])
    rows += [[line.label, line.amount] for line in page.other]
    for line in page.kept:
        rows.append([_("For the club: %(division)s") % {"division": line.label}, line.amount])
    for line in page.season_pools:
        rows.append([_("Series pool: %(season)s") % {"season": line.label}, line.amount])
    if page.open_prize_amount:
        rows.append([_("Prizes still to be paid"), page.open_prizes])
    if page.owed_amount:
        rows.append([_("Still owed"), page.owed])
    if page.closed is not None:
        rows.append([_("Counted"), page.currency.text(page.closed.counted)])
    return PrintedList(_("Closing"), [ListColumn(_("For")), ListColumn(_("Amount"), NUMBER)], rows)
