"""“Confirm all unopposed”: a director lets every signed report stand that nobody disputes, each as if tapped alone."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from matches.lifecycle.own_match import Standing, standing_of
from matches.models import Claim, Match, Result, Submission
from matches.reporting.services.report_outcomes import accept_report
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Tournament
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.settle import settle


@dataclass(frozen=True, slots=True)
class Waiting:
    """A match with open reports: the one that can be confirmed, or the code of why none can."""

    fixture: Fixture
    report: Claim | None
    code: str = ""

    @property
    def match(self) -> Match:
        """The match of the fixture."""
        assert self.fixture.match is not None  # noqa: S101, only matches have reports
        return self.fixture.match


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of one of the reports."""

    waiting: Waiting
    result: Result | None = None

    @property
    def code(self) -> str:
        """Why it was not confirmed; empty where it was."""
        return self.waiting.code


def waiting_reports(tournament: Tournament, by: Actor, division: Division | None = None) -> list[Waiting]:
    """Every match of an event, or of one division, whose reports wait or are disputed, by number."""
    rows = Fixture.objects.filter(
        stage__division__tournament=tournament, match__state__in=[Match.State.CLAIMED, Match.State.DISPUTED]
    ).select_related("stage__division", "match__player_0", "match__player_1")
    if division is not None:
        rows = rows.filter(stage__division=division)
    return [_look(row, row.match, by) for row in rows.order_by("number") if row.match is not None]


def _look(fixture: Fixture, match: Match, by: Actor) -> Waiting:
    """The report of a match that stands if it is confirmed, or why none does."""
    if match.state == Match.State.DISPUTED:
        return Waiting(fixture, None, "confirm_disputed")
    signed = list(match.claims.filter(state=Claim.State.OPEN, side__isnull=False).select_related("submission"))
    if not signed:
        return Waiting(fixture, None, "confirm_unsigned")
    if match.submissions.filter(standing=Submission.Standing.WAITING).exists():
        return Waiting(fixture, None, "confirm_record_waits")
    standing = standing_of(match, by)
    if standing != Standing.IMPARTIAL:
        return Waiting(fixture, None, "own_match" if standing == Standing.NEEDS_OTHER else "own_match_reason")
    return Waiting(fixture, signed[0])


def confirm_all(
    *, tournament: Tournament, reports: Collection[str], by: Actor, now: datetime, division: Division | None = None
) -> list[Confirmed]:
    """Lets these reports stand, each in a transaction of its own; says of each open match what became of it.

    `reports` are the public ids of those the director saw: a report that came in since waits for the next tap.
    """
    return [
        _confirm(waiting, by, now) if waiting.report is not None else Confirmed(waiting)
        for waiting in waiting_reports(tournament, by, division)
        if waiting.report is None or waiting.report.public_id in reports
    ]


def _confirm(seen: Waiting, by: Actor, now: datetime) -> Confirmed:
    fixture, match_id = seen.fixture, seen.match.pk
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        locked = lock_unfinished_matches([division], [match_id])
        match = locked[match_id]
        if division.status == Division.Status.CANCELLED or match.state != Match.State.CLAIMED:
            return Confirmed(Waiting(fixture, None, "confirm_changed"))
        current = _look(fixture, match, by)
        if current.report is None or current.report != seen.report:
            return Confirmed(Waiting(fixture, None, current.code or "confirm_changed"))
        log(by, "claim_confirmed", match.topic, club=match.club, claim=current.report.public_id)
        result = accept_report(match, current.report, by=by, now=now)
        settle(division, by=by, now=now, locked=locked)
    return Confirmed(current, result)
