"""One match, for those who run the event: result, forfeit, ruling, deadline, withdrawal."""

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

from core.htmx import is_htmx
from core.messages import status_of
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from matches.reporting.services import objections
from players.access import Role, require
from players.forms import RefusingForm
from tournaments import access
from tournaments.entries.services import entries
from tournaments.events.forms import localise, shown_local
from tournaments.events.services import deadlines
from tournaments.events.views.pages import account_needed, address, by, missed, zone_of
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
from tournaments.results.services.quick_entry import wording
from tournaments.state.names import shown


@account_needed
@require_safe
def fixture(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Everything about a match; to htmx the sheet alone."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    return _page(request, found)


@dataclass(frozen=True, slots=True)
class Sent:
    """A form that was sent, under the name it has on the page."""

    name: str
    form: RefusingForm

    @property
    def waived(self) -> list[str]:
        """The findings that were ticked, where a record was to be accepted."""
        return self.form["waive"].value() or [] if self.name == "accept" else []


def _page(request: HttpRequest, fixture: Fixture, sent: Sent | None = None, **more: Any) -> HttpResponse:
    """The page of a match; a form that was refused comes back as it was filled in."""
    role = require(request.user, fixture.stage.division.tournament.club, Role.ASSISTANT)
    status = more.pop("status", HTTPStatus.UNPROCESSABLE_ENTITY if sent is not None else HTTPStatus.OK)
    context = selectors.fixture_page(fixture, role, by(request), timezone.now()) | more
    if fixture.match is not None:
        context["forms"] = _empty_forms(fixture, context["score"])
        context["forms"] |= {sent.name: sent.form} if sent is not None else {}
    context["sent"] = sent
    name = "tournaments/results/_fixture.html" if is_htmx(request) else "tournaments/results/fixture.html"
    return render(request, name, context, status=status)


def _names(fixture: Fixture) -> tuple[str, str]:
    if fixture.match is None:
        return ("", "")
    return (shown(fixture.match.player_0, True), shown(fixture.match.player_1, True))


def _empty_forms(fixture: Fixture, score: tuple[int, int]) -> dict[str, RefusingForm]:
    """The forms of a match by the names they have on its page."""
    names = _names(fixture)
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


def _decided(request: HttpRequest, fixture: Fixture, sent: Sent, decide: Callable[[], Result | None]) -> HttpResponse:
    """Do what a form asks; its faults and refusals stand on the match's page, a stale one with what changed."""
    if not sent.form.is_valid():
        return _page(request, fixture, sent)
    try:
        result = decide()
    except Refused as refused:
        sent.form.refuse(refused)
        tournament = fixture.stage.division.tournament
        fresh = access.fixture_as(request.user, fixture.public_id, Role.ASSISTANT)
        topics = [fresh.match.topic] if fresh.match else []
        changes = missed(request, refused, tournament, topics)
        begun = refused.code == "successor_begun"
        return _page(request, fresh, sent, missed=changes, successor_begun=begun, status=status_of(refused.code))
    fixture.refresh_from_db()
    if result is not None and fixture.match is not None:
        messages.success(request, f"M{fixture.number} · {wording(fixture.match, result)}")
    return redirect("console", *address(fixture.stage.division.tournament))


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
    """The score of a match that was played."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    form = ResultForm(request.POST, names=_names(found))

    def decide() -> Result:
        score = form.score
        assert score is not None  # noqa: S101, both fields are required
        winner = 0 if score[0] > score[1] else 1
        return results.enter_result(fixture=found, result=ResultInput(winner, score), **_common(request, form))

    return _decided(request, found, Sent("result", form), decide)


@account_needed
@require_POST
def forfeit(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """One side gives up this match, or both do."""
    found = access.fixture_as(request.user, fixture, Role.ASSISTANT, (club, slug))
    form = ForfeitForm(request.POST, names=_names(found))

    def decide() -> Result:
        side, common = form.cleaned_data["side"], _common(request, form)
        if side == BOTH:
            kind = Result.Kind.DOUBLE_FORFEIT
            return results.enter_result(fixture=found, result=ResultInput(None, kind=kind), **common)
        return results.forfeit(fixture=found, side=int(side), **common)

    return _decided(request, found, Sent("forfeit", form), decide)


@account_needed
@require_POST
def rule(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """The director decides, with a reason."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = RulingForm(request.POST, names=_names(found))

    def decide() -> Result:
        return results.rule(fixture=found, winner=form.winning_side, score=form.score, **_common(request, form))

    return _decided(request, found, Sent("rule", form), decide)


@account_needed
@require_POST
def accept(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Let a rejected record stand, naming what is waived."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = AcceptForm(request.POST, names=_names(found))

    def decide() -> Result:
        assert found.match is not None  # noqa: S101, only a match has records
        record = found.match.submissions.filter(public_id=form.cleaned_data["record"]).first()
        if record is None:
            raise Http404
        return results.accept_record(
            fixture=found,
            submission=record,
            waived=form.cleaned_data["waive"],
            swapped=form.swapped_sides,
            winner=form.winning_side,
            score=form.score,
            **_common(request, form),
        )

    if found.match is None:
        raise Http404
    return _decided(request, found, Sent("accept", form), decide)


@account_needed
@require_POST
def objection(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Dismiss a player's objection, or uphold it, which leads to the correction."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    sent = Sent("objection", ObjectionForm(request.POST))
    if not sent.form.is_valid():
        return _page(request, found, sent)
    fields = sent.form.cleaned_data
    try:
        objections.answer_objection(
            objection=access.objection_of(found, fields["objection"]),
            upheld=fields["upheld"],
            answer=fields["reason"],
            by=by(request),
            now=timezone.now(),
            after=fields["after"],
        )
    except Refused as refused:
        sent.form.refuse(refused)
        return _page(request, found, sent, status=status_of(refused.code))
    messages.success(request, _("The objection is upheld.") if fields["upheld"] else _("The objection is dismissed."))
    place = address(found.stage.division.tournament)
    return redirect("fixture-correct", *place, found.public_id) if fields["upheld"] else redirect("console", *place)


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

    return _decided(request, found, Sent("extend", form), decide)


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """One of the two leaves this bracket, the division, or the event."""
    found = access.fixture_as(request.user, fixture, Role.DIRECTOR, (club, slug))
    form = WithdrawForm(request.POST, names=_names(found))

    def decide() -> None:
        slots = found.slots.select_related("entry__player", "fixture__stage", "fixture__round__bracket")
        slot = slots.get(side=int(form.cleaned_data["side"]))
        if slot.entry is None:
            raise Refused("not_entered", name="")
        common: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": form.cleaned_data["reason"]}
        scope = form.cleaned_data["scope"]
        if scope == "bracket":
            results.withdraw_from_bracket(slot=slot, **common)
        elif scope == "division":
            entries.withdraw(entry=slot.entry, **common)
        else:
            tournament = found.stage.division.tournament
            entries.withdraw_from_event(tournament=tournament, player=slot.entry.player, **common)
        messages.success(request, _("%(name)s is withdrawn.") % {"name": slot.entry.player.name})

    return _decided(request, found, Sent("withdraw", form), decide)
