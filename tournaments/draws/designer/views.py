"""The format designer: the stages of a division, and a preview of what they mean for the evening."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.messages import status_of
from core.requests import is_htmx
from engine.errors import Refused
from tournaments.draws.designer.forms.designer import DesignerForm
from tournaments.draws.designer.page import DesignerPage
from tournaments.draws.forms import AfterForm
from tournaments.draws.services.draws import LEAST_ENTRIES
from tournaments.draws.services.evenings import keep_format
from tournaments.events.selectors.events import divisions_of
from tournaments.events.services.events import entries_in
from tournaments.events.views.pages import (
    account_needed,
    by,
    directed_division,
    division_url_args,
    missed,
    seen_at,
    zone_of,
)
from tournaments.models import Division
from tournaments.state.format_labels import PRESET_NAMES, stages_name
from tournaments.state.stages import set_stages

TEMPLATE = "tournaments/draws/designer/designer.html"
FRAGMENT = "tournaments/draws/designer/_designer.html"


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def designer(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the format of a division; by POST, store it."""
    division = directed_division(request, **kwargs)
    zone = zone_of(division.tournament)
    if request.method != "POST":
        return _render(request, division, DesignerPage.of_division(division, zone))
    page = DesignerPage.of_form(division, zone, DesignerForm(request.POST))
    after = AfterForm(request.POST)
    if page.settings is None or page.tables is None or not after.is_valid():
        return _render(request, division, page, status=422)
    try:
        set_stages(
            division=division,
            stages=page.settings,
            tables=page.tables,
            after=after.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
        )
    except Refused as refused:
        page.refuse(refused)
        changes = missed(request, refused, division.tournament, [division.topic])
        division.refresh_from_db()
        return _render(request, division, page, missed=changes, status=status_of(refused.code))
    if (evening := page.evening.evening()) is not None:
        keep_format(
            club=division.tournament.club,
            evening=evening,
            stages=page.settings,
            lengths=division.lengths,
            now=timezone.now(),
        )
    messages.success(request, _("Format of %(division)s saved: %(stages)s.") % {
        "division": division.name, "stages": stages_name(page.settings),
    })  # fmt: skip
    return redirect("draw" if entries_in(division) >= LEAST_ENTRIES else "entries", *division_url_args(division))


@account_needed
@require_POST
def preview(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the page for the submitted format without storing it; for htmx, only its forms and preview."""
    division = directed_division(request, **kwargs)
    page = DesignerPage.of_form(division, zone_of(division.tournament), DesignerForm(request.POST))
    return _render(request, division, page)


def _render(
    request: HttpRequest, division: Division, page: DesignerPage, *, missed: Sequence[Any] = (), status: int = 200
) -> HttpResponse:
    tournament = division.tournament
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "divisions": divisions_of(tournament),
        "designer": page,
        "presets": list(PRESET_NAMES.items()),
        "missed": missed,
        "open": division.status == Division.Status.ENTRIES,
        "seen": int(seen_at(request).timestamp()) if status == 200 and request.method == "POST" else None,
        "now": timezone.now(),
    }
    fragment = is_htmx(request) and status == 200
    response = render(request, FRAGMENT if fragment else TEMPLATE, context, status=status)
    if fragment and (page.faulty or page.was_faulty):
        # Errors are shown beside their fields, outside the preview: replace these too, also once they are fixed.
        response["HX-Retarget"] = response["HX-Reselect"] = "#design"
    return response
