"""Confirming at once what nobody opposes: signed reports become results, and provisional results become final.

Closing a round, a division or an event does the same for its provisional results, and ends those that nobody but their
winner could confirm.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from matches.lifecycle.finish import Announced
from matches.lifecycle.own_match import MayDecide, standing_of
from matches.lifecycle.provisional import end, provisional_of
from matches.models import Claim, Match, Objection, Provisional, Result, Submission
from matches.reporting.reports import accept_report
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Round, Tournament
from tournaments.state.locks import lock_division
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A match with open reports or a provisional result: what can be confirmed, or the code of why nothing can."""

    fixture: Fixture
    report: Claim | Provisional | None
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


def provisional_results(
    tournament: Tournament, by: Actor, *, division: Division | None = None, round_: Round | None = None
) -> list[OpenReport]:
    """Return the matches of an event, a division or a round with a provisional result, by match number."""
    rows = Fixture.objects.filter(stage__division__tournament=tournament, match__provisional=True).select_related(
        "stage__division", "match__player_0", "match__player_1"
    )
    if division is not None:
        rows = rows.filter(stage__division=division)
    if round_ is not None:
        rows = rows.filter(round=round_)
    return [_provisional_result(row, row.match, by) for row in rows.order_by("number") if row.match is not None]


def _provisional_result(fixture: Fixture, match: Match, by: Actor) -> OpenReport:
    """Return the provisional result of a match if this actor can confirm it, or the reason why not."""
    row = provisional_of(match)
    if row is None:
        return OpenReport(fixture, None, "confirm_changed")
    if match.objections.filter(state=Objection.State.OPEN).exists():
        return OpenReport(fixture, None, "confirm_objected")
    standing = standing_of(match, by)
    if standing == MayDecide.NEEDS_OTHER:
        return OpenReport(fixture, None, "own_match")
    return OpenReport(fixture, row, "" if standing == MayDecide.IMPARTIAL else "confirm_own_last")


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
    if standing != MayDecide.IMPARTIAL:
        return OpenReport(fixture, None, "own_match" if standing == MayDecide.NEEDS_OTHER else "own_match_reason")
    return OpenReport(fixture, signed[0])


def confirm_all(
    *, tournament: Tournament, reports: Collection[str], by: Actor, now: datetime, division: Division | None = None
) -> list[Confirmation]:
    """Confirm these reports and results, each in its own transaction, and return the outcome for each open match.

    `reports` are the public ids of the reports and provisional results that the director saw; what has come in since
    stays open.
    """
    rows = [*open_reports(tournament, by, division), *provisional_results(tournament, by, division=division)]
    return [
        _confirm(row, by, now) if row.report is not None and not row.code else Confirmation(row)
        for row in rows
        if row.report is None or row.report.public_id in reports
    ]


def close_results(
    *,
    tournament: Tournament,
    results: Collection[str],
    by: Actor,
    now: datetime,
    division: Division | None = None,
    round_: Round | None = None,
) -> list[Confirmation]:
    """End these provisional results of an event, a division or a round by a director's ruling.

    A result of a match that the director plays is left to another member of the staff; if there is none, it ends as
    one that nobody but the winner confirmed, unrated. `results` are the public ids of those that the director saw.
    """
    rows = provisional_results(tournament, by, division=division, round_=round_)
    scope = round_.pk if round_ is not None else division.public_id if division is not None else ""
    closed = [
        _confirm(row, by, now, is_closing=True) if row.report is not None else Confirmation(row)
        for row in rows
        if row.report is None or row.report.public_id in results
    ]
    if numbers := [row.open_report.fixture.number for row in closed if not row.code]:
        log(by, "results_closed", tournament.topic, club=tournament.club, scope=scope, matches=numbers)
    return closed


def _confirm(seen: OpenReport, by: Actor, now: datetime, *, is_closing: bool = False) -> Confirmation:
    fixture, match_id = seen.fixture, seen.match.pk
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id != match_id:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        match = rows.lock_matches(row)
        if isinstance(seen.report, Provisional):
            return _end(seen, match, division, rows, by=by, now=now, is_closing=is_closing)
        if division.status == Division.Status.CANCELLED or match.state != Match.State.CLAIMED:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        current = _open_report(fixture, match, by)
        if not isinstance(current.report, Claim) or current.report != seen.report:
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


def _end(
    seen: OpenReport,
    match: Match,
    division: Division,
    rows: DivisionRows,
    *,
    by: Actor,
    now: datetime,
    is_closing: bool,
) -> Confirmation:
    """End a provisional result of a locked match by a ruling; if only its winner could, then unrated."""
    current = _provisional_result(seen.fixture, match, by)
    row = current.report
    if not isinstance(row, Provisional) or row != seen.report:
        return Confirmation(OpenReport(seen.fixture, None, current.code or "confirm_changed"))
    if current.code and not is_closing:
        return Confirmation(current)
    how = Provisional.End.NOBODY if current.code else Provisional.End.RULING
    end(match, row, how, by=by, now=now, is_announced=False)
    rows.has_new_result = True
    settle(division, by=by, now=now, rows=rows)
    return Confirmation(OpenReport(seen.fixture, row), row.result)
