"""The draw designer: which formats a division is played by, and what that means for those who are here tonight."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.htmx import is_htmx
from core.messages import status_of
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.draws.design.design_form import DesignForm
from tournaments.draws.design.designs import Design
from tournaments.draws.forms import AfterForm
from tournaments.draws.services.draws import LEAST_ENTRIES
from tournaments.events.selectors.events import divisions_of
from tournaments.events.services.events import entries_in
from tournaments.events.views.pages import account_needed, by, division_url, missed, seen_at, zone_of
from tournaments.models import Division
from tournaments.state.format_labels import PRESET_NAMES, stages_name
from tournaments.state.stages import set_stages

PAGE = "tournaments/draws/design/design.html"


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def design(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """The formats of a division as they are set; sent, they are set anew."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    zone = zone_of(found.tournament)
    if request.method != "POST":
        return _page(request, found, Design.of_division(found, zone))
    made = Design.of_form(found, zone, DesignForm(request.POST))
    stages, tables = made.settings, made.tables
    if stages is None or tables is None:
        return _page(request, found, made, status=422)
    after = AfterForm(request.POST)
    if not after.is_valid():
        return _page(request, found, made, status=422)
    try:
        set_stages(
            division=found,
            stages=stages,
            tables=tables,
            after=after.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
        )
    except Refused as refused:
        made.refuse(refused)
        since = missed(request, refused, found.tournament, [found.topic])
        found.refresh_from_db()
        return _page(request, found, made, missed=since, status=status_of(refused.code))
    messages.success(request, _("%(division)s is played as: %(stages)s.") % {
        "division": found.name, "stages": stages_name(stages),
    })  # fmt: skip
    return redirect("draw" if entries_in(found) >= LEAST_ENTRIES else "entries", *division_url(found))


@account_needed
@require_POST
def show(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """What has been chosen so far, and what it would mean; nothing is stored. To htmx only that part of the page."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = DesignForm(request.POST)
    return _page(request, found, Design.of_form(found, zone_of(found.tournament), form))


def _page(
    request: HttpRequest, division: Division, design: Design, *, missed: Sequence[Any] = (), status: int = 200
) -> HttpResponse:
    tournament = division.tournament
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "divisions": divisions_of(tournament),
        "design": design,
        "presets": list(PRESET_NAMES.items()),
        "missed": missed,
        "open": division.status == Division.Status.ENTRIES,
        "seen": int(seen_at(request).timestamp()) if status == 200 and request.method == "POST" else None,
        "now": timezone.now(),
    }
    fragment = is_htmx(request) and status == 200
    response = render(request, "tournaments/draws/design/_design.html" if fragment else PAGE, context, status=status)
    if fragment and (design.faulty or design.was_faulty):
        # What is wrong is said beside its field, so these are to be shown anew, and again when it is put right.
        response["HX-Retarget"] = response["HX-Reselect"] = "#design"
    return response
