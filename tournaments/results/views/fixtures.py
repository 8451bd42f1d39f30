"""The page of a match for the event's staff: result, forfeit, ruling, record, objection, deadline, withdrawal."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core.messages import status_of
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from matches.reporting import objections
from matches.reporting.records import RecordRuling
from players.access import Role
from players.forms import RefusingForm
from tournaments import access
from tournaments.events.forms import localise, shown_local
from tournaments.events.services import deadlines
from tournaments.events.views.pages import account_needed, by, event_url_args, missed, zone_of
from tournaments.models import Fixture
from tournaments.results.forms.fixtures import (
    BOTH,
    AcceptForm,
    DecisionForm,
    DueForm,
    ForfeitForm,
    ObjectionForm,
    ResultForm,
    RulingForm,
    WithdrawForm,
)
from tournaments.results.selectors import fixtures as selectors
from tournaments.results.services import results
from tournaments.results.services.quick_entry import result_summary
from tournaments.results.services.withdrawals import withdraw_side
from tournaments.state.names import match_names


@account_needed
@require_safe
def fixture(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Show everything about a match; an htmx request gets only the dialog's content."""
    row = access.fixture_as(request.user, fixture, access.HELPER, (club, slug))
    return _page(request, row)


@dataclass(frozen=True, slots=True)
class SentForm:
    """A submitted form, with the name it has on the page."""

    name: str
    form: RefusingForm

    @property
    def waived(self) -> list[str]:
        """The findings that were ticked, if a record was to be accepted."""
        return self.form["waive"].value() or [] if self.name == "accept" else []


def _page(request: HttpRequest, fixture: Fixture, sent: SentForm | None = None, **extra: Any) -> HttpResponse:
    """Render the page of a match; a refused form keeps what was entered."""
    role = access.require_in(request.user, fixture.stage.division.tournament, access.HELPER)
    status = extra.pop("status", HTTPStatus.UNPROCESSABLE_ENTITY if sent is not None else HTTPStatus.OK)
    context = selectors.fixture_page(fixture, role, by(request), timezone.now()) | extra
    if fixture.match is not None:
        context["forms"] = _initial_forms(fixture, context["score"])
        context["forms"] |= {sent.name: sent.form} if sent is not None else {}
    context["sent"] = sent
    name = "_fixture.html" if request.headers.get("HX-Request") else "fixture.html"
    return render(request, f"tournaments/results/{name}", context, status=status)


def _initial_forms(fixture: Fixture, score: tuple[int, int]) -> dict[str, RefusingForm]:
    """Return the forms of a match by their names on the page."""
    names = match_names(fixture, staff=True)
    zone = zone_of(fixture.stage.division.tournament)
    return {
        "result": ResultForm(names=names, initial={"left": score[0], "right": score[1]}),
        "forfeit": ForfeitForm(names=names),
        "rule": RulingForm(names=names),
        "accept": AcceptForm(names=names, initial={"winner": "record"}),
        "extend": DueForm(initial={"due_at": shown_local(fixture.due_at, zone)}),
        "withdraw": WithdrawForm(names=names, initial={"scope": "bracket"}),
        "objection": ObjectionForm(),
    }


def _decide(
    request: HttpRequest, fixture: Fixture, sent: SentForm, service: Callable[[], Result | None]
) -> HttpResponse:
    """Call the service if the form is valid; otherwise, or if it refuses, show the match's page with the reason."""
    if not sent.form.is_valid():
        return _page(request, fixture, sent)
    try:
        result = service()
    except Refused as refused:
        sent.form.refuse(refused)
        tournament = fixture.stage.division.tournament
        fresh = access.fixture_as(request.user, fixture.public_id, access.HELPER)
        topics = [fresh.match.topic] if fresh.match else []
        changes = missed(request, refused, tournament, topics)
        begun = refused.code == "successor_begun"
        return _page(request, fresh, sent, missed=changes, successor_begun=begun, status=status_of(refused.code))
    fixture.refresh_from_db()
    if result is not None and fixture.match is not None:
        messages.success(request, f"M{fixture.number} · {result_summary(fixture, result)}")
    return redirect("console", *event_url_args(fixture.stage.division.tournament))


def _common(request: HttpRequest, form: DecisionForm) -> dict[str, Any]:
    return {
        "by": by(request),
        "now": timezone.now(),
        "after": form.cleaned_data["after"],
        "reason": form.cleaned_data["reason"],
    }


