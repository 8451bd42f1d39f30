"""Managing the entries of a division: by name, by list, check-in, withdrawal."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role, require
from tournaments import access
from tournaments.entries import entries_page as selectors
from tournaments.entries.csv_names import names_in_csv
from tournaments.entries.forms import CHOICE, EVENT, AddEntryForm, CheckInForm, EnterListForm, ListForm, WithdrawForm
from tournaments.entries.selectors.previews import late_view
from tournaments.entries.services import check_in as presence
from tournaments.entries.services import entries as services
from tournaments.entries.services import lists
from tournaments.entries.services.late_previews import LatePreview
from tournaments.events.views.pages import account_needed, by, division_url_args, faulty, page, refuse
from tournaments.models import CheckIn, Division, Entry


@account_needed
@require_safe
def entries(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the entries of a division; an htmx request gets only the lists."""
    row = access.division_as(request.user, division, Role.ASSISTANT, (club, slug))
    name = "tournaments/entries/_entries.html" if is_htmx(request) else "tournaments/entries/entries.html"
    return render(request, name, _context(request, row))


def _context(request: HttpRequest, division: Division, **extra: Any) -> dict[str, Any]:
    role = require(request.user, division.tournament.club, Role.ASSISTANT)
    context = selectors.entries_page(division, role, timezone.now())
    return {**context, "add_form": AddEntryForm(), "list_form": ListForm(), **extra}


