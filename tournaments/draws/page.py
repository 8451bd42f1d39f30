"""Pages of draws and rounds: draft, publish, pair, change, and keep players apart."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.messages import sentence
from core.requests import is_htmx, parse_int
from engine.errors import Refused
from players import access as club_access
from players.access import Role
from tournaments import access
from tournaments.draws import lists as draw_lists
from tournaments.draws.kept_apart import apart_view
from tournaments.draws.lists import commitments_page, draft_page, presence
from tournaments.draws.services import LEAST_ENTRIES
from tournaments.draws.take_back import draw_to_take_back
from tournaments.events.pages import (
    account_needed,
    directed_division,
    division_url_args,
    refuse,
)
from tournaments.events.selectors import divisions_of, read_with_seq
from tournaments.models import Division, Draw, Entry
from tournaments.state.names import names_of
from tournaments.state.stages import provenance_of

# The page of a draw, as directors see it.


def draw_page(division: Division, now: datetime) -> dict[str, Any]:
    """Return the context of the draw page: requested, a draft to review, published, or refused."""
    stage = division.stages.order_by("number").first()
    provenance = provenance_of(stage) if stage else None
    newest = provenance.drafts[-1] if provenance and provenance.drafts else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "provenance": provenance,
        "newest": newest,
        "entered": division.entries.filter(status=Entry.Status.IN).count(),
        "now": now,
        "take_back": draw_to_take_back(division),
    }
    if division.status == Division.Status.ENTRIES:
        names = names_of(division, staff=True)
        here, missing = presence(names)
        context |= {
            "apart": apart_view(division, names),
            "here": here if missing and here >= LEAST_ENTRIES else 0,
            "missing": [names.of(entry) for entry in missing],
        }
    if newest is not None and newest.state == Draw.State.DRAFT:
        context |= draft_page(division, newest)
    return context


# The draw of a division: requested, reviewed as a draft, drawn again with a reason, published, taken back.


@account_needed
@never_cache
@require_safe
def draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the draft or its progress; an htmx request gets only that part."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    context = read_with_seq(row, lambda: draw_page(row, timezone.now()))
    newest = context["newest"]
    if newest is not None and newest.refusal:
        context["refusal"] = sentence(newest.refusal["code"], newest.refusal["params"])
    name = "tournaments/draws/_draw.html" if is_htmx(request) else "tournaments/draws/draw.html"
    return render(request, name, context)


# Pages for directors about stages that are paired round by round: view, pair, publish and change rounds.


ROUNDS = "tournaments/draws/rounds.html"
FRAGMENT = "tournaments/draws/_rounds.html"


@account_needed
@never_cache
@require_safe
def rounds(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the last round and the state of the next; for htmx, only that part of the page."""
    division = directed_division(request, **kwargs)
    try:
        context = rounds_context(request, division)
    except Refused as refused:
        return refuse(request, refused, reverse("division", args=division_url_args(division)))
    return render(request, FRAGMENT if is_htmx(request) else ROUNDS, context)


def rounds_context(request: HttpRequest, division: Division) -> dict[str, Any]:
    shown = parse_int(request.GET.get("round"))
    context = read_with_seq(division, lambda: draw_lists.rounds_page(division, shown, timezone.now()))
    context["counted_down"] = request.headers.get("HX-Target") == "countdown"
    draft = context["next"].draft
    if draft is not None and draft.refusal:
        context["refusal"] = sentence(draft.refusal["code"], draft.refusal["params"])
    return context


# The public list of a club's commitments.


@require_safe
def commitments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the commitments of a club and the fate of each."""
    context = commitments_page(club_access.club(slug), request.GET.get("page"))
    return render(request, "tournaments/draws/commitments.html", context)
