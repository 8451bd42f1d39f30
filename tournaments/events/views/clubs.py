"""The home of a club: its people, from the players app, and its events."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from core.requests import is_htmx
from matches.play.watching import live_now
from matches.presentation.visibility import Viewer
from players import access, selectors
from tournaments.events.selectors import events


@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club to everybody; for htmx, only the list of its people."""
    club_row = access.club(slug)
    context = selectors.club_home(request.user, club_row, request.GET.get("q", ""), request.GET.get("page"))
    if is_htmx(request):
        return render(request, "players/clubs/_people.html", context)
    context["events"] = events.club_events(request.user, club_row)
    context["live_now"] = live_now(Viewer.of(request.user), timezone.now(), among=Q(club=club_row))
    return render(request, "tournaments/events/club.html", context)
