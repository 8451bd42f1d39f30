"""The page of the cash desk: who owes what, the prizes, and the closing."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.downloads import safe, short_file
from core.public_ids import new_form_key
from core.repeats import Repeat, repeated
from players.access import Role
from players.actions import Endpoint
from prizes import services as prize_services
from prizes.api import CashCountSerializer, CashSerializer, cash_body
from prizes.forms import (
    BoxForm,
    CashForm,
    CashSettingsForm,
    CountBoxForm,
    FeeForm,
    PaymentForm,
    PayoutForm,
    PoolMemberForm,
    SplitBackForm,
    UndoPaymentForm,
)
from prizes.prizes import DivisionPrizesView, divisions_with_prizes, prizes_for_staff
from prizes.services import pay_out
from tournaments import access
from tournaments.events.actions import EventAction, event_url_args
from tournaments.ledger import payments as desk
from tournaments.ledger.accounts import (
    Account,
    accounts_of,
    box_of,
    draw_needs_payment,
    payee_of,
    payments_of,
    standing_count,
)
from tournaments.ledger.money import Currency
from tournaments.models import CashCount, Entry, Payment, SidePool, Tournament
from tournaments.state.api import WRITE
from tournaments.state.names import display_name, shown_entry

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
    for division in divisions_with_prizes(tournament):
        view = prizes_for_staff(division)
        for name, amount in view.kept:
            yield _row("kept", name, "", "", plain(amount), "", code)
        for part in view.seasons:
            yield _row("season_pool", part.series.name, part.share, "", plain(part.amount), "", code)
        for section in view.sections:
            for prize in section.lines:
                what = f"{section.title} {prize.place}"
                yield _row("prize", prize.name, what, "", plain(prize.due_amount), plain(prize.paid_amount), code)
    for payment in reversed(payments_of(tournament)):
        name = payee_of(payment)
        what = payment.kind if payment.series is None else f"{payment.kind} {payment.series.name}"
        undoes = payment.undoes.public_id if payment.undoes is not None else ""
        amounts = ("", plain(payment.amount), code)
        at = payment.at.isoformat()
        yield _row("payment", name, what, payment.method, *amounts, at, payment.note, undoes, payment.public_id)


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
    closed_at: str
    """When nobody could join it any more; empty while it is open."""


@dataclass(frozen=True, slots=True)
class PairDues:
    """A pair of which both still owe something: one payment of both settles it."""

    player: str
    owed: str
    """The open amount for a form field."""
    take_text: str
    key: str


@dataclass(slots=True)
class AccountLine:
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
    take_text: str
    pools: list[PoolChoice] = field(default_factory=list)
    payments: list["PaymentLine"] = field(default_factory=list)
    pairs: list[PairDues] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PaymentLine:
    payment: Payment
    name: str
    what: str
    amount: str
    may_be_undone: bool


@dataclass(frozen=True, slots=True)
class CashBoxLine:
    label: str
    amount: str


@dataclass(slots=True)
class CashPage:
    currency: Currency
    desk_needs_payment: bool
    accounts: list[AccountLine]
    paid_in_full: int
    taken: str
    owed: str
    owed_amount: int
    by_method: list[CashBoxLine]
    prizes: list[DivisionPrizesView]
    open_prizes: str
    open_prize_amount: int
    open_players: int
    box: list[CashBoxLine]
    expected: str
    expected_amount: int
    other: list[CashBoxLine]
    closed: CashCount | None
    difference: str
    notes: list[tuple[str, int]]
    payments: list[PaymentLine]
    key: str

    @property
    def season_pools(self) -> list[CashBoxLine]:
        """What the entry fees give to the pools of seasons, by season."""
        sums: dict[str, int] = defaultdict(int)
        for view in self.prizes:
            for line in view.seasons:
                sums[line.series.name] += line.amount
        return [CashBoxLine(name, self.currency.text(amount)) for name, amount in sums.items()]

    @property
    def kept(self) -> list[CashBoxLine]:
        """What the club keeps of the fees, by division and side pool."""
        return [CashBoxLine(name, self.currency.text(amount)) for view in self.prizes for name, amount in view.kept]

    @property
    def owing(self) -> int:
        """How many players owe something."""
        return sum(line.state == "owes" for line in self.accounts)


def cash_page(tournament: Tournament) -> CashPage:
    currency = Currency.of(tournament)
    payments = payments_of(tournament)
    accounts = accounts_of(tournament)
    divisions = divisions_with_prizes(tournament)
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
        box=[
            CashBoxLine(_counted(Payment.Kind(row.kind).label, row.count), _signed(row.amount, currency))
            for row in box.cash
        ],
        expected=currency.text(box.expected),
        expected_amount=box.expected,
        other=[
            CashBoxLine(_counted(Payment.Method(row.kind).label, row.count), currency.text(row.amount))
            for row in box.other
        ],
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
    zone = ZoneInfo(tournament.time_zone)
    closed_at = prize_services.pools_closed_at(tournament.divisions.all()) if pools else {}
    closed = {pk: time_format(at.astimezone(zone), "TIME_FORMAT") for pk, at in closed_at.items()}
    by_entry: dict[int, list[PaymentLine]] = defaultdict(list)
    for line in payments:
        if line.payment.entry_id is not None and line.payment.kind != Payment.Kind.PAYOUT:
            by_entry[line.payment.entry_id].append(line)
    lines = [_account_line(account, currency, pools, closed, by_entry) for account in accounts]
    _add_pairs(accounts, lines, currency)
    return lines


def _add_pairs(accounts: list[Account], lines: list[AccountLine], currency: Currency) -> None:
    """Offer to take what both of a pair owe, beside the account of each of them."""
    owed: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for number, account in enumerate(accounts):
        for line in account.lines:
            side = line.entry.player.merged_into or line.entry.player
            if side.parts is not None:
                owed[side.public_id][number] += max(0, line.owes)
    for pair, amounts in owed.items():
        total = sum(amounts.values())
        if sum(amount > 0 for amount in amounts.values()) > 1:
            text = _("Take %(amount)s for both") % {"amount": currency.text(total)}
            for number in amounts:
                lines[number].pairs.append(PairDues(pair, currency.plain(total), text, new_form_key()))


def _account_line(
    account: Account,
    currency: Currency,
    pools: dict[int, list[SidePool]],
    closed: Mapping[int, str],
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
        _("Take %(amount)s") % {"amount": currency.text(max(0, account.owes))},
        [
            PoolChoice(pool, entry, (pool.pk, entry.pk) in joined, closed.get(entry.division_id, ""))
            for entry in entries.values()
            for pool in pools[entry.division_id]
        ],
        [line for entry in entries for line in payments[entry]],
    )


def _paid_text(account: Account, currency: Currency) -> str:
    parts = [f"{currency.text(amount)} {Payment.Method(method).label}" for method, amount in account.by_method.items()]
    return " · ".join(parts) or "–"


def _by_method(accounts: list[Account], currency: Currency) -> list[CashBoxLine]:
    sums: dict[str, int] = defaultdict(int)
    for account in accounts:
        for method, amount in account.by_method.items():
            sums[method] += amount
    order = [method for method in Payment.Method.values if sums.get(method)]
    return [CashBoxLine(_capital(Payment.Method(method).label), currency.text(sums[method])) for method in order]


def _capital(label: object) -> str:
    return str(label)[:1].upper() + str(label)[1:]


def _payment_line(row: Payment, currency: Currency, *, is_open: bool) -> PaymentLine:
    """Return a payment of the list; it can be taken back once, while the cash desk is open."""
    name = payee_of(row)
    what = str(row.get_kind_display())
    if row.series is not None:
        what = _("Series pool: %(season)s") % {"season": row.series.name}
    if row.undoes_id is not None:
        what = _("taken back: %(what)s") % {"what": what}
    undone = row.undoes_id is not None or hasattr(row, "undone_by")
    return PaymentLine(row, name, what, currency.text(row.amount), is_open and not undone)


def _counted(label: object, count: int) -> str:
    """Return the label of a kind or method with the number of its payments."""
    return f"{_capital(label)}, {count}"


def _signed(amount: int, currency: Currency) -> str:
    return f"+ {currency.text(amount)}" if amount > 0 else currency.text(amount).replace("−", "− ")


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
    players = ngettext("%(count)s player", "%(count)s players", page.open_players) % {"count": page.open_players}
    return _("%(amount)s to %(players)s") % {"amount": page.open_prizes, "players": players}


# The page of the cash desk and its forms, for directors.


OWES, PRIZES, CLOSING = "owes", "prizes", "closing"
ARRIVALS = "arrivals"
"""Where somebody joins a side pool as they arrive; the page of arrivals goes on then."""
TABS = (OWES, PRIZES, CLOSING)
"""The parts of the page; a phone shows one of them."""


def directed_event(request: HttpRequest, club: str, slug: str) -> Tournament:
    return access.tournament_as(request.user, club, slug, Role.DIRECTOR)


def _tab(request: HttpRequest, otherwise: str) -> str:
    """Return the part of the page that a URL names."""
    tab = request.GET.get("tab", "")
    return tab if tab in TABS else otherwise


def cash_url(tournament: Tournament, tab: str = OWES) -> str:
    """Return the URL of the page, opened at one of its parts."""
    return f"{reverse('cash', args=event_url_args(tournament))}?tab={tab}"


@open_to(get=Who.DIRECTORS)
@never_cache
def cash(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who owes what, the prizes and the closing."""
    event = directed_event(request, club, slug)
    page = cash_page(event)
    tab = _tab(request, OWES)
    titles = {OWES: _("Who owes"), PRIZES: _("Prizes"), CLOSING: _("Closing")}
    context = {
        "tournament": event,
        "club": event.club,
        "division": event.divisions.first(),
        "may_direct": True,
        "page": page,
        "open_prizes": open_sentence(page),
        "tab": tab,
        "step": {PRIZES: "prizes", CLOSING: "close"}.get(tab, "cash"),
        "tabs": [(cash_url(event, key), titles[key], key == tab) for key in TABS],
        "moves": BoxForm(tournament=event)["act"].field.choices,  # type: ignore[attr-defined]
        "methods": PaymentForm(tournament=event)["method"].field.choices,  # type: ignore[attr-defined]
        "expected": page.currency.plain(page.expected_amount),
        "counted": page.currency.text(page.closed.counted) if page.closed is not None else "",
    }
    return render(request, "prizes/cash.html", context)


