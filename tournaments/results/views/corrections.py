"""A result corrected: looked at first with all that would follow, applied as one step, undone the same way."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from core.htmx import is_htmx
from core.messages import sentence, status_of
from engine.errors import Refused
from players.access import Role, is_at_least, require
from players.forms import RefusingForm
from tournaments import access
from tournaments.draws.selectors.take_back import round_after
from tournaments.events.views.pages import account_needed, address, by, missed
from tournaments.models import Correction, Fixture
from tournaments.results.forms.corrections import ApplyForm, NewResultForm, PreviewForm, UndoForm
from tournaments.results.selectors import corrections as selectors
from tournaments.results.selectors.fixtures import fixture_page
from tournaments.results.services import corrections as services
from tournaments.state.names import shown

LOOKED = "kind"
"""The field without which nothing was asked yet."""
OF_RESULT = ("kind", "winner", "left", "right", "rated")


def _needed(request: HttpRequest) -> Role:
    """Looking is for all who help to run the event, correcting for directors."""
    return Role.DIRECTOR if request.method == "POST" else Role.ASSISTANT


def _typed(form: RefusingForm) -> dict[str, Any]:
    """What was typed so far: the result, which goes along with the decision, and the decision itself."""
    values = {name: form[name].value() for name in form.fields}
    result = {name: values[name] for name in OF_RESULT if values.get(name)}
    return {"typed": result, "picked": values.get("choice") or "", "reason": values.get("reason") or ""}


def _sides(fixture: Fixture, form: NewResultForm | None) -> list[dict[str, Any]]:
    """The two players, each with the points in the form."""
    if form is None or fixture.match is None:
        return []
    names = (shown(player, True) for player in fixture.match.players)
    fields = ("left", "right")
    return [{"field": at, "name": name, "value": form[at].value()} for at, name in zip(fields, names, strict=True)]


def _page(request: HttpRequest, fixture: Fixture, status: int, **context: Any) -> HttpResponse:
    context["sides"] = _sides(fixture, context.get("form"))
    role = require(request.user, fixture.stage.division.tournament.club, Role.ASSISTANT)
    htmx = is_htmx(request)
    if htmx:
        shared = _short_context(fixture, role)
    else:
        shared = fixture_page(fixture, role, by(request), timezone.now())
        shared["corrected"] = selectors.corrections_of_fixture(fixture)
        shared["take_back"] = round_after(fixture)
    name = "tournaments/results/_correction.html" if htmx else "tournaments/results/correct.html"
    answer = render(request, name, shared | {"may_direct": is_at_least(role, Role.DIRECTOR), **context}, status=status)
    answer["Vary"] = "HX-Request"
    return answer


def _short_context(fixture: Fixture, role: Role) -> dict[str, Any]:
    """What the preview alone needs of the match."""
    tournament = fixture.stage.division.tournament
    return {"tournament": tournament, "club": tournament.club, "fixture": fixture, "now": timezone.now()}


def _looked_at(request: HttpRequest, fixture: Fixture, form: NewResultForm) -> tuple[dict[str, Any], int]:
    """The preview of what a form says, or why there is none; and the status of the answer."""
    if not form.is_valid():
        return {"faulty": form}, HTTPStatus.UNPROCESSABLE_ENTITY
    rated = form.cleaned_data["rated"]
    try:
        preview = services.preview_correction(fixture=fixture, new=form.new_result, voided_rated=rated)
    except Refused as refused:
        form.refuse(refused)
        return {"faulty": form}, status_of(refused.code)
    return {"preview": selectors.preview_view(preview, voided_rated=rated)}, HTTPStatus.OK


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Another result and what would follow; by POST it is done. To htmx what would follow, alone."""
    found = access.fixture_as(request.user, fixture, _needed(request), (club, slug))
    if request.method == "POST":
        return _apply(request, found)
    if found.match is None or found.match.state != found.match.State.SETTLED:
        refused = Refused("nothing_to_correct", fixture=found.number)
        return _page(request, found, status_of(refused.code), refused=sentence(refused.code, refused.params))
    if LOOKED not in request.GET:
        return _page(request, found, HTTPStatus.OK, form=NewResultForm.of(found.match))
    form = PreviewForm(request.GET)
    context, status = _looked_at(request, found, form)
    # A fragment that says why there is no preview is still to be put where the preview would be.
    status = HTTPStatus.OK if is_htmx(request) else status
    return _page(request, found, status, form=form, **_typed(form), **context)


