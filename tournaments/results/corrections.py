"""Changing a result that later matches depend on: previewed, applied as one step, undone the same way."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from engine.errors import Refused
from matches.lifecycle.begun import begun_since
from matches.lifecycle.finish import Basis, ResultInput, append_result, check_result, standing_result
from matches.lifecycle.own_match import check_own_match, side_of
from matches.models import Match, Result
from matches.presentation.labels import score_of
from matches.reporting.notifications import notify_ruling
from players.actors import Actor, log
from tournaments.models import Advance, Correction, Division, Draw, Fixture, Pairing, Slot, Stage, Tournament
from tournaments.standings.changes import ChangeLabels, FollowingView, following_view
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.names import match_names
from tournaments.state.plans import is_continuous
from tournaments.state.preview import Choice, Consequences, CorrectionPreview, mark_of, preview_result
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows, outcome
from tournaments.state.versions import refuse_stale

# Which versions of a result repeat an earlier one: undone corrections and reinstated matches.


def origins(matches: Collection[int]) -> dict[int, dict[int, int]]:
    """Return by match id {version id: id of the version it repeats, or its own}, the newest last, without void ones.

    Undoing a correction repeats the version before it; reinstating a match repeats its last version before it was void.
    """
    undone = Correction.objects.filter(after__match__in=matches, undoes__isnull=False)
    repeats = dict(undone.values_list("after", "undoes__before"))
    versions: dict[int, dict[int, int]] = {}
    void: set[int] = set()
    for result in Result.objects.filter(match__in=matches).order_by("version"):
        match_versions = versions.setdefault(result.match_id, {})
        if result.kind == Result.Kind.VOID:
            void.add(result.match_id)
            continue
        if result.match_id in void and match_versions:
            match_versions[result.pk] = match_versions[next(reversed(match_versions))]
        else:
            repeated = repeats.get(result.pk)
            match_versions[result.pk] = match_versions.get(repeated, result.pk) if repeated is not None else result.pk
        void.discard(result.match_id)
    return versions


def is_standing(correction: Correction, versions: dict[int, int]) -> bool:
    """Whether the standing result is the one of this correction; `versions` is the match's entry of `origins`."""
    newest = next(reversed(versions))
    return versions[newest] == versions.get(correction.after_id)


# A preview derives the division twice from the same facts, once with the new result, and compares the two. Applying a
# correction appends that result as the next version and settles the division, as any other result does.


@dataclass(frozen=True, slots=True)
class CorrectionInput:
    """What a director decided on the strength of a preview."""

    result: ResultInput
    choice: str
    reason: str = ""
    voided_rated: bool = True
    """Whether played matches that become void stay rated."""
    mark: str | None = None
    """The `mark` of the preview; without it, a match that has begun since is stopped all the same."""


@dataclass(frozen=True, slots=True)
class _Context:
    """Who corrects, when and why, and the preview they saw."""

    by: Actor
    now: datetime
    reason: str
    mark: str | None


def preview_correction(*, fixture: Fixture, new: ResultInput, voided_rated: bool = True) -> CorrectionPreview:
    """Return exactly what would follow from another result; writes nothing.

    Refused: `nothing_to_correct`, `result_just_entered`, `correction_same`, and what `check_result` refuses.
    """
    row, standing = _standing(fixture)
    _check(row, standing, new)
    return preview_result(row, standing, new, voided_rated=voided_rated)


def apply_correction(
    *, fixture: Fixture, correction: CorrectionInput, after: int, by: Actor, now: datetime
) -> Correction | None:
    """Correct a result in one step; None if the director let it stand, which is only logged.

    `after` is the division's `seq` in the preview. Sending the same correction twice applies it once.
    Refused: `stale`, `tournament_not_open`, `bracket_not_kept` for a choice that the preview does not offer, and what
    `preview_correction` and `check_own_match` refuse: directors cannot correct their own match, nor one that would void
    a match they are playing or have lost.
    """
    new, choice = correction.result, correction.choice
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        row, standing = _standing(fixture)
        if division.seq != after:
            if (done := _done_before(row, standing, new, choice)) is not None:
                return done
            refuse_stale(division, after, by=by)
        if division.status == Division.Status.CANCELLED:
            raise Refused("tournament_not_open")
        _check(row, standing, new)
        if choice == Choice.LET_STAND:
            log_params = {"fixture": row.number, "reason": correction.reason, "changes": _changes(standing, new)}
            log(by, "correction_left", division.topic, club=division.tournament.club, **log_params)
            return None
        preview = preview_result(row, standing, new, with_ratings=False)
        context = _Context(by, now, correction.reason, correction.mark)
        return _apply(division, preview, Choice(choice), context, voided_rated=correction.voided_rated)


