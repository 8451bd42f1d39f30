"""Taking back a paired round or a whole draw while none of its matches has begun."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.voiding import void_matches
from matches.models import Match, Result
from players.actors import Actor, log
from players.people.rows import lock_club
from tournaments.models import (
    Advance,
    Bracket,
    Correction,
    Division,
    Draw,
    Fixture,
    OpenPairing,
    Pairing,
    Round,
    Slot,
    Stage,
    Tournament,
    Withdrawal,
)
from tournaments.state.commitments import retire
from tournaments.state.locks import division_changed, lock_division, lock_event, lock_unfinished_matches
from tournaments.state.pairings import mark_undone
from tournaments.state.places import fill_places
from tournaments.state.plans import is_continuous
from tournaments.state.settle import settle
from tournaments.state.versions import DivisionPart, refuse_stale

# What was published stays a fact: its row in `Draw` keeps places, seed and reason, and its matches stay as void
# matches. Only the plan made from it is removed, and its match numbers are never used again.


IN_WORK = (Draw.State.REQUESTED, Draw.State.DRAFT)


def undo_published_draw(*, division: Division, reason: str, after: int, by: Actor, now: datetime) -> Draw:
    """Take back the published draw of a division, which then takes entries again and can change its format.

    Entries that the draw left out are entered again, as far as there are places, and then who waits, in turn.
    The old seed becomes public and is not used again. The next draft is drawn from a new seed, whose hash is put on
    the club's list at once, so the old seed reveals nothing about the new draw.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `division_not_drawn`, `draw_begun`.
    """
    with transaction.atomic():
        club = lock_club(division.tournament.club)
        event = lock_event(division.tournament_id)
        row = _locked(division, after, reason, by)
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.PUBLISHED).order_by("number").first()
        if row.status == Division.Status.ENTRIES or draw is None:
            raise Refused("division_not_drawn")
        fixtures = Fixture.objects.filter(stage__division=row)
        numbers = remove_fixtures(row, fixtures, "draw_begun", reason, by, now)
        for stage in row.stages.exclude(status=Stage.Status.PLANNED).order_by("number"):
            unplan(stage, now)
            retire(stage, club=club, reason=reason, now=now)
        _mark_taken_back(Draw.objects.filter(stage__division=row), reason, now)
        row.status = Division.Status.ENTRIES
        fill_places(row, now, first=draw.left_out)
        division_changed(row, "status")
        _reopen(event)
        log(by, "draw_taken_back", row.topic, club=club, number=draw.number, fixtures=numbers, reason=reason)
    draw.refresh_from_db()
    return draw


def unpublish_draw(*, division: Division, by: Actor, now: datetime) -> Draw:
    """Take back that a draw was published a moment ago: it is a draft again, with its number, its seed and its places.

    So the same entries give the same draw, and drawing again takes the next number and needs a reason. The division
    takes entries again, and the matches are void.
    Refused: `division_not_drawn`, `start_begun` if one of its matches has begun.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.PUBLISHED).order_by("number").first()
        if row.status == Division.Status.ENTRIES or draw is None:
            raise Refused("division_not_drawn")
        fixtures = Fixture.objects.filter(stage__division=row)
        numbers = remove_fixtures(row, fixtures, "start_begun", "", by, now)
        for stage in row.stages.exclude(status=Stage.Status.PLANNED).order_by("number"):
            unplan(stage, now)
        Draw.objects.filter(stage__division=row, state__in=IN_WORK).update(state=Draw.State.DISCARDED)
        draw.state, draw.published_at = Draw.State.DRAFT, None
        draw.save(update_fields=["state", "published_at"])
        row.status = Division.Status.ENTRIES
        fill_places(row, now, first=draw.left_out, untold=draw.left_out)
        division_changed(row, "status")
        _reopen(event)
        log(by, "draw_unpublished", row.topic, club=event.club, number=draw.number, fixtures=numbers)
    return draw


