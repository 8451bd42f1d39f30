"""Views of the floor page."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from core.access import Who, open_to
from core.left_out import shown
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role, is_at_least
from tournaments import access
from tournaments.events.actions import by, event_url_args, faulty, page, sent
from tournaments.floor import evening, selectors
from tournaments.floor.by_hand import objections
from tournaments.floor.closing_time import close_matches, note_open_floor
from tournaments.floor.desk import note_here, note_left
from tournaments.floor.lines import enter_lines, preview_line
from tournaments.floor.page.actions import ACTIONS
from tournaments.floor.page.cards import refusal_of
from tournaments.floor.page.forms import ClosingTimeForm, DeskForm, FloorSettingsForm, TwoFreeForm
from tournaments.floor.page.page import Parts, floor_page, forecast_context, render_changes
from tournaments.floor.page.sheets import match_sheet, table_sheet
from tournaments.models import Fixture, Table, Tournament
from tournaments.results import workers
from tournaments.results.forms import LinePreviewForm, QuickForm
from tournaments.results.quick_entry import LineOutcome
from tournaments.state.topics import topics_shown

# The settings and tables of a floor.


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def settings(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show and change the settings and tables of a floor; saving opens it."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = FloorSettingsForm(sent(request), tournament=event)
    if form.is_valid():
        try:
            evening.save_floor(tournament=event, plan=form.plan, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("The tables and settings are saved."))
            return redirect(f"{reverse('floor-settings', args=event_url_args(event))}")
    context = {"form": form, "tournament": event, "club": event.club}
    return page(request, "tournaments/floor/settings.html", context, form)


# The floor of an event: its page, the sheets of a match and of a table, and what a director does there.


@open_to(get=Who.HELPERS)
@never_cache
@gzip_page
def floor(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the floor of an event; an htmx request gets only what has changed, or the live part."""
    began = timezone.now()
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    note_open_floor(event, began)
    context = _context(request, event, role, began)
    if not is_htmx(request):
        return _whole_page(request, context)
    changes = render_changes(request, context)
    return changes or render(
        request, "tournaments/floor/_floor.html", {**_with_forecast(request, context), "is_part": True}
    )