def preview_undo(*, correction: Correction) -> CorrectionPreview:
    """Return what would follow from undoing a correction; writes nothing.

    Refused: as `undo_correction`, except `stale`.
    """
    row, standing = _undoable(correction)
    before = correction.before
    preview = preview_result(row, standing, ResultInput.of(before), voided_rated=correction.after, restored=before)
    _refuse_if_round_paired(correction, row, standing)
    _refuse_if_played_since(correction, preview)
    _refuse_if_paired_since(correction, preview)
    return preview


def undo_correction(
    *, correction: Correction, after: int, by: Actor, now: datetime, reason: str = "", mark: str | None = None
) -> Correction:
    """Restore the result before a correction, with all that follows from it.

    `after` and `mark` are the `seq` and the `mark` of the preview. Refused:
    - `stale`, `tournament_not_open`, `correction_undone`, `correction_not_last`, and what `check_own_match` refuses;
    - `successor_begun` if a match that would become void or get other players was begun, reported or decided since the
      correction, or, where lives are counted, if a player who would be out again has finished a match since;
    - `undo_built_on` if the result before was a walkover of somebody who is back, or a deadline that has changed;
    - `round_paired_since` if, where lives are counted, a round was paired by the corrected lives.
    """
    with transaction.atomic():
        division = lock_division(correction.fixture.stage.division_id)
        done = Correction.objects.filter(undoes=correction).first()
        if division.seq != after:
            if done is not None:
                return done
            refuse_stale(division, after, by=by)
        if division.status == Division.Status.CANCELLED:
            raise Refused("tournament_not_open")
        row, standing = _undoable(correction)
        before = correction.before
        preview = preview_result(row, standing, ResultInput.of(before), with_ratings=False, restored=before)
        _refuse_if_round_paired(correction, row, standing)
        _refuse_if_played_since(correction, preview)
        _refuse_if_paired_since(correction, preview)
        context = _Context(by, now, reason, mark)
        return _apply(division, preview, Choice.CORRECT_ALL, context, voided_rated=correction.after, undoes=correction)


def _standing(fixture: Fixture) -> tuple[Fixture, Result]:
    row = Fixture.objects.select_related("stage__division__tournament__club", "round", "match").get(pk=fixture.pk)
    standing = standing_result(row.match) if row.match is not None else None
    if row.match is None or standing is None or row.match.state != Match.State.SETTLED:
        raise Refused("nothing_to_correct", fixture=row.number)
    if row.match.settle_at is not None:
        # What it would change does not follow from it yet.
        raise Refused("result_just_entered", fixture=row.number)
    return row, standing


def _check(fixture: Fixture, standing: Result, new: ResultInput) -> None:
    match = fixture.match
    assert match is not None  # noqa: S101, checked by _standing
    check_result(length=match.length, start=match.start_score, winner=new.winner, score=new.score, kind=new.kind)
    if ResultInput.of(standing) == new:
        raise Refused("correction_same", fixture=fixture.number)


def _done_before(fixture: Fixture, standing: Result, new: ResultInput, choice: str) -> Correction | None:
    """Return the correction that led to the standing result, if it is exactly this one."""
    last = fixture.corrections.filter(after=standing, choice=choice).first()
    return last if last is not None and ResultInput.of(standing) == new else None


