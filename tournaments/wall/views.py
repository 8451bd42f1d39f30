"""Pages of an event for a big screen."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.access import Role, is_at_least
from tournaments import access
from tournaments.events.views.pages import account_needed, by, event_url_args
from tournaments.wall.forms import WallForm
from tournaments.wall.parts import wall_of
from tournaments.wall.services import set_wall
from tournaments.wall.tv import tv


@never_cache
@require_safe
def event_tv(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Follow the most important match of an event that is being played here."""
    event = access.tournament(request.user, club, slug)
    return render(request, "tournaments/wall/tv.html", tv(event, timezone.now()))


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def wall_settings(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Set the message and the parts of the wall screen."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = WallForm(request.POST) if request.method == "POST" else WallForm.of(wall_of(event))
    if form.is_bound and form.is_valid():
        set_wall(tournament=event, **form.cleaned_data, by=by(request))
        messages.success(request, _("The wall screen was changed."))
        return redirect("wall-settings", *event_url_args(event))
    role = access.require_in(request.user, event, access.HELPER)
    context = {
        "tournament": event,
        "club": event.club,
        "division": event.divisions.first(),
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "form": form,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "tournaments/wall/settings.html", context, status=status)
