"""Who takes part, for those who run the event: by name, by list, checked in, gone."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from core.htmx import is_htmx
from engine.errors import Refused
from players.access import Role, require
from tournaments import access
from tournaments.entries.csv_names import names_in_csv
from tournaments.entries.forms import CHOICE, EVENT, AddEntryForm, CheckInForm, EnterListForm, ListForm, WithdrawForm
from tournaments.entries.selectors.previews import late_view
from tournaments.entries.services import entries as services
from tournaments.entries.services import lists
from tournaments.entries.services.late_previews import LatePreview
from tournaments.events.views.pages import account_needed, by, division_url_args, faulty, page, refuse
from tournaments.models import Division, Entry
from tournaments.pages.selectors import entries as selectors


@account_needed
@require_safe
def entries(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Entries of a division; to htmx only the lists."""
    found = access.division_as(request.user, division, Role.ASSISTANT, (club, slug))
    name = "tournaments/entries/_entries.html" if is_htmx(request) else "tournaments/entries/entries.html"
    return render(request, name, _context(request, found))


def _context(request: HttpRequest, division: Division, **more: Any) -> dict[str, Any]:
    role = require(request.user, division.tournament.club, Role.ASSISTANT)
    context = selectors.entries_page(division, role, timezone.now())
    return {**context, "add_form": AddEntryForm(), "list_form": ListForm(), **more}


@account_needed
@require_safe
def search(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Members a name may mean, while it is typed."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    members = selectors.members_called(found, request.GET.get("name", ""))
    context = {"members": members, "division": found, "tournament": found.tournament}
    return render(request, "tournaments/entries/_matching_members.html", context)


@account_needed
@require_POST
def add(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter one by name; where several are called so, the page asks which."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AddEntryForm(request.POST)
    if form.is_valid():
        try:
            if found.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
                return _late_name(request, found, form)
            entry = lists.enter_name(division=found, by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
            candidates = refused.params.get("candidates", ())
            context = _context(request, found, add_form=form, candidates=candidates)
            return page(request, "tournaments/entries/entries.html", context, form)
        messages.success(request, _told(entry))
        return redirect(_url(found))
    return page(request, "tournaments/entries/entries.html", _context(request, found, add_form=form), form)


def _late_name(request: HttpRequest, division: Division, form: AddEntryForm) -> HttpResponse:
    """Whom a late entry would affect, before it is made."""
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


def _told(entry: Entry) -> str:
    name = {"name": entry.player.name}
    running = entry.division.status == Division.Status.RUNNING
    if entry.status == Entry.Status.WAITING and running:
        return (
            _("Nothing is free for %(name)s any more: no bye is left, or no place. They are on the waiting list.")
            % name
        )
    if entry.status == Entry.Status.WAITING:
        return _("%(name)s is on the waiting list.") % name
    if running:
        return _("%(name)s has come in late.") % name
    return _("%(name)s is entered.") % name


@account_needed
@require_POST
def paste(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """A pasted list or a CSV file: who is meant by each name, before anybody is entered."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = ListForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            file = form.cleaned_data["file"]
            names = names_in_csv(file.read()) if file else form.cleaned_data["names"]
            if not names:
                raise Refused("name_missing")
            lines = lists.preview(division=found, names=names)
        except Refused as refused:
            form.refuse(refused)
        else:
            return render(request, "tournaments/entries/entries_preview.html", _preview(found, names, lines))
    return page(request, "tournaments/entries/entries.html", _context(request, found, list_form=form), form)


def _preview(division: Division, names: list[str], lines: list[lists.Line]) -> dict[str, Any]:
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
    """Enter everybody of a list that was looked at."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = EnterListForm(request.POST)
    if not form.is_valid():
        list_form = ListForm({"names": form.cleaned_data.get("names", "")})
        return page(request, "tournaments/entries/entries.html", _context(request, found, list_form=list_form), form)
    try:
        if found.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
            return _late_list(request, found, form)
        made = lists.enter_list(
            division=found,
            names=form.cleaned_data["names"],
            choices=form.choices,
            by=by(request),
            now=timezone.now(),
            after=form.cleaned_data["after"],
        )
    except Refused as refused:
        return refuse(request, refused, _url(found))
    count = len(made.entries)
    messages.success(
        request, ngettext("%(count)d player entered.", "%(count)d players entered.", count) % {"count": count}
    )
    if made.left_out:
        messages.warning(request, _("Not entered: %(names)s.") % {"names": ", ".join(made.left_out[:20])})
    return redirect(_url(found))


@account_needed
@require_POST
def check_in(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """Somebody is here, or is not after all."""
    found = access.entry_as(request.user, entry, Role.ASSISTANT, (club, slug))
    require(request.user, found.division.tournament.club, Role.ASSISTANT)
    form = CheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found.division))
    services.check_in(entry=found, present=form.cleaned_data["present"], by=by(request), now=timezone.now())
    if is_htmx(request):
        return render(request, "tournaments/entries/_entries.html", _context(request, found.division))
    return redirect(_url(found.division))


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, entry: str) -> HttpResponse:
    """Take somebody out of the division, or out of the whole event."""
    found = access.entry_as(request.user, entry, Role.DIRECTOR, (club, slug))
    require(request.user, found.division.tournament.club, Role.DIRECTOR)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(found.division))
    what: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": form.cleaned_data["reason"]}
    try:
        if form.cleaned_data["scope"] == EVENT:
            services.withdraw_from_event(tournament=found.division.tournament, player=found.player, **what)
        else:
            services.withdraw(entry=found, **what)
    except Refused as refused:
        return refuse(request, refused, _url(found.division))
    messages.success(request, _("%(name)s is withdrawn.") % {"name": found.player.name})
    return redirect(_url(found.division))


def _url(division: Division) -> str:
    return reverse("entries", args=division_url_args(division))
