"""Bracket, standings and calls of an event for a frame on pages that its club names.

They show what everybody may see, have no forms, and do not look at who is signed in.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from tournaments import access
from tournaments.floor.selectors import floor
from tournaments.models import Tournament
from tournaments.paper import lists
from tournaments.paper.draw_sheets import DRAW_AREAS, draw_pages
from tournaments.state.topics import event_topics
from tournaments.wall.board import floor_screens


@xframe_options_exempt
@require_safe
def bracket(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the brackets of a division."""
    row = access.division(AnonymousUser(), division, (club, slug))
    return _framed(request, row.tournament, {"drawings": draw_pages(row, DRAW_AREAS["a4"])}, row.name)


@xframe_options_exempt
@require_safe
def standings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the standings of a division."""
    row = access.division(AnonymousUser(), division, (club, slug))
    return _framed(request, row.tournament, {"lists": list(lists.standings(row))}, row.name)


@xframe_options_exempt
@require_safe
def calls(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who is called to which table."""
    event = access.tournament(AnonymousUser(), club, slug)
    called = [call for screen in floor_screens(floor(event, timezone.now(), staff=False)) for call in screen.calls]
    return _framed(request, event, {"calls": called, "shows_calls": True})


def _framed(request: HttpRequest, event: Tournament, content: Mapping[str, Any], name: str = "") -> HttpResponse:
    """Render an embedded page, which only the hosts that the club names may frame."""
    context = {
        "tournament": event,
        "club": event.club,
        "name": name,
        "topics": event_topics(event),
        **content,
    }
    response = render(request, "tournaments/wall/embed.html", context)
    hosts = event.club.embed_hosts or "'none'"
    response.headers["Content-Security-Policy"] = f"frame-ancestors {hosts}"
    return response
