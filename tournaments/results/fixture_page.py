"""The page of a match for the event's staff: result, forfeit, ruling, record, objection, deadline, withdrawal."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core.messages import sentence, status_of
from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import ResultInput, standing_result
from matches.lifecycle.own_match import MayDecide, standing_of
from matches.models import Claim, Match, Objection, Result, Submission
from matches.play.watching import where_of
from matches.presentation.labels import reporter_of
from matches.presentation.visibility import Viewer
from matches.reporting import objections
from matches.reporting.records import Fault, FindingName, RecordRuling, faults_of
from players.access import Role, is_at_least
from players.actors import Actor
from players.forms import RefusingForm
from players.models import LogEntry
from tournaments import access
from tournaments.events import deadlines
from tournaments.events.forms import localise, shown_local
from tournaments.events.pages import account_needed, by, event_url_args, missed, zone_of
from tournaments.models import Fixture, Round, Slot
from tournaments.results import services as results
from tournaments.results.corrections import corrections_of_fixture
from tournaments.results.forms import (
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
from tournaments.results.quick_entry import result_summary
from tournaments.results.services import reserved_for_directors, withdraw_side
from tournaments.standings.rounds import round_names
from tournaments.state import log
from tournaments.state.names import match_names

# The page of a fixture for the event's staff: players, reports, records, results and what follows.


LOG_SHOWN = 12


def fixture_page(fixture: Fixture, role: Role | None, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of a match's page for `by`, who has this role in the club; None for helpers."""
    division = fixture.stage.division
    match = fixture.match
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "fixture": fixture,
        "match": match,
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "round": round_names(Round.objects.filter(bracket=fixture.round.bracket_id))[fixture.round_id],
        "winner_to": _next_fixture(fixture, Slot.Source.WINNER),
        "loser_to": _next_fixture(fixture, Slot.Source.LOSER),
        "slots": list(fixture.slots.select_related("entry__player", "absent__player").order_by("side")),
        "now": now,
    }
    if match is not None:
        viewer = Viewer(runs=frozenset({division.tournament.club_id}))
        context["where"] = where_of([match], viewer, now)[match.pk]
        context |= _match_context(fixture, match)
        context["objection_advice"] = _objection_advice(fixture)
        standing = standing_of(match, by)
        is_settled = match.state == Match.State.SETTLED
        context["may_enter"] = standing != MayDecide.NEEDS_OTHER and not (is_settled and context["may_direct"])
        context["may_rule"] = standing != MayDecide.NEEDS_OTHER and not is_settled and context["may_direct"]
        context["needs_reason"] = standing == MayDecide.NEEDS_REASON
        context["needs_other"] = standing == MayDecide.NEEDS_OTHER
        if role is None:
            context |= _left_to_directors(fixture, match)
        if is_settled:
            context["corrected"] = corrections_of_fixture(fixture)
        context["log"] = log.log_lines(
            LogEntry.objects.filter(topic=match.topic).select_related("user")[:LOG_SHOWN], division.tournament
        )
    return context


def _left_to_directors(fixture: Fixture, match: Match) -> dict[str, Any]:
    """Return what the page says to a helper of what they may not decide; objections are between players and directors.

    Only helpers get `reserved`, the reason why they may not enter a result now.
    """
    settled = standing_result(match) if match.state == Match.State.SETTLED else None
    code = reserved_for_directors(fixture, match, settled)
    reserved = sentence(code, {"fixture": fixture.number}) if code else ""
    return {"objections": [], "reserved": reserved} | ({"may_enter": False} if code else {})


def _match_context(fixture: Fixture, match: Match) -> dict[str, Any]:
    names = match_names(fixture, staff=True)
    results = list(match.results.select_related("user").order_by("-version"))
    claims = list(match.claims.select_related("user").order_by("side", "-created_at", "-pk"))
    records = list(
        Submission.objects.filter(match=match)
        .exclude(standing=Submission.Standing.NONE)
        .defer("data")
        .prefetch_related("verdicts")
        .order_by("-created_at")
    )
    standing = results[0] if results else None
    return {
        "acceptable": acceptable(records),
        "names": names,
        "results": results,
        "standing": standing,
        "claims": [_with_sender_of_report(match, claim) for claim in claims if claim.state in ("open", "contested")],
        "objections": [_with_sender_of_objection(match, row) for row in match.objections.all()],
        "records": records,
        "score": (standing.score or (0, 0)) if standing else match.start_score,
    }


def _with_sender_of_report(match: Match, claim: Claim) -> Claim:
    """Set `claim.sender` to the name of the player who reported."""
    claim.sender = reporter_of(match, claim)  # type: ignore[attr-defined]
    return claim


def _with_sender_of_objection(match: Match, row: Objection) -> Objection:
    """Set `row.sender` to the name of the player who objected."""
    row.sender = match.players[row.side].shown_name  # type: ignore[attr-defined]
    return row


def _objection_advice(fixture: Fixture) -> str:
    """Suggest how to handle an objection: keep the bracket if a match that follows has begun."""
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source_fixture=fixture.number)
    following = [slot.fixture.match for slot in slots.select_related("fixture__match")]
    if any(match is not None and (has_begun(match) or match.is_over) for match in following):
        return _("Later matches have begun: if the objection is right, correct the score and keep the bracket.")
    return _("No later match has begun: if the objection is right, the whole result can be corrected.")


@dataclass(frozen=True, slots=True)
class WaivableFinding:
    """A finding that must be waived before a record can be accepted."""

    value: str
    """`code|game|ply`, as the form sends it."""
    text: str


@dataclass(frozen=True, slots=True)
class Acceptable:
    """A rejected record that a director may accept."""

    public_id: str
    name: str
    faults: list[WaivableFinding]
    needs_names: bool


def acceptable(records: list[Submission]) -> list[Acceptable]:
    """Return the rejected records that could be accepted by ruling, with the findings to waive."""
    acceptable_records = []
    for record in records:
        if record.standing != Submission.Standing.REFUSED:
            continue
        needs_names = False
        try:
            try:
                faults = faults_of(record)
            except Refused as refused:
                if refused.code != "record_names":
                    raise
                needs_names, faults = True, faults_of(record, swapped=False)
        except Refused:
            # Nothing in it could be read as a match, so there is nothing to accept.
            continue
        lines = [WaivableFinding(waive_value(fault.name), _fault_text(fault)) for fault in faults]
        acceptable_records.append(
            Acceptable(record.public_id, record.file_name or record.public_id, lines, needs_names)
        )
    return acceptable_records


def waive_value(name: FindingName) -> str:
    """Return a finding's name as a form sends it."""
    return "|".join("" if part is None else str(part) for part in name)


def _fault_text(fault: Fault) -> str:
    text = sentence(fault.code, fault.params)
    if fault.game is None:
        return text
    place = _("game %(game)d") % {"game": fault.game}
    return f"{place}: {text}"


def _next_fixture(fixture: Fixture, source: str) -> int | None:
    """Return the number of the fixture that the winner or loser goes to, or None."""
    return (
        Slot.objects.filter(fixture__stage=fixture.stage_id, source=source, source_fixture=fixture.number)
        .values_list("fixture__number", flat=True)
        .first()
    )


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
    context = fixture_page(fixture, role, by(request), timezone.now()) | extra
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