def undo_paired_round(
    *, division: Division, round_number: int, reason: str, after: int, by: Actor, now: datetime
) -> Draw:
    """Take back the last paired round of a stage, which can then be paired again with the next draft of its seed.

    That seed is secret until the stage is over, so nobody can foresee the next draft.
    The first round of a division is its draw and is taken back by `undo_published_draw`.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `round_not_last`, `round_is_the_draw`, `round_begun`.
    """
    with transaction.atomic():
        row = _locked(division, after, reason, by)
        draw = last_round_of(row)
        if draw is None or draw.round != round_number:
            raise Refused("round_not_last", round=round_number)
        if draw.round == 1 and draw.stage.number == 1:
            raise Refused("round_is_the_draw")
        if row.stages.filter(number__gt=draw.stage.number).exclude(status=Stage.Status.PLANNED).exists():
            raise Refused("round_not_last", round=round_number)
        rounds = _rounds_of(draw)
        numbers = remove_fixtures(row, Fixture.objects.filter(round__in=rounds), "round_begun", reason, by, now)
        rounds.delete()
        _mark_taken_back(draw.stage.draws.filter(Q(round=round_number) | Q(state__in=IN_WORK)), reason, now)
        division_changed(row)
        params = {"number": draw.number, "round": round_number, "fixtures": numbers, "reason": reason}
        log(by, "round_taken_back", row.topic, club=row.tournament.club, **params)
        settle(row, by=by, now=now)
    draw.refresh_from_db()
    return draw


def _rounds_of(draw: Draw) -> QuerySet[Round]:
    """Return the round that was drawn; without rounds, all batches since the first pairs, which were drawn."""
    rounds = Round.objects.filter(bracket__stage=draw.stage)
    return rounds if is_continuous(draw.stage) else rounds.filter(number=draw.round)


def last_round_of(division: Division) -> Draw | None:
    """Return the draw of the round that was paired last; None if no round was paired."""
    rows = Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED, round__gt=0)
    return rows.select_related("stage").order_by("-stage__number", "-round").first()


def begun_fixtures(fixtures: Collection[Fixture]) -> list[int]:
    """Return the numbers of fixtures that have begun, were decided by a person, or were corrected.

    With one of them a draw cannot be taken back. A walkover that follows from a withdrawal does not count as decided,
    and a call to a table does not count as begun. What was paired without rounds and may stand again counts as begun.
    """
    by_match = {row.match_id: row.number for row in fixtures if row.match_id is not None}
    newest = Result.objects.filter(match__in=by_match).values("match").annotate(top=Max("version"))
    standing = {row["match"]: row["top"] for row in newest}
    versions = Result.objects.filter(match__in=standing).values_list("match", "version", "source", "kind")
    decided = {
        match
        for match, version, source, kind in versions
        if standing[match] == version and source != Result.Source.FORMAT and kind != Result.Kind.VOID
    }
    corrected = Correction.objects.filter(fixture__in=fixtures).values_list("fixture__number", flat=True)
    advances = Advance.objects.filter(fixture__in=fixtures).values_list("fixture__number", flat=True)
    begun = {
        row.number
        for row in fixtures
        if row.match is not None
        and (
            has_begun(row.match)
            or row.match_id in decided
            or row.match.state in (Match.State.CLAIMED, Match.State.DISPUTED)
        )
    }
    replaced = Pairing.objects.filter(fixture__in=fixtures, taken_back=Pairing.TakenBack.REPLACED)
    return sorted({*begun, *corrected, *advances, *replaced.values_list("number", flat=True)})


def _locked(division: Division, after: int, reason: str, by: Actor) -> Division:
    row = lock_division(division.pk)
    refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
    if not reason.strip():
        raise Refused("reason_needed")
    if not row.tournament.is_open or row.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    return row


