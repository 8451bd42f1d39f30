"""Rounds that are paired one by one, for directors: looked at, paired, published, and how they go on."""

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

from core.htmx import is_htmx
from core.messages import sentence
from core.numbers import parse_int
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.draws.forms import AfterForm, ByeForm, ChangeRoundsForm, PairRoundForm, TakeBackRoundForm
from tournaments.draws.selectors import rounds as selectors
from tournaments.draws.services import draws
from tournaments.draws.services import rounds as rounds_asked
from tournaments.draws.services.take_back import take_back_round
from tournaments.events.selectors.moments import of_one_moment
from tournaments.events.views.pages import account_needed, by, chosen_entry, division_url, faulty, missed, refuse
from tournaments.models import Division


@account_needed
@never_cache
@require_safe
def rounds(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """The last round and what becomes of the next; to htmx only that part."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    try:
        context = _context(request, found)
    except Refused as refused:
        return refuse(request, refused, reverse("division", args=division_url(found)))
    name = "tournaments/draws/_pairing_desk.html" if is_htmx(request) else "tournaments/draws/pairing_desk.html"
    return render(request, name, context)


def _context(request: HttpRequest, division: Division) -> dict[str, Any]:
    shown = parse_int(request.GET.get("round"))
    context = of_one_moment(division, lambda: selectors.desk_page(division, shown, timezone.now()))
    context["counted_down"] = request.headers.get("HX-Target") == "countdown"
    draft = context["next"].draft
    if draft is not None and draft.refusal:
        context["refusal"] = sentence(draft.refusal["code"], draft.refusal["params"])
    return context


@account_needed
@require_POST
def pair(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Have the next round paired, some pairs fixed beforehand; the second of two clicks finds it being made."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))

    form = PairRoundForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))

    def act() -> None:
        fields = dict(form.cleaned_data)
        chosen = [(chosen_entry(found, first), chosen_entry(found, second)) for first, second in fields.pop("pairs")]
        rounds_asked.request_round(division=found, manual=chosen, by=by(request), now=timezone.now(), **fields)

    return _done(request, found, act, harmless="draft_in_work")


@account_needed
@require_POST
def publish(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Make the draft of the next round a fact."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AfterForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))

    def act() -> None:
        draw = draws.publish_draw(division=found, by=by(request), now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Round %(round)d is published.") % {"round": draw.round})

    return _done(request, found, act)


@account_needed
@require_POST
def take_back(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Take the round that was paired last back, so that it can be paired again."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = TakeBackRoundForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))

    def act() -> None:
        fields = dict(form.cleaned_data)
        number_ = fields.pop("round")
        take_back_round(division=found, round_number=number_, by=by(request), now=timezone.now(), **fields)
        messages.success(request, _("Round %(round)d is taken back.") % {"round": number_})

    return _done(request, found, act)


@account_needed
@require_POST
def stop(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Keep a draft from publishing itself."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AfterForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))

    def act() -> None:
        draws.stop_countdown(division=found, by=by(request), now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("The countdown is stopped. The round waits until you publish it."))

    return _done(request, found, act, harmless="no_countdown")


@account_needed
@require_POST
def change(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """How many rounds there are, whether two may meet again, and who has the next round paired."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = ChangeRoundsForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))

    def act() -> None:
        rounds_asked.change_rounds(division=found, by=by(request), now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Saved."))

    return _done(request, found, act)


@account_needed
@require_POST
def bye(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Note that somebody will miss a round, or that they will be there after all."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))

    form = ByeForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found))
    fields = form.cleaned_data

    def act() -> None:
        common: dict[str, Any] = {"round_number": fields["round"], "by": by(request), "now": timezone.now()}
        entry = chosen_entry(found, fields["entry"])
        if fields["take_back"]:
            rounds_asked.take_back_bye(entry=entry, **common)
        else:
            rounds_asked.request_bye(entry=entry, kind=fields["kind"], **common)

    return _done(request, found, act)


def _done(request: HttpRequest, division: Division, act: Callable[[], None], *, harmless: str = "") -> HttpResponse:
    """Does it and goes back to the rounds, with the reason where it was refused."""
    url = _url(division)
    try:
        act()
    except Refused as refused:
        if refused.code == "stale":
            return _stale(request, division, refused)
        if refused.code != harmless:
            return refuse(request, refused, url)
    return redirect(url)


def _url(division: Division) -> str:
    return reverse("rounds", args=division_url(division))


def _stale(request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
    division.refresh_from_db()
    try:
        context = _context(request, division)
    except Refused as there_is_none:
        return refuse(request, there_is_none, reverse("division", args=division_url(division)))
    topics = [division.topic, division.tournament.topic]
    context["missed"] = missed(request, refused, division.tournament, topics)
    context["stale"] = sentence(refused.code, refused.params)
    return render(request, "tournaments/draws/pairing_desk.html", context, status=409)
