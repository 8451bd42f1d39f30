"""What follows a finished round or stage: the next round is requested, or the next stage is planned.

All functions are called with the division locked. A stage whose entrants are places of a planned stage is planned
together with it, so that its bracket shows "1st of group A" from the start. A stage that follows rounds paired one by
one is planned when these are over.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from core.queue import hint
from engine.errors import Refused
from formats.graph import Source
from formats.plans import as_drawn, later_sources, plan_of
from formats.settings import BY_ROUND, ELIMINATION, NextRound, lives_are_places
from players.actors import SYSTEM, Actor, log
from tournaments.models import Division, Draw, Entry, Stage, Tournament
from tournaments.state.commitments import commitment_of
from tournaments.state.derivation import StageState, seats_after_lives
from tournaments.state.locks import lock_event_if_free, take_numbers
from tournaments.state.names import club_mates
from tournaments.state.plans import settings_of, store
from tournaments.state.stage_rows import digest, kept_apart, requested_byes

MAKE_DRAFT = "tournaments.make_draft"


def plan_stage(
    stage: Stage,
    sources: Sequence[Source],
    *,
    event: Tournament,
    draw: Draw | None = None,
    deadlines: Sequence[datetime | None] = (),
) -> None:
    """Plan a stage with these sources and save it; its fixtures get the next match numbers of the locked `event`.

    `draw` is the draw of the sources; None if they are places of the stage before it.
    """
    settings = settings_of(stage) if draw is None else as_drawn(settings_of(stage), draw.algorithm)
    draft = 1 if draw is None else draw.number
    graph = plan_of(settings, sources, seed=bytes.fromhex(stage.seed), draft=draft)
    first = take_numbers(event, len(graph.fixtures))
    store(stage, graph.shifted(first - 1), lengths=stage.division.lengths, deadlines=deadlines)
    stage.status, stage.apart = Stage.Status.RUNNING, _kept_apart_in(stage)
    stage.save(update_fields=["status", "apart"])


def _kept_apart_in(stage: Stage) -> list[list[int]]:
    """Return who is kept apart in rounds drawn later: named pairs and, if the division says so, club-mates."""
    division = stage.division
    entries = division.entries.exclude(status=Entry.Status.WAITING).values_list("pk", flat=True)
    mates = club_mates(division, list(entries)) if division.apart and stage.format in ELIMINATION else []
    return [*mates, *(sorted(pair) for pair in kept_apart(division))]


def plan_following(stage: Stage, event: Tournament) -> None:
    """Plan the stages that follow a planned stage, as long as their entrants are its places; `event` is locked."""
    if stage.format in BY_ROUND:
        return
    following = stage.division.stages.filter(number=stage.number + 1).first()
    if following is not None and following.status == Stage.Status.PLANNED and following.format not in BY_ROUND:
        start_after(stage, following, event)
        plan_following(following, event)


def start_after(stage: Stage, following: Stage, event: Tournament) -> None:
    """Plan a stage from the places of the stage before it; `event` is locked."""
    plan_stage(following, later_sources(settings_of(following), settings_of(stage), stage.number), event=event)


def start_next(division: Division, state: StageState, now: datetime) -> list[Stage]:
    """Request the next round of a settled stage, or start the stage after it.

    Return the stages that were started and must be settled as well. If another transaction is numbering matches of the
    event, the next stage stays planned, and `settle_stalled` starts it after the commit.
    """
    stage = state.stage
    by_rounds = state.event is not None and not state.rows.settings.is_continuous
    if by_rounds and not state.over and state.rows.settings.next_round != NextRound.ASK:
        request_next_round(state, now)
    if not state.over:
        return []
    stages = {row.number: row for row in state.rows.of_division.stages}
    following = stages.get(stage.number + 1)
    if following is None or following.status != Stage.Status.PLANNED:
        return []
    if following.format not in BY_ROUND:
        if (event := lock_event_if_free(division.tournament_id)) is None:
            return []
        if lives_are_places(state.rows.settings, following.format):
            plan_stage(following, seats_after_lives(state, _kept_apart_in(following)), event=event)
        else:
            start_after(stage, following, event)
        return [following]
    following.status = Stage.Status.RUNNING
    following.save(update_fields=["status"])
    request_draft(following, 1, at_once=settings_of(following).next_round == NextRound.PUBLISH, now=now)
    return [following]


def unfinished_divisions(tournament: int | OuterRef) -> QuerySet[Division]:
    """Return the divisions of an event that are neither finished nor cancelled."""
    ended = (Division.Status.FINISHED, Division.Status.CANCELLED)
    return Division.objects.filter(tournament=tournament).exclude(status__in=ended)


def stalled_divisions(division: int | None = None) -> QuerySet[Division]:
    """Return divisions with a next stage that is due but not started, or an event with an outdated status.

    With `division`, return only that one, if it is among them.
    """
    before = Stage.objects.filter(division=OuterRef("division"), number__lt=OuterRef("number"))
    due = Stage.objects.filter(
        ~Exists(before.exclude(status=Stage.Status.FINISHED)),
        division=OuterRef("pk"),
        number__gt=1,
        status=Stage.Status.PLANNED,
    )
    running, finished = Tournament.Status.RUNNING, Tournament.Status.FINISHED
    next_stage_due = Q(Exists(due), status=Division.Status.RUNNING)
    event_reopens = Q(status=Division.Status.RUNNING, tournament__status=finished)
    event_ends = Q(~Exists(unfinished_divisions(OuterRef("tournament"))), tournament__status=running)
    stalled = Division.objects.filter(next_stage_due | event_reopens | event_ends)
    return stalled.exclude(status=Division.Status.CANCELLED) if division is None else stalled.filter(pk=division)


def request_next_round(state: StageState, now: datetime) -> Draw | None:
    """Request the pairing of the next round, if the last one is complete and no draft exists; return the draft.

    A refused pairing is requested again once what it depends on has changed.
    """
    event = state.event
    if event is None or not state.progress.over:
        return None
    drafts = state.stage.draws.filter(round=event.next_round)
    if drafts.exclude(state=Draw.State.DISCARDED).exists():
        return None
    last = drafts.order_by("-number").first()
    # A return can open the stage before it again, in which a director may play on: no draft was refused then.
    if not event.rounds and (state.stage.number == 1 or last is None or not last.refusal):
        return None
    if last is not None and last.refusal and last.basis == digest(event, requested_byes(state.stage, event)):
        return None
    at_once = state.rows.settings.next_round == NextRound.PUBLISH
    return request_draft(state.stage, event.next_round, at_once=at_once, now=now)


def replace_draft(
    stage: Stage,
    round_number: int,
    *,
    old: Draw | None,
    reason: str,
    by: Actor,
    now: datetime,
    manual: Sequence[Sequence[int]] = (),
) -> Draw:
    """Request a draft on behalf of a director and discard the `old` one, which needs a reason if it could be seen.

    Refused: `draft_in_work`, `reason_needed`.
    """
    if old is not None and old.state == Draw.State.REQUESTED:
        raise Refused("draft_in_work")
    if old is not None and old.state == Draw.State.TAKEN_BACK:
        reason = reason.strip() or old.taken_back_reason
    if old is not None and old.places and not reason.strip():
        raise Refused("reason_needed")
    if old is not None:
        stage.draws.filter(state=Draw.State.DRAFT).update(state=Draw.State.DISCARDED, publish_at=None)
    return request_draft(stage, round_number, at_once=False, now=now, by=by, reason=reason.strip(), manual=manual)


def request_draft(
    stage: Stage,
    round_number: int,
    *,
    at_once: bool,
    now: datetime,
    by: Actor = SYSTEM,
    reason: str = "",
    manual: Sequence[Sequence[int]] = (),
) -> Draw:
    """Create a requested draft and send a hint to the workers. Drafts are numbered within the division."""
    last = Draw.objects.filter(stage__division=stage.division_id).aggregate(Max("number"))["number__max"] or 0
    draw = Draw.objects.create(
        stage=stage,
        commitment=commitment_of(stage),
        number=last + 1,
        round=round_number,
        state=Draw.State.REQUESTED,
        at_once=at_once,
        made_at=now,
        made_by=by.user,
        reason=reason,
        manual=[list(pair) for pair in manual],
    )
    transaction.on_commit(lambda: hint(MAKE_DRAFT, draw.pk), robust=True)
    division = stage.division
    log_params = {"round": round_number} if round_number else {}
    club = division.tournament.club
    log(by, "draw_requested", division.topic, club=club, number=draw.number, reason=reason, **log_params)
    return draw