@account_needed
@require_safe
def search(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """List members that match a name as it is typed."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    members = selectors.members_called(row, request.GET.get("name", ""))
    context = {"members": members, "division": row, "tournament": row.tournament}
    return render(request, "tournaments/entries/_matching_members.html", context)


@account_needed
@require_POST
def add(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter a player by name; if the name is ambiguous, the page offers the candidates."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AddEntryForm(request.POST)
    if form.is_valid():
        try:
            if row.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
                return _late_name(request, row, form)
            entry = lists.enter_name(division=row, by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
            candidates = refused.params.get("candidates", ())
            context = _context(request, row, add_form=form, candidates=candidates)
            return page(request, "tournaments/entries/entries.html", context, form)
        messages.success(request, _entered_message(entry))
        return redirect(_url(row))
    return page(request, "tournaments/entries/entries.html", _context(request, row, add_form=form), form)


def _late_name(request: HttpRequest, division: Division, form: AddEntryForm) -> HttpResponse:
    """Preview what a late entry would change."""
    named = {"name": form.cleaned_data["name"], "player": form.cleaned_data["player"]}
    preview = lists.preview_late_name(division=division, now=timezone.now(), **named)
    name = preview.newcomers[0].name if preview.newcomers else named["name"]
    return _late_page(request, preview, _("Let %(name)s in late") % {"name": name}, "entries-add", named)


def _late_list(request: HttpRequest, division: Division, form: EnterListForm) -> HttpResponse:
    names, choices = form.cleaned_data["names"], form.choices
    preview = lists.preview_late_list(division=division, names=names, choices=choices, now=timezone.now())
    hidden = {"names": "\n".join(names), **{f"{CHOICE}{place}": value for place, value in choices.items()}}
    return _late_page(request, preview, _("Let these players in late"), "entries-enter", hidden)


def _late_page(
    request: HttpRequest, preview: LatePreview, title: str, route: str, hidden: dict[str, str]
) -> HttpResponse:
    division = preview.division
    context = {
        "club": division.tournament.club,
        "tournament": division.tournament,
        "division": division,
        "title": title,
        "parts": [late_view(preview)],
        "action": reverse(route, args=division_url_args(division)),
        "hidden": {**hidden, "after": preview.seq},
        "button": _("Let in"),
    }
    return render(request, "tournaments/entries/entry_preview.html", context)


def _entered_message(entry: Entry) -> str:
    name = {"name": entry.player.name}
    running = entry.division.status == Division.Status.RUNNING
    if entry.status == Entry.Status.WAITING and running:
        return _("No place is free for %(name)s, who is now on the waiting list.") % name
    if entry.status == Entry.Status.WAITING:
        return _("%(name)s is on the waiting list.") % name
    if running:
        return _("%(name)s was entered late.") % name
    return _("%(name)s was entered.") % name


@account_needed
@require_POST
def paste(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Preview a pasted list or CSV file: which player each name stands for, before anyone is entered."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = ListForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            file = form.cleaned_data["file"]
            names = names_in_csv(file.read()) if file else form.cleaned_data["names"]
            if not names:
                raise Refused("name_missing")
            lines = lists.preview(division=row, names=names)
        except Refused as refused:
            form.refuse(refused)
        else:
            return render(request, "tournaments/entries/entries_preview.html", _preview(row, names, lines))
    return page(request, "tournaments/entries/entries.html", _context(request, row, list_form=form), form)


def _preview(division: Division, names: list[str], lines: list[lists.ListedName]) -> dict[str, Any]:
    coming = [line for line in lines if line.status in ("member", "returned", "new", "ambiguous")]
    return {
        "division": division,
        "tournament": division.tournament,
        "club": division.tournament.club,
        "names": "\n".join(names),
        "lines": lines,
        "coming": len(coming),
        "new": sum(line.status == "new" for line in lines),
        "ambiguous": sum(line.status == "ambiguous" for line in lines),
        "known": sum(line.status in ("entered", "repeated") for line in lines),
    }


@account_needed
@require_POST
def enter_list(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter everyone on a previewed list."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = EnterListForm(request.POST)
    if not form.is_valid():
        list_form = ListForm({"names": form.cleaned_data.get("names", "")})
        return page(request, "tournaments/entries/entries.html", _context(request, row, list_form=list_form), form)
    try:
        if row.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
            return _late_list(request, row, form)
        outcome = lists.enter_list(
            division=row,
            names=form.cleaned_data["names"],
            choices=form.choices,
            by=by(request),
            now=timezone.now(),
            after=form.cleaned_data["after"],
        )
    except Refused as refused:
        return refuse(request, refused, _url(row))
    count = len(outcome.entries)
    messages.success(
        request, ngettext("%(count)d player entered.", "%(count)d players entered.", count) % {"count": count}
    )
    if outcome.left_out:
        messages.warning(request, _("Not entered: %(names)s.") % {"names": ", ".join(outcome.left_out[:20])})
    return redirect(_url(row))


@account_needed
@require_POST
def check_in(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """Check an entry in, or undo the check-in."""
    row = access.entry_as_player_or(request.user, entry, Role.ASSISTANT, (club, slug))
    require(request.user, row.division.tournament.club, Role.ASSISTANT)
    form = CheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row.division))
    state = CheckIn.State.HERE if form.cleaned_data["present"] else CheckIn.State.MISSING
    try:
        presence.mark(entry=row, state=state, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, _url(row.division))
    if is_htmx(request):
        return render(request, "tournaments/entries/_entries.html", _context(request, row.division))
    return redirect(_url(row.division))


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """Withdraw an entry from the division or from the whole event."""
    row = access.entry_as_player_or(request.user, entry, Role.DIRECTOR, (club, slug))
    require(request.user, row.division.tournament.club, Role.DIRECTOR)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row.division))
    common: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": form.cleaned_data["reason"]}
    try:
        if form.cleaned_data["scope"] == EVENT:
            services.withdraw_from_event(tournament=row.division.tournament, player=row.player, **common)
        else:
            services.withdraw(entry=row, **common)
    except Refused as refused:
        return refuse(request, refused, _url(row.division))
    messages.success(request, _("%(name)s has been withdrawn.") % {"name": row.player.name})
    return redirect(_url(row.division))


def _url(division: Division) -> str:
    return reverse("entries", args=division_url_args(division))
