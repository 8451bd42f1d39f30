"""Correcting a result: a preview of all that would follow, then one step, which can be undone the same way."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.messages import sentence, status_of
from core.repeats import Repeat, repeated
from engine.errors import Refused
from players.access import Role, is_at_least, require
from players.forms import RefusingForm
from tournaments import access
from tournaments.draws.undo import round_after
from tournaments.events.actions import by, event_url_args, missed
from tournaments.models import Correction, Fixture
from tournaments.results import corrections as selectors
from tournaments.results.forms import ApplyForm, NewResultForm, PreviewForm, UndoCorrectionForm
from tournaments.results.page.fixture import fixture_page
from tournaments.state.log import LogLine
from tournaments.state.names import match_names

SUBMITTED_FIELD = "kind"
"""The field that every submitted preview has."""
RESULT_FIELDS = ("kind", "winner", "left", "right", "rated")


def _needed_role(request: HttpRequest) -> Role:
    """Return the role needed: assistants may preview, directors may correct."""
    return Role.DIRECTOR if request.method == "POST" else Role.ASSISTANT


def _form_values(form: RefusingForm) -> dict[str, Any]:
    """Return what was entered so far: the result, which is sent along with the decision, and the decision."""
    values = {name: form[name].value() for name in form.fields}
    result = {name: values[name] for name in RESULT_FIELDS if values.get(name)}
    return {"typed": result, "picked": values.get("choice") or "", "reason": values.get("reason") or ""}


def _sides(fixture: Fixture, form: NewResultForm | None) -> list[dict[str, Any]]:
    """Return the two players, each with the points in the form."""
    if form is None or fixture.match is None:
        return []
    names = match_names(fixture, staff=True)
    fields = ("left", "right")
    return [
        {"field": field, "name": name, "value": form[field].value()} for field, name in zip(fields, names, strict=True)
    ]


@open_to(get=Who.DIRECTORS)
def correct_match(request: HttpRequest, match: str) -> HttpResponse:
    fixture = get_object_or_404(Fixture, match__public_id=match)
    row = access.fixture_as(request.user, fixture.public_id, Role.DIRECTOR)
    return redirect("fixture-correct", *event_url_args(row.stage.division.tournament), row.public_id)


def _page(request: HttpRequest, fixture: Fixture, status: int, **context: Any) -> HttpResponse:
    """Render the page of a correction, or only the preview for an htmx request."""
    context["sides"] = _sides(fixture, context.get("form"))
    role = require(request.user, fixture.stage.division.tournament.club, Role.ASSISTANT)
    htmx = request.headers.get("HX-Request")
    if htmx:
        shared = _preview_context(fixture)
    else:
        shared = fixture_page(fixture, role, by(request), timezone.now())
        shared["corrected"] = selectors.corrections_of_fixture(fixture)
        shared["take_back"] = round_after(fixture)
    template = "tournaments/results/_correction.html" if htmx else "tournaments/results/correct.html"
    context = shared | {"may_direct": is_at_least(role, Role.DIRECTOR), **context}
    response = render(request, template, context, status=status)
    response["Vary"] = "HX-Request"
    return response


def _preview_context(fixture: Fixture) -> dict[str, Any]:
    tournament = fixture.stage.division.tournament
    return {"tournament": tournament, "club": tournament.club, "fixture": fixture, "now": timezone.now()}


def _preview(fixture: Fixture, form: NewResultForm) -> tuple[dict[str, Any], int]:
    """Return the context of a form's preview, or of the reason why there is none, and the HTTP status."""
    if not form.is_valid():
        return {"faulty": form}, HTTPStatus.UNPROCESSABLE_ENTITY
    rated = form.cleaned_data["rated"]
    try:
        preview = selectors.preview_correction(fixture=fixture, new=form.new_result, voided_rated=rated)
    except Refused as refused:
        form.refuse(refused)
        return {"faulty": form}, status_of(refused.code)
    return {"preview": selectors.preview_view(preview, voided_rated=rated)}, HTTPStatus.OK


