"""The settings and tables of a floor."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.views.pages import account_needed, by, event_url_args, page, sent
from tournaments.floor.forms import FloorSettingsForm
from tournaments.floor.services import opening


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show and change the settings and tables of a floor; saving opens it."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = FloorSettingsForm(sent(request), tournament=event)
    if form.is_valid():
        try:
            opening.save_floor(tournament=event, plan=form.plan, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("The tables and settings are saved."))
            return redirect(f"{reverse('floor-settings', args=event_url_args(event))}")
    context = {"form": form, "tournament": event, "club": event.club}
    return page(request, "tournaments/floor/settings.html", context, form)
