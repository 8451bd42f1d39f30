"""The director's console: what needs him, one line for results, the log, and whether the workers live."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

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
from engine.errors import Refused
from players.access import Role, is_at_least, require
from tournaments import access
from tournaments.events.views.pages import account_needed, address, by, faulty
from tournaments.models import Tournament
from tournaments.pages.forms import ConfirmForm, QuickForm
from tournaments.pages.selectors import console as selectors
from tournaments.pages.selectors import workers
from tournaments.results.selectors.quick_entry import OutcomeLine, outcome_lines
from tournaments.results.services import confirmations
from tournaments.results.services.quick_entry import enter_lines
from tournaments.state import log as log_selectors


@account_needed
@never_cache
@require_safe
def console(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """What needs the director, what can be played, how far it all is; to htmx only what changes by itself."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = _context(request, found, request.GET.get("division", ""))
    name = "tournaments/pages/_console.html" if is_htmx(request) else "tournaments/pages/console.html"
    return render(request, name, context)


def _context(request: HttpRequest, tournament: Tournament, division: str) -> dict[str, Any]:
    role = require(request.user, tournament.club, Role.ASSISTANT)
    context = selectors.console_page(tournament, division, by(request), timezone.now())
    if (need := context["round_need"]) is not None and need.refusal:
        context["round_refusal"] = sentence(need.refusal["code"], need.refusal["params"])
    context["focus_line"] = "entered" in request.GET
    return {**context, "may_direct": is_at_least(role, Role.DIRECTOR), "health": workers.short(timezone.now())}


@account_needed
@require_POST
def quick(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Results typed as lines; what became of each is said, and what was not booked comes back for editing."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = QuickForm(request.POST, tournament=found)
    if not form.is_valid():
        return _asked_again(request, found, form)
    division = form.cleaned_data["division"]
    try:
        outcomes = enter_lines(
            tournament=found, text=form.cleaned_data["line"], division=division, by=by(request), now=timezone.now()
        )
    except Refused as refused:
        form.refuse(refused)
        return _asked_again(request, found, form)
    lines = outcome_lines(found, outcomes)
    if any(not line.is_done for line in lines):
        return _asked_again(request, found, form, lines)
    for line in lines:
        messages.success(request, line.text)
    query = {"entered": "1"} | ({"division": division.public_id} if division else {})
    return redirect(f"{reverse('console', args=address(found))}?{urlencode(query)}")


def _asked_again(
    request: HttpRequest, tournament: Tournament, form: QuickForm, lines: Sequence[OutcomeLine] = ()
) -> HttpResponse:
    """The console with what became of each line; those that were not booked come back for editing."""
    context = _context(request, tournament, form["division"].value() or "")
    context["line"] = "\n".join(line.typed for line in lines if not line.is_done) or form["line"].value() or ""
    context |= {"line_form": form, "outcomes": lines, "focus_line": True}
    is_help = form.is_valid() and all(line.is_done or line.is_help for line in lines)
    if is_help:
        context["line"] = ""
    status = HTTPStatus.OK if is_help else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "tournaments/pages/console.html", context, status=status)


@account_needed
@require_POST
def confirm_all(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Let every unopposed report stand that the director saw, and say what was confirmed and what was not."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = ConfirmForm(request.POST, tournament=found)
    url = reverse("console", args=address(found))
    if not form.is_valid():
        return faulty(request, form, url)
    division = form.cleaned_data["division"]
    done = confirmations.confirm_all(
        tournament=found, reports=form.reports, division=division, by=by(request), now=timezone.now()
    )
    if confirmed := [f"M{one.waiting.fixture.number}" for one in done if not one.code]:
        messages.success(request, _("Confirmed: %(matches)s.") % {"matches": ", ".join(confirmed)})
    for one in done:
        if one.code:
            messages.warning(request, f"M{one.waiting.fixture.number}: {sentence(one.code, {})}")
    return redirect(f"{url}?{urlencode({'division': division.public_id})}" if division else url)


@account_needed
@require_safe
def log(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Who did what, when, from what to what."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    kind, who, number = (request.GET.get(name, "") for name in ("kind", "who", "page"))
    context = {**_head(request, found), **log_selectors.log_page(found, kind, who, number)}
    name = "tournaments/pages/_log.html" if is_htmx(request) else "tournaments/pages/log.html"
    return render(request, name, context)


def _head(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """What the head of every console page needs."""
    role = require(request.user, tournament.club, Role.ASSISTANT)
    division = tournament.divisions.first()
    may_direct = is_at_least(role, Role.DIRECTOR)
    return {"tournament": tournament, "club": tournament.club, "division": division, "may_direct": may_direct}


@account_needed
@never_cache
@require_safe
def status(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Whether beat, broker and workers are alive, and what waits for them."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = {**_head(request, found), **workers.status_page(timezone.now())}
    name = "tournaments/pages/_status.html" if is_htmx(request) else "tournaments/pages/status.html"
    return render(request, name, context)
