"""The draw: a worker makes a private draft, a new draft needs a reason, and a director publishes one.

All drafts of a stage are drawn from one secret seed whose hash is public from the start, and are numbered, so that the
published page can show how many there were and why. `formats.lots` explains how to repeat a draw.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.locks import for_update
from core.queue import claim_lasts, hint, resend_after
from engine.errors import Refused
from formats.plans import Drawn, check_field, draw_places, plan_of, sources_of
from formats.settings import BY_ROUND, MAX_COUNTDOWN
from matches.ratings.services import ratings_of
from players.actors import SYSTEM, Actor, log
from tournaments.draws import rounds
from tournaments.draws.rounds import DraftContent
from tournaments.events.services import publish_tournament
from tournaments.ledger.accounts import refuse_unpaid
from tournaments.models import Division, Draw, Entry, Stage, Tournament
from tournaments.state.advancement import MAKE_DRAFT, plan_following, plan_stage, replace_draft
from tournaments.state.locks import division_changed, lock_division, lock_event
from tournaments.state.names import club_mates
from tournaments.state.notifications import notify_published
from tournaments.state.places import fill_places
from tournaments.state.plans import is_continuous, season_end, settings_of
from tournaments.state.settle import settle
from tournaments.state.stage_rows import kept_apart
from tournaments.state.stages import first_stage, round_deadlines, seeding
from tournaments.state.versions import DivisionPart, refuse_stale

MIN_ENTRIES = 2
SWEEP_AT_ONCE = 50
LONGEST_COUNTDOWN = timedelta(seconds=MAX_COUNTDOWN)


def request_draw(*, division: Division, by: Actor, now: datetime, reason: str = "", here_only: bool = False) -> Draw:
    """Request a draft, which a worker makes. A new draft needs a reason, which will be public.

    If entries have changed since the last draft, that is the reason unless another is given. In a division that is
    being played it is a draft of the next round, if there is one to be replaced.

    With `here_only` the draft leaves out whoever is not checked in now; when it is published, they go on the waiting
    list.

    Nothing is drawn before the event is published, which puts its commitment on the club's list: otherwise a director
    could look at the drafts of several events and publish the one they like.
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
            return _draw_again(row, reason, by, now)
        fill_places(row, now)
        entered = row.entries.filter(status=Entry.Status.IN).order_by("pk").values_list("pk", "checked_in_at")
        here = {pk: at is not None for pk, at in entered}
        left_out = [pk for pk, is_here in here.items() if here_only and not is_here]
        taking_part = [pk for pk, is_here in here.items() if is_here or not here_only]
        if len(taking_part) < MIN_ENTRIES:
            raise Refused("too_few_entries", count=len(taking_part))
        stage = first_stage(row)
        stage.division = row
        _refuse_past_season(stage, now)
        old = stage.draws.order_by("-number").first()
        reason = reason.strip() or rounds.redraw_reason(old, taking_part)
        draw = replace_draft(stage, 1 if stage.format in BY_ROUND else 0, old=old, reason=reason, by=by, now=now)
        if left_out:
            draw.left_out = left_out
            draw.save(update_fields=["left_out"])
    return draw


def _draw_again(division: Division, reason: str, by: Actor, now: datetime) -> Draw:
    """Request another draft of a round, or of the first pairs of a later stage without rounds.

    Refused: `division_drawn` if there is no draft to be replaced, and what `request_round` refuses.
    """
    draft = Draw.objects.filter(stage__division=division, state=Draw.State.DRAFT).select_related("stage").first()
    if draft is not None and not is_continuous(draft.stage):
        return rounds.request_round(division=division, after=division.seq, reason=reason, by=by, now=now)
    started = division.stages.filter(number__gt=1, status=Stage.Status.RUNNING, format__in=BY_ROUND)
    unpaired = started.exclude(draws__state=Draw.State.PUBLISHED).order_by("number")
    stage = next((row for row in unpaired if is_continuous(row)), None)
    if stage is None:
        raise Refused("division_drawn")
    stage.division = division
    old = stage.draws.order_by("-number").first()
    event = rounds.current_event(division, stage)
    reason = reason.strip() or rounds.redraw_reason(old, rounds.to_be_paired(settings_of(stage), event))
    return replace_draft(stage, 1, old=old, reason=reason, by=by, now=now)


def publish_event_and_draw(
    *, division: Division, by: Actor, now: datetime, reason: str = "", here_only: bool = False
) -> Draw:
    """Publish the event, which puts its commitments on the club's list, and request a draft.

    Refused: what `publish_tournament` and `request_draw` refuse; then nothing is written.
    """
    with transaction.atomic():
        publish_tournament(tournament=division.tournament, by=by, now=now)
        return request_draw(division=division, by=by, now=now, reason=reason, here_only=here_only)


