"""One fixture as those who run the event see it: players, claims, records, results, what follows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.own_match import Standing, standing_of
from matches.models import Claim, Match, Objection, Submission
from matches.presentation.labels import reporter_of
from matches.reporting.services.record_outcomes import Fault
from matches.reporting.services.records import FindingName, faults_of
from players.access import Role, is_at_least
from players.actors import Actor
from players.models import LogEntry
from tournaments.events.selectors.events import state_of
from tournaments.models import Fixture, Round, Slot
from tournaments.results.selectors.corrections import corrections_of_fixture
from tournaments.standings.rounds import round_names
from tournaments.state import log
from tournaments.state.names import shown

LOG_SHOWN = 12
STATE_TAGS = {"disputed": "tag-danger", "claimed": "tag-warning", "settled": "tag-win"}
"""The colour of a state."""


def fixture_page(fixture: Fixture, role: Role, by: Actor, now: datetime) -> dict[str, Any]:
    """Everything a director needs to decide a match; `by` looks at the page with this role in the club."""
    division = fixture.stage.division
    match = fixture.match
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "fixture": fixture,
        "match": match,
        "state": state_of(match),
        "state_tag": STATE_TAGS.get(state_of(match), ""),
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "round": round_names(Round.objects.filter(bracket=fixture.round.bracket_id))[fixture.round_id],
        "winner_to": _follower(fixture, Slot.Source.WINNER),
        "loser_to": _follower(fixture, Slot.Source.LOSER),
        "slots": list(fixture.slots.select_related("entry__player", "absent__player").order_by("side")),
        "now": now,
    }
    if match is not None:
        context |= _match(match)
        context["objection_advice"] = _advice(fixture)
        standing = standing_of(match, by)
        is_settled = match.state == Match.State.SETTLED
        context["may_enter"] = standing != Standing.NEEDS_OTHER and not (is_settled and context["may_direct"])
        context["may_rule"] = standing != Standing.NEEDS_OTHER and not is_settled and context["may_direct"]
        context["needs_reason"] = standing == Standing.NEEDS_REASON
        context["needs_other"] = standing == Standing.NEEDS_OTHER
        if is_settled:
            context["corrected"] = corrections_of_fixture(fixture)
        context["log"] = log.log_lines(
            LogEntry.objects.filter(topic=match.topic).select_related("user")[:LOG_SHOWN], division.tournament
        )
    return context


def _match(match: Match) -> dict[str, Any]:
    names = (shown(match.player_0, True), shown(match.player_1, True))
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
        "claims": [_reported(match, claim) for claim in claims if claim.state in ("open", "contested")],
        "objections": [_objected(match, row) for row in match.objections.all()],
        "records": records,
        "score": (standing.score or (0, 0)) if standing else match.start_score,
    }


def _reported(match: Match, claim: Claim) -> Claim:
    """A report with the name of its sender."""
    claim.sender = reporter_of(match, claim)  # type: ignore[attr-defined]
    return claim


def _objected(match: Match, row: Objection) -> Objection:
    """An objection with the name of its sender."""
    row.sender = match.players[row.side].shown_name  # type: ignore[attr-defined]
    return row


def _advice(fixture: Fixture) -> str:
    """What is suggested for an objection: begun matches that follow are a reason to let the bracket stand."""
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source_fixture=fixture.number)
    following = [slot.fixture.match for slot in slots.select_related("fixture__match")]
    if any(match is not None and (has_begun(match) or match.is_over) for match in following):
        return _("Matches that follow have begun: if the objection is right, correct the score and keep the bracket.")
    return _("No match that follows has begun: if the objection is right, the whole result can be corrected.")


@dataclass(frozen=True, slots=True)
class Waivable:
    """One thing that stands between a record and its match."""

    value: str
    """code|game|ply, as the form carries it."""
    text: str


@dataclass(frozen=True, slots=True)
class Acceptable:
    """A refused record that a director may let stand."""

    public_id: str
    name: str
    faults: list[Waivable]
    needs_names: bool


def acceptable(records: list[Submission]) -> list[Acceptable]:
    """The refused records that could stand by ruling, each with what must be waived."""
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
            # Nothing in it could be read as a match, so there is nothing to let stand.
            continue
        lines = [Waivable(waive_value(fault.name), _fault_text(fault)) for fault in faults]
        acceptable_records.append(
            Acceptable(record.public_id, record.file_name or record.public_id, lines, needs_names)
        )
    return acceptable_records


def waive_value(name: FindingName) -> str:
    """A finding's name as a form carries it."""
    return "|".join("" if part is None else str(part) for part in name)


def _fault_text(fault: Fault) -> str:
    text = sentence(fault.code, fault.params)
    if fault.game is None:
        return text
    place = _("game %(game)d") % {"game": fault.game}
    return f"{place}: {text}"


def _follower(fixture: Fixture, source: str) -> int | None:
    """The number of the fixture that its winner, or loser, goes to."""
    return (
        Slot.objects.filter(fixture__stage=fixture.stage_id, source=source, source_fixture=fixture.number)
        .values_list("fixture__number", flat=True)
        .first()
    )
