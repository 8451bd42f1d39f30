"""Making a batch: whoever is free is paired as soon as there is a suitable opponent, and called to a table at once.

A batch is considered whenever the autopilot looks for calls: after every change, and every few seconds by a sweep.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Sum

from engine.errors import Refused
from formats.continuous.rule import decide
from formats.continuous.state import NO_TABLE, PairingStep
from formats.elimination.from_lives import PLACES
from formats.elimination.knockout import bracket_size
from matches.models import Match
from players.actors import SYSTEM, Actor, log
from tournaments.floor.derivation import floor_state, seats_elsewhere, tables_elsewhere
from tournaments.floor.flows import Flow, flow_of, flow_stages, flows_of, length_of_pair, read_flows
from tournaments.floor.halls import floors_beside
from tournaments.floor.journal import FactTarget, lock_floor, read_state, record
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import FloorState
from tournaments.models import Autopilot, Batch, Division, Fixture, Floor, FloorKind, PendingBatch, Stage, Tournament
from tournaments.state.locks import division_changed, lock_division, lock_event
from tournaments.state.pairings import NewBatch, NewPair, store_batch
from tournaments.state.plans import store_settings
from tournaments.state.settle import settle
from tournaments.state.versions import DivisionPart, refuse_stale

LOOK_ELSEWHERE_AFTER = timedelta(minutes=1)
LOOK_AGAIN_AFTER = timedelta(minutes=5)
"""When the next batch is derived again at the latest; a later time was stored before the clock was set back."""


@dataclass(frozen=True)
class EventFlows:
    """The floor of an event and its stages without rounds, as they were read without a lock."""

    changes: int
    """What `changes_of` said before they were read."""
    floor: FloorState
    flows: Sequence[Flow]

    def flow(self, stage: Stage) -> Flow | None:
        """The flow of a stage; None before its first pairs are published."""
        return next((row for row in self.flows if row.stage.pk == stage.pk), None)


class DueBatches(NamedTuple):
    """The batches that were made, and a state of the floor from which one knows whether anything else can be called."""

    batches: Sequence[Batch]
    floor: FloorState | None
    """None where it has to be derived."""
    is_waiting: bool = False
    """Whether a batch that is due was not made, since the autopilot waits."""


def make_due_batches(*, tournament_id: int, now: datetime, waits: Callable[[], bool] = lambda: False) -> DueBatches:
    """Make the batches of an event that are due, if its autopilot calls by itself and does not wait.

    Those without pairs end a stage: no match is called with them, so they are made whatever the autopilot does.
    """
    rows = Tournament.objects.select_related("club").prefetch_related("divisions__stages")
    tournament = rows.get(pk=tournament_id)
    batches: list[Batch] = []
    derived: EventFlows | None = None
    floor: FloorState | None = None
    is_waiting = False
    for stage, pending in _with_pending(flow_stages(tournament)):
        changes = changes_of(tournament) if derived is None else derived.changes
        if pending is not None and pending.for_seq == changes and _is_early(pending.due_at, now):
            continue
        derived = derived or _derive(tournament, now, changes)
        flow, floor = derived.flow(stage), derived.floor
        if flow is not None and _is_switched_by_the_clock(flow, now):
            _switch_by_the_clock(stage, now)
            derived, floor = None, None
        elif flow is not None and _is_to_be_made(flow, floor):
            if waits():
                is_waiting = True
                continue
            batch = _make(stage, derived, by=SYSTEM, now=now, forced=False, after=None)
            # The pairs of a batch are called with it, each to its table; so nothing waits that did not wait before.
            derived, floor = None, None if floor.queue or batch is None else floor
            batches += [batch] if batch is not None else []
        elif flow is not None and floor.pause is None:
            _remember(flow, pending, derived, now)
    return DueBatches(batches, floor, is_waiting)


def _is_early(due_at: datetime | None, now: datetime) -> bool:
    return due_at is None or now < due_at <= now + LOOK_AGAIN_AFTER


def _with_pending(stages: Sequence[Stage]) -> list[tuple[Stage, PendingBatch | None]]:
    """Return the stages with when the next batch of each may be due, if that was derived before."""
    pending = {row.stage_id: row for row in PendingBatch.objects.filter(stage__in=stages)} if stages else {}
    return [(stage, pending.get(stage.pk)) for stage in stages]


def _derive(tournament: Tournament, now: datetime, changes: int) -> EventFlows:
    floor = floor_state(load_facts(tournament, now), now)
    return EventFlows(changes, floor, flows_of(tournament, floor, now))


def pair_now(*, stage: Stage, after: int, by: Actor, now: datetime, reason: str = "") -> Batch:
    """Make the next batch at once. `after` is the division's `seq`.

    One that is not due yet needs a reason, which is public. Refused: `stale`, `reason_needed`, `tournament_not_open`,
    `event_paused`, `nobody_to_pair`.
    """
    tournament = stage.division.tournament
    derived = _derive(tournament, now, changes_of(tournament))
    flow = derived.flow(stage)
    if flow is not None and _is_switched_by_the_clock(flow, now):
        _switch_by_the_clock(stage, now)
        raise Refused("nobody_to_pair")
    batch = _make(stage, derived, by=by, now=now, forced=True, after=after, reason=reason.strip())
    if batch is None:
        raise Refused("nobody_to_pair")
    return batch


def changes_of(tournament: Tournament) -> int:
    """Return a number that grows with every change of an event, of its floor or those beside it, or of its matches."""
    topics = [division.topic for division in tournament.divisions.all()]
    matches = Match.objects.filter(parent_topic__in=topics).order_by().values("parent_topic")
    changes = Division.objects.filter(tournament=tournament).order_by().values_list("seq")
    changes = changes.union(
        floors_beside(tournament.pk).order_by().values_list("seq"),
        matches.annotate(changes=Sum("seq")).values_list("changes"),
        all=True,
    )
    return int(sum(number for (number,) in changes))


def _make(
    stage: Stage, derived: EventFlows, *, by: Actor, now: datetime, forced: bool, after: int | None, reason: str = ""
) -> Batch | None:
    """Make the next batch; what was derived before anything was locked stands unless something has changed since."""
    with transaction.atomic():
        try:
            event = lock_event(stage.division.tournament_id)
            floor = lock_floor(event.pk, now)
        except Refused:
            if forced:
                raise
            return None
        division = lock_division(stage.division_id)
        refuse_stale(division, after, by=by)
        state = derived.floor
        if changes_of(stage.division.tournament) != derived.changes:
            state = read_state(floor, now)
            derived = replace(derived, flows=read_flows(event, state, now, derived.flows).flows)
        if state.pause is not None and forced:
            raise Refused("event_paused")
        flow = derived.flow(stage)
        if (
            flow is None
            or not (forced or _is_to_be_made(flow, state))
            or not (flow.granted or flow.decision.byes or flow.decision.missed)
        ):
            return None
        if forced and not flow.is_due and not reason:
            raise Refused("reason_needed")
        return _store(flow, event=event, floor=floor, division=division, reason=reason, by=by, now=now)


def _is_switched_by_the_clock(flow: Flow, now: datetime) -> bool:
    """Whether the bracket is to have as many places as are needed now."""
    return flow.pool.is_time_up(now) and flow.decision.action is PairingStep.SWITCH


def _switch_by_the_clock(stage: Stage, now: datetime) -> None:
    """Let the bracket have as many places as are needed now; then it is drawn."""
    with transaction.atomic():
        try:
            event = lock_event(stage.division.tournament_id)
            floor = lock_floor(event.pk, now)
        except Refused:
            return
        division = lock_division(stage.division_id)
        flow = flow_of(stage, event, read_state(floor, now), now)
        if flow is None or not _is_switched_by_the_clock(flow, now):
            return
        places = bracket_size(sum(PLACES[player.left] for player in flow.pool.players))
        store_settings(flow.stage, replace(flow.pool.settings, qualifiers=places))
        log(SYSTEM, "switched_by_clock", division.topic, club=event.club, places=places)
        settle(division, by=SYSTEM, now=now)
        division_changed(division)


def _is_to_be_made(flow: Flow, floor: FloorState) -> bool:
    """Whether the next batch of a stage is made now without a director."""
    is_allowed = floor.facts.autopilot == Autopilot.CALL or not flow.decision.pairs
    return floor.pause is None and is_allowed and flow.is_due


def _remember(flow: Flow, pending: PendingBatch | None, derived: EventFlows, now: datetime) -> None:
    """Note when the next batch may be due although nothing happens."""
    moments: list[datetime | None] = [player.joins_at for player in flow.pool.players if player.left > 0]
    if seats_elsewhere(derived.floor.facts, now) or tables_elsewhere(derived.floor.facts):
        # Nothing here says when somebody leaves a table in another event.
        moments.append(now + LOOK_ELSEWHERE_AFTER)
    moments += [flow.decision.due_at, flow.decision.changes_at, derived.floor.changes_at, flow.pool.switch_at]
    due = min((moment for moment in moments if moment is not None and moment > now), default=None)
    due = due and min(due, now + LOOK_AGAIN_AFTER)
    values = {"due_at": due, "for_seq": derived.changes}
    if pending is None:
        PendingBatch.objects.update_or_create(stage=flow.stage, defaults=values)
    elif (pending.due_at, pending.for_seq) != (due, derived.changes):
        PendingBatch.objects.filter(pk=pending.pk).update(**values)


def _store(
    flow: Flow, *, event: Tournament, floor: Floor, division: Division, reason: str, by: Actor, now: datetime
) -> Batch:
    pairs = [pair for pair, _table in flow.granted]
    is_whole = len(pairs) in (0, len(flow.decision.pairs))
    decision = flow.decision if is_whole else decide(flow.pool, now, len(pairs))
    new = replace(
        new_batch(flow),
        pairs=[NewPair(pair.first, pair.second, length_of_pair(flow, pair), pair.costs, pair.why) for pair in pairs],
        # With a table for every pair, the players set the limit.
        room=len(pairs) if len(pairs) < len(flow.decision.pairs) else max(len(pairs), len(decision.pool) // 2),
        missed=decision.missed,
        byes=decision.byes if len(pairs) == len(flow.decision.pairs) else (),
        forced=not flow.is_due,
        reason="" if flow.is_due else reason,
        private=decision.private,
    )
    flow.stage.division = division
    return store_and_call(flow, new, event, floor, by, now)


def new_batch(flow: Flow) -> NewBatch:
    """Return a batch without pairs, with the facts as they are; which table somebody needs is not among them."""
    in_pool = set(flow.decision.pool)
    return NewBatch(
        (),
        room=0,
        pool=[
            [player.entry, player.left, player.begun, player.joins_at.isoformat()]
            for player in flow.pool.players
            if player.entry in in_pool
        ],
        left_out=[
            [entry, _public(code), {name: _plain(value) for name, value in params.items()}]
            for entry, (code, params) in flow.decision.waits.items()
            if entry not in in_pool
        ],
        playing=[match.number for match in flow.pool.playing],
    )


def store_and_call(flow: Flow, new: NewBatch, event: Tournament, floor: Floor, by: Actor, now: datetime) -> Batch:
    """Store a batch and call its pairs to the tables granted to them; event, floor and division are locked."""
    stage, division = flow.stage, flow.stage.division
    batch = store_batch(stage, new, event=event, by=by, now=now)
    numbers = [row.number for row in batch.pairings.all()]
    club = division.tournament.club
    log(by, "batch_made", division.topic, club=club, batch=batch.number, fixtures=numbers)
    settled = settle(division, by=by, now=now, keep_waiting=True, part=DivisionPart.PAIRING)
    if not settled.opened:
        division_changed(division, part=DivisionPart.PAIRING)
    tables = floor.tournament.floor_tables.in_bulk([table for _pair, table in flow.granted if table is not None])
    fixtures = Fixture.objects.filter(pairing__batch=batch).order_by("number")
    opened = fixtures.select_related("match__player_0__user", "match__player_1__user")
    for fixture, (_pair, table) in zip(opened, flow.granted, strict=True):
        if table is not None:
            # Its match needs no lock: nobody else sees it before the commit.
            fixture.stage = stage
            record(floor, FloorKind.CALLED, FactTarget(fixture=fixture, table=tables[table]), by=by, now=now)
    return batch


def _public(code: str) -> str:
    return "no_opponent" if code == NO_TABLE else code


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