def make_draft(*, draw_id: int, now: datetime) -> Draw | None:
    """Make a requested draft, outside any lock; None if it is claimed by another worker or no longer requested."""
    with transaction.atomic():
        draw = _locked(draw_id)
        is_claimed = draw.claimed_at is not None and draw.claimed_at > now - claim_lasts()
        if draw.state != Draw.State.REQUESTED or is_claimed:
            return None
        draw.claimed_at = now
        draw.save(update_fields=["claimed_at"])
    division = Division.objects.select_related("tournament__club", "pool").get(pk=draw.stage.division_id)
    try:
        _check_field(division, draw)
    except Refused as refused:
        content = DraftContent(refusal={"code": refused.code, "params": refused.params})
    else:
        content = rounds.make_round(division, draw) if draw.round else _draw_stage(division, draw)
    return _finish(draw, content, now)


def _check_field(division: Division, draw: Draw) -> None:
    """Refuse stages that those who came cannot play, before the first of them is drawn."""
    if division.status == Division.Status.ENTRIES:
        entries = division.entries.filter(status=Entry.Status.IN).exclude(pk__in=draw.left_out)
        check_field([settings_of(stage) for stage in division.stages.order_by("number")], entries.count())


def _draw_stage(division: Division, draw: Draw) -> DraftContent:
    """Make the draft of a whole stage; nothing is written."""
    entries = division.entries.filter(status=Entry.Status.IN).exclude(pk__in=draw.left_out)
    players = dict(entries.order_by("pk").values_list("pk", "player_id"))
    ratings = ratings_of(players=list(players.values()), pool=division.pool, club=division.tournament.club)
    by_entry = {entry: ratings[player] for entry, player in players.items()}
    settings = settings_of(draw.stage)
    try:
        drawn = draw_places(
            settings,
            by_entry,
            seed=bytes.fromhex(draw.stage.seed),
            draft=draw.number,
            seeds=seeding(division, by_entry),
            apart=[*(club_mates(division, by_entry) if division.apart else ()), *kept_apart(division)],
        )
        plan_of(settings, sources_of(drawn.places), seed=bytes.fromhex(draw.stage.seed), draft=draw.number)
    except Refused as refused:
        return DraftContent(refusal={"code": refused.code, "params": refused.params})
    return DraftContent(places=list(drawn.places), algorithm=drawn.algorithm, remarks=_remarks(drawn), ratings=by_entry)


def _remarks(drawn: Drawn) -> list[dict[str, Any]]:
    """Return the pairs that could not be kept apart."""
    remarks: list[tuple[str, tuple[int, int], dict[str, int]]] = [
        ("not_in_opposite_halves", (meeting.first, meeting.second), {"round": meeting.round})
        for meeting in drawn.meetings
    ]
    remarks += [("in_one_group", pair, {}) for pair in drawn.in_one_group]
    return [{"code": code, "params": {"entries": sorted(pair), **more}} for code, pair, more in remarks]


def _finish(requested: Draw, content: DraftContent, now: datetime) -> Draw | None:
    """Write the draft if it is still requested, and start its countdown if it publishes itself."""
    with transaction.atomic():
        division = lock_division(requested.stage.division_id)
        draw = _locked(requested.pk)
        if draw.state != Draw.State.REQUESTED:
            return None
        draw.state = Draw.State.DISCARDED if content.refusal else Draw.State.DRAFT
        draw.places, draw.byes, draw.basis = content.places, content.byes, content.basis
        draw.algorithm, draw.remarks, draw.refusal = content.algorithm, content.remarks, content.refusal
        if draw.at_once and draw.state == Draw.State.DRAFT:
            draw.publish_at = now + timedelta(seconds=settings_of(draw.stage).countdown)
        draw.save()
        _store_ratings(content.ratings)
        division_changed(division)
        log(SYSTEM, "drawn", division.topic, club=division.tournament.club, number=draw.number)
    return draw


def due_drafts(now: datetime) -> list[int]:
    """Return the ids of drafts whose countdown is over, for the sweep that publishes them."""
    rows = Draw.objects.filter(state=Draw.State.DRAFT, stage__division__status=Division.Status.RUNNING)
    # A countdown that is longer than any began before the clock was set back.
    rows = rows.filter(Q(publish_at__lte=now) | Q(publish_at__gt=now + LONGEST_COUNTDOWN))
    return list(rows.order_by("publish_at", "pk").values_list("pk", flat=True))