@account_needed
@require_POST
def result(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Enter the score of a match that was played."""
    row = access.fixture_as(request.user, fixture, access.HELPER, (club, slug))
    form = ResultForm(request.POST, names=match_names(row, staff=True))

    def enter() -> Result:
        score = form.score
        assert score is not None  # noqa: S101, both fields are required
        return results.enter_result(fixture=row, result=ResultInput.played(score), **_common(request, form))

    return _decide(request, row, SentForm("result", form), enter)


@account_needed
@require_POST
def forfeit(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Record a forfeit by one side or both."""
    row = access.fixture_as(request.user, fixture, access.HELPER, (club, slug))
    form = ForfeitForm(request.POST, names=match_names(row, staff=True))

    def record_forfeit() -> Result:
        side = form.cleaned_data["side"]
        return results.forfeit(fixture=row, side=None if side == BOTH else int(side), **_common(request, form))

    return _decide(request, row, SentForm("forfeit", form), record_forfeit)


@account_needed
@require_POST
def rule(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Decide a match by ruling, with a reason."""
    row = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = RulingForm(request.POST, names=match_names(row, staff=True))

    def record_ruling() -> Result:
        outcome = {"winner": form.winning_side, "score": form.score, "kind": form.cleaned_data["kind"]}
        return results.rule(fixture=row, **outcome, **_common(request, form))

    return _decide(request, row, SentForm("rule", form), record_ruling)


@account_needed
@require_POST
def accept(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Accept a rejected record, naming the findings that are waived."""
    row = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = AcceptForm(request.POST, names=match_names(row, staff=True))

    def accept_record() -> Result:
        assert row.match is not None  # noqa: S101, only a match has records
        record = row.match.submissions.filter(public_id=form.cleaned_data["record"]).first()
        if record is None:
            raise Http404
        return results.accept_record(
            fixture=row,
            submission=record,
            ruling=RecordRuling(
                waived=form.cleaned_data["waive"],
                swapped=form.swapped_sides,
                winner=form.winning_side,
                score=form.score,
                reason=form.cleaned_data["reason"],
            ),
            by=by(request),
            now=timezone.now(),
            after=form.cleaned_data["after"],
        )

    if row.match is None:
        raise Http404
    return _decide(request, row, SentForm("accept", form), accept_record)


@account_needed
@require_POST
def objection(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Dismiss a player's objection, or uphold it and go on to the correction."""
    row = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    sent = SentForm("objection", ObjectionForm(request.POST))
    if not sent.form.is_valid():
        return _page(request, row, sent)
    fields = sent.form.cleaned_data
    try:
        objections.answer_objection(
            objection=access.objection_of(row, fields["objection"]),
            upheld=fields["upheld"],
            answer=fields["reason"],
            by=by(request),
            now=timezone.now(),
            after=fields["after"],
        )
    except Refused as refused:
        sent.form.refuse(refused)
        return _page(request, row, sent, status=status_of(refused.code))
    messages.success(request, _("Objection upheld.") if fields["upheld"] else _("Objection dismissed."))
    event = event_url_args(row.stage.division.tournament)
    return redirect("fixture-correct", *event, row.public_id) if fields["upheld"] else redirect("console", *event)


@account_needed
@require_POST
def extend(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Move the deadline of one match."""
    row = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = DueForm(request.POST)

    def extend_deadline() -> None:
        due_at = localise(form.cleaned_data["due_at"], zone_of(row.stage.division.tournament))
        assert due_at is not None  # noqa: S101, the field is required
        deadlines.extend_deadline(
            fixture=row, due_at=due_at, by=by(request), now=timezone.now(), after=form.cleaned_data["after"]
        )
        messages.success(request, _("M%(number)d has a new deadline.") % {"number": row.number})

    return _decide(request, row, SentForm("extend", form), extend_deadline)


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Withdraw one of the two players from this bracket, the division or the event."""
    row = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = WithdrawForm(request.POST, names=match_names(row, staff=True))

    def withdraw_player() -> None:
        fields = form.cleaned_data
        entry = withdraw_side(
            fixture=row,
            side=int(fields["side"]),
            scope=fields["scope"],
            by=by(request),
            now=timezone.now(),
            reason=fields["reason"],
        )
        messages.success(request, _("%(name)s has been withdrawn.") % {"name": entry.player.name})

    return _decide(request, row, SentForm("withdraw", form), withdraw_player)
