"""The prizes of a division, its side pools and agreed splits, for directors; and the public prize table."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role, is_at_least, role_in
from players.models import User
from players.people.rows import player_of
from prizes.forms import SHARES, PrizePlanForm, SidePoolForm, SplitForm
from prizes.page.cash import PRIZES, cash_url
from prizes.prizes import (
    default_shares,
    divisions_with_prizes,
    pot_keys,
    pots_of,
    prizes_for_staff,
    prizes_of,
    prizes_view,
)
from prizes.services import agree_split, create_pool, save_plan, unsaved_plan
from tournaments import access
from tournaments.events.actions import by, directed_division, faulty, page, refuse, sent
from tournaments.ledger.accounts import account_of
from tournaments.ledger.money import Currency, percent
from tournaments.ledger.shares import Pot, published_order
from tournaments.models import Division, Entry
from tournaments.state.names import names_for, names_of


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def prize_plan(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show and save the prizes of a division, as a draft or published."""
    row = directed_division(request, club=club, slug=slug, division=division)
    form = PrizePlanForm(sent(request), division=row, pots=pot_keys(row), initial=_initial(row))
    if is_htmx(request):
        return _preview(request, row, form)
    if request.method == "POST" and form.is_valid():
        publish = form.cleaned_data["publish"]
        try:
            save_plan(division=row, plan=form.plan, publish=publish, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            text = _("The prizes are published.") if publish else _("The draft is saved. Only directors see it.")
            messages.success(request, text)
            return redirect(cash_url(row.tournament, PRIZES))
    pool_form = SidePoolForm(division=row, pots=pot_keys(row), initial={"order": _order(row), "shares": "70 30"})
    return page(request, "prizes/prize_plan.html", _context(row, form=form, pool_form=pool_form), form)


def _preview(request: HttpRequest, division: Division, form: PrizePlanForm) -> HttpResponse:
    """Show the amounts of what is being typed; nothing while it cannot be read."""
    # Not `is_valid`, which asks what an unclear amount means: “1,500” may be about to become “1,500.00”.
    if not form.is_bound or form.errors:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context: dict[str, Any] = {"directs": False}
    try:
        prizes = prizes_of(division, plan=unsaved_plan(division, form.plan))
        context["view"] = prizes_view(division, names_of(division, staff=True), prizes)
    except Refused as refused:
        context["faulty"] = sentence(refused.code, refused.params)
    return render(request, "prizes/_prize_preview.html", context)


def _context(division: Division, **more: Any) -> dict[str, Any]:
    event = division.tournament
    head = {"tournament": event, "club": event.club, "division": division, "may_direct": True}
    return {**head, "currency": Currency.of(event), "view": prizes_for_staff(division), **more}


def _initial(division: Division) -> dict[str, Any]:
    """Return the values of the latest version of the plan, or a suggestion."""
    plan = division.prize_plans.order_by("-version").first()
    keys = pot_keys(division)
    if plan is None:
        return {SHARES + key: _typed(shares) for key, shares in default_shares(keys).items()}
    plain = Currency.of(division.tournament).plain
    shares = {SHARES + pot.key: _typed(pot.shares) for pot in pots_of(plan)}
    return {
        "registration": plain(plan.registration) if plan.registration else "",
        "reentry": plain(plan.reentry) if plan.reentry is not None else "",
        "guaranteed": plain(plan.guaranteed) if plan.guaranteed else "",
        "unit": plain(plan.unit) if plan.unit > 1 else "",
        "kept": _typed([plan.kept]) if plan.kept else "",
        "ties_share": plan.ties_share,
        **shares,
    }


def _typed(shares: Any) -> str:
    return " ".join(percent(share).removesuffix(" %") for share in shares)


def _order(division: Division) -> str:
    """Return the suggested order of places for a side pool."""
    plan = division.prize_plans.order_by("-version").first()
    suggested = default_shares(pot_keys(division)).items()
    pots = pots_of(plan) if plan is not None else [Pot(key, tuple(shares)) for key, shares in suggested]
    return ", ".join(f"{key} {place}" for key, place in published_order(pots))


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def pool(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    row = directed_division(request, club=club, slug=slug, division=division)
    form = SidePoolForm(request.POST, division=row, pots=pot_keys(row))
    if form.is_valid():
        try:
            create_pool(division=row, pool=form.pool, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("“%(name)s” is open.") % {"name": form.cleaned_data["name"]})
            return redirect(cash_url(row.tournament))
    plan_form = PrizePlanForm(division=row, pots=pot_keys(row), initial=_initial(row))
    return page(request, "prizes/prize_plan.html", _context(row, form=plan_form, pool_form=form), form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def split(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Record what the holders of prizes agreed to receive."""
    row = directed_division(request, club=club, slug=slug, division=division)
    url = cash_url(row.tournament, PRIZES)
    table = prizes_of(row)
    holders = {line.entry for line in table.rows} | {entry for final in table.finals.values() for entry in final}
    entries = list(Entry.objects.filter(pk__in=[pk for pk in holders if pk is not None], division=row))
    form = SplitForm(request.POST, division=row, entries=entries)
    if not form.is_valid():
        return faulty(request, form, url)
    data = form.cleaned_data
    try:
        agree_split(
            division=row, pot=data["pot"], amounts=form.amounts, note=data["note"], by=by(request), now=timezone.now()
        )
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("The agreed amounts are due now."))
    return redirect(url)


@never_cache
@open_to(get=Who.EVERYBODY)
def prizes(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the published prizes of an event to everybody, and to a player what they owe themselves."""
    event = access.tournament(request.user, club, slug)
    divisions = divisions_with_prizes(event)
    views = [prizes_view(row, names_for(request.user, row)) for row in divisions]
    player = player_of(request.user) if isinstance(request.user, User) else None
    account = account_of(event, player) if player is not None else None
    currency = Currency.of(event)
    context = {
        "tournament": event,
        "club": event.club,
        "currency": currency,
        "views": [view for view in views if view.is_published],
        "account": account if account is not None and account.lines else None,
        "owed": currency.text(abs(account.owes)) if account is not None else "",
        "due": currency.text(account.due) if account is not None else "",
        "paid": currency.text(account.paid) if account is not None else "",
        "may_direct": is_at_least(role_in(request.user, event.club), Role.DIRECTOR),
    }
    return render(request, "prizes/prizes.html", context)