def publish_due_draft(*, draw_id: int, now: datetime) -> Draw | None:
    """Publish a draft whose countdown is over; an outdated one is drawn again, with a new countdown.

    None if there is nothing to do, because it was published, stopped or discarded in the meantime.
    """
    with transaction.atomic():
        division_row = Division.objects.get(stages__draws=draw_id)
        event = lock_event(division_row.tournament_id)
        division = lock_division(division_row.pk)
        draw = _locked(draw_id)
        due = draw.publish_at is not None and not now < draw.publish_at <= now + LONGEST_COUNTDOWN
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
    """Stop the countdown of a draft, so that a director publishes it. Refused: `stale`, `no_countdown`."""
    with transaction.atomic():
        row = lock_division(division.pk)
        refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.DRAFT).exclude(publish_at=None).first()
        if draw is None:
            raise Refused("no_countdown")
        draw.publish_at = None
        draw.save(update_fields=["publish_at"])
        division_changed(row)
        log(by, "countdown_stopped", row.topic, club=row.tournament.club, number=draw.number, round=draw.round)
    return draw


def _store_ratings(ratings: Mapping[int, float]) -> None:
    """Store the ratings the draft was made with in the entries, for the bracket page."""
    rows = [Entry(pk=entry, rating=rating) for entry, rating in ratings.items()]
    Entry.objects.bulk_update(rows, ["rating"], batch_size=500)


def _locked(draw_id: int) -> Draw:
    return for_update(Draw.objects.select_related("stage")).get(pk=draw_id)


def publish_draw(*, division: Division, after: int, by: Actor, now: datetime) -> Draw:
    """Publish the draft: create the bracket, open its first matches and make the seed public.

    Refused: `stale`, `no_draft`, `draft_outdated`, `tournament_not_open`, `season_past`, and `unpaid_entries` if the
    cash desk says that everybody pays before the draw.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN, DivisionPart.ENTRIES])
        if not row.tournament.is_open:
            raise Refused("tournament_not_open")
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.DRAFT).select_related("stage").first()
        if draw is None:
            raise Refused("no_draft")
        draw.stage.division = row
        if _is_outdated(row, draw):
            raise Refused("draft_outdated")
        _refuse_past_season(draw.stage, now)
        row.entries.filter(pk__in=draw.left_out, status=Entry.Status.IN).update(status=Entry.Status.WAITING)
        if not draw.round:
            refuse_unpaid(row)
        _publish(row, draw, event=event, by=by, now=now)
    return draw


def _refuse_past_season(stage: Stage, now: datetime) -> None:
    """Refuse a league whose last day is over: it would end as soon as it is published, with no match played."""
    end = season_end(stage)
    if end is not None and end <= now:
        raise Refused("season_past", until=settings_of(stage).until)


def _is_outdated(division: Division, draw: Draw) -> bool:
    """Whether entries or scores have changed since the draft was made."""
    if draw.round:
        return rounds.is_outdated(division, draw)
    entered = set(division.entries.filter(status=Entry.Status.IN).values_list("pk", flat=True))
    return entered.difference(draw.left_out) != {place for place in draw.places if place is not None}


def _publish(division: Division, draw: Draw, *, event: Tournament, by: Actor, now: datetime) -> None:
    """Write the draft into the plan of its stage and settle the division; `event` must be locked."""
    draw.state, draw.published_at, draw.publish_at = Draw.State.PUBLISHED, now, None
    draw.save(update_fields=["state", "published_at", "publish_at"])
    stage = draw.stage
    stage.division = division
    deadlines = round_deadlines(stage)
    if draw.round and is_continuous(stage):
        rounds.store_first_batch(draw, event=event, by=by, now=now)
    elif draw.round:
        rounds.store_round_of(draw, deadlines, event=event)
    else:
        plan_stage(stage, sources_of(draw.places), event=event, draw=draw, deadlines=deadlines)
        plan_following(stage, event)
    if division.status == Division.Status.ENTRIES:
        division.status = Division.Status.RUNNING
        division.save(update_fields=["status"])
        Tournament.objects.filter(pk=division.tournament_id).update(status=Tournament.Status.RUNNING)
    log_params = {"round": draw.round} if draw.round else {}
    log(by, "draw_published", division.topic, club=division.tournament.club, number=draw.number, **log_params)
    settle(division, by=by, now=now, part=DivisionPart.PLAN)
    notify_published(division, draw, now)


def open_requests(now: datetime) -> list[int]:
    """Return the ids of requested draws that no worker has claimed, for the sweep that queues them again."""
    unclaimed = Q(claimed_at=None, made_at__lt=now - resend_after())
    lost = Q(claimed_at__lt=now - claim_lasts())
    rows = Draw.objects.filter(unclaimed | lost, state=Draw.State.REQUESTED)
    return list(rows.order_by("pk").values_list("pk", flat=True))
