"""A result changed after others followed from it: previewed, applied as one step, undone the same way.

A preview derives the division twice from the same facts, once with the other result, and tells what differs. Applying
it appends that result as the next version and settles; nothing else is written than what any result leads to.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from engine.errors import Refused
from matches.models import Claim, Match, Result
from matches.services.finish import append_result, check_result, standing_result
from players.actors import Actor, log
from tournaments.foresight import Choice, NewResult, Preview, foresee
from tournaments.models import Advance, Correction, Division, Fixture
from tournaments.services.settle import hold, lock, settle


def preview_correction(*, fixture: Fixture, new: NewResult, voided_rated: bool = True) -> Preview:
    """Exactly what would follow from another result; nothing is written.

    Refused: `nothing_to_correct`, `correction_same`, and what `check_result` refuses.
    """
    row, standing = _standing(fixture)
    _check(row, standing, new)
    return foresee(row, standing, new, voided_rated=voided_rated)


def apply_correction(
    *,
    fixture: Fixture,
    new: NewResult,
    choice: str,
    after: int,
    by: Actor,
    now: datetime,
    reason: str = "",
    voided_rated: bool = True,
) -> Correction | None:
    """Corrects a result in one step; None where it is let stand, which is only logged.

    `after` is the `seq` of the division that the director saw with the preview. The second of two clicks finds what
    the first has done. Refused: `stale`, `tournament_not_open`, and what `preview_correction` refuses.
    """
    with transaction.atomic():
        division = lock(fixture.stage.division_id)
        row, standing = _standing(fixture)
        if division.seq != after:
            if (done := _done_before(row, standing, new, choice)) is not None:
                return done
            raise Refused("stale")
        if division.status == Division.Status.CANCELLED:
            raise Refused("tournament_not_open")
        _check(row, standing, new)
        if choice == Choice.LET_STAND:
            log(by, "correction_left", division.topic, club=division.tournament.club, fixture=row.number, reason=reason)
            return None
        preview = foresee(row, standing, new, voided_rated=voided_rated, with_ratings=False)
        return _apply(division, preview, choice, by=by, now=now, reason=reason, voided_rated=voided_rated)


def preview_undo(*, correction: Correction) -> Preview:
    """What undoing a correction would lead to; refused as `undo_correction` is."""
    row, standing = _undoable(correction)
    return foresee(row, standing, NewResult.of(correction.before), advance=_advance_of(correction.before))


def undo_correction(*, correction: Correction, after: int, by: Actor, now: datetime, reason: str = "") -> Correction:
    """Lets the result before a correction stand again, with all that follows.

    Refused: `stale`, `correction_undone`, `correction_not_last`, and `successor_begun` where a match that the
    correction opened has since been begun or claimed.
    """
    with transaction.atomic():
        division = lock(correction.fixture.stage.division_id)
        if division.seq != after:
            done = Correction.objects.filter(undoes=correction).first()
            if done is not None:
                return done
            raise Refused("stale")
        if division.status == Division.Status.CANCELLED:
            raise Refused("tournament_not_open")
        row, standing = _undoable(correction)
        new, advance = NewResult.of(correction.before), _advance_of(correction.before)
        preview = foresee(row, standing, new, with_ratings=False, advance=advance)
        return _apply(
            division, preview, Choice.CORRECT_ALL, by=by, now=now, reason=reason, voided_rated=True, undoes=correction
        )


def _standing(fixture: Fixture) -> tuple[Fixture, Result]:
    row = Fixture.objects.select_related("stage__division__tournament__club", "match").get(pk=fixture.pk)
    standing = standing_result(row.match) if row.match is not None else None
    if row.match is None or standing is None or row.match.state != Match.State.SETTLED:
        raise Refused("nothing_to_correct", fixture=row.number)
    return row, standing


def _check(fixture: Fixture, standing: Result, new: NewResult) -> None:
    match = fixture.match
    assert match is not None  # noqa: S101, found by _standing
    check_result(length=match.length, start=match.start_score, winner=new.winner, score=new.score, kind=new.kind)
    if NewResult.of(standing) == new:
        raise Refused("correction_same", fixture=fixture.number)


def _done_before(fixture: Fixture, standing: Result, new: NewResult, choice: str) -> Correction | None:
    """The correction that has just led to what stands now, if it is exactly this one."""
    last = fixture.corrections.filter(after=standing, choice=choice).first()
    return last if last is not None and NewResult.of(standing) == new else None


def _apply(
    division: Division,
    preview: Preview,
    choice: str,
    *,
    by: Actor,
    now: datetime,
    reason: str,
    voided_rated: bool,
    undoes: Correction | None = None,
) -> Correction:
    fixture, standing, new = preview.fixture, preview.standing, preview.new
    following = preview.following[Choice(choice)]
    touched = [change.row.match_id for change in following.changes if change.row.match_id is not None]
    held = hold([division], [standing.match_id, *touched])
    proof = undoes.before if undoes is not None else None
    result = append_result(
        held[standing.match_id],
        winner=new.winner,
        score=new.score,
        kind=new.kind,
        source=proof.source if proof else Result.Source.DIRECTOR,
        by=by,
        now=now,
        submission=proof.submission if proof else None,
        waived=proof.waived if proof else (),
        reason=reason,
    )
    _keep(preview, choice, result, proof)
    correction = Correction.objects.create(
        fixture=fixture,
        before=standing,
        after=result,
        choice=choice,
        voided_rated=voided_rated,
        changed=[[change.stage, change.row.number] for change in following.changes],
        reason=reason,
        undoes=undoes,
        at=now,
        by=by.user,
    )
    settled = settle(division, by=by, now=now, held=held, void_rated=voided_rated)
    if not (settled.fixtures or settled.opened):
        Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
    changes: Mapping[str, object] = {"result": [_told(NewResult.of(standing)), _told(new)]}
    verb = "correction_undone" if undoes is not None else "result_corrected"
    log(by, verb, division.topic, club=division.tournament.club, fixture=fixture.number, choice=choice, reason=reason,
        changes=changes, correction=correction.public_id)  # fmt: skip
    return correction


def _keep(preview: Preview, choice: str, result: Result, proof: Result | None) -> None:
    """Notes who goes on, and which places do, where the new result must not decide it."""
    if proof is not None:
        if (kept := _advance_of(proof)) is not None:
            Advance.objects.create(result=result, fixture=preview.fixture, side=kept.side, places=kept.places)
    elif choice == Choice.KEEP_BRACKET and (preview.onward != preview.new.winner or preview.held):
        places = [[place.stage, place.place, entry] for place, entry in preview.held.items()]
        Advance.objects.create(result=result, fixture=preview.fixture, side=preview.onward, places=places)


def _advance_of(result: Result) -> Advance | None:
    return Advance.objects.filter(result=result).first()


def _told(result: NewResult) -> list[object]:
    return [result.winner, list(result.score) if result.score else None, result.kind]


def _undoable(correction: Correction) -> tuple[Fixture, Result]:
    if Correction.objects.filter(undoes=correction).exists():
        raise Refused("correction_undone")
    row, standing = _standing(correction.fixture)
    if standing.pk != correction.after_id:
        raise Refused("correction_not_last", fixture=row.number)
    division = row.stage.division
    for stage, number in correction.changed:
        later = Fixture.objects.select_related("match").get(
            stage__division=division, stage__number=stage, number=number
        )
        if later.match is not None and _begun_since(later.match, correction.at):
            raise Refused("successor_begun", fixture=row.number, successor=later.number)
    return row, standing


def _begun_since(match: Match, at: datetime) -> bool:
    """Whether its players have done anything for it after that."""
    if match.begun_at is not None and match.begun_at > at:
        return True
    claimed = Claim.objects.filter(match=match, created_at__gt=at)
    decided = Result.objects.filter(Q(match=match), at__gt=at).exclude(kind=Result.Kind.VOID)
    return claimed.exists() or decided.exists() or match.submissions.filter(created_at__gt=at).exists()
