"""Re-entry, and undoing a withdrawal or a late entry, each after a preview of its effects."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import Refused
from tournaments.entries.forms import DIVISION, EVENT, PreviewedForm, ReturnForm, ScopeForm
from tournaments.entries.selectors.previews import PartView, reentry_view, refund_notes, return_view, undo_view
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


class EntryChange(NamedTuple):
    """A change of an entry that a director previews and then applies."""

    title: str
    button: str
    preview: Callable[[], tuple[int, PartView]]
    """Returns the division's `seq` and the effects; refuses if the change is not possible."""
    apply: Callable[..., str]
    """Takes the `seq` of the preview, the actor, the time and a reason; returns what was done as a sentence."""


def _preview_and_apply(request: HttpRequest, entry: Entry, change: EntryChange) -> HttpResponse:
    """Show the preview of a change; by POST, apply it."""
    url = reverse("entries", args=division_url_args(entry.division))
    form = PreviewedForm(request.POST)
    if request.method == "POST" and not form.is_valid():
        return faulty(request, form, url)
    try:
        if request.method != "POST":
            seq, part = change.preview()
            hidden = {"after": seq}
            return _preview_page(request, entry, title=change.title, parts=[part], hidden=hidden, button=change.button)
        done = change.apply(by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, request.path if refused.code == "stale" else url)
    messages.success(request, done)
    return redirect(url)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def undo_late_entry(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview undoing a late entry; by POST, apply it."""
    entry = directed_entry(request, **kwargs)
    name = {"name": shown_entry(entry, staff=True)}

    def preview() -> tuple[int, PartView]:
        undo = preview_undo(entry=entry)
        return undo.seq, undo_view(undo)

    def apply(**values: Any) -> str:
        undo_late(entry=entry, **values)
        return " ".join([_("Late entry of %(name)s undone.") % name, *refund_notes(entry)])

    change = EntryChange(_("Undo the late entry of %(name)s") % name, _("Undo"), preview, apply)
    return _preview_and_apply(request, entry, change)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def re_enter(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview a re-entry; by POST, apply it."""
    entry = directed_entry(request, **kwargs)

    def preview() -> tuple[int, PartView]:
        reentry = preview_reentry(entry=entry, now=timezone.now())
        return reentry.seq, reentry_view(reentry)

    def apply(**values: Any) -> str:
        again = reenter(entry=entry, **values)
        return _("%(name)s has been entered.") % {"name": shown_entry(again, staff=True)}

    title = _("Let %(name)s enter again") % {"name": entry.player.name}
    return _preview_and_apply(request, entry, EntryChange(title, _("Enter again"), preview, apply))