@open_to(get=Who.DIRECTORS)
@never_cache
def cash_file(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Download accounts, prizes and payments as a CSV file."""
    event = directed_event(request, club, slug)
    return short_file(cash_rows(event), f"{event.slug}-cash.csv")


# What directors do at the cash desk.


class CashAction(EventAction):
    """What a director does at the cash desk of an event; the page goes on at one of its tabs."""

    responses: ClassVar[dict[int, Any]] = {200: CashSerializer, **WRITE}

    def __init__(
        self,
        name: str,
        form: type[CashForm],
        run: Callable[..., str],
        tab: str,
        api: Endpoint | None = None,
        confirm: Callable[[Any], str] | None = None,
    ) -> None:
        """`confirm` returns the label of the button that confirms a form; empty if it needs no confirmation."""
        super().__init__(name, form, run, api=api)
        self.tab, self.confirm = tab, confirm

    def question(self, request: HttpRequest, obj: Tournament, form: Any) -> HttpResponse | None:
        """Ask once, with the amount on the button."""
        label = "" if self.confirm is None or form.cleaned_data["confirmed"] else self.confirm(form)
        if not label:
            return None
        sent = {name: form.data[name] for name in form.fields if name in form.data}
        context = {
            "tournament": obj,
            "club": obj.club,
            "division": obj.divisions.first(),
            "may_direct": True,
            "label": label,
            "note": form.cleaned_data.get("note", ""),
            "sent": sent,
            "action": request.get_full_path(),
            "back_url": self.url(request, obj),
        }
        return render(request, "prizes/confirm.html", context)

    def bind(self, obj: Tournament, data: Any, now: datetime) -> CashForm:
        form: CashForm = self.form(data, tournament=obj)
        return form

    def url(self, request: HttpRequest, obj: Tournament) -> str:
        if request.GET.get("tab") == ARRIVALS:
            return reverse("check-in", args=event_url_args(obj))
        return cash_url(obj, _tab(request, self.tab))

    def answer(self, request: Request, obj: Tournament, form: Any) -> Response:
        return Response(CashSerializer(cash_body(obj)).data)


@repeated(Repeat.KEY)
def _pay(form: FeeForm, **acting: Any) -> str:
    data = form.cleaned_data
    refunds = data["act"] == FeeForm.REFUND
    record = desk.refund if refunds else desk.receive
    rows = record(tournament=form.tournament, player=data["player"], payment=form.payment, **acting)
    text = _("%(name)s got %(amount)s back.") if refunds else _("%(name)s paid %(amount)s.")
    return text % {
        "name": display_name(data["player"], staff=True),
        "amount": form.text(sum(row.amount for row in rows)),
    }


@repeated(Repeat.KEY)
def _move(form: BoxForm, **acting: Any) -> str:
    record = desk.spend if form.cleaned_data["act"] == BoxForm.EXPENSE else desk.add_float
    record(tournament=form.tournament, payment=form.payment, **acting)
    return _("Saved.")


@repeated(Repeat.STATE)
def _take_back(form: UndoPaymentForm, **acting: Any) -> str:
    back = desk.undo_payment(payment=form.cleaned_data["payment"], **acting)
    return _("The payment of %(amount)s was taken back.") % {"amount": form.text(back.amount)}


def _confirm_fee(form: FeeForm) -> str:
    data = form.cleaned_data
    if data["act"] != FeeForm.REFUND:
        return ""
    names = {"amount": form.with_name(data["amount"]), "name": display_name(data["player"], staff=True)}
    return _("Refund %(amount)s to %(name)s") % names


def _confirm_move(form: BoxForm) -> str:
    amount = {"amount": form.with_name(form.cleaned_data["amount"])}
    if form.cleaned_data["act"] == BoxForm.EXPENSE:
        return _("Record %(amount)s as spent") % amount
    if form.cleaned_data["amount"] < 0:
        return _("Take %(amount)s out of the box") % amount
    return _("Put %(amount)s into the box") % amount


def _confirm_take_back(form: UndoPaymentForm) -> str:
    payment = form.cleaned_data["payment"]
    what = ", ".join(filter(None, (payment.get_kind_display(), payee_of(payment))))
    return _("Take back %(amount)s: %(what)s") % {"amount": form.with_name(payment.amount), "what": what}


@repeated(Repeat.KEY)
def _payout(form: PayoutForm, **acting: Any) -> str:
    data = form.cleaned_data
    entry, payee = data["entry"], data["payee"]
    pay_out(entry=entry, pot=data["pot"], payment=form.payment, player=payee, **acting)
    name = shown_entry(entry, staff=True) if payee is None else display_name(payee, staff=True)
    names = {"name": name, "amount": form.text(data["amount"])}
    return _("%(amount)s paid to %(name)s.") % names


@repeated(Repeat.STATE)
def _close(form: CountBoxForm, **acting: Any) -> str:
    """Close the cash desk.

    409 `box_changed` if something else should be in the box now.
    """
    desk.close_desk(tournament=form.tournament, **form.cleaned_data, **acting)
    return _("The cash desk is closed.")


@repeated(Repeat.STATE)
def _reopen(form: CashForm, **acting: Any) -> str:
    """Reopen the cash desk.

    409 `cash_not_closed` if it is open.
    """
    desk.reopen_desk(tournament=form.tournament, **acting)
    return _("The cash desk is open.")


@repeated(Repeat.HARMLESS)
def _save(form: CashSettingsForm, **acting: Any) -> str:
    desk.require_payment(tournament=form.tournament, needed=form.cleaned_data["draw_needs_payment"], **acting)
    return _("Saved.")


@repeated(Repeat.STATE)
def _pool_member(form: PoolMemberForm, **acting: Any) -> str:
    data = form.cleaned_data
    joins = data["act"] == PoolMemberForm.JOIN
    change = prize_services.join_pool if joins else prize_services.leave_pool
    change(pool=data["pool"], entry=data["entry"], **acting)
    text = _("%(name)s joins %(pool)s") if joins else _("%(name)s is no longer in “%(pool)s”.")
    return text % {"name": shown_entry(data["entry"], staff=True), "pool": data["pool"].name}


@repeated(Repeat.STATE)
def _split_back(form: SplitBackForm, **acting: Any) -> str:
    prize_services.undo_split(split=form.cleaned_data["split"], **acting)
    return _("The prizes are due as published again.")


ACTIONS = (
    CashAction("pay", FeeForm, _pay, OWES, confirm=_confirm_fee),
    CashAction("move", BoxForm, _move, CLOSING, confirm=_confirm_move),
    CashAction("take-back", UndoPaymentForm, _take_back, OWES, confirm=_confirm_take_back),
    CashAction("payout", PayoutForm, _payout, PRIZES),
    CashAction("close", CountBoxForm, _close, CLOSING, Endpoint(
        "cash_close", CashCountSerializer, {"counted": 43160, "expected": 43660, "note": "Wrong change at the bar"}
    )),
    CashAction("reopen", CashForm, _reopen, CLOSING, Endpoint("cash_reopen")),
    CashAction("settings", CashSettingsForm, _save, OWES),
    CashAction("pool-member", PoolMemberForm, _pool_member, OWES),
    CashAction("split-back", SplitBackForm, _split_back, PRIZES),
)  # fmt: skip
