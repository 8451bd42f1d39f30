"""A director's decisions on a match: a result, a forfeit, a ruling or a record accepted by ruling."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result
from matches.lifecycle.own_match import check_own_match
from matches.models import Match, Result, Submission
from matches.reporting.notifications import notify_ruling
from matches.reporting.records import RecordRuling, accept_by_ruling
from players.actors import Actor
from tournaments.models import Division, Fixture
from tournaments.results.services.helpers import refuse_helper
from tournaments.state.locks import lock_division
from tournaments.state.preview import Choice, preview_result
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows


def enter_result(
    *, fixture: Fixture, result: ResultInput, by: Actor, now: datetime, after: int | None = None, reason: str = ""
) -> Result:
    """Record a result, replacing the one that stands, and update the bracket in the same transaction.

    `after` is the match's `seq` as the director saw it; sending the same result twice records it once.
    Refused: `fixture_not_ready`, `stale`, `successor_begun`, and what `check_own_match`, `refuse_helper` and
    `append_result` refuse.
    """
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id is None:
            raise Refused("fixture_not_ready", fixture=fixture.number)
        refuse_cancelled(division)
        match = rows.lock_matches(row)
        versions = rows.versions_of(match)
        standing = versions[-1] if match.state == Match.State.SETTLED else None
        if after is not None and match.seq != after:
            if standing is not None and ResultInput.of(standing) == result:
                return standing
            raise Refused("stale", seq=match.seq)
        own_match = check_own_match(match, by, reason)
        refuse_helper(row, match, standing, by)
        if standing is not None:
            _refuse_if_successor_begun(row, standing, result)
        is_ruling = standing is not None or match.state == Match.State.DISPUTED
        basis = Basis(Result.Source.DIRECTOR, reason=reason, own_match=own_match)
        version = append_result(match, result, basis, by=by, now=now, earlier=versions, announced_by=Announced.CALLER)
        rows.add_result(version)
        if is_ruling:
            notify_ruling(match, version)
        settle(division, by=by, now=now, rows=rows)
    return version


def forfeit(
    *, fixture: Fixture, side: int | None, by: Actor, now: datetime, after: int | None = None, reason: str = ""
) -> Result:
    """Record that one side forfeits this match, or both (`side` None).

    A single forfeit concerns this match only: the entry still drops to a consolation bracket, if there is one.
    Refused: as `enter_result`.
    """
    kind = Result.Kind.DOUBLE_FORFEIT if side is None else Result.Kind.FORFEIT
    result = ResultInput(None if side is None else 1 - side, kind=kind)
    return enter_result(fixture=fixture, result=result, by=by, now=now, after=after, reason=reason)


def rule(
    *,
    fixture: Fixture,
    winner: int | None,
    score: tuple[int, int] | None,
    by: Actor,
    now: datetime,
    reason: str,
    after: int | None = None,
    kind: str = Result.Kind.RULING.value,
) -> Result:
    """Decide a match by ruling, or another `kind` of ending; both players see the reason.

    Refused: `ruling_needs_reason`, otherwise as `enter_result`.
    """
    if not reason.strip():
        raise Refused("ruling_needs_reason")
    result = ResultInput(winner, score, kind)
    return enter_result(fixture=fixture, result=result, by=by, now=now, after=after, reason=reason.strip())


def accept_record(
    *,
    fixture: Fixture,
    submission: Submission,
    ruling: RecordRuling,
    by: Actor,
    now: datetime,
    after: int | None = None,
) -> Result:
    """Accept a rejected record by ruling, and update the bracket.

    Refused: `successor_begun`, and what `records.accept_by_ruling` refuses.
    """
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id is None or submission.match_id != row.match_id:
            raise Refused("fixture_not_ready", fixture=fixture.number)
        refuse_cancelled(division)
        versions = rows.versions_of(rows.lock_matches(row))
        before = versions[-1] if versions else None
        begun = None if before is None else _begun_if_winner_changes(row, before)
        result = accept_by_ruling(
            submission=submission,
            ruling=ruling,
            by=by,
            now=now,
            after=after,
            announced_by=Announced.CALLER,
        )
        if begun is not None and before is not None and before.winner != result.winner:
            raise Refused("successor_begun", fixture=row.number, successor=begun)
        rows.add_result(result)
        settle(division, by=by, now=now, rows=rows)
    return result


def refuse_cancelled(division: Division) -> None:
    """Refuse (`tournament_not_open`) to change a cancelled division."""
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")


def _refuse_if_successor_begun(fixture: Fixture, standing: Result, new: ResultInput) -> None:
    """Refuse another winner once a later match has begun.

    The caller has locked the matches that have not begun, so none begins meanwhile.
    """
    if standing.winner == new.winner and not fixture.advances.filter(result=standing).exists():
        # The same winner with another score changes nobody's next match.
        return
    begun = _successor_begun(fixture, standing, new)
    if begun is not None:
        raise Refused("successor_begun", fixture=fixture.number, successor=begun)


def _successor_begun(fixture: Fixture, standing: Result, new: ResultInput) -> int | None:
    """The number of the first match that has begun and would get other players: only a correction can do that."""
    following = preview_result(fixture, standing, new, with_ratings=False).consequences[Choice.CORRECT_ALL]
    return next((change.row.number for change in (*following.stopped, *following.voided)), None)


def _begun_if_winner_changes(fixture: Fixture, standing: Result) -> int | None:
    """The number of a match that has begun and would get other players if the winner changed."""
    others = [ResultInput(side, None, Result.Kind.RULING) for side in (0, 1) if side != standing.winner]
    numbers = (_successor_begun(fixture, standing, new) for new in others)
    return next((number for number in numbers if number is not None), None)
