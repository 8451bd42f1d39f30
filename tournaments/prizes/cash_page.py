"""The page of the cash desk: who owes what, the prizes, and the closing."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.downloads import safe, short_file
from core.public_ids import new_form_key
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.pages import account_needed, by, event_url_args, faulty, refuse
from tournaments.ledger import payments as desk
from tournaments.ledger.accounts import Account, accounts_of, box_of, draw_needs_payment, payments_of, standing_count
from tournaments.ledger.money import Box, Currency, KindTotal
from tournaments.models import CashCount, Entry, Payment, SidePool, Tournament
from tournaments.prizes import services as prize_services
from tournaments.prizes.forms import (
    BoxForm,
    CashForm,
    CashSettingsForm,
    CountForm,
    FeeForm,
    PaymentForm,
    PayoutForm,
    PoolMemberForm,
    SplitBackForm,
    TakeBackForm,
)
from tournaments.prizes.prizes import DivisionPrizesView, prizes_for_staff
from tournaments.prizes.services import pay_out
from tournaments.state.names import shown, shown_entry

# The cash report as rows of a table.


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


# The page of the cash desk and its forms, for directors.


OWES, PRIZES, CLOSING = "owes", "prizes", "closing"
TABS = (OWES, PRIZES, CLOSING)
"""The parts of the page; a phone shows one of them."""


def directed_event(request: HttpRequest, club: str, slug: str) -> Tournament:
    """Return the event of the URL for a director of its club."""
    return access.tournament_as(request.user, club, slug, Role.DIRECTOR)


def cash_url(tournament: Tournament, tab: str = OWES) -> str:
    """Return the URL of the page, opened at one of its parts."""
    return f"{reverse('cash', args=event_url_args(tournament))}?tab={tab}"


@account_needed
@never_cache
@require_safe
def cash(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who owes what, the prizes and the closing."""
    event = directed_event(request, club, slug)
    page = cash_page(event)
    requested = request.GET.get("tab", "")
    tab = requested if requested in TABS else OWES
    titles = {OWES: _("Who owes"), PRIZES: _("Prizes"), CLOSING: _("Closing")}
    context = {
        "tournament": event,
        "club": event.club,
        "division": event.divisions.first(),
        "may_direct": True,
        "page": page,
        "open_prizes": open_sentence(page),
        "tab": tab,
        "tabs": [(cash_url(event, key), titles[key], key == tab) for key in TABS],
        "methods": PaymentForm(tournament=event)["method"].field.choices,  # type: ignore[attr-defined]
        "expected": page.currency.plain(page.expected_amount),
        "counted": page.currency.text(page.closed.counted) if page.closed is not None else "",
    }
    return render(request, "tournaments/prizes/cash.html", context)