def remove_fixtures(
    division: Division, fixtures: QuerySet[Fixture], code: str, reason: str, by: Actor, now: datetime
) -> list[int]:
    """Void the matches of these fixtures and remove the fixtures from the plan; return their numbers.

    The division is locked. Refused with `code` if one of the matches has begun.
    """
    ids = fixtures.exclude(match=None).values_list("match", flat=True)
    locked_matches: Mapping[int, Match] = lock_unfinished_matches([division], [pk for pk in ids if pk is not None])
    rows = list(fixtures.order_by("number"))
    for row in rows:
        row.match = locked_matches[row.match_id] if row.match_id is not None else None
    if begun := begun_fixtures(rows):
        raise Refused(code, fixture=begun[0])
    standing = [row.match for row in rows if row.match is not None and row.match.state != Match.State.VOID]
    void_matches(dict.fromkeys(standing, False), club=division.tournament.club, by=by, now=now, reason=reason)
    pairings = list(Pairing.objects.filter(fixture__in=rows))
    OpenPairing.objects.filter(pairing__in=pairings).delete()
    for pairing in pairings:
        if not pairing.taken_back:
            mark_undone(pairing, Pairing.TakenBack.DRAW, by=by, now=now)
    Slot.objects.filter(fixture__in=rows).delete()
    fixtures.delete()
    return [row.number for row in rows]


def unplan(stage: Stage, now: datetime) -> None:
    """Turn a drawn stage back into a planned one, and undo withdrawals from its brackets."""
    brackets = Bracket.objects.filter(stage=stage)
    Withdrawal.objects.filter(bracket__in=brackets, taken_back_at=None).update(taken_back_at=now)
    Withdrawal.objects.filter(bracket__in=brackets).update(bracket=None)
    Round.objects.filter(bracket__in=brackets).delete()
    brackets.delete()
    stage.status = Stage.Status.PLANNED
    stage.save(update_fields=["status"])


def _mark_taken_back(draws: QuerySet[Draw], reason: str, now: datetime) -> None:
    """Mark published draws as taken back, and discard drafts and requests."""
    draws.filter(state__in=IN_WORK).update(state=Draw.State.DISCARDED, publish_at=None)
    published = draws.filter(state=Draw.State.PUBLISHED)
    published.update(state=Draw.State.TAKEN_BACK, taken_back_at=now, taken_back_reason=reason)


def _reopen(event: Tournament) -> None:
    """Set a locked event from running back to published if none of its divisions is drawn any more."""
    drawn = (Division.Status.RUNNING, Division.Status.FINISHED)
    if event.status == Tournament.Status.RUNNING and not event.divisions.filter(status__in=drawn).exists():
        event.status = Tournament.Status.PUBLISHED
        event.save(update_fields=["status"])


# Whether a draw or a round can be taken back. The services check again under their locks.


@dataclass(frozen=True, slots=True)
class UndoneRound:
    """The round that can be taken back; 0 is the draw."""

    round: int
    begun: int | None = None
    """The number of a match that prevents it because it has begun or is decided."""

    @property
    def possible(self) -> bool:
        return self.begun is None


def draw_to_take_back(division: Division) -> UndoneRound | None:
    """Return the published draw of an open event; None before the draw."""
    if division.status == Division.Status.ENTRIES or not division.tournament.is_open:
        return None
    return _of(0, Fixture.objects.filter(stage__division=division).select_related("match"))


def round_to_take_back(division: Division) -> UndoneRound | None:
    """Return the round that was paired last; None if only the draw was made."""
    draw = last_round_of(division) if division.tournament.is_open else None
    if draw is None or (draw.round == 1 and draw.stage.number == 1):
        return None
    if division.stages.filter(number__gt=draw.stage.number).exclude(status=Stage.Status.PLANNED).exists():
        return None
    return _of(draw.round, Fixture.objects.filter(round__in=_rounds_of(draw)).select_related("match"))


def round_after(fixture: Fixture) -> UndoneRound | None:
    """Return the round after a fixture's if it was paired from its result and can still be taken back."""
    option = round_to_take_back(fixture.stage.division)
    if option is None or not option.possible or fixture.round.number != option.round - 1:
        return None
    draw = last_round_of(fixture.stage.division)
    return option if draw is not None and draw.stage_id == fixture.stage_id else None


def _of(number: int, fixtures: QuerySet[Fixture]) -> UndoneRound:
    begun = begun_fixtures(list(fixtures))
    return UndoneRound(number, begun[0] if begun else None)
