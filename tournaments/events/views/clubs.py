"""A club's home with its events: the page of the room below, and one part more."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.htmx import is_htmx
from players import access, selectors
from tournaments.events.selectors import events


@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """A club as everybody sees it; to htmx only its people."""
    found = access.club(slug)
    context = selectors.club_home(request.user, found, request.GET.get("q", ""), request.GET.get("page"))
    if is_htmx(request):
        return render(request, "players/clubs/_people.html", context)
    return render(
        request, "tournaments/events/club.html", {**context, "events": events.club_events(request.user, found)}
    )