def _apply(request: HttpRequest, fixture: Fixture) -> HttpResponse:
    form = ApplyForm(request.POST)
    tournament = fixture.stage.division.tournament
    if not form.is_valid():
        return _page(request, fixture, HTTPStatus.UNPROCESSABLE_ENTITY, form=form, faulty=form, **_typed(form))
    try:
        done = services.apply_correction(
            fixture=fixture, new=form.new_result, by=by(request), now=timezone.now(), **form.told
        )
    except Refused as refused:
        return _refused(request, fixture, form, refused)
    if done is None:
        stands = _("M%(number)d stands as it was; that is noted in the log.")
        messages.success(request, stands % {"number": fixture.number})
    else:
        messages.success(request, _("M%(number)d is corrected.") % {"number": fixture.number})
    return redirect("fixture", *address(tournament), fixture.public_id)


def _refused(request: HttpRequest, fixture: Fixture, form: ApplyForm, refused: Refused) -> HttpResponse:
    """Nothing was done: why, what changed meanwhile, and what would follow now; all that was typed is still there."""
    fresh = access.fixture_as(request.user, fixture.public_id, Role.ASSISTANT)
    form.refuse(refused)
    told = missed(request, refused, fresh.stage.division.tournament, _topics(fresh))
    look = PreviewForm(request.POST)
    context, _status = _looked_at(request, fresh, look)
    context["faulty"] = form
    return _page(request, fresh, status_of(refused.code), form=look, missed=told, **_typed(form), **context)


def _topics(fixture: Fixture) -> list[str]:
    """Where something may have happened that a stale preview did not show."""
    division = fixture.stage.division
    matches = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match")
    return [division.topic, *(row.match.topic for row in matches if row.match is not None)]


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, club: str, slug: str, fixture: str, correction: str) -> HttpResponse:
    """What undoing a correction would lead to; by POST it is done."""
    found = access.fixture_as(request.user, fixture, _needed(request), (club, slug))
    row = Correction.objects.filter(fixture=found, public_id=correction).select_related("before", "after").first()
    if row is None:
        raise Http404
    form = UndoForm(request.POST if request.method == "POST" else None)
    refused = None
    if request.method == "POST" and form.is_valid():
        try:
            services.undo_correction(correction=row, by=by(request), now=timezone.now(), **form.told)
        except Refused as caught:
            refused = caught
        else:
            messages.success(request, _("The correction of M%(number)d is undone.") % {"number": found.number})
            return redirect("fixture", *address(found.stage.division.tournament), found.public_id)
    return _undo_page(request, row, form, refused)


def _undo_page(request: HttpRequest, row: Correction, form: UndoForm, refused: Refused | None) -> HttpResponse:
    fixture = access.fixture_as(request.user, row.fixture.public_id, Role.ASSISTANT)
    told: list[Any] = []
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    if refused is not None:
        form.refuse(refused)
        told = missed(request, refused, fixture.stage.division.tournament, _topics(fixture))
        status = status_of(refused.code)
    context: dict[str, Any] = {"correction": row, "undoing": True, "missed": told}
    context |= _typed(form)
    try:
        context["preview"] = selectors.preview_view(services.preview_undo(correction=row))
    except Refused as no_more:
        context["refused"] = sentence(no_more.code, no_more.params)
        status = status_of(no_more.code) if refused is None else status
    faulty: RefusingForm | None = form if form.is_bound else None
    return _page(request, fixture, status, faulty=faulty, **context)


@account_needed
@require_safe
def corrections(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Every correction of an event: who, when, from what to what."""
    found = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = {
        "tournament": found,
        "club": found.club,
        "division": found.divisions.first(),
        "may_direct": is_at_least(require(request.user, found.club, Role.ASSISTANT), Role.DIRECTOR),
        "lines": selectors.corrections_of(found),
        "log_url": reverse("event-log", args=address(found)),
    }
    return render(request, "tournaments/results/corrections.html", context)
