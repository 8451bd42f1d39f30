"""The draw: a private draft made by a worker, redrawn only with a reason, and published.

All drafts of a stage come from one secret seed whose hash is shown from the start, each with the next number, so the
published page can say how many there were and why (tournaments.formats.lots tells how anybody repeats a draw).
"""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from engine.errors import Refused
from matches.services.ratings import ratings_of
from players.actors import SYSTEM, Actor, log
from players.models import Membership
from players.queue import hint
from tournaments.formats import knockout
from tournaments.formats.lots import commitment
from tournaments.models import Division, Draw, Entry, Stage, Tournament
from tournaments.plans import store
from tournaments.services.settle import lock, settle

MAKE_DRAFT = "tournaments.make_draft"
"""The task that a hint names."""
LEAST_ENTRIES = 2
CLAIM_HOLDS = timedelta(seconds=60)
HINT_AGE = timedelta(seconds=10)
SWEEP_AT_ONCE = 50


def request_draw(*, division: Division, by: Actor, now: datetime, reason: str = "") -> Draw:
    """Asks for a draft; a worker makes it. A redraw needs a reason, which will be public.

    Refused: `division_drawn`, `too_few_entries`, `draft_in_work`, `reason_needed`.
    """
    with transaction.atomic():
        row = lock(division.pk)
        if row.status != Division.Status.ENTRIES:
            raise Refused("division_drawn")
        count = row.entries.filter(status=Entry.Status.IN).count()
        if count < LEAST_ENTRIES:
            raise Refused("too_few_entries", count=count)
        stage = first_stage(row)
        old = stage.draws.order_by("-number").first()
        if old is not None and old.state == Draw.State.REQUESTED:
            raise Refused("draft_in_work")
        if old is not None and old.refusal is None and not reason.strip():
            raise Refused("reason_needed")
        if old is not None:
            old.state = Draw.State.DISCARDED
            old.save(update_fields=["state"])
        draw = Draw.objects.create(
            stage=stage,
            number=old.number + 1 if old else 1,
            state=Draw.State.REQUESTED,
            reason=reason.strip(),
            made_at=now,
            made_by=by.user,
        )
        transaction.on_commit(lambda: hint(MAKE_DRAFT, draw.pk), robust=True)
        log(by, "draw_requested", row.topic, club=row.tournament.club, number=draw.number, reason=draw.reason)
    return draw


def first_stage(division: Division) -> Stage:
    """The stage the entries go into; made with its secret seed when it is first asked for."""
    stage = division.stages.order_by("number").first()
    if stage is None:
        seed = secrets.token_bytes(32)
        stage = Stage.objects.create(division=division, seed=seed.hex(), seed_hash=commitment(seed))
    return stage


def make_draft(*, draw_id: int, now: datetime) -> Draw | None:
    """Draws what was asked for, outside any lock; None where another worker has it or there is nothing to do."""
    with transaction.atomic():
        draw = _locked(draw_id)
        held = draw.claimed_at is not None and draw.claimed_at > now - CLAIM_HOLDS
        if draw.state != Draw.State.REQUESTED or held:
            return None
        draw.claimed_at = now
        draw.save(update_fields=["claimed_at"])
    division = Division.objects.get(stages=draw.stage_id)
    entries = list(division.entries.filter(status=Entry.Status.IN).select_related("player").order_by("pk"))
    ratings = ratings_of(players=[entry.player_id for entry in entries], pool=division.pool)
    by_entry = {entry.pk: ratings[entry.player_id] for entry in entries}
    try:
        drawn = knockout.draw(
            by_entry,
            seed=bytes.fromhex(draw.stage.seed),
            draft=draw.number,
            seeds=knockout.seed_order(by_entry) if division.draw_method == Division.DrawMethod.RATING else (),
            apart=_club_mates(division, entries) if division.apart else (),
        )
    except Refused as refused:
        return _finish(draw_id, refusal={"code": refused.code, "params": refused.params})
    remarks = [
        {
            "code": "not_in_opposite_halves",
            "params": {"entries": sorted([meeting.first, meeting.second]), "round": meeting.round},
        }
        for meeting in drawn.meetings
    ]
    return _finish(draw_id, places=list(drawn.places), algorithm=drawn.algorithm, remarks=remarks, ratings=by_entry)


