"""INTERIM"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import combinations

from tournaments.formats.graph import EntryId
from tournaments.formats.settings import LIVES, Leader, StageSettings
from tournaments.formats.swiss.packing import Packing
from tournaments.formats.swiss.pairing import best_matching

LOT_RANGE = 1 << 16


class Action(StrEnum):
    DRAW_NOW = "draw_now"
    AFTER_WINDOW = "draw_after_window"
    WAIT = "wait"
    WAIT_FOR_TABLE = "wait_for_table"
    WAIT_FOR_SWITCH = "wait_for_switch"
    SWITCH = "switch"
    BLOCKED = "blocked"
    OVER = "over"


@dataclass(frozen=True)
class FlowPlayer:
    entry: EntryId
    left: int
    begun: int
    joins_at: datetime
    blocked: str = ""
    club: str | None = None
    match: int | None = None


@dataclass(frozen=True)
class FlowMatch:
    number: int
    pair: tuple[EntryId, EntryId]
    counts: bool = True


@dataclass(frozen=True)
class FlowState:
    settings: StageSettings
    players: tuple[FlowPlayer, ...]
    playing: tuple[FlowMatch, ...]
    met: Mapping[frozenset[EntryId], tuple[int, ...]]
    forbidden: frozenset[frozenset[EntryId]]
    seed: bytes
    pairings: int = 0
    since: datetime | None = None


@dataclass(frozen=True)
class FlowPair:
    first: EntryId
    second: EntryId
    costs: tuple[int, ...]
    joins_at: datetime
    why: tuple[tuple[str, dict], ...] = ()


@dataclass(frozen=True)
class Decision:
    action: Action
    pairs: tuple[FlowPair, ...] = ()
    pool: tuple[EntryId, ...] = ()
    waits: Mapping[EntryId, tuple[str, dict]] = field(default_factory=dict)
    due_at: datetime | None = None
    possible_since: datetime | None = None
    missed: tuple[EntryId, ...] = ()
    places_left: int | None = None
    private: bool = False


def decide(state: FlowState, now: datetime, room: int) -> Decision:
    s = state.settings
    by = {p.entry: p for p in state.players if p.left > 0}
    in_match = {e: m for m in state.playing for e in m.pair}
    if len(by) <= 1 and not state.playing:
        return Decision(Action.OVER)
    left_total = sum(p.left for p in by.values())
    places = None
    if s.qualifiers and s.format == LIVES:
        if not state.playing and left_total <= s.qualifiers:
            return Decision(Action.SWITCH)
        places = max(0, left_total - len(state.playing) - s.qualifiers)
    waits: dict[EntryId, tuple[str, dict]] = {}
    counted = [m for m in state.playing if m.counts]
    slowest = {e: m.number for m in counted for e in m.pair if e in by}
    floor = min((by[e].begun for e in slowest), default=None)
    pool, resting = [], []
    for p in by.values():
        if p.entry in in_match:
            continue
        if p.blocked:
            waits[p.entry] = (p.blocked, {"match": p.match} if p.match else {})
        elif p.joins_at > now:
            resting.append(p.entry)
            waits[p.entry] = ("resting", {"until": p.joins_at})
        elif s.lead and floor is not None and p.begun + 1 - floor > s.lead:
            m = next(n for e, n in slowest.items() if by[e].begun == floor)
            waits[p.entry] = ("ahead", {"match": m, "count": p.begun - floor + 1})
        else:
            pool.append(p.entry)

    def can_come(e):
        for x in [*in_match, *resting]:
            if x == e or x not in by or frozenset((x, e)) in state.met or frozenset((x, e)) in state.forbidden:
                continue
            if by[x].left == by[e].left or (x in in_match and by[x].left == by[e].left + 1):
                return True
        return False

    stuck = {e for e in pool if not can_come(e)}
    allowed = {}
    private = False
    for a, b in combinations(sorted(pool), 2):
        key = frozenset((a, b))
        if key in state.forbidden:
            private = True
            continue
        plain = by[a].left == by[b].left and key not in state.met
        both = a in stuck and b in stuck
        one = a in stuck or b in stuck
        if plain or (both if s.leader is Leader.WAITS else one):
            allowed[key] = (a, b)
    possible = bool(allowed)
    since = None
    if possible:
        since = min(max(by[a].joins_at, by[b].joins_at) for a, b in allowed.values())
        if state.since is not None:
            since = max(since, state.since) if since < state.since else since
    pairs = _match(state, by, allowed) if allowed else []
    due = since + timedelta(minutes=s.window) if since is not None else None
    for e in pool:
        if places == 0:
            waits[e] = ("switch", {"matches": [m.number for m in state.playing]})
        elif any(e in (p.first, p.second) for p in pairs):
            waits[e] = ("window", {"until": due}) if due and due > now else ("table", {})
        else:
            free = [x for x in pool if x != e and by[x].left == by[e].left]
            waits[e] = (
                ("met_all", {})
                if free and all(frozenset((x, e)) in state.met for x in free)
                else ("no_opponent", {"left": by[e].left})
            )
    end = min(room, places) if places is not None else room
    common = dict(pool=tuple(pool), waits=waits, due_at=due, possible_since=since, places_left=places, private=private)
    if not possible:
        idle = not state.playing and not resting and len(pool) == len(by)
        return Decision(Action.BLOCKED if idle and len(pool) > 1 else Action.WAIT, **common)
    if places == 0:
        return Decision(Action.WAIT_FOR_SWITCH, **common)
    wanted = {by[e].left for pair in allowed.values() for e in pair}
    coming = any(by[x].left in wanted or by[x].left - 1 in wanted for x in in_match if x in by)
    coming = coming or any(by[x].left in wanted for x in resting)
    action = Action.DRAW_NOW if due <= now or not coming else Action.AFTER_WINDOW
    if room < 1 and action is Action.DRAW_NOW:
        action = Action.WAIT_FOR_TABLE
    made = pairs[:end] if room else pairs
    others = [p.begun + sum(e in (q.first, q.second) for q in made) for e, p in by.items() if not p.blocked]
    missed = []
    if s.lead and others:
        for p in by.values():
            if p.blocked in ("away", "absent") and min(others) > p.begun + s.lead:
                missed.append(p.entry)
    return Decision(action, tuple(made), missed=tuple(missed), **common)


def lot(seed: bytes, a: FlowPlayer, b: FlowPlayer) -> int:
    first, second = sorted((a, b), key=lambda p: p.entry)
    text = f"continuous:{first.entry}:{first.begun}:{second.entry}:{second.begun}"
    return int.from_bytes(hmac.digest(seed, text.encode("ascii"), "sha256")[:2], "big")


def _match(state: FlowState, by: Mapping[EntryId, FlowPlayer], allowed) -> list[FlowPair]:
    order = sorted({e for key in allowed for e in key})
    index = {e: i for i, e in enumerate(order)}
    most = state.pairings
    begun = 2 * max(by[e].begun for e in order)
    packing = Packing((most, most, 9, begun, 1, LOT_RANGE - 1), len(order) // 2 + 1)
    costs, edges = {}, []
    for a, b in allowed.values():
        met = state.met.get(frozenset((a, b)), ())
        pa, pb = by[a], by[b]
        mates = int(pa.club is not None and pa.club == pb.club)
        costs[a, b] = (
            len(met),
            met[-1] if met else 0,
            abs(pa.left - pb.left),
            pa.begun + pb.begun,
            mates,
            lot(state.seed, pa, pb),
        )
        edges.append((index[a], index[b], packing.weight(costs[a, b])))
    result = []
    for i, j in best_matching(len(order), edges):
        a, b = order[min(i, j)], order[max(i, j)]
        why = [
            (
                "equal_new"
                if not costs[a, b][0] and not costs[a, b][2]
                else "rematch"
                if costs[a, b][0]
                else "unequal",
                {},
            )
        ]
        result.append(FlowPair(a, b, costs[a, b], min(by[a].joins_at, by[b].joins_at), tuple(why)))
    return sorted(result, key=lambda p: (p.joins_at, p.costs[-1], p.first))
