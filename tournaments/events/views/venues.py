"""The page of a club's venue."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from players import access
from tournaments.events.selectors.venues import venue_of
from tournaments.events.services.venues import save_venue
from tournaments.events.venue_forms import VenueForm
from tournaments.events.views.pages import account_needed, by, page, sent


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def venue(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change the tables and opening hours of a club."""
    club = access.club_for_director(request.user, slug)
    form = VenueForm(sent(request), venue=venue_of(club))
    if form.is_valid():
        try:
            save_venue(club=club, venue=form.venue(), after=form.cleaned_data["after"], by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved. New events start with these tables and hours."))
            return redirect("venue", club.slug)
    return page(request, "tournaments/events/venue.html", {"form": form, "club": club}, form)
