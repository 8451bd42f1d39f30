"""Pages of draws and rounds: format, draft, publish, settings, pair, change, and keep players apart."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.messages import sentence, status_of
from core.repeats import Repeat, repeated
from core.requests import is_htmx, parse_int
from engine.errors import Refused
from matches.ratings.pools import pool_choices
from players import access as club_access
from players.access import Role
from tournaments import access
from tournaments.draws import lists as draw_lists
from tournaments.draws.designer.forms import DesignerForm
from tournaments.draws.designer.page import DesignerPage
from tournaments.draws.evenings import here_text, keep_format, template_label, templates_of
from tournaments.draws.kept_apart import apart_view
from tournaments.draws.lists import commitments_page, draft_page, presence
from tournaments.draws.services import MIN_ENTRIES
from tournaments.draws.undo import draw_to_take_back
from tournaments.events import deadlines
from tournaments.events import services as events
from tournaments.events.actions import by, directed_division, division_url_args, missed, refuse, seen_at, zone_of
from tournaments.events.forms import DivisionForm
from tournaments.events.selectors import divisions_of, read_with_seq
from tournaments.ledger.money import Currency
from tournaments.models import Division, Draw, Entry
from tournaments.state.changes import audience_of
from tournaments.state.format_labels import PRESET_NAMES, stages_name
from tournaments.state.forms import AfterForm
from tournaments.state.names import names_of
from tournaments.state.places import entries_in
from tournaments.state.stages import provenance_of, round_deadlines, set_stages


def draw_page(division: Division, now: datetime) -> dict[str, Any]:
    """Return the context of the draw page: requested, a draft to review, published, or refused."""
    stage = division.stages.order_by("number").first()
    provenance = provenance_of(stage) if stage else None
    newest = provenance.drafts[-1] if provenance and provenance.drafts else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "provenance": provenance,
        "newest": newest,
        "entered": division.entries.filter(status=Entry.Status.IN).count(),
        "now": now,
        "take_back": draw_to_take_back(division),
    }
    if division.status == Division.Status.ENTRIES:
        names = names_of(division, staff=True)
        here, missing = presence(names)
        context |= {
            "apart": apart_view(division, names),
            "here": here if missing and here >= MIN_ENTRIES else 0,
            "missing": [names.of(entry) for entry in missing],
        }
    if newest is not None and newest.state == Draw.State.DRAFT:
        context |= draft_page(division, newest)
    return context


PAGE = "tournaments/draws/draw.html"
DESIGNER = "tournaments/draws/designer/_designer.html"


@open_to(get=Who.DIRECTORS)
@never_cache
def draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the page; an htmx request gets only the draft or its progress."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    if not is_htmx(request):
        return render_division(request, row)
    return render(request, "tournaments/draws/_draw.html", _draw_context(row))


def render_division(
    request: HttpRequest,
    division: Division,
    *,
    design: DesignerPage | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Show the page of a division, with the format as it was submitted."""
    is_open = division.status == Division.Status.ENTRIES
    context = _draw_context(division)
    if is_open:
        shown = design or DesignerPage.of_division(division, zone_of(division.tournament))
        context |= _design_context(request, division, shown)
    context |= {
        "faults": design.faults if design is not None and not is_open else [],
        "format_open": design is not None or "format" in request.GET,
        "seen": int(seen_at(request).timestamp()) if design is not None and status == HTTPStatus.OK else None,
        **more,
    }
    return render(request, PAGE, context, status=status)


def _draw_context(division: Division) -> dict[str, Any]:
    context = read_with_seq(division, lambda: draw_page(division, timezone.now()))
    newest = context["newest"]
    if newest is not None and newest.refusal:
        context["refusal"] = sentence(newest.refusal["code"], newest.refusal["params"])
    return context


def _design_context(request: HttpRequest, division: Division, design: DesignerPage) -> dict[str, Any]:
    here = division.entries.filter(status=Entry.Status.IN).exclude(checked_in_at=None).count()
    return {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "designer": design,
        "presets": list(PRESET_NAMES.items()),
        "templates": [(row.pk, template_label(row)) for row in templates_of(division.tournament)],
        "open": True,
        "players_help": _players_help(entries_in(division), here),
        "notified": audience_of(division.tournament, by(request), timezone.now()).of(division).text,
        "now": timezone.now(),
    }


