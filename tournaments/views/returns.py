"""Letting somebody who has withdrawn back in, after a look at what follows."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from players.access import Role, require
from tournaments import access
from tournaments.entry_forms import DIVISION, EVENT, ReturnForm, ScopeForm
from tournaments.models import Entry
from tournaments.selectors.previews import return_view
from tournaments.services.returns import bring_back, preview_return
from tournaments.views.pages import account_needed, by, division_url, faulty, refuse


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def back_in(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """What would follow if somebody came back; by POST, do it."""
    found = access.entry_as(request.user, entry, Role.DIRECTOR, (club, slug))
    require(request.user, found.division.tournament.club, Role.DIRECTOR)
    url = reverse("entries", args=division_url(found.division))
    if request.method != "POST":
        asked = ScopeForm({"scope": DIVISION, **request.GET.dict()})
        if not asked.is_valid():
            return faulty(request, asked, url)
        return _preview(request, found, asked.cleaned_data["scope"], url)
    form = ReturnForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    fields = form.cleaned_data
    try:
        bring_back(
            entry=found,
            seen=fields["seen"],
            by=by(request),
            now=timezone.now(),
            event=fields["scope"] == EVENT,
            reason=fields["reason"],
        )
    except Refused as refused:
        back = f"{request.path}?scope={fields['scope']}" if refused.code == "stale" else url
        return refuse(request, refused, back)
    messages.success(request, _("%(name)s is back in.") % {"name": found.player.name})
    return redirect(url)


def _preview(request: HttpRequest, entry: Entry, scope: str, url: str) -> HttpResponse:
    try:
        preview = preview_return(entry=entry, event=scope == EVENT)
    except Refused as refused:
        return refuse(request, refused, url)
    tournament = entry.division.tournament
    context: dict[str, Any] = {
        "club": tournament.club,
        "tournament": tournament,
        "division": entry.division,
        "title": _("Let %(name)s back in") % {"name": entry.player.name},
        "parts": return_view(preview),
        "action": request.path,
        "hidden": {"scope": scope, "seen": preview.mark},
        "asks_reason": True,
        "button": _("Back in"),
    }
    return render(request, "tournaments/entry_preview.html", context)
