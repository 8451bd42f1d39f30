"""Pages for directors about stages that are paired round by round: view, pair, publish and change rounds."""

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

from core.messages import sentence
from core.requests import is_htmx, parse_int
from engine.errors import Refused
from players.forms import RefusingForm
from tournaments.draws.forms import AfterForm, ByeForm, ChangeRoundsForm, PairRoundForm, TakeBackRoundForm
from tournaments.draws.selectors import rounds as selectors
from tournaments.draws.services import draws
from tournaments.draws.services import rounds as services
from tournaments.draws.services.rounds import RoundChanges
from tournaments.draws.services.take_back import take_back_round
from tournaments.events.selectors.consistent_reads import read_with_seq
from tournaments.events.views.pages import (
    account_needed,
    by,
    chosen_entry,
    directed_division,
    division_url_args,
    faulty,
    missed,
    refuse,
)
from tournaments.models import Division

TEMPLATE = "tournaments/draws/rounds.html"
FRAGMENT = "tournaments/draws/_rounds.html"


@account_needed
@never_cache
@require_safe
def rounds(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the last round and the state of the next; for htmx, only that part of the page."""
    division = directed_division(request, **kwargs)
    try:
        context = _context(request, division)
    except Refused as refused:
        return refuse(request, refused, reverse("division", args=division_url_args(division)))
    return render(request, FRAGMENT if is_htmx(request) else TEMPLATE, context)


def _context(request: HttpRequest, division: Division) -> dict[str, Any]:
    shown = parse_int(request.GET.get("round"))
    context = read_with_seq(division, lambda: selectors.rounds_page(division, shown, timezone.now()))
    context["counted_down"] = request.headers.get("HX-Target") == "countdown"
    draft = context["next"].draft
    if draft is not None and draft.refusal:
        context["refusal"] = sentence(draft.refusal["code"], draft.refusal["params"])
    return context


@account_needed
@require_POST
def pair(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Request the next round, with some pairs fixed; on a double click the second request finds it being made."""
    division = directed_division(request, **kwargs)

    def request_round(pairs: list[tuple[str, str]], **fields: Any) -> None:
        manual = [(chosen_entry(division, first), chosen_entry(division, second)) for first, second in pairs]
        services.request_round(division=division, manual=manual, **_acting(request), **fields)

    return _submit(request, division, PairRoundForm(request.POST), request_round, harmless="draft_in_work")


@account_needed
@require_POST
def publish(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Publish the draft of the next round."""
    division = directed_division(request, **kwargs)

    def publish_draft(**fields: Any) -> None:
        draw = draws.publish_draw(division=division, **_acting(request), **fields)
        messages.success(request, _("Round %(round)d published.") % {"round": draw.round})

    return _submit(request, division, AfterForm(request.POST), publish_draft)


@account_needed
@require_POST
def take_back(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Take back the last paired round, so that it can be paired again."""
    division = directed_division(request, **kwargs)

    def take_back_last_round(**fields: Any) -> None:
        number = fields.pop("round")
        take_back_round(division=division, round_number=number, **_acting(request), **fields)
        messages.success(request, _("Round %(round)d taken back.") % {"round": number})

    return _submit(request, division, TakeBackRoundForm(request.POST), take_back_last_round)


@account_needed
@require_POST
def stop(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Stop the countdown of a draft that publishes itself."""
    division = directed_division(request, **kwargs)

    def stop_countdown(**fields: Any) -> None:
        draws.stop_countdown(division=division, **_acting(request), **fields)
        messages.success(request, _("Countdown stopped. The round waits until you publish it."))

    return _submit(request, division, AfterForm(request.POST), stop_countdown, harmless="no_countdown")


@account_needed
@require_POST
def change(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Change the number of rounds, rematches, and what happens when a round is complete."""
    division = directed_division(request, **kwargs)

    def change_rounds(after: int, **changes: Any) -> None:
        services.change_rounds(division=division, changes=RoundChanges(**changes), after=after, **_acting(request))
        messages.success(request, _("Saved."))

    return _submit(request, division, ChangeRoundsForm(request.POST), change_rounds)


@account_needed
@require_POST
def bye(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Request a bye for a player, or cancel one."""
    division = directed_division(request, **kwargs)

    def change_bye(**fields: Any) -> None:
        entry, number = chosen_entry(division, fields["entry"]), fields["round"]
        if fields["take_back"]:
            services.take_back_bye(entry=entry, round_number=number, **_acting(request))
        else:
            services.request_bye(entry=entry, round_number=number, kind=fields["kind"], **_acting(request))

    return _submit(request, division, ByeForm(request.POST), change_bye)


def _acting(request: HttpRequest) -> dict[str, Any]:
    return {"by": by(request), "now": timezone.now()}


def _submit(
    request: HttpRequest, division: Division, form: RefusingForm, act: Callable[..., None], *, harmless: str = ""
) -> HttpResponse:
    """Call `act` with the values of a valid form and redirect to the rounds; the `harmless` refusal is not shown."""
    url = reverse("rounds", args=division_url_args(division))
    if not form.is_valid():
        return faulty(request, form, url)
    try:
        act(**form.cleaned_data)
    except Refused as refused:
        if refused.code == "stale":
            return _stale(request, division, refused)
        if refused.code != harmless:
            return refuse(request, refused, url)
    return redirect(url)


def _stale(request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
    """Show the current rounds with what has changed, with status 409."""
    division.refresh_from_db()
    try:
        context = _context(request, division)
    except Refused as not_by_rounds:
        return refuse(request, not_by_rounds, reverse("division", args=division_url_args(division)))
    topics = [division.topic, division.tournament.topic]
    context["missed"] = missed(request, refused, division.tournament, topics)
    context["stale"] = sentence(refused.code, refused.params)
    return render(request, TEMPLATE, context, status=409)
