"""Pairing without rounds: who is free and who waits why, the next batch, and what directors do about them.

Whoever is free is paired as soon as there is a suitable opponent, and called to a table at once. A batch is considered
whenever the autopilot looks for calls: after every change, and every few seconds by a sweep.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil, log2
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from engine.errors import Refused
from formats.continuous.rule import RESTING, against, decide
from formats.continuous.state import (
    ABSENT,
    AWAY,
    BUSY,
    NO_TABLE,
    FlowMatch,
    FlowPair,
    FlowPlayer,
    FlowState,
    PairingDecision,
    PairingStep,
    SettledMatch,
    moment_of,
)
from formats.elimination.from_lives import PLACES
from formats.elimination.knockout import bracket_size
from formats.graph import EntryId
from formats.plans import lengths_of
from formats.settings import BY_ROUND, LIVES, Leader
from matches.lifecycle.at_tables import AtTables
from matches.lifecycle.begun import has_begun, is_untouched
from matches.lifecycle.where import WhereFacts, where_is
from matches.models import Match
from players.actors import SYSTEM, Actor, log
from players.models import Player
from players.people.rows import PersonId
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import check_in
from tournaments.floor.derivation import ACTIVE, floor_state, seats_elsewhere, table_plan
from tournaments.floor.journal import (
    FactTarget,
    latest,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    refuse_over,
)
from tournaments.floor.notifications import notify_asked
from tournaments.floor.selectors import load_facts, rank_of
from tournaments.floor.sentences import objection, waits_for
from tournaments.floor.state import (
    FloorFacts,
    FloorMatchState,
    FloorState,
    MatchFacts,
    MatchOnFloor,
    MatchProgress,
    TableState,
)
from tournaments.floor.times import expected_minutes
from tournaments.models import (
    ON_PAPER,
    Autopilot,
    Batch,
    CheckIn,
    Division,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    MissedMatch,
    Pairing,
    PendingBatch,
    Stage,
    Table,
    Tournament,
)
from tournaments.state.derivation import StageState, states_of
from tournaments.state.floor import save_beginning
from tournaments.state.locks import division_changed, lock_division, lock_event, lock_unfinished_matches
from tournaments.state.names import club_of_each, shown_entry
from tournaments.state.pairings import NewBatch, NewPair, begun_counts, give_back, mark_undone, store_batch
from tournaments.state.plans import is_continuous, settings_of, store_settings
from tournaments.state.settle import let_go_on, settle
from tournaments.state.stage_rows import StageRows

logger = structlog.get_logger(__name__)
ASK_AFTER = timedelta(minutes=10)
"""How long after a score that is one point from the end both players are asked whether their match is over."""
WALK_MINUTES = 2
"""From a call to the table: a player is paired so long before the rest ends."""


# What the rule decides from, as the database and the floor have it.


@dataclass(frozen=True)
class Flow:
    """A stage without rounds that is being played: its facts, what the rule says now, and tables for its next pairs."""

    stage: Stage
    state: StageState
    pool: FlowState
    decision: PairingDecision
    """With a table for every pair."""
    granted: tuple[tuple[FlowPair, int | None], ...] = ()
    """The pairs that have a table now, with its id; None if the floor has no tables."""
    held: bool = False

    @property
    def division(self) -> Division:
        return self.stage.division

    @property
    def is_due(self) -> bool:
        """Whether the pairs that have a table are to be made now."""
        has_any = bool(self.granted or self.decision.byes or self.decision.missed)
        return self.decision.action == PairingStep.DRAW_NOW and has_any and not self.held

    def player(self, entry: EntryId) -> FlowPlayer:
        return next(player for player in self.pool.players if player.entry == entry)


def flow_stages(tournament: Tournament) -> list[Stage]:
    """Return the stages of an event that are being played without rounds, as `divisions__stages` may be prefetched."""
    stages = []
    divisions = [row for row in tournament.divisions.all() if row.status == Division.Status.RUNNING]
    for division in sorted(divisions, key=lambda row: (row.order, row.pk)):
        division.tournament = tournament
        for stage in sorted(division.stages.all(), key=lambda row: row.number):
            stage.division = division
            if stage.format in BY_ROUND and stage.status == Stage.Status.RUNNING and is_continuous(stage):
                stages.append(stage)
    return stages


class ReadFlows(NamedTuple):
    """The stages of an event that are being played without rounds, and those of which nothing can be derived."""

    flows: Sequence[Flow]
    faulty: Sequence[Stage]
    """Because of a fault in the program, which is logged: their directors do without the pairing."""


def flows_of(tournament: Tournament, floor: FloorState, now: datetime) -> Sequence[Flow]:
    """Return the stages of an event that are being played without rounds, each with its next pairs."""
    return read_flows(tournament, floor, now).flows


def read_flows(tournament: Tournament, floor: FloorState, now: datetime, decided: Sequence[Flow] = ()) -> ReadFlows:
    """Return the stages of an event that are being played without rounds, each with its next pairs.

    What was decided for the same time stands where the rule would decide from the same. A fault in one stage stays
    there: the others of the event go on.
    """
    earlier = {flow.stage.pk: flow for flow in decided}
    flows, faulty = [], []
    for stage in flow_stages(tournament):
        try:
            flow = _flow(stage, floor, now, earlier.get(stage.pk))
        except DatabaseError:
            raise  # No other stage could be read, either.
        except Exception:
            logger.exception("pairing_failed", division=stage.division.topic, stage=stage.number)
            faulty.append(stage)
        else:
            flows += [flow] if flow is not None else []
    return ReadFlows(_with_tables(flows, floor, now) if flows else [], faulty)


def _flow(stage: Stage, floor: FloorState, now: datetime, before: Flow | None) -> Flow | None:
    """Return a stage with its next pairs, `before` as it was decided; None if its first pairs are not published yet."""
    state = next(row for row in states_of(stage.division) if row.stage.pk == stage.pk)
    if not state.rows.of_division.paired.get(stage.pk):
        return None
    pool = _pool(stage, state, floor, now)
    is_decided = before is not None and before.pool == pool
    decision = before.decision if before and is_decided else decide(pool, now, len(pool.players))
    return Flow(stage, state, pool, decision, held=stage.public_id in floor.facts.pairing_held)


def _pool(stage: Stage, state: StageState, floor: FloorState, now: datetime) -> FlowState:
    rows, event = state.rows, state.event
    assert event is not None  # noqa: S101, a stage without rounds has one
    settings, division = rows.settings, rows.of_division
    begun = begun_counts(rows)
    number = event.next_round
    present = [player.entry for player in event.players if player.active(number)]
    clubs = club_of_each(stage.division, present) if stage.division.apart else {}
    standing = [row for row in rows.pairings if not row.taken_back]
    met: dict[frozenset[EntryId], tuple[int, ...]] = {}
    for at, row in enumerate(standing, start=1):
        pair = frozenset((row.first_id, row.second_id))
        met[pair] = (*met.get(pair, ()), at)
    playing = []
    for row in standing:
        if not state.progress.fixtures[row.number].over:
            fixture = rows.fixtures[row.number]
            playing.append(FlowMatch(row.number, (row.first_id, row.second_id), _counts(fixture, floor)))
    joins = _joins(state, standing, floor)
    busy = _busy_elsewhere(stage, floor)
    without_table = _without_table(floor) | seats_elsewhere(floor.facts, now).keys()
    players = []
    for entry in present:
        left = settings.lives - event.losses[entry] - rows.lives_missed.get(entry, 0)
        if settings.format != LIVES:
            left = (settings.rounds or 0) - begun[entry] - event.pairing_byes[entry]
        why, match = _why_not(division.entries[entry], floor, busy, now)
        if not why and not without_table.isdisjoint(floor.facts.people_in(division.entries[entry])):
            why = NO_TABLE
        players.append(
            FlowPlayer(
                entry, max(0, left), begun[entry], joins[entry], why, clubs.get(entry), match, event.scores[entry]
            ),
        )
    apart = {*division.kept_apart, *division.persons}
    return FlowState(
        settings,
        tuple(players),
        tuple(playing),
        met,
        frozenset(apart),
        bytes.fromhex(stage.seed),
        len(standing),
        tuple(_settled(state, standing, now - timedelta(minutes=settings.window))),
        moment_of(settings.switch_time, _began(rows), ZoneInfo(stage.division.tournament.time_zone)),
    )


def _began(rows: StageRows) -> datetime:
    """Return when the first pairs of a stage were published; there may have been none."""
    published = rows.of_division.paired[rows.stage.pk][0].published_at
    assert published is not None  # noqa: S101, it is published
    return published


def _settled(state: StageState, standing: Sequence[Pairing], since: datetime) -> Iterator[SettledMatch]:
    for row in standing:
        match = state.rows.fixtures[row.number].match
        if match is None or match.finished_at is None or not state.progress.fixtures[row.number].over:
            continue
        if match.finished_at > since:
            yield SettledMatch(match.finished_at, (row.first_id, row.second_id))


def _counts(fixture: Fixture, floor: FloorState) -> bool:
    """Whether others may not get too far ahead of a match that is going on."""
    match, row = fixture.match, floor.matches.get(fixture.pk)
    if match is not None and match.state == Match.State.DISPUTED:
        return False
    return row is None or not (row.facts.lead_waived or row.facts.adjourned is not None)


def _joins(state: StageState, standing: Sequence[Pairing], floor: FloorState) -> dict[EntryId, datetime]:
    """Return entry -> from when on it can be paired, as far as it is not in a match."""
    rows = state.rows
    began = _began(rows)
    rest = timedelta(minutes=max(0, floor.facts.settings.rest - WALK_MINUTES))
    joins: dict[EntryId, datetime] = {}
    for entry, row in rows.of_division.entries.items():
        moments = [began, row.entered_at, *([row.checked_in_at] if row.checked_in_at is not None else [])]
        if row.away_until is not None:
            moments.append(row.away_until)
        joins[entry] = max(moments)
    for pairing in standing:
        match = rows.fixtures[pairing.number].match
        if match is None or match.finished_at is None:
            continue
        free = match.finished_at + (rest if has_begun(match) else timedelta())
        for entry in (pairing.first_id, pairing.second_id):
            joins[entry] = max(joins[entry], free)
    return joins


def _busy_elsewhere(stage: Stage, floor: FloorState) -> dict[PersonId, int]:
    """Return person -> the number of the match of another stage that they are called to or play."""
    others = [row for row in floor.matches.values() if row.facts.stage != stage.pk and row.state in ACTIVE]
    return {person: row.number for row in others for person in floor.facts.people_at(row.facts)}


def _without_table(floor: FloorState) -> Set[PersonId]:
    """Return who needs an accessible table while the event has some and none of them is free."""
    facts, accessible = floor.facts, Table.Category.ACCESSIBLE
    tables = [floor.tables[row.table] for row in facts.tables if row.category == accessible]
    usable = [row for row in tables if row.state != TableState.OUT]
    is_any_free = any(row.state in (TableState.FREE, TableState.KEPT) for row in usable)
    return set() if is_any_free or not usable else facts.needs_accessible


LOOK_ELSEWHERE_AFTER = timedelta(minutes=1)


def _why_not(entry: Entry, floor: FloorState, busy: Mapping[PersonId, int], now: datetime) -> tuple[str, int | None]:
    persons = floor.facts.people_in(entry)
    for person in persons:
        if person in busy:
            return BUSY, busy[person]
    if any(until > now for until in _away_until(entry, floor)):
        return AWAY, None
    if any(floor.presence.is_absent(person) for person in persons):
        return ABSENT, None
    return "", None


def _away_until(entry: Entry, floor: FloorState) -> list[datetime]:
    """Return when those who play with an entry and are away come back, as recorded in any division."""
    times = [floor.facts.away.get(person) for person in floor.facts.people_in(entry)]
    return [until for until in times if until is not None]


Place = tuple[bool, int, float, datetime, int]
"""The place of a match in the order of calls."""


# The tables of the hall: matches of brackets and rounds and the next pairs are called in one order.


def _with_tables(flows: Sequence[Flow], floor: FloorState, now: datetime) -> list[Flow]:
    """Return the flows with the pairs that have a table now; none have one during a pause."""
    if floor.facts.tables and floor.pause is not None:
        return list(flows)
    if not floor.facts.tables:
        return [replace(flow, granted=_without_tables(flow)) for flow in flows]
    free = {row.facts.table for row in floor.tables.values() if row.state in (TableState.FREE, TableState.KEPT)}
    at_tables = [row for row in floor.matches.values() if row.table is not None]
    plan = table_plan(floor.facts, free, {person for row in at_tables for person in floor.facts.people_at(row.facts)})
    granted: dict[int, list[tuple[FlowPair, int | None]]] = {at: [] for at in range(len(flows))}
    taken: set[int] = set()
    called: set[PersonId] = set()
    for flow_at, pair, row in _in_order(flows, floor, now):
        persons = set(plan.persons(row))
        if called & persons or plan.wanted(row, taken, floor.to_come, now) is not None:
            continue
        if (table := plan.best(row, taken)) is None:
            continue
        taken.add(table.table)
        called |= persons
        if flow_at is not None and pair is not None:
            granted[flow_at].append((pair, table.table))
    return [replace(flow, granted=tuple(granted[at][: _most(flow)])) for at, flow in enumerate(flows)]


def _in_order(
    flows: Sequence[Flow], floor: FloorState, now: datetime
) -> Iterator[tuple[int | None, FlowPair | None, MatchOnFloor]]:
    """Yield what is called next: the matches that wait, among which the next pair of each flow takes its place.

    The pairs of a flow keep the order in which the rule has them.
    """
    queue = deque(floor.matches[fixture] for fixture in floor.queue)
    pairs = [deque((pair, _as_match(flow, pair, floor.facts)) for pair in flow.decision.pairs) for flow in flows]
    while queue or any(pairs):
        heads = [(_place(own[0][1], now), at) for at, own in enumerate(pairs) if own]
        if queue:
            heads.append((_place(queue[0], now), len(pairs)))
        _first, at = min(heads)
        if at == len(pairs):
            yield None, None, queue.popleft()
        else:
            yield at, *pairs[at].popleft()


def _most(flow: Flow) -> int:
    """Return the most pairs that can be made before the bracket is drawn."""
    places = flow.decision.places_left
    return len(flow.decision.pairs) if places is None else places


def _without_tables(flow: Flow) -> tuple[tuple[FlowPair, int | None], ...]:
    room = flow.division.tournament.tables_for(len(flow.pool.players)) - len(flow.pool.playing)
    return tuple((pair, None) for pair in flow.decision.pairs[: max(0, min(room, _most(flow)))])


def _place(row: MatchOnFloor, now: datetime) -> Place:
    match = row.facts
    return not match.pinned, match.rank, -row.critical_minutes, match.since or now, match.number


def _as_match(flow: Flow, pair: FlowPair, floor: FloorFacts) -> MatchOnFloor:
    """Return a pair as a match that waits for a table."""
    entries, tournament = flow.state.rows.of_division.entries, flow.division.tournament
    players = (entries[pair.first].player_id, entries[pair.second].player_id)
    left = max(flow.player(pair.first).left, flow.player(pair.second).left)
    still_in = sum(player.left > 0 for player in flow.pool.players)
    length = length_of_pair(flow, pair)
    facts = MatchFacts(
        fixture=-pair.first,
        number=tournament.last_number + 1,
        stage=flow.stage.pk,
        round=0,
        rank=rank_of("", is_side=flow.division.is_side),
        length=length,
        progress=MatchProgress.OPEN,
        pair=players,
        excused=floor.excused_from(flow.division.pk, players),
        since=max(flow.player(pair.first).joins_at, flow.player(pair.second).joins_at),
    )
    where = where_is(facts, WhereFacts(AtTables(facts.seating({}))))
    critical = expected_minutes(length) * (ceil(log2(max(2, still_in))) + left - 1)
    return MatchOnFloor(facts, FloorMatchState.WAITING, where, critical_minutes=critical)


def length_of_pair(flow: Flow, pair: FlowPair) -> int:
    """Return the match length of a pair: that of the later of their own match numbers, or that of a small field."""
    lengths = lengths_of(flow.pool.settings, "", flow.division.lengths)
    number = max(flow.player(pair.first).begun, flow.player(pair.second).begun)
    still_in = sum(player.left > 0 for player in flow.pool.players)
    return flow.pool.settings.length_of_new(lengths[min(number, len(lengths) - 1)], still_in)


# Making a batch.


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
    """Make the batches of an event that are due, if its autopilot calls by itself and does not wait."""
    rows = Tournament.objects.select_related("club").prefetch_related("divisions__stages")
    tournament = rows.get(pk=tournament_id)
    batches: list[Batch] = []
    derived: EventFlows | None = None
    floor: FloorState | None = None
    is_waiting = False
    for stage, pending in _with_pending(flow_stages(tournament)):
        changes = changes_of(tournament) if derived is None else derived.changes
        if pending is not None and pending.for_seq == changes and not (pending.due_at and pending.due_at <= now):
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


def _with_pending(stages: Sequence[Stage]) -> list[tuple[Stage, PendingBatch | None]]:
    """Return the stages with when the next batch of each may be due, if that was derived before."""
    pending = {row.stage_id: row for row in PendingBatch.objects.filter(stage__in=stages)} if stages else {}
    return [(stage, pending.get(stage.pk)) for stage in stages]


def _derive(tournament: Tournament, now: datetime, changes: int) -> EventFlows:
    floor = floor_state(load_facts(tournament), now)
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
    """Return a number that grows with every change of an event, of its floor or of one of its matches."""
    topics = [division.topic for division in tournament.divisions.all()]
    matches = Match.objects.filter(parent_topic__in=topics).order_by().values("parent_topic")
    changes = Division.objects.filter(tournament=tournament).order_by().values_list("seq")
    changes = changes.union(
        Floor.objects.filter(tournament=tournament).order_by().values_list("seq"),
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
        if after is not None and division.seq != after:
            raise Refused("stale")
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
        flow = next((row for row in flows_of(event, read_state(floor, now), now) if row.stage.pk == stage.pk), None)
        if flow is None or not _is_switched_by_the_clock(flow, now):
            return
        places = bracket_size(sum(PLACES[player.left] for player in flow.pool.players))
        store_settings(flow.stage, replace(flow.pool.settings, qualifiers=places))
        log(SYSTEM, "switched_by_clock", division.topic, club=event.club, places=places)
        settle(division, by=SYSTEM, now=now)
        division_changed(division)


def _is_to_be_made(flow: Flow, floor: FloorState) -> bool:
    """Whether the autopilot makes the next batch of a stage now."""
    return floor.pause is None and floor.facts.autopilot == Autopilot.CALL and flow.is_due


def _remember(flow: Flow, pending: PendingBatch | None, derived: EventFlows, now: datetime) -> None:
    """Note when the next batch may be due although nothing happens."""
    moments: list[datetime | None] = [player.joins_at for player in flow.pool.players if player.left > 0]
    if seats_elsewhere(derived.floor.facts, now):
        # Nothing here says when somebody leaves a table of another event.
        moments.append(now + LOOK_ELSEWHERE_AFTER)
    moments += [flow.decision.due_at, flow.decision.changes_at, derived.floor.changes_at, flow.pool.switch_at]
    due = min((moment for moment in moments if moment is not None and moment > now), default=None)
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
        _new_batch(flow),
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
    return _store_and_call(flow, new, event, floor, by, now)


def _new_batch(flow: Flow) -> NewBatch:
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


def _store_and_call(flow: Flow, new: NewBatch, event: Tournament, floor: Floor, by: Actor, now: datetime) -> Batch:
    """Store a batch and call its pairs to the tables granted to them; event, floor and division are locked."""
    stage, division = flow.stage, flow.stage.division
    batch = store_batch(stage, new, event=event, by=by, now=now)
    numbers = [row.number for row in batch.pairings.all()]
    club = division.tournament.club
    log(by, "batch_made", division.topic, club=club, number=batch.number, fixtures=numbers)
    settled = settle(division, by=by, now=now, keep_waiting=True)
    if not settled.opened:
        division_changed(division)
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


# What directors do about pairings.


def undo_pairing(
    *,
    fixture: Fixture,
    code: str,
    by: Actor,
    now: datetime,
    side: int | None = None,
    person: Player | None = None,
) -> Pairing:
    """Take back a pairing whose match has not begun; both players are free again as before.

    The same two would be paired again, so `code` says why not: `missing` needs the side that is not here, who is
    marked as missing (of a pair, `person` or both), and `not_these_two` keeps them apart from now on. Taking it back
    twice changes nothing.
    Refused: `not_a_pairing`, `pairing_begun`, `tournament_not_open`, `stale`, `not_of_pair`.
    """
    with transaction.atomic():
        lock_floor(fixture.stage.division.tournament_id, now)
        division = lock_division(fixture.stage.division_id)
        pairing = Pairing.objects.select_related("first", "second").filter(fixture=fixture).first()
        if pairing is None:
            raise Refused("not_a_pairing", fixture=fixture.number)
        if pairing.taken_back:
            return pairing
        _locked, match = lock_fixture(fixture)
        if has_begun(match) or match.state not in (Match.State.OPEN, Match.State.LIVE):
            raise Refused("pairing_begun", fixture=fixture.number)
        mark_undone(pairing, code, by=by, now=now)
        params = {"number": pairing.number, "reason": pairing.get_taken_back_display(), "code": code}
        log(by, "pairing_taken_back", division.topic, club=division.tournament.club, **params)
        if code == Pairing.TakenBack.MISSING:
            entry = pairing.second if side else pairing.first
            check_in.mark(entry=entry, person=person, state=CheckIn.State.MISSING, by=by, now=now)
        elif code == Pairing.TakenBack.NOT_THESE_TWO:
            keep_apart(first=pairing.first, second=pairing.second, by=by, now=now)
        division.refresh_from_db()
        settle(division, by=by, now=now, keep_waiting=True)
    return pairing


def pair_by_hand(
    *, stage: Stage, first: Entry, second: Entry, reason: str, after: int, by: Actor, now: datetime
) -> Batch:
    """Pair two entries that a director has chosen, and call them to the next free table; the reason is public.

    Both must be free, but may rest, be ahead, have met or have unequal lives. `after` is the division's `seq`.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `event_paused`, `pair_is_one`, `not_free_to_pair`,
    `pair_not_allowed` for two who are kept apart or would meet again in a Swiss, `bracket_follows` if no pair can be
    made any more before the bracket is drawn, and `nobody_to_pair` if no table is free.
    """
    if first == second:
        raise Refused("pair_is_one")
    if not reason.strip():
        raise Refused("reason_needed")
    with transaction.atomic():
        event = lock_event(stage.division.tournament_id)
        floor = lock_floor(event.pk, now)
        division = lock_division(stage.division_id)
        if division.seq != after:
            raise Refused("stale")
        floor_state = read_state(floor, now)
        if floor_state.pause is not None:
            raise Refused("event_paused")
        flow = next((row for row in flows_of(event, floor_state, now) if row.stage.pk == stage.pk), None)
        if flow is None:
            raise Refused("nobody_to_pair")
        flow.stage.division = division
        for entry in (first, second):
            _refuse_not_free(flow, entry)
        pair = _chosen_pair(flow, first, second)
        (chosen,) = _with_tables([replace(flow, decision=replace(flow.decision, pairs=(pair,)))], floor_state, now)
        if flow.decision.places_left == 0:
            raise Refused("bracket_follows")
        if not chosen.granted:
            raise Refused("nobody_to_pair")
        new_pair = NewPair(pair.first, pair.second, length_of_pair(flow, pair), (), pair.why, reason.strip())
        # It says who was free, as any batch does; the pair is not one that the rule made.
        new = replace(_new_batch(flow), pairs=[new_pair], room=1, private=flow.decision.private)
        return _store_and_call(chosen, new, event, floor, by, now)


def objections(*, stage: Stage, first: Entry, second: Entry, now: datetime) -> list[str]:
    """Say what the rule has against two whom a director may pair by hand; nothing if it pairs them itself.

    Refused: `pair_is_one`, `nobody_to_pair` if the stage is over, and what `pair_by_hand` refuses in the two.
    """
    if first == second:
        raise Refused("pair_is_one")
    event = stage.division.tournament
    floor = Floor.objects.select_related("tournament").filter(tournament=event).first()
    flows = flows_of(event, read_state(floor, now), now) if floor is not None else []
    flow = next((row for row in flows if row.stage.pk == stage.pk), None)
    if flow is None:
        raise Refused("nobody_to_pair")
    for entry in (first, second):
        _refuse_not_free(flow, entry)
    _chosen_pair(flow, first, second)
    names = {entry.pk: shown_entry(entry, staff=True) for entry in (first, second)}
    numbers = [row.number for row in flow.state.rows.pairings if not row.taken_back]
    zone = ZoneInfo(event.time_zone)
    reasons = against(flow.pool, flow.decision, first.pk, second.pk, now)
    return [objection(code, params, names, numbers, zone) for code, params in reasons]


def _refuse_not_free(flow: Flow, entry: Entry) -> None:
    player = next((row for row in flow.pool.players if row.entry == entry.pk), None)
    in_match = {playing for match in flow.pool.playing for playing in match.pair}
    if player is None or player.left < 1 or player.blocked not in ("", NO_TABLE) or entry.pk in in_match:
        raise Refused("not_free_to_pair", name=entry.player.shown_name)


def _chosen_pair(flow: Flow, first: Entry, second: Entry, *, on_paper: bool = False) -> FlowPair:
    low, high = sorted((first, second), key=lambda entry: entry.pk)
    both = frozenset((low.pk, high.pk))
    settings = flow.pool.settings
    would_repeat = settings.format != LIVES and not settings.allow_rematches and both in flow.pool.met
    if (both in flow.pool.forbidden and not on_paper) or would_repeat:
        raise Refused("pair_not_allowed", first=first.player.shown_name, second=second.player.shown_name)
    since = min(flow.player(low.pk).joins_at, flow.player(high.pk).joins_at)
    return FlowPair(low.pk, high.pk, (), since, (("manual", {}),))


FARTHEST_SLIP = 500
"""How far the number of a slip may be above all numbers of matches so far: m4100 is m410 mistyped."""


def pair_on_paper(*, stage: Stage, number: int, first: Entry, second: Entry, by: Actor, now: datetime) -> FloorEvent:
    """Record a pair that was made with cards while the site could not be reached, under the number of its slip.

    It is not checked against the rule, and not called: it is played, or was, so its match is held. Undoing the fact
    that is returned takes the pair back. The same slip again changes nothing. The match shows its players in the order
    of the slip.
    Refused: `tournament_not_open`, `pair_is_one`, `slip_out`, `slip_playing`, `slip_used`, `slip_too_far`,
    `bracket_follows` if no pair can be made any more before the bracket is drawn, and `pair_not_allowed` for two who
    would meet again in a Swiss.
    """
    if first == second:
        raise Refused("pair_is_one")
    with transaction.atomic():
        event = lock_event(stage.division.tournament_id)
        floor = lock_floor(event.pk, now)
        division = lock_division(stage.division_id)
        known = (
            Pairing.objects.filter(batch__stage=stage, number=number, taken_back="").select_related("fixture").first()
        )
        if known is not None and known.fixture is not None and known.is_on_paper:
            same = (known.first_id, known.second_id) == (first.pk, second.pk)
            if same and (held := latest(known.fixture, FloorKind.HELD)) is not None:
                return held
        _refuse_slip(event, number)
        flow = next((row for row in flows_of(event, read_state(floor, now), now) if row.stage.pk == stage.pk), None)
        if flow is None or flow.decision.places_left == 0:
            raise Refused("bracket_follows")
        flow.stage.division = division
        for entry in (first, second):
            _refuse_slip_of(flow, entry)
        pair = replace(_chosen_pair(flow, first, second, on_paper=True), why=((ON_PAPER, {}),))
        # In the order of the slip, in which its score is typed.
        new_pair = NewPair(first.pk, second.pk, length_of_pair(flow, pair), (), pair.why)
        new = replace(_new_batch(flow), pairs=[new_pair], room=1, private=flow.decision.private, slip=number)
        without_table = replace(flow, granted=((pair, None),))
        batch = _store_and_call(without_table, new, event, floor, by, now)
        (pairing,) = batch.pairings.select_related("fixture")
        assert pairing.fixture is not None  # noqa: S101, it was stored with it
        locked, _match = lock_fixture(pairing.fixture)
        return record(floor, FloorKind.HELD, FactTarget(fixture=locked, params={ON_PAPER: True}), by=by, now=now)


def _refuse_slip(event: Tournament, number: int) -> None:
    """Refuse a number that another match of the event has or had, or that is on no slip."""
    event.refresh_from_db(fields=["last_number"])
    if number < 1 or number > event.last_number + FARTHEST_SLIP:
        raise Refused("slip_too_far", fixture=number, last=event.last_number)
    fixtures = Fixture.objects.filter(stage__division__tournament=event, number=number)
    pairings = Pairing.objects.filter(batch__stage__division__tournament=event, number=number)
    if fixtures.exists() or pairings.exists():
        raise Refused("slip_used", fixture=number, next=event.last_number + 1)


def _refuse_slip_of(flow: Flow, entry: Entry) -> None:
    player = next((row for row in flow.pool.players if row.entry == entry.pk), None)
    playing = next((match.number for match in flow.pool.playing if entry.pk in match.pair), None)
    if playing is not None:
        raise Refused("slip_playing", name=entry.player.shown_name, fixture=playing)
    if player is None or player.left < 1:
        raise Refused("slip_out", name=entry.player.shown_name)


def stop_match(*, fixture: Fixture, by: Actor, now: datetime) -> Pairing:
    """Stop a match that goes on although one of its players is out since a result was corrected.

    It is void and costs nobody a life, and its pairing counts as taken back. Stopping it twice changes nothing.
    `let_stopped_go_on` undoes it.
    Refused: `not_a_pairing`, `not_to_be_stopped`, `match_finished` if its result was just entered,
    `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        division = lock_division(fixture.stage.division_id)
        pairing = Pairing.objects.select_related("first", "second").filter(fixture=fixture).first()
        if pairing is None:
            raise Refused("not_a_pairing", fixture=fixture.number)
        if pairing.taken_back:
            return pairing
        flows = flows_of(floor.tournament, read_state(floor, now), now)
        flow = next((row for row in flows if row.stage.pk == fixture.stage_id), None)
        if flow is None or fixture.number not in [match.number for match in out_and_playing(flow)]:
            raise Refused("not_to_be_stopped", fixture=fixture.number)
        locked, match = lock_fixture(fixture)
        if match.is_over:
            raise Refused("match_finished", fixture=fixture.number)
        record(floor, FloorKind.STOPPED, FactTarget(fixture=locked, params={"state": match.state}), by=by, now=now)
        mark_undone(pairing, Pairing.TakenBack.CORRECTION, by=by, now=now)
        params = {"number": pairing.number, "reason": pairing.get_taken_back_display()}
        log(by, "pairing_taken_back", division.topic, club=division.tournament.club, **params)
        settle(division, by=by, now=now, keep_waiting=True)
    return pairing


def paired_since_stop(stopped: FloorEvent) -> list[Pairing]:
    """Return the pairings of the players of a stopped match that were made since, which its going on takes back.

    Refused: `stop_built_on` if one of their matches has begun, `stop_before_bracket` if the bracket was drawn since.
    """
    fixture = stopped.fixture
    assert fixture is not None  # noqa: S101, the fact is about a match
    pairing = Pairing.objects.get(fixture=fixture)
    own = (pairing.first_id, pairing.second_id)
    since = Pairing.objects.filter(batch__stage=fixture.stage_id, batch__at__gte=stopped.at, taken_back="")
    since = since.filter(Q(first__in=own) | Q(second__in=own)).exclude(pk=pairing.pk)
    rows = list(since.select_related("fixture__match__player_0", "fixture__match__player_1").order_by("number"))
    for row in rows:
        if row.fixture is not None and row.fixture.match is not None and not is_untouched(row.fixture.match):
            raise Refused("stop_built_on", fixture=fixture.number, later=row.number)
    following = Stage.objects.filter(division=fixture.stage.division_id, number__gt=fixture.stage.number)
    if following.exclude(status=Stage.Status.PLANNED).exists():
        raise Refused("stop_before_bracket", fixture=fixture.number)
    return rows


def let_stopped_go_on(*, stopped: FloorEvent, by: Actor, now: datetime) -> None:
    """Let a stopped match go on as it was, and take back what its players were paired for since. The floor is locked.

    At its table, unless another match is there by now.
    Refused: as `paired_since_stop`.
    """
    fixture = stopped.fixture
    assert fixture is not None  # noqa: S101, the fact is about a match
    assert stopped.match_id is not None  # noqa: S101
    division = lock_division(fixture.stage.division_id)
    locked = lock_unfinished_matches([division], [stopped.match_id])
    for row in paired_since_stop(stopped):
        mark_undone(row, Pairing.TakenBack.GOES_ON, by=by, now=now)
        params = {"number": row.number, "reason": row.get_taken_back_display()}
        log(by, "pairing_taken_back", division.topic, club=division.tournament.club, **params)
    give_back(Pairing.objects.get(fixture=fixture))
    let_go_on(fixture, locked[stopped.match_id], stopped.params["state"], by=by, now=now)
    settle(division, by=by, now=now, locked=locked, keep_waiting=True)
    division_changed(division)


def out_and_playing(flow: Flow) -> list[FlowMatch]:
    """Return the matches that go on although a player of theirs has no lives left."""
    if flow.pool.settings.format != LIVES:
        return []
    out = {player.entry for player in flow.pool.players if player.left < 1}
    return [match for match in flow.pool.playing if out & set(match.pair)]


def waive_lead(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let nobody wait for a match: others may get further ahead of it. Doing it twice changes nothing.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`.
    """
    return _record_once(fixture, FloorKind.LEAD_WAIVED, by, now)


def ask_whether_over(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Ask both players whether their match is over.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        refuse_over(row)
        # Asked by hand, it is asked again.
        return _ask(floor, locked, match, row, {}, by, now)


def ask_about(
    floor: Floor, fixture: Fixture, match: Match, row: MatchOnFloor, params: dict[str, Any], by: Actor, now: datetime
) -> FloorEvent:
    """Ask both players whether their match is over, since a score was entered that decides it; once for each score.

    The floor and the match are locked.
    """
    asked = row.facts.asked
    if asked is not None and asked.params.get("score") == params["score"]:
        return FloorEvent.objects.select_related("tournament", "fixture", "match").get(pk=asked.id)
    return _ask(floor, fixture, match, row, params, by, now)


def _ask(
    floor: Floor, fixture: Fixture, match: Match, row: MatchOnFloor, params: dict[str, Any], by: Actor, now: datetime
) -> FloorEvent:
    if "score" in params and row.started_at is None:
        record(floor, FloorKind.STARTED, FactTarget(fixture=fixture), by=by, now=now)
    event = record(floor, FloorKind.ASKED, FactTarget(fixture=fixture, params=params), by=by, now=now)
    save_beginning(match)
    notify_asked(event)
    return event


def ask_due(*, tournament_id: int, now: datetime) -> list[FloorEvent]:
    """Ask in matches without rounds that were a point from the end `ASK_AFTER` ago or longer, once for each score."""
    scored = FloorEvent.objects.filter(
        tournament=tournament_id, kind=FloorKind.RUNNING_SCORE, undone_by=None, at__lte=now - ASK_AFTER,
        match__state=Match.State.OPEN, fixture__stage__format__in=BY_ROUND, fixture__stage__status=Stage.Status.RUNNING,
    )  # fmt: skip
    rows = Fixture.objects.filter(pk__in=scored.values("fixture")).select_related("stage__division", "match")
    asked = [_ask_if_near_end(row, now) for row in rows.order_by("match") if is_continuous(row.stage)]
    return [event for event in asked if event is not None]


def _ask_if_near_end(fixture: Fixture, now: datetime) -> FloorEvent | None:
    scores = FloorEvent.objects.filter(match=fixture.match, undone_by=None)
    last = scores.filter(kind__in=(FloorKind.RUNNING_SCORE, FloorKind.ASKED)).order_by("-pk").first()
    if last is None or not _is_near_end(last, fixture, now):
        return None
    with transaction.atomic():
        try:
            floor = lock_floor(fixture.stage.division.tournament_id, now)
            locked, match = lock_fixture(fixture)
            row = match_on_floor(read_state(floor, now), locked)
            refuse_over(row)
        except Refused:
            return None
        still = row.facts.scored is not None and row.facts.scored.id == last.pk and row.facts.asked is None
        return _ask(floor, locked, match, row, {}, SYSTEM, now) if still and match.state == Match.State.OPEN else None


def _is_near_end(last: FloorEvent, fixture: Fixture, now: datetime) -> bool:
    """Whether the last thing said of a match is a score a point from the end, long enough ago."""
    if last.kind != FloorKind.RUNNING_SCORE or last.at > now - ASK_AFTER or fixture.match is None:
        return False
    left, right = last.params["score"]
    return bool(max(left, right) >= fixture.match.length - 1)


def _record_once(fixture: Fixture, kind: FloorKind, by: Actor, now: datetime) -> FloorEvent:
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        refuse_over(match_on_floor(read_state(floor, now), locked))
        if (event := latest(locked, kind)) is not None:
            return event
        return record(floor, kind, FactTarget(fixture=locked), by=by, now=now)


def hold_pairing(*, stage: Stage, held: bool, by: Actor, now: datetime) -> FloorEvent | None:
    """Make no pairs for now, or let the pairing go on; None if that is so already."""
    with transaction.atomic():
        floor = lock_floor(stage.division.tournament_id, now)
        if (stage.public_id in read_state(floor, now).facts.pairing_held) == held:
            return None
        kind = FloorKind.PAIRING_HELD if held else FloorKind.PAIRING_GOES_ON
        return record(floor, kind, FactTarget(params={"stage": stage.public_id}), by=by, now=now)


def change_flow(
    *,
    stage: Stage,
    window: int,
    lead: int,
    leader: Leader,
    switch_time: str | None,
    late_until: str | None = None,
    after: int,
    by: Actor,
    now: datetime,
) -> Stage:
    """Change how a running stage is paired without rounds, from the next batch on; that is logged.

    `switch_time` and `late_until` are HH:MM at the event, "" for none, or None to leave them as they are. `after` is
    the division's `seq`.
    Refused: `stale`, `stage_over`, and what `StageSettings.checked` refuses.
    """
    with transaction.atomic():
        division = lock_division(stage.division_id)
        if division.seq != after:
            raise Refused("stale")
        row = Stage.objects.get(pk=stage.pk)
        if row.status != Stage.Status.RUNNING:
            raise Refused("stage_over")
        before = settings_of(row)
        switch = before.switch_time if switch_time is None else switch_time
        late = before.late_until if late_until is None else late_until
        settings = replace(
            before, window=window, lead=lead, leader=leader, switch_time=switch, late_until=late
        ).checked(division.lengths)
        names = ("window", "lead", "leader", "switch_time", "late_until")
        changes = {
            name: [str(getattr(before, name)), str(getattr(settings, name))]
            for name in names
            if getattr(before, name) != getattr(settings, name)
        }
        if changes:
            store_settings(row, settings)
            log(by, "flow_changed", division.topic, club=division.tournament.club, changes=changes)
            division_changed(division)
    return row


def undo_missed(*, missed: MissedMatch, reason: str, by: Actor, now: datetime) -> MissedMatch:
    """Take back that an entry missed a match while it was away; the reason is public.

    Taking it back twice changes nothing. Refused: `reason_needed`.
    """
    if not reason.strip():
        raise Refused("reason_needed")
    with transaction.atomic():
        division = lock_division(missed.stage.division_id)
        row = MissedMatch.objects.get(pk=missed.pk)
        if row.taken_back_at is not None:
            return row
        row.taken_back_at, row.taken_back_by, row.reason = now, by.user, reason.strip()
        row.save(update_fields=["taken_back_at", "taken_back_by", "reason"])
        params = {"entry": row.entry_id, "reason": row.reason}
        log(by, "missed_taken_back", division.topic, club=division.tournament.club, **params)
        settle(division, by=by, now=now, keep_waiting=True)
        division_changed(division)
    return row


# Who is free and waits why, for directors and for the player; nobody else is told who is free.


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who is still in and in no match: since when, and why, as a code of `sentences` with its parameters."""

    entry: Entry
    left: int
    lives: int
    begun: int
    since: datetime
    code: str
    params: Mapping[str, object]

    @property
    def is_here(self) -> bool:
        """Whether the player is here and in no other match."""
        return self.code not in (AWAY, ABSENT, BUSY)


