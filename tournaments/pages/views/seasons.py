"""The next season of a league, for directors: looked at, then made as a draft."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.forms import SeasonForm, localise
from tournaments.events.views.pages import account_needed, by, event_url_args, form_key, page, refuse, zone_of
from tournaments.pages import services as seasons


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def next_season(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Who would play where; the button makes it."""
    found = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = SeasonForm(request.POST if request.method == "POST" else None)
    try:
        drafted = seasons.foresee_season(found)
        if form.is_valid():
            starts_at = localise(form.cleaned_data["starts_at"], zone_of(found))
            assert starts_at is not None  # noqa: S101, the field is required
            made = seasons.draft_next_season(
                tournament=found, name=form.cleaned_data["name"], starts_at=starts_at,
                by=by(request), now=timezone.now(), key=form_key(request),
            )  # fmt: skip
            messages.success(request, _("%(season)s is made, as a draft.") % {"season": made.name})
            return redirect("event", *event_url_args(made))
    except Refused as refused:
        return refuse(request, refused, f"/events/{club}/{slug}/")
    divisions = [
        (one.before, [(player, _moved(at, before)) for player, before in one.players]) for at, one in enumerate(drafted)
    ]
    context = {
        "tournament": found, "club": found.club, "form": form, "divisions": divisions, "key": form_key(request),
    }  # fmt: skip
    return page(request, "tournaments/events/next_season.html", context, form)


def _moved(now: int, before: int) -> str:
    """up, down, or empty."""
    return "up" if now < before else "down" if now > before else ""