@open_to(post=Who.HELPERS)
@repeated(Repeat.HARMLESS)
def desk(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Note that a page of the staff is open, or that it was hidden or closed."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = DeskForm(request.POST)
    if not form.is_valid():
        return HttpResponse(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    note = note_left if form.cleaned_data["left"] else note_here
    note(event, form.page_of(request.session.session_key or ""), timezone.now())
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@open_to(get=Who.HELPERS)
@never_cache
@gzip_page
def forecast(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    began = timezone.now()
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    prefetch_related_objects([event], "divisions__stages")
    context = {
        "topics_shown": topics_shown(event, read_since=began),
        **forecast_context(selectors.floor(event, timezone.now()), by(request)),
        "tournament": event,
        "club": event.club,
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
    }
    return render(request, "tournaments/floor/_forecast_update.html", context)


def _whole_page(request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    page = {**_with_forecast(request, context), "health": workers.short(timezone.now())}
    return render(request, "tournaments/floor/floor.html", page, status=status)


def _with_forecast(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    return {**context, **forecast_context(context["view"], by(request)), "parts": Parts()}


def _context(request: HttpRequest, tournament: Tournament, role: Role | None, began: datetime) -> dict[str, Any]:
    """The context of the floor; `began` is a moment before the first query for it."""
    prefetch_related_objects([tournament], "divisions__stages")
    topics = topics_shown(tournament, read_since=began)
    context = floor_page(tournament, by(request), timezone.now(), complete="all" in request.GET)
    chosen = request.GET.get("division", "")
    shown = [division for division in context["divisions"] if division.public_id == chosen]
    line = LinePreviewForm.line_in(request)
    return {
        **context,
        **_line_urls(tournament),
        "topics_shown": topics,
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "line": line,
        "focus_line": "entered" in request.GET or bool(line),
        "undo_seconds": _undo_seconds(tournament, timezone.now()),
        "division": next(iter(shown or context["divisions"]), None),
    }


def _line_urls(tournament: Tournament) -> dict[str, Any]:
    args = event_url_args(tournament)
    urls = {"quick_url": reverse("floor-line", args=args), "preview_url": reverse("floor-preview", args=args)}
    return {**urls, "quick_is_quiet": True}


def _undo_seconds(tournament: Tournament, now: datetime) -> int:
    """Return for how many more seconds the start of the evening can be undone; 0 once a match has begun."""
    if not tournament.can_undo_start(now) or tournament.undo_until is None:
        return 0
    begun = Fixture.objects.filter(stage__division__tournament=tournament, match__begun_at__isnull=False)
    return 0 if begun.exists() else int((tournament.undo_until - now).total_seconds())


@open_to(post=Who.HELPERS)
@repeated(Repeat.KEY)
def act(request: HttpRequest, action: str, **url: str) -> HttpResponseBase:
    """Do what the URL names on the floor, and return to its page with what happened in words."""
    return ACTIONS[action].view(request, **url)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def close(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Do the same with all matches that still run at closing time, and say what became of each."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url, now = reverse("floor", args=event_url_args(event)), timezone.now()
    form = ClosingTimeForm(request.POST, tournament=event, now=now)
    if not form.is_valid():
        return faulty(request, form, url)
    data = form.cleaned_data
    closed = close_matches(
        rule=data["rule"], running=data["running"], points=data["points"] or 1, by=by(request), now=now
    )
    if done := [row.text for row in closed if row.refused is None]:
        messages.success(request, " ".join([*done, _("Undo takes them back one by one, the last first.")]))
    for row in closed:
        if row.refused is not None:
            messages.error(request, refusal_of(row.fixture, row.refused))
    return redirect(url)


@open_to(post=Who.HELPERS)
@repeated(Repeat.KEY)
def line(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Enter typed lines; those that were not entered come back for editing.

    A script (lines.js) gets only the line with what became of it; the page then asks what has changed on the floor.
    """
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    form = QuickForm(request.POST, tournament=event)
    lines: list[LineOutcome] = []
    if form.is_valid():
        try:
            lines = enter_lines(
                tournament=event,
                text=form.cleaned_data["line"],
                division=None,
                by=by(request),
                now=timezone.now(),
                seen=form.cleaned_data["seen"],
            )
        except Refused as refused:
            form.refuse(refused)
    if is_htmx(request):
        return render(request, "clubhouse/_quick.html", {**_line_urls(event), **_outcomes(form, lines)})
    if not lines or any(not row.is_done for row in lines):
        return _with_outcomes(request, event, role, form, lines)
    for row in lines:
        messages.success(request, row.sentence)
    return redirect(f"{reverse('floor', args=event_url_args(event))}?entered=1")


@open_to(get=Who.HELPERS)
@never_cache
def preview(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Say what Enter will do with the line that is being typed, and which table it is about."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    text = LinePreviewForm.line_in(request)
    line_preview = preview_line(tournament=event, text=text, by=by(request), now=timezone.now())
    table = Table.objects.filter(pk=line_preview.table).first() if line_preview and line_preview.table else None
    context = {"preview": line_preview, "outlined": table.public_id if table is not None else ""}
    return render(request, "tournaments/floor/_preview.html", context)


@open_to(get=Who.DIRECTORS)
@never_cache
def chosen_pair(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Say what the rule of a stage without rounds has against two whom a director is choosing."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    now = timezone.now()
    form = TwoFreeForm(request.GET, tournament=event, now=now)
    context: dict[str, Any] = {"is_chosen": form.is_valid()}
    if form.is_valid():
        try:
            context["objections"] = objections(**form.cleaned_data, now=now)
        except Refused as refused:
            context["refusal"] = sentence(refused.code, refused.params)
    return render(request, "tournaments/floor/_chosen_pair.html", context)


def _with_outcomes(
    request: HttpRequest, tournament: Tournament, role: Role | None, form: QuickForm, lines: Sequence[LineOutcome]
) -> HttpResponse:
    began = timezone.now()
    outcomes = _outcomes(form, lines)
    is_refused = outcomes["line"] or not form.is_valid()
    status = HTTPStatus.UNPROCESSABLE_ENTITY if is_refused else HTTPStatus.OK

    def page() -> HttpResponse:
        tournament.refresh_from_db()  # Its divisions may have been read with some that cannot be shown.
        return _whole_page(request, _context(request, tournament, role, began) | outcomes, status)

    return shown(page)


def _outcomes(form: QuickForm, lines: Sequence[LineOutcome]) -> dict[str, Any]:
    """Return what became of typed lines, with those to be edited; none of them if all were done or asked for help."""
    is_over = form.is_valid() and all(row.is_done or row.is_help for row in lines)
    left = "\n".join(row.line for row in lines if not row.is_done) or form["line"].value() or ""
    return {"line_form": form, "outcomes": lines, "focus_line": True, "line": "" if is_over else left}


@open_to(get=Who.HELPERS)
@never_cache
def match(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Show the sheet of a match on the floor; an htmx request gets only the dialog's content."""
    row = access.fixture_as(request.user, fixture, access.HELPER, (club, slug))
    role = access.require_in(request.user, row.stage.division.tournament, access.HELPER)
    context = match_sheet(row, role, by(request), timezone.now())
    name = "tournaments/floor/_match_sheet.html" if is_htmx(request) else "tournaments/floor/sheet.html"
    return render(request, name, {**context, "sheet": "tournaments/floor/_match_sheet.html"})


@open_to(get=Who.HELPERS)
@never_cache
def table(request: HttpRequest, club: str, slug: str, table: str) -> HttpResponse:
    """Show the sheet of a table; an htmx request gets only the dialog's content."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    row = event.floor_tables.filter(public_id=table).first()
    if row is None:
        raise Http404
    role = access.require_in(request.user, event, access.HELPER)
    context = table_sheet(event, row, timezone.now()) | {"only_helps": role is None}
    name = "tournaments/floor/_table_sheet.html" if is_htmx(request) else "tournaments/floor/sheet.html"
    return render(request, name, {**context, "sheet": "tournaments/floor/_table_sheet.html"})
