"""A paired round or a whole draw taken back while nothing in it has begun.

What was published stays a fact: its row in `Draw` keeps places, seed and reason, and its matches stay as void ones.
Only the plan that was made from it goes, and its match numbers are never given again.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.voiding import void_matches
from matches.models import Match, Result
from players.actors import Actor, log
from players.people.locks import lock_club
from tournaments.models import (
    Advance,
    Bracket,
    Correction,
    Division,
    Draw,
    Fixture,
    Round,
    Slot,
    Stage,
    Tournament,
    Withdrawal,
)
from tournaments.state.commitments import retire
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.numbering import lock_event
from tournaments.state.settle import settle

IN_WORK = (Draw.State.REQUESTED, Draw.State.DRAFT)


def take_back_draw(*, division: Division, reason: str, after: int, by: Actor, now: datetime) -> Draw:
    """Takes the published draw of a division back: it is as before the draw, and its format can be changed.

    The seed is retired and public from now on; the next draft comes from a new one, whose hash is on the club's list
    at once. Nothing that is known of the old seed tells anything about the new draw.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `division_not_drawn`, `draw_begun`.
    """
    with transaction.atomic():
        club = lock_club(division.tournament.club)
        event = lock_event(division.tournament_id)
        row = _locked(division, after, reason)
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.PUBLISHED).order_by("number").first()
        if row.status == Division.Status.ENTRIES or draw is None:
            raise Refused("division_not_drawn")
        fixtures = Fixture.objects.filter(stage__division=row)
        numbers = _remove(row, fixtures, "draw_begun", reason, by, now)
        for stage in row.stages.exclude(status=Stage.Status.PLANNED).order_by("number"):
            _unplan(stage, now)
            retire(stage, club=club, reason=reason, now=now)
        _mark(Draw.objects.filter(stage__division=row), reason, now)
        row.status = Division.Status.ENTRIES
        row.seq += 1
        row.save(update_fields=["status", "seq"])
        _reopen(event)
        log(by, "draw_taken_back", row.topic, club=club, number=draw.number, fixtures=numbers, reason=reason)
    draw.refresh_from_db()
    return draw


def take_back_round(
    *, division: Division, round_number: int, reason: str, after: int, by: Actor, now: datetime
) -> Draw:
    """Takes the last paired round of a stage back; it can then be paired again, with the next draft of the same seed.

    That seed is secret until the stage is over, so nobody can tell what the next draft will be.
    The first round of a division is its draw and is taken back as such.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `round_not_last`, `round_is_the_draw`, `round_begun`.
    """
    with transaction.atomic():
        row = _locked(division, after, reason)
        draw = last_round_of(row)
        if draw is None or draw.round != round_number:
            raise Refused("round_not_last", round=round_number)
        if draw.round == 1 and draw.stage.number == 1:
            raise Refused("round_is_the_draw")
        if row.stages.filter(number__gt=draw.stage.number).exclude(status=Stage.Status.PLANNED).exists():
            raise Refused("round_not_last", round=round_number)
        fixtures = Fixture.objects.filter(stage=draw.stage, round__number=round_number)
        numbers = _remove(row, fixtures, "round_begun", reason, by, now)
        Round.objects.filter(bracket__stage=draw.stage, number=round_number).delete()
        _mark(draw.stage.draws.filter(Q(round=round_number) | Q(state__in=IN_WORK)), reason, now)
        row.seq += 1
        row.save(update_fields=["seq"])
        told = {"number": draw.number, "round": round_number, "fixtures": numbers, "reason": reason}
        log(by, "round_taken_back", row.topic, club=row.tournament.club, **told)
        settle(row, by=by, now=now)
    draw.refresh_from_db()
    return draw


def last_round_of(division: Division) -> Draw | None:
    """The round that was paired last, of the last stage in which one was; None where nothing is paired by rounds."""
    rows = Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED, round__gt=0)
    return rows.select_related("stage").order_by("-stage__number", "-round").first()


def begun_fixtures(fixtures: Collection[Fixture]) -> list[int]:
    """The numbers of those that keep a draw from being taken back: begun, decided by somebody, or corrected.

    A walkover that follows from a withdrawal is not a decision about this match, nor is a call to a table.
    """
    by_match = {row.match_id: row.number for row in fixtures if row.match_id is not None}
    newest = Result.objects.filter(match__in=by_match).values("match").annotate(top=Max("version"))
    standing = {row["match"]: row["top"] for row in newest}
    versions = Result.objects.filter(match__in=standing).values_list("match", "version", "source", "kind")
    by_somebody = {
        match
        for match, version, source, kind in versions
        if standing[match] == version and source != Result.Source.FORMAT and kind != Result.Kind.VOID
    }
    corrected = Correction.objects.filter(fixture__in=fixtures).values_list("fixture__number", flat=True)
    kept = Advance.objects.filter(fixture__in=fixtures).values_list("fixture__number", flat=True)
    begun = {
        row.number
        for row in fixtures
        if row.match is not None
        and (
            has_begun(row.match)
            or row.match_id in by_somebody
            or row.match.state in (Match.State.CLAIMED, Match.State.DISPUTED)
        )
    }
    return sorted({*begun, *corrected, *kept})


def _locked(division: Division, after: int, reason: str) -> Division:
    row = lock_division(division.pk)
    if row.seq != after:
        raise Refused("stale")
    if not reason.strip():
        raise Refused("reason_needed")
    if not row.tournament.is_open or row.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    return row


def _remove(
    division: Division, fixtures: QuerySet[Fixture], code: str, reason: str, by: Actor, now: datetime
) -> list[int]:
    """Voids the matches of these fixtures and removes these from the plan; returns their numbers."""
    ids = fixtures.exclude(match=None).values_list("match", flat=True)
    held: Mapping[int, Match] = lock_unfinished_matches([division], [pk for pk in ids if pk is not None])
    rows = list(fixtures.order_by("number"))
    for row in rows:
        row.match = held[row.match_id] if row.match_id is not None else None
    if begun := begun_fixtures(rows):
        raise Refused(code, fixture=begun[0])
    standing = [row.match for row in rows if row.match is not None and row.match.state != Match.State.VOID]
    void_matches(dict.fromkeys(standing, False), club=division.tournament.club, by=by, now=now, reason=reason)
    Slot.objects.filter(fixture__in=rows).delete()
    fixtures.delete()
    return [row.number for row in rows]


def _unplan(stage: Stage, now: datetime) -> None:
    """A drawn stage becomes a planned one; whoever withdrew from one of its brackets is in again."""
    brackets = Bracket.objects.filter(stage=stage)
    Withdrawal.objects.filter(bracket__in=brackets, taken_back_at=None).update(taken_back_at=now)
    Withdrawal.objects.filter(bracket__in=brackets).update(bracket=None)
    Round.objects.filter(bracket__in=brackets).delete()
    brackets.delete()
    stage.status = Stage.Status.PLANNED
    stage.save(update_fields=["status"])


def _mark(draws: QuerySet[Draw], reason: str, now: datetime) -> None:
    """What was published is taken back, what is still a draft or being made is discarded."""
    draws.filter(state__in=IN_WORK).update(state=Draw.State.DISCARDED, publish_at=None)
    published = draws.filter(state=Draw.State.PUBLISHED)
    published.update(state=Draw.State.TAKEN_BACK, taken_back_at=now, taken_back_reason=reason)


def _reopen(event: Tournament) -> None:
    """A locked event in which no division is drawn any more is published and not running."""
    drawn = (Division.Status.RUNNING, Division.Status.FINISHED)
    if event.status == Tournament.Status.RUNNING and not event.divisions.filter(status__in=drawn).exists():
        event.status = Tournament.Status.PUBLISHED
        event.save(update_fields=["status"])
