"""Taking back what was done to an entry, after a look at what follows: a withdrawal, or a late entry."""

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
from tournaments.entries.forms import DIVISION, EVENT, ReturnForm, ScopeForm, UndoForm
from tournaments.entries.selectors.previews import return_view, undo_view
from tournaments.entries.services.late_previews import preview_undo, undo_late
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.events.views.pages import account_needed, by, division_url_args, faulty, refuse
from tournaments.models import Entry


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def back_in(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """What would follow if somebody came back; by POST, do it."""
    found = access.entry_as(request.user, entry, Role.DIRECTOR, (club, slug))
    require(request.user, found.division.tournament.club, Role.DIRECTOR)
    url = reverse("entries", args=division_url_args(found.division))
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
    title = _("Let %(name)s back in") % {"name": entry.player.name}
    hidden = {"scope": scope, "seen": preview.mark}
    return _page(request, entry, title=title, parts=return_view(preview), hidden=hidden, button=_("Back in"))


def _page(request: HttpRequest, entry: Entry, **more: Any) -> HttpResponse:
    tournament = entry.division.tournament
    context: dict[str, Any] = {
        "club": tournament.club,
        "tournament": tournament,
        "division": entry.division,
        "action": request.path,
        "asks_reason": True,
        **more,
    }
    return render(request, "tournaments/entries/entry_preview.html", context)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def undo_late_entry(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """What would follow if a late entry were undone; by POST, do it."""
    found = access.entry_as(request.user, entry, Role.DIRECTOR, (club, slug))
    require(request.user, found.division.tournament.club, Role.DIRECTOR)
    url = reverse("entries", args=division_url_args(found.division))
    form = UndoForm(request.POST)
    if request.method == "POST" and not form.is_valid():
        return faulty(request, form, url)
    try:
        if request.method != "POST":
            preview = preview_undo(entry=found)
            title = _("Undo the late entry of %(name)s") % {"name": found.player.name}
            hidden = {"after": preview.seq}
            return _page(request, found, title=title, parts=[undo_view(preview)], hidden=hidden, button=_("Undo"))
        undo_late(
            entry=found,
            after=form.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
        )
    except Refused as refused:
        return refuse(request, refused, request.path if refused.code == "stale" else url)
    messages.success(request, _("The late entry of %(name)s is undone.") % {"name": found.player.name})
    return redirect(url)
