"""The draw: a private draft made by a worker, redrawn only with a reason, and published.

All drafts of a stage come from one secret seed whose hash is shown from the start, each with the next number, so the
published page can say how many there were and why (tournaments.formats.lots tells how anybody repeats a draw).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.locks import for_update
from core.queue import claim_lasts, hint, resend_after
from engine.errors import Refused
from matches.ratings.services.ratings import ratings_of
from players.actors import SYSTEM, Actor, log
from tournaments.draws.services import pairings
from tournaments.draws.services.pairings import Made
from tournaments.events.services.events import publish_tournament
from tournaments.formats.elimination import knockout
from tournaments.formats.plans import Drawn, draw_places, plan_of, sources_of
from tournaments.formats.settings import BY_ROUND
from tournaments.models import Division, Draw, Entry, Stage, Tournament
from tournaments.state.advancement import MAKE_DRAFT, plan_following, plan_stage, replace_draft
from tournaments.state.club_mates import club_mates
from tournaments.state.locks import lock_division
from tournaments.state.numbering import lock_event
from tournaments.state.pairing_inputs import kept_apart
from tournaments.state.plans import season_end, settings_of
from tournaments.state.settle import settle
from tournaments.state.stages import first_stage, round_deadlines

LEAST_ENTRIES = 2
SWEEP_AT_ONCE = 50


def request_draw(*, division: Division, by: Actor, now: datetime, reason: str = "") -> Draw:
    """Asks for a draft; a worker makes it. A redraw needs a reason, which will be public.

    The commitment of a published event is on the club's list; before that nothing is drawn, so that nobody can look
    at the drafts of several events and publish the one they like.
    Refused: `event_not_published`, `tournament_not_open`, `division_drawn`, `too_few_entries`, `draft_in_work`,
    `reason_needed`, `season_past`.
    """
    with transaction.atomic():
        row = lock_division(division.pk)
        if row.tournament.status == Tournament.Status.DRAFT:
            raise Refused("event_not_published")
        if not row.tournament.is_open:
            raise Refused("tournament_not_open")
        if row.status != Division.Status.ENTRIES:
            raise Refused("division_drawn")
        count = row.entries.filter(status=Entry.Status.IN).count()
        if count < LEAST_ENTRIES:
            raise Refused("too_few_entries", count=count)
        stage = first_stage(row)
        stage.division = row
        _refuse_past_season(stage, now)
        old = stage.draws.order_by("-number").first()
        return replace_draft(stage, 1 if stage.format in BY_ROUND else 0, old=old, reason=reason, by=by, now=now)


def publish_event_and_draw(*, division: Division, by: Actor, now: datetime, reason: str = "") -> Draw:
    """Publishes the event, which enters its commitments into the club's list, and then asks for a draft.

    Refused: what `publish_tournament` and `request_draw` refuse; then neither is done.
    """
    with transaction.atomic():
        publish_tournament(tournament=division.tournament, by=by, now=now)
        return request_draw(division=division, by=by, now=now, reason=reason)


def make_draft(*, draw_id: int, now: datetime) -> Draw | None:
    """Draws what was asked for, outside any lock; None where another worker has it or there is nothing to do."""
    with transaction.atomic():
        draw = _locked(draw_id)
        held = draw.claimed_at is not None and draw.claimed_at > now - claim_lasts()
        if draw.state != Draw.State.REQUESTED or held:
            return None
        draw.claimed_at = now
        draw.save(update_fields=["claimed_at"])
    division = Division.objects.get(stages=draw.stage_id)
    made = pairings.paired(division, draw) if draw.round else _drawn(division, draw)
    return _finish(draw_id, made, now)


def _drawn(division: Division, draw: Draw) -> Made:
    """A draft of a whole stage."""
    players = dict(division.entries.filter(status=Entry.Status.IN).order_by("pk").values_list("pk", "player_id"))
    ratings = ratings_of(players=list(players.values()), pool=division.pool)
    by_entry = {entry: ratings[player] for entry, player in players.items()}
    settings = settings_of(draw.stage)
    try:
        drawn = draw_places(
            settings,
            by_entry,
            seed=bytes.fromhex(draw.stage.seed),
            draft=draw.number,
            seeds=knockout.seed_order(by_entry) if division.draw_method == Division.DrawMethod.RATING else (),
            apart=[*(club_mates(division, by_entry) if division.apart else ()), *kept_apart(division)],
        )
        plan_of(settings, sources_of(drawn.places), seed=bytes.fromhex(draw.stage.seed), draft=draw.number)
    except Refused as refused:
        return Made(refusal={"code": refused.code, "params": refused.params})
    return Made(places=list(drawn.places), algorithm=drawn.algorithm, remarks=_remarks(drawn), ratings=by_entry)


def _remarks(drawn: Drawn) -> list[dict[str, Any]]:
    """Who could not be kept apart."""
    told: list[tuple[str, tuple[int, int], dict[str, int]]] = [
        ("not_in_opposite_halves", (meeting.first, meeting.second), {"round": meeting.round})
        for meeting in drawn.meetings
    ]
    told += [("in_one_group", pair, {}) for pair in drawn.in_one_group]
    return [{"code": code, "params": {"entries": sorted(pair), **more}} for code, pair, more in told]


def _finish(draw_id: int, made: Made, now: datetime) -> Draw | None:
    """Writes the draft if the request still stands, and starts its countdown where it is to publish itself."""
    with transaction.atomic():
        division = lock_division(Division.objects.get(stages__draws=draw_id).pk)
        draw = _locked(draw_id)
        if draw.state != Draw.State.REQUESTED:
            return None
        draw.state = Draw.State.DISCARDED if made.refusal else Draw.State.DRAFT
        draw.places, draw.byes, draw.basis = made.places, made.byes, made.basis
        draw.algorithm, draw.remarks, draw.refusal = made.algorithm, made.remarks, made.refusal
        if draw.at_once and draw.state == Draw.State.DRAFT:
            draw.publish_at = now + timedelta(seconds=settings_of(draw.stage).countdown)
        draw.save()
        _note_ratings(made.ratings)
        division.seq += 1
        division.save(update_fields=["seq"])
        log(SYSTEM, "drawn", division.topic, club=division.tournament.club, number=draw.number)
    return draw


def due_drafts(now: datetime) -> list[int]:
    """Drafts whose countdown is over: what the sweep publishes."""
    rows = Draw.objects.filter(
        state=Draw.State.DRAFT, publish_at__lte=now, stage__division__status=Division.Status.RUNNING
    )
    return list(rows.order_by("publish_at", "pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])


def publish_due_draft(*, draw_id: int, now: datetime) -> Draw | None:
    """Publishes one draft whose countdown is over; one that no longer fits is drawn again, with a new countdown.

    None where there is nothing (more) to do: published by somebody else, stopped or discarded meanwhile.
    """
    with transaction.atomic():
        found = Division.objects.get(stages__draws=draw_id)
        event = lock_event(found.tournament_id)
        division = lock_division(found.pk)
        draw = _locked(draw_id)
        due = draw.publish_at is not None and draw.publish_at <= now
        if draw.state != Draw.State.DRAFT or not due or not division.tournament.is_open:
            return None
        draw.stage.division = division
        if _is_outdated(division, draw):
            draw.state, draw.claimed_at, draw.publish_at = Draw.State.REQUESTED, None, None
            draw.save(update_fields=["state", "claimed_at", "publish_at"])
            transaction.on_commit(lambda: hint(MAKE_DRAFT, draw.pk), robust=True)
        else:
            _publish(division, draw, event=event, by=SYSTEM, now=now)
    return draw


def stop_countdown(*, division: Division, after: int, by: Actor, now: datetime) -> Draw:
    """Leaves a draft that would publish itself to the directors. Refused: `stale`, `no_countdown`."""
    with transaction.atomic():
        row = lock_division(division.pk)
        if row.seq != after:
            raise Refused("stale")
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.DRAFT).exclude(publish_at=None).first()
        if draw is None:
            raise Refused("no_countdown")
        draw.publish_at = None
        draw.save(update_fields=["publish_at"])
        row.seq += 1
        row.save(update_fields=["seq"])
        log(by, "countdown_stopped", row.topic, club=row.tournament.club, number=draw.number, round=draw.round)
    return draw


def _note_ratings(ratings: Mapping[int, float]) -> None:
    """The rating each had when the draw was made, for the bracket page."""
    entries = Entry.objects.in_bulk(list(ratings))
    for entry in entries.values():
        entry.rating = ratings[entry.pk]
    Entry.objects.bulk_update(entries.values(), ["rating"], batch_size=500)


def _locked(draw_id: int) -> Draw:
    return for_update(Draw.objects.select_related("stage")).get(pk=draw_id)


def publish_draw(*, division: Division, after: int, by: Actor, now: datetime) -> Draw:
    """Makes the draft the draw: the bracket stands, its first matches are open, the seed is public.

    Refused: `stale`, `no_draft`, `draft_outdated`, `tournament_not_open`, `season_past`.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        if row.seq != after:
            raise Refused("stale")
        if not row.tournament.is_open:
            raise Refused("tournament_not_open")
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.DRAFT).select_related("stage").first()
        if draw is None:
            raise Refused("no_draft")
        draw.stage.division = row
        if _is_outdated(row, draw):
            raise Refused("draft_outdated")
        _refuse_past_season(draw.stage, now)
        _publish(row, draw, event=event, by=by, now=now)
    return draw