def _apply(
    division: Division,
    preview: CorrectionPreview,
    choice: Choice,
    context: _Context,
    *,
    voided_rated: bool | Result,
    undoes: Correction | None = None,
) -> Correction:
    fixture, standing, new = preview.fixture, preview.standing, preview.new
    if choice not in preview.consequences:
        raise Refused("bracket_not_kept", fixture=fixture.number)
    locked = _lock_previewed(division, preview, context)
    own_match = check_own_match(locked[standing.match_id], context.by, context.reason)
    _check_own_voided(preview, choice, locked, context)
    proof = undoes.before if undoes is not None else None
    if proof is None:
        basis = Basis(Result.Source.DIRECTOR, reason=context.reason, own_match=own_match)
    else:
        basis = Basis(proof.source, proof.submission, proof.waived, context.reason, own_match)
    result = append_result(locked[standing.match_id], new, basis, by=context.by, now=context.now)
    notify_ruling(locked[standing.match_id], result)
    _record_advance(preview, choice, result, proof)
    correction = Correction.objects.create(
        fixture=fixture,
        before=standing,
        after=result,
        choice=choice,
        voided_rated=bool(voided_rated),
        changed=[[change.stage, change.row.number] for change in preview.consequences[choice].changes],
        reason=context.reason,
        undoes=undoes,
        at=context.now,
        by=context.by.user,
    )
    settle(division, by=context.by, now=context.now, locked=locked, void_rated=voided_rated)
    log_params = {"choice": choice.value, "changes": _changes(standing, new), "correction": correction.public_id}
    verb = "correction_undone" if undoes is not None else "result_corrected"
    club = division.tournament.club
    log(context.by, verb, division.topic, club=club, fixture=fixture.number, reason=context.reason, **log_params)
    return correction


def _check_own_voided(
    preview: CorrectionPreview, choice: Choice, locked: Mapping[int, Match], context: _Context
) -> None:
    """Refuse, as `check_own_match` does, to void a match that the director is playing or has lost."""
    following = preview.consequences[choice]
    for change in (*following.stopped, *following.voided):
        match = locked.get(change.row.match_id or 0)
        side = side_of(match, context.by) if match is not None else None
        if match is None or side is None:
            continue
        if change.voided is None or change.voided.winner != side:
            check_own_match(match, context.by, context.reason)


def _lock_previewed(division: Division, preview: CorrectionPreview, context: _Context) -> dict[int, Match]:
    """Lock the matches that would change. Refused: `stale` if one of them is not as it was in the preview."""
    standing = preview.standing
    touched = [change.row.match_id for change in preview.all.changes if change.row.match_id is not None]
    locked = lock_unfinished_matches([division], [standing.match_id, *touched])
    mark = mark_of(locked[pk] for pk in touched)
    newest = standing_result(locked[standing.match_id])
    if newest != standing or mark != preview.mark or context.mark not in (None, mark):
        raise Refused("stale")
    return locked


def _record_advance(preview: CorrectionPreview, choice: str, result: Result, proof: Result | None) -> None:
    """Store who advances and from which places, if the new result must not decide that."""
    if proof is not None:
        if (kept := Advance.objects.filter(result=proof).first()) is not None:
            Advance.objects.create(result=result, fixture=preview.fixture, side=kept.side, places=kept.places)
    elif choice == Choice.KEEP_BRACKET and (preview.advancing_side != preview.new.winner or preview.kept_places):
        places = [[place.stage, place.place, entry] for place, entry in preview.kept_places.items()]
        Advance.objects.create(result=result, fixture=preview.fixture, side=preview.advancing_side, places=places)


def _changes(standing: Result, new: ResultInput) -> Mapping[str, object]:
    """Return the old and the new result as log parameters."""
    return {"result": [_log_value(ResultInput.of(standing)), _log_value(new)]}


def _log_value(result: ResultInput) -> list[object]:
    return [result.winner, list(result.score) if result.score else None, result.kind]


def _undoable(correction: Correction) -> tuple[Fixture, Result]:
    if Correction.objects.filter(undoes=correction).exists():
        raise Refused("correction_undone")
    row, standing = _standing(correction.fixture)
    if not is_standing(correction, origins([standing.match_id])[standing.match_id]):
        raise Refused("correction_not_last", fixture=row.number)
    if correction.before.source in (Result.Source.FORMAT, Result.Source.DEADLINE):
        rows = DivisionRows(row.stage.division).of(row.stage)
        if not rows.is_founded(correction.before, row.number, rows.results[row.number].between):
            raise Refused("undo_built_on", fixture=row.number)
    return row, standing


