"""The cash report as rows of a table."""

from collections.abc import Iterator

from core.downloads import safe
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.accounts import accounts_of
from tournaments.ledger.selectors.box import payments_of
from tournaments.models import Tournament
from tournaments.prizes.selectors.prize_views import prizes_for_staff
from tournaments.state.names import shown_entry

HEADER = ("section", "name", "what", "method", "due", "amount", "currency", "at", "note", "undoes", "id")


def cash_rows(tournament: Tournament) -> Iterator[list[str]]:
    """Yield accounts, prizes and payments of an event; amounts have the decimals of the currency."""
    currency = Currency.of(tournament)
    plain, code = currency.plain, currency.code
    yield list(HEADER)
    for account in accounts_of(tournament):
        for line in account.lines:
            what = line.pool.name if line.pool is not None else line.kind
            yield _row("account", account.name, what, "", plain(line.due), plain(line.paid), code)
    for division in tournament.divisions.select_related("tournament"):
        for section in prizes_for_staff(division).sections:
            for prize in section.lines:
                what = f"{section.title} {prize.place}"
                yield _row("prize", prize.name, what, "", plain(prize.due_amount), plain(prize.paid_amount), code)
    for payment in reversed(payments_of(tournament)):
        name = shown_entry(payment.entry, staff=True) if payment.entry is not None else ""
        undoes = payment.undoes.public_id if payment.undoes is not None else ""
        amounts = ("", plain(payment.amount), code)
        at = payment.at.isoformat()
        yield _row("payment", name, payment.kind, payment.method, *amounts, at, payment.note, undoes, payment.public_id)


def _row(*cells: str) -> list[str]:
    """Return a full row; names and notes that look like formulas are escaped, negative amounts are not."""
    padded = [*cells, *[""] * (len(HEADER) - len(cells))]
    return [cell if HEADER[index] in ("due", "amount") else safe(cell) for index, cell in enumerate(padded)]
