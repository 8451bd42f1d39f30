"""What a director says about a match: a result, a forfeit, a ruling; and what follows from any result."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import append_result, standing_result
from matches.lifecycle.own_match import check_own_match
from matches.models import Match, Result, Submission
from matches.reporting.services.records import FindingName, accept_by_ruling
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Slot, Withdrawal
from tournaments.state.preview import Choice, NewResult, foresee
from tournaments.state.settle import Settled, hold, lock, settle


def enter_result(
    *,
    fixture: Fixture,
    winner: int | None,
    score: tuple[int, int] | None,
    by: Actor,
    now: datetime,
    after: int | None = None,
    kind: str = Result.Kind.PLAYED,
    source: str = Result.Source.DIRECTOR,
    reason: str = "",
    submission: Submission | None = None,
    waived: Sequence[object] = (),
) -> Result:
    """Books a result over whatever stood before, and moves the bracket in the same transaction.

    `winner` is a side of the fixture, None: nobody. `after` is the match's seq the director saw; the same result
    sent twice is booked once.
    Refused: `fixture_not_ready`, `stale`, `successor_begun`, and what `check_own_match` and `append_result` refuse.
    """
    with transaction.atomic():
        division = lock(fixture.stage.division_id)
        row = Fixture.objects.select_related("stage").get(pk=fixture.pk)
        if row.match_id is None:
            raise Refused("fixture_not_ready", fixture=row.number)
        _refuse_cancelled(division)
        held = hold([division], [row.match_id])
        match = held[row.match_id]
        if after is not None and match.seq != after:
            if (same := _same_standing(match, winner, score, kind)) is not None:
                return same
            raise Refused("stale", seq=match.seq)
        own_match = check_own_match(match, by, reason)
        if match.state == Match.State.SETTLED:
            _refuse_if_successor_begun(row, match, NewResult(winner, score, kind))
        result = append_result(
            match,
            winner=winner,
            score=score,
            kind=kind,
            source=source,
            by=by,
            now=now,
            submission=submission,
            waived=waived,
            reason=reason,
            own_match=own_match,
        )
        settle(division, by=by, now=now, held=held)
    return result


def forfeit(
    *, fixture: Fixture, side: int, by: Actor, now: datetime, after: int | None = None, reason: str = ""
) -> Result:
    """The player of one side gives up this match only: where losers drop to a consolation, he still does."""
    return enter_result(
        fixture=fixture,
        winner=1 - side,
        score=None,
        by=by,
        now=now,
        after=after,
        kind=Result.Kind.FORFEIT,
        reason=reason,
    )


def rule(
    *,
    fixture: Fixture,
    winner: int | None,
    score: tuple[int, int] | None,
    by: Actor,
    now: datetime,
    reason: str,
    after: int | None = None,
) -> Result:
    """The director decides a match, with a reason that both players see. Refused: `ruling_needs_reason`, …"""
    if not reason.strip():
        raise Refused("ruling_needs_reason")
    return enter_result(
        fixture=fixture,
        winner=winner,
        score=score,
        by=by,
        now=now,
        after=after,
        kind=Result.Kind.RULING,
        reason=reason.strip(),
    )


def accept_record(
    *,
    fixture: Fixture,
    submission: Submission,
    waived: Sequence[FindingName],
    by: Actor,
    now: datetime,
    after: int | None = None,
    swapped: bool | None = None,
    winner: int | None = None,
    score: tuple[int, int] | None = None,
    reason: str = "",
) -> Result:
    """Lets a record stand that does not by itself, naming what is waived, and moves the bracket.

    `winner` and `score` are needed where the record comes to no end.
    Refused: `successor_begun`, and what `records.accept_by_ruling` refuses.
    """
    with transaction.atomic():
        division = lock(fixture.stage.division_id)
        row = Fixture.objects.select_related("stage", "match").get(pk=fixture.pk)
        if row.match is None or submission.match_id != row.match_id:
            raise Refused("fixture_not_ready", fixture=row.number)
        _refuse_cancelled(division)
        held = hold([division], [row.match.pk])
        before = standing_result(row.match)
        begun = None if before is None else _begun_after_others(row, before)
        result = accept_by_ruling(
            submission=submission,
            waived=waived,
            by=by,
            now=now,
            after=after,
            swapped=swapped,
            winner=winner,
            score=score,
            reason=reason,
        )
        if begun is not None and before is not None and before.winner != result.winner:
            raise Refused("successor_begun", fixture=row.number, successor=begun)
        settle(division, by=by, now=now, held=held)
    return result


def withdraw_from_bracket(*, slot: Slot, by: Actor, now: datetime, reason: str = "") -> Settled:
    """Withdraws an entry from this bracket; what it has decided stays.

    Refused: `not_entered`, and what `check_own_win` refuses where the director would win by it.
    """
    if slot.entry is None:
        raise Refused("not_entered", name="")
    with transaction.atomic():
        division = lock(slot.fixture.stage.division_id)
        _refuse_cancelled(division)
        bracket = slot.fixture.round.bracket
        Withdrawal.objects.create(entry=slot.entry, bracket=bracket, reason=reason, at=now, by=by.user)
        told = {"entry": slot.entry_id, "bracket": bracket.key, "reason": reason}
        log(by, "bracket_withdrawn", division.topic, club=division.tournament.club, **told)
        return settle(division, by=by, now=now, withdrawal_reason=reason)


def _same_standing(match: Match, winner: int | None, score: tuple[int, int] | None, kind: str) -> Result | None:
    """What stands, if it is exactly this: the second of two clicks."""
    standing = standing_result(match)
    if standing is None or (standing.winner, standing.score, standing.kind) != (winner, score, kind):
        return None
    return standing


def _refuse_cancelled(division: Division) -> None:
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")


def _refuse_if_successor_begun(fixture: Fixture, match: Match, new: NewResult) -> None:
    """The matches that follow are held where they have not begun, so none begins meanwhile."""
    standing = standing_result(match)
    if standing is None or (standing.winner == new.winner and not fixture.advances.filter(result=standing).exists()):
        # The same winner with another score changes nobody's next match.
        return
    begun = _successor_begun(fixture, standing, new)
    if begun is not None:
        raise Refused("successor_begun", fixture=fixture.number, successor=begun)


def _successor_begun(fixture: Fixture, standing: Result, new: NewResult) -> int | None:
    """The number of the first match that has begun and would get other players: a correction is needed then."""
    following = foresee(fixture, standing, new, with_ratings=False).following[Choice.CORRECT_ALL]
    return next((change.row.number for change in (*following.stopped, *following.voided)), None)


def _begun_after_others(fixture: Fixture, standing: Result) -> int | None:
    """The same for whoever else could turn out to have won."""
    others = [NewResult(side, None, Result.Kind.RULING) for side in (0, 1) if side != standing.winner]
    found = (_successor_begun(fixture, standing, new) for new in others)
    return next((number for number in found if number is not None), None)
