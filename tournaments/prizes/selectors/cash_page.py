"""The page of the cash desk: who owes what, the prizes, and the closing."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.public_ids import new_form_key
from tournaments.ledger.fees import Box, KindTotal
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.accounts import Account, accounts_of
from tournaments.ledger.selectors.box import box_of, draw_needs_payment, payments_of, standing_count
from tournaments.models import CashCount, Entry, Payment, SidePool, Tournament
from tournaments.prizes.selectors.prize_views import DivisionPrizesView, prizes_for_staff
from tournaments.state.names import shown_entry

NOTES = (5000, 2000, 1000, 500)
"""Notes that the count offers in a currency with cents, in minor units."""


@dataclass(frozen=True, slots=True)
class PoolChoice:
    """A side pool that an entry is in or can join."""

    pool: SidePool
    entry: Entry
    is_in: bool


@dataclass(slots=True)
class AccountLine:
    """A player's account as text."""

    player: str
    name: str
    what: str
    due: str
    paid: str
    owes: int
    owed: str
    """The open amount for a form field."""
    refundable: str
    status: str
    state: str
    """`owes`, `paid` or `refund`."""
    key: str
    take_label: str
    more_label: str
    pools: list[PoolChoice] = field(default_factory=list)
    payments: list["PaymentLine"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """A payment in the list."""

    payment: Payment
    name: str
    what: str
    amount: str
    may_be_undone: bool


@dataclass(frozen=True, slots=True)
class BoxLine:
    """A line of the closing."""

    label: str
    amount: str


@dataclass(slots=True)
class CashPage:
    """Everything on the page of the cash desk."""

    currency: Currency
    desk_needs_payment: bool
    accounts: list[AccountLine]
    paid_in_full: int
    taken: str
    owed: str
    owed_amount: int
    by_method: list[BoxLine]
    prizes: list[DivisionPrizesView]
    open_prizes: str
    open_prize_amount: int
    open_players: int
    box: list[BoxLine]
    expected: str
    expected_amount: int
    other: list[BoxLine]
    closed: CashCount | None
    difference: str
    notes: list[tuple[str, int]]
    payments: list[PaymentLine]
    key: str

    @property
    def owing(self) -> int:
        """How many players owe something."""
        return sum(line.state == "owes" for line in self.accounts)


def cash_page(tournament: Tournament) -> CashPage:
    """Return the page of the cash desk of an event."""
    currency = Currency.of(tournament)
    payments = payments_of(tournament)
    accounts = accounts_of(tournament)
    divisions = list(tournament.divisions.select_related("tournament"))
    prizes = [prizes_for_staff(division) for division in divisions]
    box = box_of(tournament)
    closed = standing_count(tournament)
    lines = [_payment_line(row, currency, is_open=closed is None) for row in payments]
    owed = sum(max(0, account.owes) for account in accounts)
    return CashPage(
        currency=currency,
        desk_needs_payment=draw_needs_payment(tournament),
        accounts=_account_lines(tournament, accounts, currency, lines),
        paid_in_full=sum(account.owes <= 0 for account in accounts),
        taken=currency.text(sum(account.paid for account in accounts)),
        owed=currency.text(owed),
        owed_amount=owed,
        by_method=_by_method(accounts, currency),
        prizes=prizes,
        open_prizes=currency.text(sum(row.open_amount for row in prizes)),
        open_prize_amount=sum(row.open_amount for row in prizes),
        open_players=sum(row.open_players for row in prizes),
        box=_box_lines(box, currency),
        expected=currency.text(box.expected),
        expected_amount=box.expected,
        other=[_other_line(row, currency) for row in box.other],
        closed=closed,
        difference=_difference(closed, currency),
        notes=[(str(note // 100), note) for note in NOTES] if currency.exponent == 2 else [],
        payments=lines,
        key=new_form_key(),
    )


def _account_lines(
    tournament: Tournament, accounts: list[Account], currency: Currency, payments: list[PaymentLine]
) -> list[AccountLine]:
    pools: dict[int, list[SidePool]] = defaultdict(list)
    for pool in SidePool.objects.filter(division__tournament=tournament):
        pools[pool.division_id].append(pool)
    by_entry: dict[int, list[PaymentLine]] = defaultdict(list)
    for line in payments:
        if line.payment.entry_id is not None and line.payment.kind != Payment.Kind.PAYOUT:
            by_entry[line.payment.entry_id].append(line)
    return [_account_line(account, currency, pools, by_entry) for account in accounts]


def _account_line(
    account: Account,
    currency: Currency,
    pools: dict[int, list[SidePool]],
    payments: dict[int, list[PaymentLine]],
) -> AccountLine:
    state = "owes" if account.owes > 0 else "refund" if account.owes < 0 else "paid"
    status = {"owes": _("Owes %(amount)s"), "refund": _("Refund %(amount)s"), "paid": _("Paid")}[state]
    joined = {(line.pool.pk, line.entry.pk) for line in account.lines if line.pool is not None and line.due}
    entries = {line.entry.pk: line.entry for line in account.lines}
    counts = Counter(str(Payment.Kind(line.kind).label) for line in account.lines)
    kinds = [f"{count} × {label}" if count > 1 else label for label, count in counts.items()]
    return AccountLine(
        account.player.public_id,
        account.name,
        _capital(" + ".join(kinds)),
        currency.text(account.due),
        _paid_text(account, currency),
        account.owes,
        currency.plain(max(0, account.owes)),
        currency.plain(max(0, -account.owes) or max(0, account.paid)),
        status % {"amount": currency.text(abs(account.owes))},
        state,
        new_form_key(),
        _("Take cash from %(name)s") % {"name": account.name},
        _("More for %(name)s") % {"name": account.name},
        [
            PoolChoice(pool, entry, (pool.pk, entry.pk) in joined)
            for entry in entries.values()
            for pool in pools[entry.division_id]
        ],
        [line for entry in entries for line in payments[entry]],
    )


def _paid_text(account: Account, currency: Currency) -> str:
    """Return what was paid by each method."""
    parts = [f"{currency.text(amount)} {Payment.Method(method).label}" for method, amount in account.by_method.items()]
    return " · ".join(parts) or "–"


def _by_method(accounts: list[Account], currency: Currency) -> list[BoxLine]:
    sums: dict[str, int] = defaultdict(int)
    for account in accounts:
        for method, amount in account.by_method.items():
            sums[method] += amount
    order = [method for method in Payment.Method.values if sums.get(method)]
    return [BoxLine(_capital(Payment.Method(method).label), currency.text(sums[method])) for method in order]


def _capital(label: object) -> str:
    """Return a label with a capital first letter."""
    return str(label)[:1].upper() + str(label)[1:]


def _payment_line(row: Payment, currency: Currency, *, is_open: bool) -> PaymentLine:
    """Return a payment of the list; it can be taken back once, while the cash desk is open."""
    name = shown_entry(row.entry, staff=True) if row.entry is not None else ""
    what = str(row.get_kind_display())
    if row.undoes_id is not None:
        what = _("taken back: %(what)s") % {"what": what}
    undone = row.undoes_id is not None or hasattr(row, "undone_by")
    return PaymentLine(row, name, what, currency.text(row.amount), is_open and not undone)


def _box_lines(box: Box, currency: Currency) -> list[BoxLine]:
    return [BoxLine(_counted(row), _signed(row.amount, currency)) for row in box.cash]


def _counted(row: KindTotal) -> str:
    """Return the label of a kind with the number of its payments."""
    labels = {
        Payment.Kind.FLOAT: _("Float"),
        Payment.Kind.ENTRY: _("Entries in cash, %(count)d"),
        Payment.Kind.REGISTRATION: _("Registrations in cash, %(count)d"),
        Payment.Kind.REENTRY: _("Re-entries in cash, %(count)d"),
        Payment.Kind.POOL: _("Side pools in cash, %(count)d"),
        Payment.Kind.REFUND: _("Refunds, %(count)d"),
        Payment.Kind.PAYOUT: _("Prizes paid, %(count)d"),
        Payment.Kind.EXPENSE: _("Expenses, %(count)d"),
    }
    return labels[Payment.Kind(row.kind)] % {"count": row.count}


def _signed(amount: int, currency: Currency) -> str:
    return f"+ {currency.text(amount)}" if amount > 0 else currency.text(amount).replace("−", "− ")


def _other_line(row: KindTotal, currency: Currency) -> BoxLine:
    return BoxLine(f"{_capital(Payment.Method(row.kind).label)}, {row.count}", currency.text(row.amount))


def _difference(closed: CashCount | None, currency: Currency) -> str:
    """Say how the count that closed the desk differed from what was expected."""
    if closed is None:
        return ""
    if not closed.difference:
        return _("Nothing was missing.")
    amount = {"amount": currency.text(abs(closed.difference))}
    return (_("%(amount)s short") if closed.difference < 0 else _("%(amount)s too much")) % amount


def open_sentence(page: CashPage) -> str:
    """Say which prizes are still to be paid; empty if none."""
    if not page.open_prize_amount:
        return ""
    players = ngettext("%(count)d player", "%(count)d players", page.open_players) % {"count": page.open_players}
    return _("%(amount)s to %(players)s") % {"amount": page.open_prizes, "players": players}
