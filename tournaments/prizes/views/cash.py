"""The page of the cash desk and its forms, for directors."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.downloads import short_file
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.views.pages import account_needed, by, event_url_args, faulty, refuse
from tournaments.ledger.money import Currency
from tournaments.ledger.services import desk, payments
from tournaments.models import Tournament
from tournaments.prizes.exports import cash_rows
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
from tournaments.prizes.selectors.cash_page import cash_page, open_sentence
from tournaments.prizes.services import plans, pools
from tournaments.prizes.services.payouts import pay_out
from tournaments.state.names import shown, shown_entry

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
        record = payments.refund if refunds else payments.receive
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
        record = payments.spend if form.cleaned_data["act"] == BoxForm.EXPENSE else payments.add_float
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
        back = payments.take_back(payment=form.cleaned_data["payment"], **_acting(request))
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
        change = pools.join_pool if joins else pools.leave_pool
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
        plans.take_back_split(split=form.cleaned_data["split"], **_acting(request))
        return _("The prizes are due as published again.")

    return _act(request, event, form, PRIZES, action)
