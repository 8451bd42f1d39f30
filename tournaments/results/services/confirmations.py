"""Confirming all unopposed reports at once: every signed report that nobody disputes becomes the result."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from matches.lifecycle.finish import Announced
from matches.lifecycle.own_match import Standing, standing_of
from matches.models import Claim, Match, Result, Submission
from matches.reporting.services.report_outcomes import accept_report
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Tournament
from tournaments.state.locks import lock_division
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A match with open reports: the report that can be confirmed, or the code of the reason why none can."""

    fixture: Fixture
    report: Claim | None
    code: str = ""

    @property
    def match(self) -> Match:
        """The match of the fixture."""
        assert self.fixture.match is not None  # noqa: S101, only matches have reports
        return self.fixture.match


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The outcome of confirming one report: the new result, or the reason in `open_report.code`."""

    open_report: OpenReport
    result: Result | None = None

    @property
    def code(self) -> str:
        """Why the report was not confirmed; empty if it was."""
        return self.open_report.code


def open_reports(tournament: Tournament, by: Actor, division: Division | None = None) -> list[OpenReport]:
    """Return the matches of an event, or of one division, with open or disputed reports, by match number."""
    rows = Fixture.objects.filter(
        stage__division__tournament=tournament, match__state__in=[Match.State.CLAIMED, Match.State.DISPUTED]
    ).select_related("stage__division", "match__player_0", "match__player_1")
    if division is not None:
        rows = rows.filter(stage__division=division)
    return [_open_report(row, row.match, by) for row in rows.order_by("number") if row.match is not None]


def _open_report(fixture: Fixture, match: Match, by: Actor) -> OpenReport:
    """Return the report of a match that can be confirmed, or the reason why none can."""
    if match.state == Match.State.DISPUTED:
        return OpenReport(fixture, None, "confirm_disputed")
    signed = list(match.claims.filter(state=Claim.State.OPEN, side__isnull=False).select_related("submission"))
    if not signed:
        return OpenReport(fixture, None, "confirm_unsigned")
    if match.submissions.filter(standing=Submission.Standing.WAITING).exists():
        return OpenReport(fixture, None, "confirm_record_waits")
    standing = standing_of(match, by)
    if standing != Standing.IMPARTIAL:
        return OpenReport(fixture, None, "own_match" if standing == Standing.NEEDS_OTHER else "own_match_reason")
    return OpenReport(fixture, signed[0])


def confirm_all(
    *, tournament: Tournament, reports: Collection[str], by: Actor, now: datetime, division: Division | None = None
) -> list[Confirmation]:
    """Confirm these reports, each in its own transaction, and return the outcome for each open match.

    `reports` are the public ids of the reports that the director saw; one that has come in since stays open.
    """
    return [
        _confirm(row, by, now) if row.report is not None else Confirmation(row)
        for row in open_reports(tournament, by, division)
        if row.report is None or row.report.public_id in reports
    ]


def _confirm(seen: OpenReport, by: Actor, now: datetime) -> Confirmation:
    fixture, match_id = seen.fixture, seen.match.pk
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id != match_id:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        match = rows.lock_matches(row)
        if division.status == Division.Status.CANCELLED or match.state != Match.State.CLAIMED:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        current = _open_report(fixture, match, by)
        if current.report is None or current.report != seen.report:
            return Confirmation(OpenReport(fixture, None, current.code or "confirm_changed"))
        log(by, "claim_confirmed", match.topic, club=match.club, claim=current.report.public_id)
        result = accept_report(
            match,
            current.report,
            by=by,
            now=now,
            earlier=rows.versions_of(match),
            announced_by=Announced.CALLER,
        )
        rows.add_result(result)
        settle(division, by=by, now=now, rows=rows)
    return Confirmation(current, result)
