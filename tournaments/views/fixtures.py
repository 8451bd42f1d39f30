"""One match, for those who run the event: result, forfeit, ruling, deadline, who comes no more."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from engine.errors import Refused
from matches.models import Result
from players.access import Role, require
from players.forms import RefusingForm
from players.messages import sentence
from tournaments import access
from tournaments.forms import AcceptForm, DueForm, ResultForm, RulingForm, SideForm, localise
from tournaments.models import Fixture
from tournaments.selectors import fixtures as selectors
from tournaments.services import deadlines, entries, results
from tournaments.services.quick import wording
from tournaments.views.pages import account_needed, address, by, missed, status_of, zone_of

Form = Any


@account_needed
@require_safe
def fixture(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Everything about a match; to htmx the sheet alone."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    return _page(request, found)


def _page(request: HttpRequest, fixture: Fixture, form: RefusingForm | None = None, **more: Any) -> HttpResponse:
    role = require(request.user, fixture.stage.division.tournament.club, Role.ASSISTANT)
    context = selectors.fixture_page(fixture, role, by(request), timezone.now()) | {"faulty": form, **more}
    status = more.pop("status", HTTPStatus.UNPROCESSABLE_ENTITY if form is not None else HTTPStatus.OK)
    name = "tournaments/_fixture.html" if request.headers.get("HX-Request") else "tournaments/fixture.html"
    return render(request, name, context, status=status)


def _decided(
    request: HttpRequest, fixture: Fixture, form: RefusingForm, decide: Callable[[], Result | None]
) -> HttpResponse:
    """Do what a form asks; its faults and refusals stand on the match's page, a stale one with what changed."""
    if not form.is_valid():
        return _page(request, fixture, form)
    try:
        result = decide()
    except Refused as refused:
        form.refuse(refused)
        tournament = fixture.stage.division.tournament
        fresh = access.fixture_as(request.user, fixture.public_id, Role.ASSISTANT)
        topics = [fresh.match.topic] if fresh.match else []
        told = missed(request, refused, tournament, topics)
        begun = refused.code == "successor_begun"
        return _page(request, fresh, form, missed=told, successor_begun=begun, status=status_of(refused))
    fixture.refresh_from_db()
    if result is not None and fixture.match is not None:
        messages.success(request, f"M{fixture.number} · {wording(fixture.match, result)}")
    return redirect("console", *address(fixture.stage.division.tournament))


@account_needed
@require_POST
def result(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """The score of a match that was played."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    form = ResultForm(request.POST)

    def decide() -> Result:
        left, right = form.score
        return results.enter_result(
            fixture=found, winner=0 if left > right else 1, score=(left, right), by=by(request), now=timezone.now(),
            after=form.cleaned_data["after"], reason=form.cleaned_data["reason"],
        )  # fmt: skip

    return _decided(request, found, form, decide)


@account_needed
@require_POST
def forfeit(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """One side gives up this match, or both do."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    form = SideForm(request.POST)

    def decide() -> Result:
        side, common = form.cleaned_data["side"], _common(request, form)
        if side == "both":
            kind = Result.Kind.DOUBLE_FORFEIT
            return results.enter_result(fixture=found, winner=None, score=None, kind=kind, **common)
        return results.forfeit(fixture=found, side=int(side), **common)

    return _decided(request, found, form, decide)


def _common(request: HttpRequest, form: Form) -> dict[str, Any]:
    return {
        "by": by(request),
        "now": timezone.now(),
        "after": form.cleaned_data["after"],
        "reason": form.cleaned_data["reason"],
    }


@account_needed
@require_POST
def rule(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """The director decides, with a reason."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = RulingForm(request.POST)
    return _decided(
        request,
        found,
        form,
        lambda: results.rule(
            fixture=found, winner=form.cleaned_data["winner"], score=form.score, **_common(request, form)
        ),
    )


@account_needed
@require_POST
def accept(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Let a rejected record stand, naming what is waived."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = AcceptForm(request.POST)
    record = found.match.submissions.filter(public_id=request.POST.get("record", "")).first() if found.match else None
    if record is None:
        raise Http404
    return _decided(
        request,
        found,
        form,
        lambda: results.accept_record(
            fixture=found,
            submission=record,
            waived=form.waived(request.POST.getlist("waive")),
            swapped=form.swapped_sides,
            winner=form.cleaned_data["winner"],
            score=form.score,
            **_common(request, form),
        ),
    )


@account_needed
@require_POST
def extend(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """More time for one match."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = DueForm(request.POST)

    def decide() -> None:
        due_at = localise(form.cleaned_data["due_at"], zone_of(found.stage.division.tournament))
        assert due_at is not None  # noqa: S101, the field is required
        deadlines.extend_deadline(
            fixture=found, due_at=due_at, by=by(request), now=timezone.now(), after=form.cleaned_data["after"]
        )
        messages.success(request, _("M%(number)d has more time.") % {"number": found.number})

    return _decided(request, found, form, decide)


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """One of the two comes no more: to this bracket, the division, or the event."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    side = 1 if request.POST.get("side") == "1" else 0
    slot = found.slots.select_related("entry__player", "fixture__stage", "fixture__round__bracket").get(side=side)
    if slot.entry is None:
        messages.error(request, sentence("not_entered", {"name": ""}))
        return redirect(request.path.removesuffix("withdraw/"))
    what: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": request.POST.get("reason", "")[:300]}
    scope, tournament = request.POST.get("scope"), found.stage.division.tournament
    if scope == "bracket":
        results.withdraw_from_bracket(slot=slot, **what)
    elif scope == "event":
        entries.withdraw_from_event(tournament=tournament, player=slot.entry.player, **what)
    else:
        entries.withdraw(entry=slot.entry, **what)
    messages.success(request, _("%(name)s is withdrawn.") % {"name": slot.entry.player.name})
    return redirect("console", *address(tournament))
