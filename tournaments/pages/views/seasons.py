"""Drafting an event from an earlier one: the next season of a league, or the same event again."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.forms import SeasonForm, localise
from tournaments.events.views.pages import account_needed, by, event_url_args, form_key, page, refuse, zone_of
from tournaments.pages import services as seasons
from tournaments.state.forms import IdempotencyKeyForm


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def next_season(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Preview the next season; a POST creates its draft."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = SeasonForm(request.POST if request.method == "POST" else None)
    try:
        drafted = seasons.preview_season(event)
        if form.is_valid():
            starts_at = localise(form.cleaned_data["starts_at"], zone_of(event))
            assert starts_at is not None  # noqa: S101, the field is required
            season = seasons.draft_next_season(
                tournament=event, name=form.cleaned_data["name"], starts_at=starts_at,
                by=by(request), now=timezone.now(), key=form_key(request),
            )  # fmt: skip
            messages.success(request, _("%(season)s was created as a draft.") % {"season": season.name})
            return redirect("event", *event_url_args(season))
    except Refused as refused:
        return refuse(request, refused, f"/events/{club}/{slug}/")
    divisions = [
        (division.before, [(player, _direction(index, before)) for player, before in division.players])
        for index, division in enumerate(drafted)
    ]
    context = {
        "tournament": event, "club": event.club, "form": form, "divisions": divisions, "key": form_key(request),
    }  # fmt: skip
    return page(request, "tournaments/events/next_season.html", context, form)


@account_needed
@require_POST
def copy(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Copy an event to a later week as a draft, then show its settings to confirm the name and date."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = IdempotencyKeyForm(request.POST)
    if not form.is_valid():
        return redirect("event", *event_url_args(event))
    try:
        drafted = seasons.copy_event(tournament=event, by=by(request), now=timezone.now(), key=form.cleaned_data["key"])
    except Refused as refused:
        return refuse(request, refused, f"/events/{club}/{slug}/")
    messages.success(request, _("Copied as a draft that only directors see. Check the name and the date."))
    return redirect("event-edit", *event_url_args(drafted))


def _direction(now: int, before: int) -> str:
    """Return "up", "down", or empty for a player who stays."""
    return "up" if now < before else "down" if now > before else ""