def _finish(draw_id: int, **what: object) -> Draw | None:
    """Writes the draft if the request still stands."""
    ratings = what.pop("ratings", {})
    with transaction.atomic():
        division = lock(Division.objects.get(stages__draws=draw_id).pk)
        draw = _locked(draw_id)
        if draw.state != Draw.State.REQUESTED:
            return None
        draw.state = Draw.State.DISCARDED if what.get("refusal") else Draw.State.DRAFT
        for field, value in what.items():
            setattr(draw, field, value)
        draw.save()
        _note_ratings(ratings)
        division.seq += 1
        division.save(update_fields=["seq"])
        log(SYSTEM, "drawn", division.topic, club=division.tournament.club, number=draw.number)
    return draw


def _note_ratings(ratings: object) -> None:
    """The rating each had when the draw was made, for the bracket page."""
    assert isinstance(ratings, dict)  # noqa: S101, given by make_draft
    entries = Entry.objects.in_bulk(list(ratings))
    for entry in entries.values():
        entry.rating = ratings[entry.pk]
    Entry.objects.bulk_update(entries.values(), ["rating"], batch_size=500)


def _locked(draw_id: int) -> Draw:
    return Draw.objects.select_for_update(no_key=True, of=("self",)).select_related("stage").get(pk=draw_id)


def _club_mates(division: Division, entries: list[Entry]) -> list[list[int]]:
    """Groups of entries whose players share a club other than the one that runs the event."""
    by_player = {entry.player_id: entry.pk for entry in entries}
    groups: dict[int, list[int]] = {}
    memberships = Membership.objects.filter(player__in=by_player, left_at=None)
    for club, player in memberships.exclude(club=division.tournament.club_id).values_list("club", "player"):
        groups.setdefault(club, []).append(by_player[player])
    return [group for group in groups.values() if len(group) > 1]


def publish_draw(*, division: Division, after: int, by: Actor, now: datetime) -> Draw:
    """Makes the draft the draw: the bracket stands, its first matches are open, the seed is public.

    Refused: `stale`, `no_draft`, `draft_outdated`, `tournament_not_open`.
    """
    with transaction.atomic():
        row = lock(division.pk)
        if row.seq != after:
            raise Refused("stale")
        if not row.tournament.is_open:
            raise Refused("tournament_not_open")
        draw = Draw.objects.filter(stage__division=row, state=Draw.State.DRAFT).select_related("stage").first()
        if draw is None or row.status != Division.Status.ENTRIES:
            raise Refused("no_draft")
        entered = set(row.entries.filter(status=Entry.Status.IN).values_list("pk", flat=True))
        if entered != {place for place in draw.places if place is not None}:
            raise Refused("draft_outdated")
        draw.state, draw.published_at = Draw.State.PUBLISHED, now
        draw.save(update_fields=["state", "published_at"])
        graph = knockout.knockout(draw.places)
        store(draw.stage, graph, lengths=row.round_lengths or [row.match_length], deadlines=round_deadlines(draw.stage))
        Stage.objects.filter(pk=draw.stage_id).update(status=Stage.Status.RUNNING)
        row.status = Division.Status.RUNNING
        row.save(update_fields=["status"])
        Tournament.objects.filter(pk=row.tournament_id).update(status=Tournament.Status.RUNNING)
        log(by, "draw_published", row.topic, club=row.tournament.club, number=draw.number)
        settle(row, by=by, now=now)
    return draw


def round_deadlines(stage: Stage) -> dict[int, datetime]:
    """The instants at which the rounds end, as the division's settings give them."""
    given = stage.settings.get("deadlines", [])
    return {number: datetime.fromisoformat(text) for number, text in enumerate(given, start=1) if text}


def open_requests(now: datetime) -> list[int]:
    """Draws that nobody is making: what the sweep tells workers again."""
    unclaimed = Q(claimed_at=None, made_at__lt=now - HINT_AGE)
    lost = Q(claimed_at__lt=now - CLAIM_HOLDS)
    rows = Draw.objects.filter(unclaimed | lost, state=Draw.State.REQUESTED)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])
