"""The page of a match for the event's staff: result, forfeit, ruling, record, objection, deadline, withdrawal."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from core.access import Who, open_to
from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import standing_result
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling
from matches.models import Claim, Match, Objection, Submission
from matches.play.watching import where_of
from matches.presentation.labels import contest, ended, reporter_of
from matches.presentation.visibility import Viewer
from matches.records.repeats import sentence_of
from matches.reporting.records import FindingName, RecordFault, faults_of
from matches.reporting.result_choice import result_choice
from players.access import Role, is_at_least
from players.actors import Actor
from players.forms import RefusingForm
from players.models import LogEntry, User
from tournaments import access
from tournaments.events.actions import by, zone_of
from tournaments.events.forms import shown_local
from tournaments.models import Fixture, Round, Slot
from tournaments.results.corrections import corrections_of_fixture
from tournaments.results.forms import (
    AcceptRecordForm,
    AnswerObjectionForm,
    DueForm,
    ForfeitForm,
    ResultForm,
    RulingForm,
    WithdrawPlayerForm,
)
from tournaments.results.services import reserved_for_directors
from tournaments.standings.rounds import RoundNames
from tournaments.state import log
from tournaments.state.names import match_names

LOG_SHOWN = 12


def fixture_page(fixture: Fixture, role: Role | None, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of a match's page for `by`, who has this role in the club; None for helpers."""
    division = fixture.stage.division
    match = fixture.match
    rounds = RoundNames(Round.objects.filter(bracket=fixture.round.bracket_id))
    if fixture.round_id not in rounds:
        raise Http404  # The draw was undone meanwhile.
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "fixture": fixture,
        "match": match,
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "round": rounds[fixture.round_id],
        "winner_to": _next_fixture(fixture, Slot.Source.WINNER),
        "loser_to": _next_fixture(fixture, Slot.Source.LOSER),
        "slots": list(fixture.slots.select_related("entry__player", "absent__player").order_by("side")),
        "now": now,
    }
    if match is not None:
        viewer = Viewer(runs=frozenset({division.tournament.club_id}))
        context["where"] = where_of([match], viewer, now)[match.pk]
        context |= _match_context(fixture, match, by.user)
        context["objection_advice"] = _objection_advice(fixture)
        standing = own_match_ruling(match, by)
        is_settled = match.state == Match.State.SETTLED
        context["may_enter"] = standing != OwnMatchRuling.NEEDS_OTHER and not (is_settled and context["may_direct"])
        context["may_rule"] = standing != OwnMatchRuling.NEEDS_OTHER and not is_settled and context["may_direct"]
        context["needs_reason"] = standing == OwnMatchRuling.NEEDS_REASON
        context["needs_other"] = standing == OwnMatchRuling.NEEDS_OTHER
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


def _match_context(fixture: Fixture, match: Match, user: User | None) -> dict[str, Any]:
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
        "acceptable": acceptable(records, user),
        "names": names,
        "results": results,
        "standing": standing,
        "claims": [_with_sender_of_report(match, claim) for claim in claims if claim.state in ("open", "contested")],
        "objections": [_with_sender_of_objection(match, row) for row in match.objections.all()],
        "records": records,
        "score": (standing.score or (0, 0)) if standing else match.start_score,
    }


def _with_sender_of_report(match: Match, claim: Claim) -> Claim:
    """Set `sender` of a report to who reported, `summary` to what, and `contest` to who contests it, if anybody."""
    claim.sender = reporter_of(match, claim)  # type: ignore[attr-defined]
    claim.summary = ended(match, claim.winner, claim.score)  # type: ignore[attr-defined]
    claim.contest = contest(match, claim) if claim.state == Claim.State.CONTESTED else ""  # type: ignore[attr-defined]
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


def acceptable(records: list[Submission], user: User | None) -> list[Acceptable]:
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
        lines = [WaivableFinding(waive_value(fault.name), _fault_text(record, fault, user)) for fault in faults]
        acceptable_records.append(
            Acceptable(record.public_id, record.file_name or record.public_id, lines, needs_names)
        )
    return acceptable_records


def waive_value(name: FindingName) -> str:
    """Return a finding's name as a form sends it."""
    return "|".join("" if part is None else str(part) for part in name)


def _fault_text(record: Submission, fault: RecordFault, user: User | None) -> str:
    text = sentence_of(record, fault.code, fault.params, user)
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


@open_to(get=Who.HELPERS)
def fixture(request: HttpRequest, club: str, slug: str, fixture: str) -> HttpResponse:
    """Show everything about a match; an htmx request gets only the dialog's content."""
    row = access.fixture_as(request.user, fixture, access.HELPER, (club, slug))
    return render_fixture(request, row)


@dataclass(frozen=True, slots=True)
class SentForm:
    """A submitted form, with the name it has on the page."""

    name: str
    form: RefusingForm

    @property
    def waived(self) -> list[str]:
        """The findings that were ticked, if a record was to be accepted."""
        return self.form["waive"].value() or [] if self.name == "accept" else []


def render_fixture(request: HttpRequest, fixture: Fixture, sent: SentForm | None = None, **extra: Any) -> HttpResponse:
    """Render the page of a match; a refused form keeps what was entered."""
    role = access.require_in(request.user, fixture.stage.division.tournament, access.HELPER)
    status = extra.pop("status", HTTPStatus.UNPROCESSABLE_ENTITY if sent is not None else HTTPStatus.OK)
    context = fixture_page(fixture, role, by(request), timezone.now()) | extra
    if fixture.match is not None:
        context["forms"] = _initial_forms(fixture)
        context["forms"] |= {sent.name: sent.form} if sent is not None else {}
        names, to = context["names"], context["winner_to"]
        first, second = (_("%(name)s goes to M%(number)s.") % {"name": name, "number": to} for name in names)
        context["choice"] = result_choice(
            fixture.match, names, context["score"], chosen=_chosen(context), then=(first, second) if to else ("", "")
        )
    context["sent"] = sent
    name = "_fixture.html" if request.headers.get("HX-Request") else "fixture.html"
    return render(request, f"tournaments/results/{name}", context, status=status)


def _chosen(context: dict[str, Any]) -> tuple[int | None, int | None] | None:
    """Return the winner and the points that were sent, or else those of the only report; None without either."""
    form = context["forms"]["result"]
    if form.is_bound:
        return form.cleaned_data.get("winner"), form.cleaned_data.get("points")
    claims = context["claims"]
    return (claims[0].winner, min(claims[0].score)) if len(claims) == 1 else None


def _initial_forms(fixture: Fixture) -> dict[str, RefusingForm]:
    """Return the forms of a match by their names on the page."""
    names = match_names(fixture, staff=True)
    zone = zone_of(fixture.stage.division.tournament)
    return {
        "result": ResultForm(names=names),
        "forfeit": ForfeitForm(names=names),
        "rule": RulingForm(names=names),
        "accept": AcceptRecordForm(names=names, initial={"winner": "record"}),
        "extend": DueForm(initial={"due_at": shown_local(fixture.due_at, zone)}),
        "withdraw": WithdrawPlayerForm(names=names),
        "objection": AnswerObjectionForm(),
    }