def _refuse_if_round_paired(correction: Correction, fixture: Fixture, standing: Result) -> None:
    """Refuse an undo if a round was paired by the corrected lives: it would not follow from the earlier ones."""
    before, after = (outcome(result, None).losing_slots for result in (correction.before, standing))
    if is_continuous(fixture.stage) and before != after:
        _refuse_if_begun_since(correction, fixture)
    if fixture.stage.format != Stage.Format.LIVES or before == after:
        return
    rounds = fixture.stage.draws.filter(state=Draw.State.PUBLISHED, published_at__gte=correction.at)
    later = rounds.filter(round__gt=fixture.round.number).order_by("round").first()
    if later is not None:
        raise Refused("round_paired_since", round=later.round, fixture=fixture.number)


def _refuse_if_begun_since(correction: Correction, fixture: Fixture) -> None:
    """Refuse an undo, without rounds, if a player whose lives it changes has begun a match paired since."""
    own = Slot.objects.filter(fixture=fixture, entry__isnull=False).values("entry")
    redrawn = [number for stage, number in correction.changed if stage > fixture.stage.number]
    following = Fixture.objects.filter(stage__division=fixture.stage.division_id, number__in=redrawn)
    in_bracket = following.filter(slots__entry__in=own, match__begun_at__gte=correction.at).order_by("number").first()
    if in_bracket is not None:
        raise Refused("successor_begun", fixture=fixture.number, successor=in_bracket.number)
    since = Pairing.objects.filter(batch__stage=fixture.stage_id, batch__at__gte=correction.at, taken_back="")
    begun = since.filter(Q(first__in=own) | Q(second__in=own), fixture__match__begun_at__isnull=False)
    if (later := begun.order_by("number").first()) is not None:
        raise Refused("successor_begun", fixture=fixture.number, successor=later.number)


def _refuse_if_played_since(correction: Correction, preview: CorrectionPreview) -> None:
    """Refuse an undo that would take away what players have done since the correction."""
    affected = [*(change.row for change in preview.all.changes), *preview.all.without_lives]
    rows = {row.match_id: row for row in affected if row.match is not None}
    matches = [row.match for row in rows.values() if row.match is not None]
    played_on = _played_since(matches, correction)
    if played_on:
        number = min(rows[match].number for match in played_on)
        raise Refused("successor_begun", fixture=preview.fixture.number, successor=number)


def _refuse_if_paired_since(correction: Correction, preview: CorrectionPreview) -> None:
    """Refuse an undo if a pairing that the correction took back could not stand again, since its players play others.

    They were paired with each other in a stage without rounds, in which somebody else got a place.
    """
    for rows in (state.rows for state in preview.all.states if state.rows.settings.is_continuous):
        for pairing in rows.pairings:
            if pairing.taken_back != Pairing.TakenBack.REPLACED or pairing.taken_back_at != correction.at:
                continue
            begun = rows.begun.intersection(row.number for row in rows.paired_since(pairing))
            if begun:
                raise Refused("successor_begun", fixture=preview.fixture.number, successor=min(begun))


def _played_since(matches: Sequence[Match], correction: Correction) -> set[int]:
    """Return the ids of the matches that were begun, reported or decided since a correction."""
    ids = [match.pk for match in matches]
    played = begun_since(matches, correction.at)
    # Only standing results count, at the version that first recorded them: what was undone since is no reason.
    standing = {versions[next(reversed(versions))] for versions in origins(ids).values() if versions}
    decided = Result.objects.filter(pk__in=standing, pk__gt=correction.after_id).exclude(source=Result.Source.FORMAT)
    played |= set(decided.values_list("match", flat=True))
    return played


# Corrections as directors see them: previews of another result, and the corrections of an event.