def _refuse_past_season(stage: Stage, now: datetime) -> None:
    """A league whose last day is over would be closed as soon as it is published, with no match played."""
    end = season_end(stage)
    if end is not None and end <= now:
        raise Refused("season_past", until=settings_of(stage).until)


def _is_outdated(division: Division, draw: Draw) -> bool:
    """Whether the draft is not of those who are in, or not of the scores as they are now."""
    if draw.round:
        return pairings.is_outdated(division, draw)
    entered = set(division.entries.filter(status=Entry.Status.IN).values_list("pk", flat=True))
    return entered != {place for place in draw.places if place is not None}


def _publish(division: Division, draw: Draw, *, event: Tournament, by: Actor, now: datetime) -> None:
    """Writes what the draft says into the plan, and brings the division up to it; `event` is locked."""
    draw.state, draw.published_at, draw.publish_at = Draw.State.PUBLISHED, now, None
    draw.save(update_fields=["state", "published_at", "publish_at"])
    stage = draw.stage
    stage.division = division
    deadlines = round_deadlines(stage)
    if draw.round:
        pairings.store_round_of(draw, deadlines, event=event)
    else:
        plan_stage(stage, sources_of(draw.places), event=event, draft=draw.number, deadlines=deadlines)
        plan_following(stage, event)
    if division.status == Division.Status.ENTRIES:
        division.status = Division.Status.RUNNING
        division.save(update_fields=["status"])
        Tournament.objects.filter(pk=division.tournament_id).update(status=Tournament.Status.RUNNING)
    told = {"round": draw.round} if draw.round else {}
    log(by, "draw_published", division.topic, club=division.tournament.club, number=draw.number, **told)
    settle(division, by=by, now=now)


def open_requests(now: datetime) -> list[int]:
    """Draws that nobody is making: what the sweep tells workers again."""
    unclaimed = Q(claimed_at=None, made_at__lt=now - resend_after())
    lost = Q(claimed_at__lt=now - claim_lasts())
    rows = Draw.objects.filter(unclaimed | lost, state=Draw.State.REQUESTED)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])
