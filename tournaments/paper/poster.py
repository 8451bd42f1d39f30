"""The poster at the door, with the QR code of the page on which players check themselves in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.links import absolute_url, qr_svg
from tournaments import access
from tournaments.events.views.pages import account_needed, event_url_args
from tournaments.models import CheckIn


@account_needed
@never_cache
@require_safe
def poster(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the poster."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    url = absolute_url(request, reverse("arrive", args=event_url_args(event)))
    scanned = f"{url}?from={CheckIn.Source.POSTER}"
    context = {"tournament": event, "club": event.club, "url": url, "scanned_url": scanned, "qr": qr_svg(scanned)}
    return render(request, "tournaments/paper/poster.html", context)
