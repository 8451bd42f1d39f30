"""Stages that are being played without rounds: what the rule says now, and tables for their next pairs.

Matches of brackets and rounds and the next pairs are called in one order.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil, log2
from typing import NamedTuple

import structlog
from django.db import DatabaseError

from formats.continuous.rule import decide
from formats.continuous.state import FlowPair, FlowPlayer, FlowState, PairingDecision, PairingStep
from formats.graph import EntryId
from formats.plans import lengths_of
from formats.settings import BY_ROUND
from matches.lifecycle.at_tables import AtTables
from matches.lifecycle.where import WhereFacts, where_is
from players.people.rows import PersonId
from tournaments.floor.derivation import table_plan
from tournaments.floor.flow_state import flow_state_of
from tournaments.floor.selectors import rank_of
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
from tournaments.models import Division, Stage, Tournament
from tournaments.state.derivation import StageState, states_of
from tournaments.state.plans import is_continuous

logger = structlog.get_logger(__name__)


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


def flow_of(stage: Stage, tournament: Tournament, floor: FloorState, now: datetime) -> Flow | None:
    """Return one of `flows_of`; None if it is not being played, or its first pairs are not published yet."""
    return next((row for row in flows_of(tournament, floor, now) if row.stage.pk == stage.pk), None)


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
    return ReadFlows(with_tables(flows, floor, now) if flows else [], faulty)


def _flow(stage: Stage, floor: FloorState, now: datetime, before: Flow | None) -> Flow | None:
    """Return a stage with its next pairs, `before` as it was decided; None if its first pairs are not published yet."""
    state = next(row for row in states_of(stage.division) if row.stage.pk == stage.pk)
    if not state.rows.of_division.paired.get(stage.pk):
        return None
    pool = flow_state_of(stage, state, floor, now)
    is_decided = before is not None and before.pool == pool
    decision = before.decision if before and is_decided else decide(pool, now, len(pool.players))
    return Flow(stage, state, pool, decision, held=stage.public_id in floor.facts.pairing_held)


Place = tuple[bool, int, float, datetime, int]
"""The place of a match in the order of calls."""


def with_tables(flows: Sequence[Flow], floor: FloorState, now: datetime) -> list[Flow]:
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
