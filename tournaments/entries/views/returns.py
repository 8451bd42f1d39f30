"""Re-entry, and undoing a withdrawal or a late entry, each after a preview of its effects."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from tournaments.entries.forms import DIVISION, EVENT, ReturnForm, ScopeForm, UndoForm
from tournaments.entries.selectors.previews import reentry_view, return_view, undo_view
from tournaments.entries.services.late_previews import preview_undo, undo_late
from tournaments.entries.services.reentries import preview_reentry, reenter
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.events.views.pages import account_needed, by, directed_entry, division_url_args, faulty, refuse
from tournaments.models import Entry
from tournaments.state.names import shown_entry


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def back_in(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview the return of a withdrawn player; by POST, apply it."""
    entry = directed_entry(request, **kwargs)
    url = reverse("entries", args=division_url_args(entry.division))
    if request.method != "POST":
        query = ScopeForm({"scope": DIVISION, **request.GET.dict()})
        if not query.is_valid():
            return faulty(request, query, url)
        return _return_preview(request, entry, query.cleaned_data["scope"], url)
    form = ReturnForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    fields = form.cleaned_data
    try:
        bring_back(
            entry=entry,
            seen=fields["seen"],
            by=by(request),
            now=timezone.now(),
            event=fields["scope"] == EVENT,
            reason=fields["reason"],
        )
    except Refused as refused:
        back = f"{request.path}?scope={fields['scope']}" if refused.code == "stale" else url
        return refuse(request, refused, back)
    messages.success(request, _("%(name)s is back in.") % {"name": entry.player.name})
    return redirect(url)


def _return_preview(request: HttpRequest, entry: Entry, scope: str, url: str) -> HttpResponse:
    try:
        preview = preview_return(entry=entry, event=scope == EVENT)
    except Refused as refused:
        return refuse(request, refused, url)
    title = _("Let %(name)s back in") % {"name": entry.player.name}
    hidden = {"scope": scope, "seen": preview.mark}
    return _preview_page(
        request, entry, title=title, parts=return_view(preview), hidden=hidden, button=_("Let back in")
    )


def _preview_page(request: HttpRequest, entry: Entry, **context: Any) -> HttpResponse:
    tournament = entry.division.tournament
    common: dict[str, Any] = {
        "club": tournament.club,
        "tournament": tournament,
        "division": entry.division,
        "action": request.path,
        "asks_reason": True,
    }
    return render(request, "tournaments/entries/entry_preview.html", {**common, **context})


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def undo_late_entry(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview undoing a late entry; by POST, apply it."""
    entry = directed_entry(request, **kwargs)
    name = {"name": entry.player.name}
    url = reverse("entries", args=division_url_args(entry.division))
    form = UndoForm(request.POST)
    if request.method == "POST" and not form.is_valid():
        return faulty(request, form, url)
    try:
        if request.method != "POST":
            preview = preview_undo(entry=entry)
            title = _("Undo the late entry of %(name)s") % name
            hidden = {"after": preview.seq}
            parts = [undo_view(preview)]
            return _preview_page(request, entry, title=title, parts=parts, hidden=hidden, button=_("Undo"))
        undo_late(
            entry=entry,
            after=form.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
        )
    except Refused as refused:
        return refuse(request, refused, request.path if refused.code == "stale" else url)
    messages.success(request, _("Late entry of %(name)s undone.") % name)
    return redirect(url)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def re_enter(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview a re-entry; by POST, apply it."""
    entry = directed_entry(request, **kwargs)
    url = reverse("entries", args=division_url_args(entry.division))
    form = UndoForm(request.POST)
    if request.method == "POST" and not form.is_valid():
        return faulty(request, form, url)
    try:
        if request.method != "POST":
            preview = preview_reentry(entry=entry, now=timezone.now())
            title = _("Let %(name)s enter again") % {"name": entry.player.name}
            hidden, parts = {"after": preview.seq}, [reentry_view(preview)]
            return _preview_page(request, entry, title=title, parts=parts, hidden=hidden, button=_("Enter again"))
        again = reenter(
            entry=entry,
            after=form.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
        )
    except Refused as refused:
        return refuse(request, refused, request.path if refused.code == "stale" else url)
    messages.success(request, _("%(name)s has been entered.") % {"name": shown_entry(again, staff=True)})
    return redirect(url)