def waiting_in(flow: Flow, floor: FloorState, now: datetime) -> list[Waiting]:
    """Return who waits in a stage without rounds, who has waited longest first."""
    granted = {entry for pair, _table in flow.granted for entry in (pair.first, pair.second)}
    in_match = {entry for match in flow.pool.playing for entry in match.pair}
    settings, rows = flow.pool.settings, flow.state.rows
    lives = settings.lives if settings.format == LIVES else (settings.rounds or 0)
    waiting = []
    for player in flow.pool.players:
        if player.left < 1 or player.entry in in_match:
            continue
        entry = rows.of_division.entries[player.entry]
        code: str
        params: Mapping[str, object]
        code, params = flow.decision.waits.get(player.entry, ("no_opponent", {}))
        if code == AWAY:
            params = {"until": max(_away_until(entry, floor), default=None)}
        elif code == "window":
            code, params = _why_not_paired(flow, floor, player.entry in granted, params)
        waiting.append(Waiting(entry, player.left, lives, player.begun, player.joins_at, code, params))
    return sorted(waiting, key=lambda row: (row.since, row.entry.pk))


def _why_not_paired(
    flow: Flow, floor: FloorState, has_table: bool, params: Mapping[str, object]
) -> tuple[str, Mapping[str, object]]:
    """Return why somebody for whom there is an opponent is not paired yet."""
    if floor.pause is not None:
        return "paused", {}
    if flow.held:
        return "held", {}
    if flow.decision.action == PairingStep.AFTER_WINDOW:
        return "window", params
    return ("ready" if has_table else "table"), {}