def _players_help(entered: int, here: int) -> str:
    if here:
        return here_text(here, entered - here)
    return ngettext("%(count)d entered", "%(count)d entered", entered) % {"count": entered}


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def designer(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Store the format of a division; a GET request leads to its place on the page."""
    division = directed_division(request, **kwargs)
    if request.method != "POST":
        return redirect(f"{reverse('draw', args=division_url_args(division))}?format#format")
    zone = zone_of(division.tournament)
    page = DesignerPage.of_form(division, zone, DesignerForm(request.POST))
    after = AfterForm(request.POST)
    if page.settings is None or page.tables is None or not after.is_valid():
        return render_division(request, division, design=page, status=HTTPStatus.UNPROCESSABLE_ENTITY)
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
        return render_division(request, division, design=page, format_missed=changes, status=status_of(refused.code))
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
    return redirect("draw", *division_url_args(division))


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.HARMLESS)
def preview(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the page for the submitted format without storing it; for htmx, only its forms and preview."""
    division = directed_division(request, **kwargs)
    page = DesignerPage.of_form(division, zone_of(division.tournament), DesignerForm(request.POST))
    if not is_htmx(request):
        return render_division(request, division, design=page)
    context = _design_context(request, division, page) | {"format_open": page.is_open}
    response = render(request, DESIGNER, context)
    if page.faulty or page.was_faulty:
        # Errors are shown beside their fields, outside the preview: replace these too, also once they are fixed.
        response["HX-Retarget"] = response["HX-Reselect"] = "#design"
    return response


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def settings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show and change the settings of a division; those fixed by the draw are read-only."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    if request.method != "POST":
        return _render_settings(request, row, DivisionForm(None, **_settings_options(row)))
    form, seen = DivisionForm(request.POST, **_settings_options(row)), AfterForm(request.POST)
    if not seen.is_valid():
        form.add_error(None, _("The form was incomplete. Check the settings and save them again."))
    if not form.is_valid():
        return _render_settings(request, row, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        changed = events.update_division(
            division=row, after=seen.cleaned_data["after"], by=by(request), now=timezone.now(), **form.settings()
        )
        set_deadlines_of(request, changed, form)
    except Refused as refused:
        form.refuse(refused)
        changes = missed(request, refused, row.tournament, [row.topic])
        row.refresh_from_db()
        status = HTTPStatus.CONFLICT if refused.code == "stale" else HTTPStatus.UNPROCESSABLE_ENTITY
        return _render_settings(request, row, form, status=status, settings_missed=changes)
    messages.success(request, _("Saved."))
    return redirect("division-settings", *division_url_args(row))


def _render_settings(
    request: HttpRequest, division: Division, form: DivisionForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    tournament, now = division.tournament, timezone.now()
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "form": form,
        "now": now,
        **more,
    }
    if division.status == Division.Status.ENTRIES:
        context["notified"] = audience_of(tournament, by(request), now).of(division).text
    return render(request, "tournaments/draws/settings.html", context, status=status)


def _settings_options(division: Division) -> dict[str, Any]:
    tournament, zone = division.tournament, zone_of(division.tournament)
    stage = division.stages.order_by("number").first()
    instants = round_deadlines(stage) if stage else []
    return {
        "zone": zone,
        "currency": Currency.of(tournament),
        "pools": pool_choices(tournament.club),
        "waits": tournament.club.accepted_at is None,
        "drawn": division.status != Division.Status.ENTRIES,
        "initial": DivisionForm.initial_of(division, zone, instants),
    }


def set_deadlines_of(request: HttpRequest, division: Division, form: DivisionForm) -> None:
    """Store the deadlines of a valid form of settings. Refused: as `set_deadlines`."""
    deadlines.set_deadlines(
        division=division,
        deadlines=form.cleaned_data["deadlines"],
        after=division.seq,
        by=by(request),
        now=timezone.now(),
    )


ROUNDS = "tournaments/draws/rounds.html"
FRAGMENT = "tournaments/draws/_rounds.html"


@open_to(get=Who.DIRECTORS)
@never_cache
def rounds(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the last round and the state of the next; for htmx, only that part of the page."""
    division = directed_division(request, **kwargs)
    try:
        context = rounds_context(request, division)
    except Refused as refused:
        return refuse(request, refused, reverse("division", args=division_url_args(division)))
    return render(request, FRAGMENT if is_htmx(request) else ROUNDS, context)


def rounds_context(request: HttpRequest, division: Division) -> dict[str, Any]:
    shown = parse_int(request.GET.get("round"))
    context = read_with_seq(division, lambda: draw_lists.rounds_page(division, shown, timezone.now()))
    context["counted_down"] = request.headers.get("HX-Target") == "countdown"
    draft = context["next"].draft
    if draft is not None and draft.refusal:
        context["refusal"] = sentence(draft.refusal["code"], draft.refusal["params"])
    return context


@open_to(get=Who.EVERYBODY)
def commitments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the commitments of a club and the fate of each."""
    context = commitments_page(club_access.club(slug), request.GET.get("page"))
    return render(request, "tournaments/draws/commitments.html", context)
