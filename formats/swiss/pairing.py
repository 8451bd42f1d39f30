"""Swiss pairing: one maximum-weight matching over all players.

Nobody meets an earlier opponent or a forbidden one, and nobody gets a second full bye. Among the complete pairings that
satisfy this, costs decide, each before all later ones: the score of the player with the bye (lowest first), the sum of
the score differences, the sum of their squares, players who float the same way as in the last round, club-mates, and
the chosen order inside score groups.

Small fields are matched over all pairs, large fields over candidates: neighbours of the ideal opponent in the same
score group, and players near a border between score groups. The number of candidates is doubled until the matching is
complete, so that no pair is lost.

Lots are HMAC-SHA-256(key = seed, message = "swiss:round:draft:a:b"), where a < b are the ids of the two (0 for the
bye); the first two bytes count.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import rustworkx

from formats.errors import Refused
from formats.graph import EntryId
from formats.lots import Lots
from formats.swiss.event import ByeKind, Order, SwissBye, SwissEvent, SwissPair, SwissRound
from formats.swiss.feasibility import FeasibleRounds, plan_rounds
from formats.swiss.packing import Packing

DENSE_UP_TO = 300
"""Fields of this size and below are matched over all pairs."""

CANDIDATES = 16
"""Candidates from the same score group at first, for larger fields."""

VERY_LARGE = 4000
"""Above this size half as many candidates suffice at first: groups are large and earlier meetings rare."""

BORDER = 24
"""Players on each side of a border between score groups who are candidates for each other, at first."""

LOT_BYTES = 2
ALTERNATIVES = 64
"""How many pairings are tried, in order of cost, if the best one would make a later round impossible."""

BYE = -1
"""The bye, among positions of players."""

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """The constraints of a round to be paired: requested byes, and pairs that a director fixes."""

    byes: Mapping[EntryId, ByeKind] = field(default_factory=dict)
    manual: tuple[tuple[EntryId, EntryId], ...] = ()


NO_REQUESTS = RoundRequest()


def best_matching(size: int, edges: Iterable[tuple[int, int, int]], *, largest: bool = True) -> list[Edge]:
    """Return the pairs of a largest matching with the highest weight; `edges` are (a, b, weight) with a, b < size.

    Unless it is to be the `largest`, fewer pairs with a higher weight are better. The pairs are sorted, so that equal
    input gives equal output.
    """
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from(list(edges))
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=largest, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in pairs)


def pair_round(
    event: SwissEvent,
    request: RoundRequest = NO_REQUESTS,
    *,
    seed: bytes,
    draft: int = 1,
    candidates: int | None = None,
) -> SwissRound:
    """Pair the next round.

    `candidates` is the number of opponents first tried for each player of a large field; the default depends on its
    size.

    If the best pairing would make a later planned round impossible, the next best that does not is used, if one is
    found. Raises Refused("rounds_over"), ("round_open"), ("too_few_players"), ("too_few_without_byes"),
    ("manual_pair_invalid") or ("no_legal_pairing").
    """
    event.checked()
    field_ = _Field(event, request, seed, draft, candidates)
    chosen = field_.matched(frozenset())
    if chosen is None:
        raise Refused("no_legal_pairing", round=event.next_round)
    chosen = _safe_for_later(field_, chosen, request.manual)
    return _as_round(event, request, field_, chosen)


def legal(event: SwissEvent, a: EntryId, b: EntryId) -> bool:
    """Whether two entries may be paired: not forbidden, and no rematch unless rematches are allowed."""
    pair = frozenset((a, b))
    return pair not in event.forbidden and (event.allow_rematches or pair not in event.meetings)


class _Field:
    """The players to be paired in this round, best first, and the cost of each pair."""

    def __init__(
        self, event: SwissEvent, request: RoundRequest, seed: bytes, draft: int, candidates: int | None = None
    ) -> None:
        self.event, self._seed, self._candidates_at_first = event, seed, candidates
        self._message = f"swiss:{event.next_round}:{draft}"
        active = {p.entry for p in event.players if p.active(event.next_round)}
        _check_manual(event, request, active)
        taken = {entry for pair in request.manual for entry in pair} | set(request.byes)
        self.entries = self._sorted(active - taken)
        self.odd = len(self.entries) % 2 == 1
        if len(self.entries) < 2 and not request.manual and not (self.entries and request.byes):
            if len(active) > 1:
                raise Refused("too_few_without_byes", round=event.next_round, players=len(self.entries))
            raise Refused("too_few_players", players=len(self.entries))
        self.level = [round(2 * event.scores[entry]) for entry in self.entries]
        self._club = [event.by_entry[entry].club for entry in self.entries]
        self._float = [event.floats.get(entry, 0) for entry in self.entries]
        self.groups = self._group_bounds()
        self._met: list[set[EntryId]] = self._barred()
        self._packing = self._make_packing()

    def _sorted(self, entries: set[EntryId]) -> list[EntryId]:
        """Sort the entries by score, then by rating or lot, as `Order` needs them."""
        drawn = Lots(self._seed, self._message).shuffled(sorted(entries))
        by_lot = {entry: at for at, entry in enumerate(drawn)}
        by_rating = self.event.order is not Order.RANDOM
        rating = {p.entry: p.rating if by_rating else 0.0 for p in self.event.players}
        return sorted(entries, key=lambda e: (-self.event.scores[e], -rating[e], by_lot[e]))

    def _group_bounds(self) -> list[tuple[int, int]]:
        """Return for every position the start and end of its score group."""
        bounds: list[tuple[int, int]] = []
        start = 0
        for at in range(len(self.level) + 1):
            if at == len(self.level) or self.level[at] != self.level[start]:
                bounds += [(start, at)] * (at - start)
                start = at
        return bounds

    def _barred(self) -> list[set[EntryId]]:
        barred: dict[EntryId, set[EntryId]] = {entry: set() for entry in self.entries}
        met = () if self.event.allow_rematches else self.event.meetings
        for a, b in (tuple(pair) for source in (met, self.event.forbidden) for pair in source if len(pair) == 2):
            if a in barred and b in barred:
                barred[a].add(b)
                barred[b].add(a)
        return [barred[entry] for entry in self.entries]

    def _make_packing(self) -> Packing:
        gap = max(self.level, default=0) - min(self.level, default=0)
        rematch = len(self.event.rounds) if self.event.allow_rematches else 0
        last = max(2 * len(self.entries), 256**LOT_BYTES)
        return Packing((rematch, max(self.level, default=0), gap, gap * gap, 2, 1, last), (len(self.entries) + 1) // 2)

    def allowed(self, a: int, b: int) -> bool:
        """Whether the players at two positions may be paired, or the player at `b` may get the bye."""
        if a == BYE:
            return self.event.allow_rematches or not self.event.pairing_byes[self.entries[b]]
        return self.entries[b] not in self._met[a]

    def weight(self, a: int, b: int) -> int:
        """Return the weight of a pair of positions a < b; `BYE` comes first."""
        first = 0 if a == BYE else self.entries[a]
        lot = self._lot(first, self.entries[b])
        if a == BYE:
            again = self.event.pairing_byes[self.entries[b]]
            last = lot if self.event.order is Order.RANDOM else len(self.entries) - b
            return self._packing.weight((again, self.level[b], 0, 0, int(self._float[b] > 0), 0, last))
        gap = self.level[a] - self.level[b]
        floats = (int(self._float[a] > 0) + int(self._float[b] < 0)) if gap else 0
        mates = int(self._club[a] is not None and self._club[a] == self._club[b])
        last = lot if self.event.order is Order.RANDOM else self._order_cost(a, b)
        met = self.event.meetings.get(frozenset((first, self.entries[b])), ()) if self.event.allow_rematches else ()
        return self._packing.weight((len(met), 0, gap, gap * gap, floats, mates, last))

    def _lot(self, a: EntryId, b: EntryId) -> int:
        message = f"{self._message}:{min(a, b)}:{max(a, b)}".encode("ascii")
        return int.from_bytes(hmac.digest(self._seed, message, "sha256")[:LOT_BYTES], "big")

    def _order_cost(self, a: int, b: int) -> int:
        """Return how far b is from the ideal opponent of a; a floater should be next to the border of the group."""
        start, end = self.groups[a]
        if b >= end:
            return (end - 1 - a) + (b - self.groups[b][0])
        return abs(b - self.ideal(a, start, end))

    def ideal(self, at: int, start: int, end: int) -> int:
        """Return the position of the ideal opponent in the same score group."""
        if self.event.order is Order.FOLD:
            return start + end - 1 - at
        if self.event.order is Order.SLIDE:
            half = (end - start) // 2
            return at + half if at - start < half else at - half
        return at + 1

    def matched(self, without: frozenset[Edge]) -> list[Edge] | None:
        """Return the best complete pairing without any of the edges in `without`; None if there is none."""
        size = len(self.entries)
        wide = self._candidates_at_first or (CANDIDATES if size <= VERY_LARGE else CANDIDATES // 2)
        while True:
            dense = size <= DENSE_UP_TO or wide >= size
            pairs = combinations(range(size), 2) if dense else self._candidates(wide)
            edges = [(a, b, self.weight(a, b)) for a, b in pairs if self.allowed(a, b) and (a, b) not in without]
            edges += [(b, size, w) for b, w in self._bye_edges(size if dense else wide * 4, without)]
            matching = best_matching(size + self.odd, edges)
            if 2 * len(matching) == size + self.odd:
                return [(BYE, a) if b == size else (a, b) for a, b in matching]
            if dense:
                return None
            wide *= 2

    def _bye_edges(self, most: int, without: frozenset[Edge]) -> list[tuple[int, int]]:
        if not self.odd:
            return []
        eligible = [b for b in reversed(range(len(self.entries))) if self.allowed(BYE, b) and (BYE, b) not in without]
        return [(b, self.weight(BYE, b)) for b in eligible[:most]]

    def _candidates(self, wide: int) -> Iterator[Edge]:
        """Yield the pairs to consider in a large field, each once."""
        seen: set[Edge] = set()
        size = len(self.entries)
        border = max(BORDER, BORDER * wide // CANDIDATES)
        for at, (start, end) in enumerate(self.groups):
            centre = self.ideal(at, start, end)
            near = range(max(start, centre - wide // 2), min(end, centre + wide // 2 + 1))
            ring = (start + (at - start + step) % (end - start) for step in range(1, wide // 2 + 1))
            seen.update((min(at, b), max(at, b)) for b in (*near, *ring) if b != at)
            if at + 1 == end and end < size:
                above = range(max(0, end - border), end)
                below = range(end, min(size, end + border))
                seen.update((a, b) for a in above for b in below)
        return iter(sorted(seen))


def _check_manual(event: SwissEvent, request: RoundRequest, active: set[EntryId]) -> None:
    used: set[EntryId] = set(request.byes)
    for a, b in request.manual:
        reason = None
        if a == b or not {a, b} <= active:
            reason = "they do not both play in this round"
        elif {a, b} & used:
            reason = "one of them is already in another pair or has a bye"
        elif not legal(event, a, b):
            reason = "they have already met, or are kept apart"
        if reason is not None:
            raise Refused("manual_pair_invalid", first=a, second=b, reason=reason)
        used |= {a, b}


def _safe_for_later(field_: _Field, best: list[Edge], manual: Sequence[tuple[EntryId, EntryId]]) -> list[Edge]:
    """Return the best pairing after which all later planned rounds can be paired, if one is found."""
    event = field_.event
    left = (event.planned or 0) - event.next_round
    if left < 1 or event.allow_rematches:
        return best
    queue: list[tuple[int, list[Edge], frozenset[Edge]]] = [(_total(field_, best), best, frozenset())]
    tried: set[frozenset[Edge]] = set()
    for _ in range(ALTERNATIVES):
        if not queue:
            break
        queue.sort(key=lambda item: item[0])
        _, chosen, without = queue.pop()
        if plan_rounds(event, left, match=best_matching, after=[*manual, *_pairs(field_, chosen)]).possible:
            return chosen
        for edge in chosen:
            banned = without | {edge}
            other = field_.matched(banned) if banned not in tried else None
            tried.add(banned)
            if other is not None:
                queue.append((_total(field_, other), other, banned))
    plan = plan_rounds(event, left + 1, match=best_matching)
    return _from_plan(field_, plan) or best


def _total(field_: _Field, edges: Sequence[Edge]) -> int:
    return sum(field_.weight(a, b) for a, b in edges)


def _pairs(field_: _Field, edges: Sequence[Edge]) -> list[tuple[EntryId | None, EntryId]]:
    return [(None if a == BYE else field_.entries[a], field_.entries[b]) for a, b in edges]


def _from_plan(field_: _Field, plan: FeasibleRounds) -> list[Edge] | None:
    """Return the first round of a plan for all rounds, if it pairs exactly the players of this field."""
    if not plan.rounds:
        return None
    position: dict[EntryId | None, int] = {entry: at for at, entry in enumerate(field_.entries)} | {None: BYE}
    first = plan.rounds[0]
    if any(side not in position for pair in first for side in pair):
        return None
    edges = [(min(edge), max(edge)) for edge in ((position[a], position[b]) for a, b in first)]
    return edges if 2 * len(edges) == len(field_.entries) + field_.odd else None


def _as_round(event: SwissEvent, request: RoundRequest, field_: _Field, chosen: Sequence[Edge]) -> SwissRound:
    """Build the round, with the highest scores at the first tables."""
    drawn = [(field_.entries[a], field_.entries[b]) for a, b in chosen if a != BYE]
    pairs = [SwissPair(a, b) for a, b in (*request.manual, *drawn)]
    pairs.sort(key=lambda p: (-max(event.scores[p.first], event.scores[p.second]), -_sum(event, p), p.first))
    byes = [SwissBye(entry, kind) for entry, kind in sorted(request.byes.items())]
    byes += [SwissBye(field_.entries[b]) for a, b in chosen if a == BYE]
    return SwissRound(tuple(pairs), tuple(byes))


def _sum(event: SwissEvent, pair: SwissPair) -> float:
    return event.scores[pair.first] + event.scores[pair.second]