@dataclass(frozen=True, slots=True)
class HoldUp:
    """A match that goes on, and how many others wait until it is over; none if its players are asked all the same."""

    number: int
    fixture: int
    count: int


def hold_ups(flow: Flow, floor: FloorState) -> list[HoldUp]:
    """Return the matches that hold others up or may be over, those that hold up most first."""
    counts = Counter(
        params["match"] for code, params in flow.decision.waits.values() if code == "ahead" and "match" in params
    )
    fixtures = flow.state.rows.fixtures
    for match in flow.pool.playing:
        row = floor.matches.get(fixtures[match.number].pk)
        if row is not None and row.facts.asked is not None and row.state == FloorMatchState.PLAYING:
            counts.setdefault(match.number, 0)
    return [HoldUp(number, fixtures[number].pk, count) for number, count in counts.most_common()]


def why_they_wait(entries: Collection[Entry], now: datetime) -> Mapping[int, str]:
    """Return entry id -> since when and why it waits, or why it plays no more, in words to the player.

    Those that are in a match are left out.

    The entries are those of one reader, in divisions that are being played without rounds.
    """
    own = {entry.pk for entry in entries}
    waits: dict[int, str] = {}
    events = Tournament.objects.filter(divisions__entries__in=own).distinct().select_related("club")
    for event in events.prefetch_related("divisions__stages") if own else ():
        state = floor_state(load_facts(event), now)
        for flow in flows_of(event, state, now):
            for row in waiting_in(flow, state, now):
                if row.entry.pk in own:
                    waits[row.entry.pk] = you_wait(row, flow, ZoneInfo(event.time_zone))
            done = YOU_ARE_OUT if flow.pool.settings.format == LIVES else YOU_HAVE_PLAYED_ALL
            waits |= {entry: _(done) for entry in own & finished_in(flow)}
    return waits


YOU_ARE_OUT = gettext_noop("You are out: you have no lives left.")
YOU_HAVE_PLAYED_ALL = gettext_noop("You have played all your matches.")


def finished_in(flow: Flow) -> set[EntryId]:
    """Return who has no lives left, or in a Swiss no matches, and is in no match."""
    in_match = {entry for match in flow.pool.playing for entry in match.pair}
    return {player.entry for player in flow.pool.players if player.left < 1} - in_match


def you_wait(row: Waiting, flow: Flow, zone: ZoneInfo) -> str:
    """Return since when and why somebody waits, in words to them."""
    since = time_format(timezone.localtime(row.since, zone), "TIME_FORMAT")
    parts = [_("Free since %(time)s") % {"time": since}] if row.is_here and row.code != RESTING else []
    if flow.pool.settings.format == LIVES:
        parts.append(ngettext("%(count)d life left", "%(count)d lives left", row.left) % {"count": row.left})
    return f"{' · '.join(parts)}. {waits_for(row.code, row.params, zone, you=True)}"