MAX_NUMBERS = 4
"""Match numbers named in the reason to let a result stand."""


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the three choices, with everything that would follow from it."""

    value: str
    title: str
    text: str
    following: FollowingView


@dataclass(frozen=True, slots=True)
class PreviewView:
    seq: int
    mark: str
    was: str
    becomes: str
    default: str
    why: str
    choices: list[ChoiceView]


def result_text(match: Match, result: ResultInput, names: tuple[str, str]) -> str:
    """Return the score with both names, or the kind of ending and the winner if the match was not played."""
    if result.score is not None and result.kind == Result.Kind.PLAYED:
        return f"{names[0]} {score_of(match, 0, result.score)} {names[1]}"
    score = score_of(match, result.winner or 0, result.score) if result.score is not None else ""
    ending = f"{Result.Kind(result.kind).label} {score}".strip()
    winner = _("%(name)s wins") % {"name": names[result.winner]} if result.winner is not None else _("Nobody wins.")
    return f"{ending}, {winner}"


def preview_view(preview: CorrectionPreview, *, voided_rated: bool = True) -> PreviewView:
    """Return the choices with what follows from each, and which one is preselected."""
    match = preview.fixture.match
    assert match is not None  # noqa: S101, a corrected fixture has a match
    labels = ChangeLabels(preview.fixture.stage.division, voided_rated=voided_rated)
    names = match_names(preview.fixture, staff=True)
    return PreviewView(
        preview.seq,
        preview.mark,
        result_text(match, ResultInput.of(preview.standing), names),
        result_text(match, preview.new, names),
        preview.default.value,
        _reason_to_let_stand(preview.all),
        [
            ChoiceView(choice.value, *_titles()[choice], following_view(following, labels))
            for choice, following in preview.consequences.items()
        ],
    )


def _reason_to_let_stand(following: Consequences) -> str:
    """Explain why letting the result stand is preselected; empty if it is not."""
    undone = [change for change in following.changes if change.undoes_play]
    if following.bracket_stands:
        return _(
            "The bracket has been drawn from the lives left and can no longer be drawn again. It stays as it is, so "
            "letting the result stand is suggested."
        )
    if not undone:
        return ""
    numbers = ", ".join(f"M{change.row.number}" for change in undone[:MAX_NUMBERS])
    more = len(undone) - MAX_NUMBERS
    if more > 0:
        numbers = _("%(numbers)s and %(more)d more") % {"numbers": numbers, "more": more}
    return _("Later matches have begun (%(numbers)s), so letting the result stand is suggested.") % {"numbers": numbers}


def _titles() -> dict[Choice, tuple[str, str]]:
    return {
        Choice.LET_STAND: (
            _("Let stand"),
            _("Nothing changes. Your review and its reason are logged."),
        ),
        Choice.KEEP_BRACKET: (
            _("Correct, keep the bracket"),
            _("Score, standings and ratings are corrected. Players who have advanced stay where they are."),
        ),
        Choice.CORRECT_ALL: (
            _("Correct all"),
            _("Everything becomes as if this result had been entered in the first place."),
        ),
    }


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    correction: Correction
    names: tuple[str, str]
    was: str
    became: str
    undone: bool
    last: bool
    """Whether its result is the standing one, so that it can be undone."""

    @property
    def may_be_undone(self) -> bool:
        """Whether undoing can be offered; `preview_undo` may still refuse."""
        return self.last and not self.undone


def corrections_of(tournament: Tournament) -> list[CorrectedLine]:
    """Return the corrections of an event, the newest first."""
    return _lines(Correction.objects.filter(fixture__stage__division__tournament=tournament))


def corrections_of_fixture(fixture: Fixture) -> list[CorrectedLine]:
    """Return the corrections of a fixture, the newest first."""
    return _lines(Correction.objects.filter(fixture=fixture))


def _lines(rows: QuerySet[Correction]) -> list[CorrectedLine]:
    corrections = list(
        rows.select_related(
            "fixture__stage__division",
            "before__match__player_0",
            "before__match__player_1",
            "after",
            "by",
            "undone_by",
        ).order_by("-at", "-pk")
    )
    versions = origins([row.before.match_id for row in corrections])
    return [_line(row, versions) for row in corrections]


def _line(row: Correction, versions: Mapping[int, dict[int, int]]) -> CorrectedLine:
    match = row.before.match
    names = match_names(row.fixture, staff=True, match=match)
    was, became = (result_text(match, ResultInput.of(result), names) for result in (row.before, row.after))
    last = match.state == Match.State.SETTLED and is_standing(row, versions[match.pk])
    return CorrectedLine(row, names, was, became, hasattr(row, "undone_by"), last)