@open_to(get=Who.STAFF, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def correct(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Preview another result of a fixture; a POST applies it."""
    row = access.fixture_as(request.user, fixture, _needed_role(request), (club, slug))
    if request.method == "POST":
        return _apply(request, row)
    if row.match is None or row.match.state != row.match.State.SETTLED:
        refused = Refused("nothing_to_correct", fixture=row.number)
        return _page(request, row, status_of(refused.code), refused=sentence(refused.code, refused.params))
    if SUBMITTED_FIELD not in request.GET:
        return _page(request, row, HTTPStatus.OK, form=NewResultForm.of(row.match))
    form = PreviewForm(request.GET)
    context, status = _preview(row, form)
    # htmx swaps in a fragment only if the status is 200, and this one says why there is no preview.
    status = HTTPStatus.OK if request.headers.get("HX-Request") else status
    return _page(request, row, status, form=form, **_form_values(form), **context)


def _apply(request: HttpRequest, fixture: Fixture) -> HttpResponse:
    form = ApplyForm(request.POST)
    if not form.is_valid():
        return _page(request, fixture, HTTPStatus.UNPROCESSABLE_ENTITY, form=form, faulty=form, **_form_values(form))
    try:
        correction = selectors.apply_correction(
            fixture=fixture,
            correction=form.correction,
            after=form.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
        )
    except Refused as refused:
        return _refused(request, fixture, form, refused)
    if correction is None:
        message = _("M%(number)d was left unchanged; your review is in the log.")
    else:
        message = _("M%(number)d was corrected.")
    messages.success(request, message % {"number": fixture.number})
    return redirect("fixture", *event_url_args(fixture.stage.division.tournament), fixture.public_id)


def _refused(request: HttpRequest, fixture: Fixture, form: ApplyForm, refused: Refused) -> HttpResponse:
    """Show why nothing was done, what changed meanwhile and the current preview; keep everything that was entered."""
    fresh = access.fixture_as(request.user, fixture.public_id, Role.ASSISTANT)
    form.refuse(refused)
    changes = missed(request, refused, fresh.stage.division.tournament, _topics(fresh))
    preview_form = PreviewForm(request.POST)
    context, _status = _preview(fresh, preview_form)
    context["faulty"] = form
    status = status_of(refused.code)
    return _page(request, fresh, status, form=preview_form, missed=changes, **_form_values(form), **context)


def _topics(fixture: Fixture) -> list[str]:
    """Return the log topics that may have changed since a stale preview."""
    division = fixture.stage.division
    fixtures = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match")
    return [division.topic, *(row.match.topic for row in fixtures if row.match is not None)]


@open_to(get=Who.STAFF, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def undo(request: HttpRequest, club: str, slug: str, fixture: str, correction: str) -> HttpResponse:
    corrected = access.fixture_as(request.user, fixture, _needed_role(request), (club, slug))
    row = Correction.objects.filter(fixture=corrected, public_id=correction).select_related("before", "after").first()
    if row is None:
        raise Http404
    form = UndoCorrectionForm(request.POST if request.method == "POST" else None)
    refusal = None
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        try:
            selectors.undo_correction(
                correction=row,
                after=fields["after"],
                by=by(request),
                now=timezone.now(),
                reason=fields["reason"],
                mark=form.preview_mark,
            )
        except Refused as refused:
            refusal = refused
        else:
            messages.success(request, _("The correction of M%(number)d was undone.") % {"number": corrected.number})
            return redirect("fixture", *event_url_args(corrected.stage.division.tournament), corrected.public_id)
    return _undo_page(request, row, form, refusal)


def _undo_page(
    request: HttpRequest, row: Correction, form: UndoCorrectionForm, refusal: Refused | None
) -> HttpResponse:
    fixture = access.fixture_as(request.user, row.fixture.public_id, Role.ASSISTANT)
    changes: list[LogLine] = []
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    if refusal is not None:
        form.refuse(refusal)
        changes = missed(request, refusal, fixture.stage.division.tournament, _topics(fixture))
        status = status_of(refusal.code)
    context: dict[str, Any] = {"correction": row, "undoing": True, "missed": changes}
    context |= _form_values(form)
    try:
        context["preview"] = selectors.preview_view(selectors.preview_undo(correction=row))
    except Refused as refused:
        context["refused"] = sentence(refused.code, refused.params)
        status = status_of(refused.code) if refusal is None else status
    faulty: RefusingForm | None = form if form.is_bound else None
    return _page(request, fixture, status, faulty=faulty, **context)


@open_to(get=Who.STAFF)
def corrections(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = {
        "tournament": event,
        "club": event.club,
        "division": event.divisions.first(),
        "may_direct": is_at_least(require(request.user, event.club, Role.ASSISTANT), Role.DIRECTOR),
        "lines": selectors.corrections_of(event),
        "log_url": reverse("event-log", args=event_url_args(event)),
    }
    return render(request, "tournaments/results/corrections.html", context)