@account_needed
@never_cache
@require_safe
def cash_file(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Download accounts, prizes and payments as a CSV file."""
    event = directed_event(request, club, slug)
    return short_file(cash_rows(event), f"{event.slug}-cash.csv")


def _act(request: HttpRequest, event: Tournament, form: CashForm, tab: str, action: Callable[[], str]) -> HttpResponse:
    """Run `action` if the form is valid, and return to the page with its message or with what went wrong."""
    url = cash_url(event, tab)
    if not form.is_valid():
        return faulty(request, form, url)
    try:
        done = action()
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, done)
    return redirect(url)


def _acting(request: HttpRequest) -> dict[str, Any]:
    """Return the arguments `by` and `now` of a service."""
    return {"by": by(request), "now": timezone.now()}


@account_needed
@require_POST
def pay(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Record a payment by a player, or a refund."""
    event = directed_event(request, club, slug)
    form = FeeForm(request.POST, tournament=event)

    def action() -> str:
        data = form.cleaned_data
        refunds = data["act"] == FeeForm.REFUND
        record = desk.refund if refunds else desk.receive
        rows = record(tournament=event, player=data["player"], payment=form.payment, **_acting(request))
        amount = Currency.of(event).text(abs(sum(row.amount for row in rows)))
        text = _("%(name)s got %(amount)s back.") if refunds else _("%(name)s paid %(amount)s.")
        return text % {"name": shown(data["player"], staff=True), "amount": amount}

    return _act(request, event, form, OWES, action)


@account_needed
@require_POST
def move(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Record an expense, or money put into the box or taken out of it."""
    event = directed_event(request, club, slug)
    form = BoxForm(request.POST, tournament=event)

    def action() -> str:
        record = desk.spend if form.cleaned_data["act"] == BoxForm.EXPENSE else desk.add_float
        record(tournament=event, payment=form.payment, **_acting(request))
        return _("Recorded.")

    return _act(request, event, form, CLOSING, action)


@account_needed
@require_POST
def take_back(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Take a payment back."""
    event = directed_event(request, club, slug)
    form = TakeBackForm(request.POST, tournament=event)

    def action() -> str:
        back = desk.take_back(payment=form.cleaned_data["payment"], **_acting(request))
        amount = Currency.of(event).text(abs(back.amount))
        return _("The payment of %(amount)s was taken back.") % {"amount": amount}

    return _act(request, event, form, CLOSING if request.GET.get("tab") == CLOSING else OWES, action)


@account_needed
@require_POST
def payout(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Pay out a prize."""
    event = directed_event(request, club, slug)
    form = PayoutForm(request.POST, tournament=event)

    def action() -> str:
        data = form.cleaned_data
        pay_out(entry=data["entry"], pot=data["pot"], payment=form.payment, **_acting(request))
        names = {"name": shown_entry(data["entry"], staff=True), "amount": Currency.of(event).text(data["amount"])}
        return _("%(amount)s paid to %(name)s.") % names

    return _act(request, event, form, PRIZES, action)


@account_needed
@require_POST
def close(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Close the cash desk with what was counted."""
    event = directed_event(request, club, slug)
    form = CountForm(request.POST, tournament=event)

    def action() -> str:
        data = form.cleaned_data
        desk.close_desk(
            tournament=event,
            counted=data["counted"],
            expected=data["expected"],
            note=data["note"],
            **_acting(request),
        )
        return _("The cash desk is closed.")

    return _act(request, event, form, CLOSING, action)


@account_needed
@require_POST
def reopen(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Open a closed cash desk again."""
    event = directed_event(request, club, slug)
    form = CashForm(request.POST, tournament=event)

    def action() -> str:
        desk.reopen_desk(tournament=event, **_acting(request))
        return _("The cash desk is open again.")

    return _act(request, event, form, CLOSING, action)


@account_needed
@require_POST
def settings(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Change the settings of the cash desk."""
    event = directed_event(request, club, slug)
    form = CashSettingsForm(request.POST, tournament=event)

    def action() -> str:
        desk.require_payment(tournament=event, needed=form.cleaned_data["draw_needs_payment"], **_acting(request))
        return _("Saved.")

    return _act(request, event, form, OWES, action)


@account_needed
@require_POST
def pool_member(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Put an entry into a side pool, or take it out."""
    event = directed_event(request, club, slug)
    form = PoolMemberForm(request.POST, tournament=event)

    def action() -> str:
        data = form.cleaned_data
        joins = data["act"] == PoolMemberForm.JOIN
        change = prize_services.join_pool if joins else prize_services.leave_pool
        change(pool=data["pool"], entry=data["entry"], **_acting(request))
        text = _("%(name)s is in “%(pool)s”.") if joins else _("%(name)s is no longer in “%(pool)s”.")
        return text % {"name": shown_entry(data["entry"], staff=True), "pool": data["pool"].name}

    return _act(request, event, form, OWES, action)


@account_needed
@require_POST
def split_back(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Take an agreed split back."""
    event = directed_event(request, club, slug)
    form = SplitBackForm(request.POST, tournament=event)

    def action() -> str:
        prize_services.take_back_split(split=form.cleaned_data["split"], **_acting(request))
        return _("The prizes are due as published again.")

    return _act(request, event, form, PRIZES, action)
