"""The wall screen, which shows the floor with its forecast beside brackets and standings."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import access
from tournaments.floor.selectors import floor
from tournaments.pages.floor.expected import expected_times
from tournaments.wall.screens import wall


@never_cache
@require_safe
def event_wall(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show calls, tables, brackets and standings in turn, to be read from across a room."""
    event = access.tournament(request.user, club, slug)
    view = floor(event, timezone.now(), staff=False)
    return render(request, "tournaments/wall/wall.html", wall(view, expected_times(view)))
