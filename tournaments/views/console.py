"""The director's console: what needs him, one line for results, the log, and whether the workers live."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from engine.errors import Refused
from players.access import Role, is_at_least, require
from players.messages import sentence
from tournaments import access
from tournaments.models import Division, Fixture, Tournament
from tournaments.selectors import console as selectors
from tournaments.selectors import log as log_selectors
from tournaments.selectors import workers
from tournaments.services.quick import enter_line, wording
from tournaments.views.pages import account_needed, address, by


@account_needed
@never_cache
@require_safe
def console(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """What needs the director, what can be played, how far it all is; to htmx only what changes by itself."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = _context(request, found, request.GET.get("division", ""))
    name = "tournaments/_console.html" if request.headers.get("HX-Request") else "tournaments/console.html"
    return render(request, name, context)


def _context(request: HttpRequest, tournament: Tournament, division: str) -> dict[str, Any]:
    role = require(request.user, tournament.club, Role.ASSISTANT)
    context = selectors.console_page(tournament, division, timezone.now())
    if (need := context["round_need"]) is not None and need.refusal:
        context["round_refusal"] = sentence(need.refusal["code"], need.refusal["params"])
    return {**context, "may_direct": is_at_least(role, Role.DIRECTOR), "health": workers.short(timezone.now())}


@account_needed
@require_POST
def quick(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """A result in one line; what is wrong with it is said above the line, which stays as it was typed."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    line, chosen = request.POST.get("line", ""), request.POST.get("division", "")
    division = found.divisions.filter(public_id=chosen).first()
    try:
        done = enter_line(tournament=found, text=line, division=division, by=by(request), now=timezone.now())
    except Refused as refused:
        context = _context(request, found, chosen)
        context |= {"line": line, "line_error": sentence(refused.code, refused.params)}
        context["line_fixture"] = _to_correct(found, division, refused)
        return render(request, "tournaments/console.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assert done.fixture.match is not None  # noqa: S101, a result has a match
    messages.success(request, f"M{done.fixture.number} · {wording(done.fixture.match, done.result)}")
    return redirect(reverse("console", args=address(found)) + (f"?division={chosen}" if division else ""))


def _to_correct(tournament: Tournament, division: Division | None, refused: Refused) -> str | None:
    """The fixture whose result a line would have replaced, where it is clear which one that is."""
    if refused.code not in ("line_settled", "successor_begun"):
        return None
    rows = Fixture.objects.filter(stage__division__tournament=tournament, number=refused.params["fixture"])
    if division is not None and rows.filter(stage__division=division).exists():
        rows = rows.filter(stage__division=division)
    found = list(rows.values_list("public_id", flat=True)[:2])
    return found[0] if len(found) == 1 else None


@account_needed
@require_safe
def log(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Who did what, when, from what to what."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    kind, who, number = (request.GET.get(name, "") for name in ("kind", "who", "page"))
    context = {**_head(request, found), **log_selectors.log_page(found, kind, who, number)}
    name = "tournaments/_log.html" if request.headers.get("HX-Request") else "tournaments/log.html"
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
    name = "tournaments/_status.html" if request.headers.get("HX-Request") else "tournaments/status.html"
    return render(request, name, context)
