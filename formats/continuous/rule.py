"""Pairing without rounds: who is free, which pairs are allowed, which of them are made, and when.

Lives: two with equal lives who have not met may always meet. Others may only if one of them is stuck (with the setting
that the leader waits: both), which means that nobody who plays or rests can bring a new opponent with equal lives.
Swiss: two who have not met may meet if the gap between what they may still reach is nought, or larger the longer they
wait, and if everybody can still play all matches without meeting anybody twice.

Among the allowed pairs as many as possible are made. Then costs decide, each before all later ones: earlier meetings,
how recent the last one was, the difference in lives, matches begun (who has played more waits), club-mates, lots. How
long somebody has waited is no cost: whoever is left out skips a match, so that would reward whoever comes last.

The lot of a pair is the first two bytes of HMAC-SHA-256(key = seed, message = "continuous:a:n(a):b:n(b)"), with a < b
the ids and n the matches begun. It names no time, batch, event or result, so nothing that happens can change it.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, cached_property, lru_cache
from itertools import combinations

from formats.continuous.safety import NEEDED_BELOW, Pair, Remaining, best_of_safe, unplayed
from formats.continuous.state import (
    ABSENT,
    AWAY,
    NO_TABLE,
    FlowMatch,
    FlowPair,
    FlowPlayer,
    FlowState,
    PairingDecision,
    PairingStep,
    Reason,
    SettledMatch,
)
from formats.elimination.from_lives import PLACES
from formats.graph import EntryId
from formats.lots import lot as lots_of
from formats.settings import LIVES, Leader
from formats.swiss.packing import Packing
from formats.swiss.pairing import best_matching

ALGORITHM = "continuous/1"
LOT_RANGE = 1 << 16
LOT_BYTES = 2
NEAR_GAP, NEAR_AFTER, ANY_AFTER = 2, timedelta(minutes=5), timedelta(minutes=20)
"""In a Swiss: the gap allowed after waiting for a while, how long that is, and when any gap is allowed."""
EXPLAINED_UP_TO = 10
"""Entries of the largest pool in which it is found out whether a pair was chosen by lot."""

BEGUN, CLUB, LOT = 3, 4, 5
"""Places in the costs of a pair."""
RESTING, AHEAD = "resting", "ahead"
"""Codes of why somebody waits whom a director may pair all the same."""


def lot(seed: bytes, first: FlowPlayer, second: FlowPlayer) -> int:
    """Return the lot of two players, from 0 to 65,535; the lower one is preferred."""
    low, high = (first, second) if first.entry < second.entry else (second, first)
    return _lot(seed, _named(low), _named(high))


def _named(player: FlowPlayer) -> bytes:
    """Return how the message of a lot names a player."""
    return b":%d:%d" % (player.entry, player.begun)


def _lot(seed: bytes, low: bytes, high: bytes) -> int:
    inner, outer = _keyed(seed)
    inside, outside = inner.copy(), outer.copy()
    inside.update(b"continuous" + low + high)
    outside.update(inside.digest())
    return int.from_bytes(outside.digest()[:LOT_BYTES], "big")


@lru_cache(maxsize=4)
def _keyed(seed: bytes) -> tuple["hashlib._Hash", "hashlib._Hash"]:
    """Return the two hashes of HMAC (RFC 2104) once they have read the key.

    Thousands of lots with one key take a third of the time of as many calls of `hmac.digest`.
    """
    block = hashlib.sha256().block_size
    key = (seed if len(seed) <= block else hashlib.sha256(seed).digest()).ljust(block, b"\0")
    return hashlib.sha256(bytes(byte ^ 0x36 for byte in key)), hashlib.sha256(bytes(byte ^ 0x5C for byte in key))


def decide(state: FlowState, now: datetime, room: int) -> PairingDecision:
    """Return what is to be done now, with at most `room` pairs."""
    return _Rule(state, now).decision(room)


def why_not(state: FlowState, decision: PairingDecision, first: EntryId, second: EntryId, now: datetime) -> Reason:
    """Return why two entries of the pool were not paired with each other.

    Where a private constraint decided, the reason is the same as where fewer would have been paired.
    """
    rule = _Rule(state, now)
    pair = frozenset((first, second))
    if pair in state.forbidden:
        return "better_total", {}
    if meetings := state.met.get(pair, ()):
        return "met", {"times": len(meetings), "pairing": meetings[-1]}
    made = next((each for each in decision.pairs if pair & {each.first, each.second}), None)
    if made is None:
        return "better_total", {}
    costs = rule.costs(first, second)
    worse = next((at for at, (mine, theirs) in enumerate(zip(costs, made.costs, strict=True)) if mine > theirs), None)
    better = next((at for at, (mine, theirs) in enumerate(zip(costs, made.costs, strict=True)) if mine < theirs), None)
    if worse is None or (better is not None and better < worse):
        return "better_total", {}
    if worse == BEGUN:
        more = max((first, second), key=lambda entry: rule.pool[entry].begun)
        return "more_matches", {"entry": more}
    return {CLUB: "club", LOT: "lot"}.get(worse, "better_total"), {}


def against(
    state: FlowState, decision: PairingDecision, first: EntryId, second: EntryId, now: datetime
) -> list[Reason]:
    """Return what the rule has against a pair that a director chooses; nothing if it makes that pair itself.

    Private constraints are never among it, see `why_not`.
    """
    low, high = sorted((first, second))
    if (low, high) in {(pair.first, pair.second) for pair in decision.pairs}:
        return []
    reasons: list[Reason] = []
    for entry in (first, second):
        code, params = decision.waits.get(entry, ("", {}))
        if code in (RESTING, AHEAD):
            reasons.append((code, {"entry": entry, **params}))
    if meetings := state.met.get(frozenset((first, second)), ()):
        reasons.append(("met", {"times": len(meetings), "pairing": meetings[-1]}))
    players = {player.entry: player for player in state.players}
    left, right = players[first], players[second]
    if state.settings.format != LIVES:
        if reach(left) != reach(right):
            reasons.append(("apart", {"scores": [left.points, right.points]}))
    elif left.left != right.left:
        reasons.append(("unequal", {"lives": [left.left, right.left]}))
    return reasons or [why_not(state, decision, first, second, now)]


@dataclass
class _Rule:
    state: FlowState
    now: datetime
    waits: dict[EntryId, Reason] = field(default_factory=dict)
    ways: int | None = None

    @cached_property
    def players(self) -> dict[EntryId, FlowPlayer]:
        return {player.entry: player for player in self.state.players if player.left > 0}

    @cached_property
    def everybody(self) -> dict[EntryId, FlowPlayer]:
        """All players, those who are out included."""
        return {player.entry: player for player in self.state.players}

    @cached_property
    def in_match(self) -> dict[EntryId, FlowMatch]:
        return {entry: match for match in self.state.playing for entry in match.pair}

    @property
    def is_lives(self) -> bool:
        """Whether lives are counted, and not points."""
        return self.state.settings.format == LIVES

    # Who is free.

    @cached_property
    def resting(self) -> list[FlowPlayer]:
        """Those who may be paired later without anything else happening."""
        free = (player for entry, player in self.players.items() if entry not in self.in_match)
        return [player for player in free if not player.blocked and player.joins_at > self.now]

    @cached_property
    def pool(self) -> dict[EntryId, FlowPlayer]:
        """Those who can be paired now; notes why the others cannot."""
        lead, slowest = self.state.settings.lead, self._slowest
        pool = {}
        for entry, player in self.players.items():
            if entry in self.in_match:
                continue
            if player.blocked:
                self.waits[entry] = player.blocked, {"match": player.match} if player.match is not None else {}
            elif player.joins_at > self.now:
                self.waits[entry] = RESTING, {"until": player.joins_at}
            elif lead and slowest is not None and player.begun + 1 - slowest[0] > lead:
                self.waits[entry] = AHEAD, {"match": slowest[1], "count": player.begun - slowest[0]}
            else:
                pool[entry] = player
        return pool

    @cached_property
    def _slowest(self) -> tuple[int, int] | None:
        """The fewest matches begun by anybody in a match that counts, and the number of that match."""
        begun = {player.entry: player.begun for player in self.state.players}
        rows = ((begun[entry], match.number) for match in self.state.playing if match.counts for entry in match.pair)
        return min(rows, default=None)

    # Which pairs are allowed.

    def is_new(self, first: EntryId, second: EntryId) -> bool:
        """Whether two may meet and have not met."""
        pair = frozenset((first, second))
        return pair not in self.state.met and pair not in self.state.forbidden

    @cached_property
    def stuck(self) -> frozenset[EntryId]:
        """Those in the pool to whom nobody who plays or rests can bring a suitable new opponent."""
        playing = [self.players[entry] for entry in self.in_match if entry in self.players]
        if self.is_lives:
            return frozenset(
                entry
                for entry, player in self.pool.items()
                if not any(
                    other.left in (player.left, player.left + 1) and self.is_new(entry, other.entry)
                    for other in playing
                )
                and not any(other.left == player.left and self.is_new(entry, other.entry) for other in self.resting)
            )
        coming = [*playing, *self.resting]
        return frozenset(
            entry
            for entry, player in self.pool.items()
            if not any(
                abs(reach(other) - reach(player)) <= NEAR_GAP and self.is_new(entry, other.entry) for other in coming
            )
        )

    @cached_property
    def allowed(self) -> list[Pair]:
        """The pairs that may be made, apart from what would keep a Swiss from being completed."""
        pairs, forbidden = combinations(sorted(self.pool), 2), self.state.forbidden
        may = self._may_meet_in_lives if self.is_lives else self._may_meet_in_swiss
        return [pair for pair in pairs if may(*pair) and not (forbidden and frozenset(pair) in forbidden)]

    def _may_meet_in_lives(self, first: EntryId, second: EntryId) -> bool:
        if self.pool[first].left == self.pool[second].left and frozenset((first, second)) not in self.state.met:
            return True
        stuck = (first in self.stuck) + (second in self.stuck)
        return stuck == 2 if self.state.settings.leader is Leader.WAITS else stuck > 0

    def _may_meet_in_swiss(self, first: EntryId, second: EntryId) -> bool:
        reaches = self._reaches
        if gap := abs(reaches[first] - reaches[second]):
            waited = self.now - min(self.pool[first].joins_at, self.pool[second].joins_at)
            stuck = (first in self.stuck) + (second in self.stuck)
            is_near = gap <= NEAR_GAP and (stuck > 0 or waited >= NEAR_AFTER)
            if not (is_near or stuck == 2 or waited >= ANY_AFTER):
                return False
        return frozenset((first, second)) not in self.state.met

    @cached_property
    def _reaches(self) -> dict[EntryId, float]:
        """What everybody in the pool may still reach in a Swiss."""
        return {entry: reach(player) for entry, player in self.pool.items()}

    # Which of them are made.

    def best(self, allowed: Iterable[Pair]) -> list[FlowPair]:
        """Return the best pairs, in the order in which they get tables."""
        weights, costs = self._weighed(allowed)
        order = sorted({entry for pair in costs for entry in pair})
        at = {entry: index for index, entry in enumerate(order)}
        edges = [(at[first], at[second], weight) for (first, second), weight in weights.items()]
        chosen = best_matching(len(order), edges)
        return self._in_order([(order[first], order[second]) for first, second in chosen], costs)

    def _weighed(self, allowed: Iterable[Pair]) -> tuple[dict[Pair, int], dict[Pair, tuple[int, ...]]]:
        """Return weights, of which the highest sum is best, and costs."""
        costs = {pair: self.costs(*pair) for pair in allowed}
        players = len({entry for pair in costs for entry in pair})
        maxima = [max(column) for column in zip(*costs.values(), strict=True)] or [0] * 6
        packing = Packing((*maxima[:-1], LOT_RANGE - 1), max(1, players // 2))
        return {pair: packing.weight(cost) for pair, cost in costs.items()}, costs

    def _in_order(self, pairs: Iterable[Pair], costs: Mapping[Pair, tuple[int, ...]]) -> list[FlowPair]:
        """Return pairs in the order in which they get tables."""
        rows = [
            FlowPair(first, second, costs[first, second], min(self.pool[first].joins_at, self.pool[second].joins_at))
            for first, second in pairs
        ]
        return sorted(rows, key=lambda pair: (pair.joins_at, pair.costs[LOT], pair.first))

    def costs(self, first: EntryId, second: EntryId) -> tuple[int, ...]:
        """The costs of a pair, as in `FlowPair`."""
        if first > second:
            first, second = second, first
        left, right, names = self.pool[first], self.pool[second], self._names
        met: Sequence[int] = ()
        if self.is_lives:
            met = self.state.met.get(frozenset((first, second)), ())
            difference = abs(left.left - right.left)
        else:  # nobody meets anybody twice
            difference = round(self._reaches[first] - self._reaches[second]) ** 2
        return (
            len(met),
            met[-1] if met else 0,
            difference,
            left.begun + right.begun,
            int(left.club is not None and left.club == right.club),
            _lot(self.state.seed, names[first], names[second]),
        )

    @cached_property
    def _names(self) -> dict[EntryId, bytes]:
        """How the messages of lots name everybody in the pool."""
        return {entry: _named(player) for entry, player in self.pool.items()}

    def safe(self, pairs: Sequence[FlowPair], allowed: list[Pair]) -> tuple[list[FlowPair], list[Pair]]:
        """Return the best pairing that leaves the fewest matches unplayable, with the exceptions that it needed.

        If nobody has left, that is none, or a single match of an odd number of players.
        """
        if not self._asks_whether_safe or not pairs:
            return list(pairs), allowed
        now = Remaining(
            {entry: player.left for entry, player in self.players.items()},
            frozenset((*self.state.met, *self.state.forbidden)),
        )
        if unplayed(now.after([(pair.first, pair.second) for pair in pairs])) > unplayed(now):
            weights, costs = self._weighed(allowed)
            pairs = self._in_order(best_of_safe(now, weights), costs)
        return list(pairs), allowed if pairs else []

    @property
    def _asks_whether_safe(self) -> bool:
        """Whether so few have matches left that a Swiss might not be completed."""
        return len(self.players) <= NEEDED_BELOW * (self.state.settings.rounds or 1)

    # What is to be done.

    def decision(self, room: int) -> PairingDecision:
        """Return what is to be done, with at most `room` pairs."""
        if self.state.settings.ended:
            return self._ended()
        allowed = self.allowed
        pairs = self.best(allowed) if allowed else []
        byes: tuple[EntryId, ...] = ()
        short: tuple[EntryId, ...] = ()
        if not self.is_lives:
            pairs, allowed, byes = self._swiss(pairs, allowed)
            short = self._short(pairs)
        places = self._places_left()
        decision = PairingDecision(
            self._action(allowed, (*byes, *short), places, room),
            pool=tuple(sorted(self.pool)),
            possible_since=self._possible_since(allowed),
            changes_at=self._changes_at(),
            places_left=places,
            private=self._is_private(),
            stuck=self.stuck,
            allowed=tuple(allowed),
        )
        if decision.possible_since is not None:
            due = decision.possible_since + timedelta(minutes=self.state.settings.window)
            decision = replace(decision, due_at=due)
            if decision.action is PairingStep.AFTER_WINDOW and due <= self.now:
                decision = replace(decision, action=PairingStep.DRAW_NOW)
        most = room if places is None else min(room, places)
        made = pairs[:most] if decision.action in (PairingStep.DRAW_NOW, PairingStep.AFTER_WINDOW) else []
        self._explain_waits(decision, pairs, most, {entry for pair in allowed for entry in pair})
        return replace(
            decision,
            pairs=tuple(replace(pair, why=self._why(pair, made, allowed)) for pair in made),
            waits=self.waits,
            missed=self._missed(made) if made else short,
            byes=byes if most >= len(pairs) else (),
        )

    def _ended(self) -> PairingDecision:
        """Nobody is paired any more: all wait for the matches in progress."""
        playing = [match.number for match in self.state.playing]
        code = "switch" if self.state.settings.qualifiers else "ended"
        waits = {entry: (code, {"matches": playing}) for entry in self.players if entry not in self.in_match}
        return PairingDecision(PairingStep.WAIT if playing else PairingStep.OVER, waits=waits, places_left=0)

    def _action(self, allowed: Sequence[Pair], byes: Sequence[EntryId], places: int | None, room: int) -> PairingStep:
        playing = self.state.playing
        if not playing and (len(self.players) <= 1 if self.is_lives else not self.players):
            return PairingStep.OVER
        if places is not None and not playing:
            is_small = self.places <= (self.state.settings.qualifiers or 0)
            if is_small or self.state.is_time_up(self.now):
                return PairingStep.SWITCH
        if not allowed:
            if byes:
                return PairingStep.DRAW_NOW
            is_blocked = not playing and len(self.pool) == len(self.players)
            return PairingStep.BLOCKED if is_blocked else PairingStep.WAIT
        if places == 0:
            return PairingStep.WAIT_FOR_SWITCH
        if room < 1:
            return PairingStep.WAIT_FOR_TABLE
        return PairingStep.AFTER_WINDOW if self._can_come(allowed) else PairingStep.DRAW_NOW

    def _is_private(self) -> bool:
        """Whether somebody would be in the pool, have more opponents or wait for more but for what is private."""
        if any(player.blocked == NO_TABLE and entry not in self.in_match for entry, player in self.players.items()):
            return True
        others = {entry for entry in self.in_match if entry in self.players} | {each.entry for each in self.resting}
        if not self.is_lives and self._asks_whether_safe:
            # Who is kept apart then counts for everybody's matches to come.
            return any(pair <= self.players.keys() and pair not in self.state.met for pair in self.state.forbidden)
        for pair in self.state.forbidden:
            inside = pair & self.pool.keys()
            if len(inside) == len(pair) or (inside and pair - inside <= others and pair not in self.state.met):
                return True
        return False

    def _can_come(self, allowed: Sequence[Pair]) -> bool:
        """Whether somebody who plays or rests may come for a player of an allowed pair."""
        coming = [self.players[entry] for entry in self.in_match if entry in self.players] + self.resting
        if not self.is_lives:
            return bool(coming)
        wanted = {self.pool[entry].left for pair in allowed for entry in pair}
        return any(player.left in wanted or player.left - 1 in wanted for player in coming)

    def _possible_since(self, allowed: Sequence[Pair]) -> datetime | None:
        """When the first of the allowed pairs became possible; none did before both were free."""
        order = sorted(self.pool, key=lambda entry: self.pool[entry].joins_at)
        place = {entry: at for at, entry in enumerate(order)}
        freed_last: dict[EntryId, list[Pair]] = {}
        for pair in allowed:
            freed_last.setdefault(order[max(place[pair[0]], place[pair[1]])], []).append(pair)
        since: datetime | None = None
        for entry in order:
            if since is not None and self.pool[entry].joins_at >= since:
                break
            moments = (self._since(first, second) for first, second in freed_last.get(entry, ()))
            since = min((moment for moment in (*moments, since) if moment is not None), default=None)
        return since

    def _since(self, first: EntryId, second: EntryId) -> datetime:
        left, right = self.pool[first], self.pool[second]
        both_free = max(left.joins_at, right.joins_at)
        freed = [match.at for match in self.state.settled if self._held_up(match, left) or self._held_up(match, right)]
        since = max(both_free, *freed) if freed else both_free
        if self.is_lives and left.left == right.left and self.is_new(first, second):
            return since
        stuck_since = [self._stuck_since(entry, since) for entry in (first, second) if entry in self.stuck]
        if self.is_lives:
            return max(stuck_since) if self.state.settings.leader is Leader.WAITS else min(stuck_since)
        gap = abs(reach(left) - reach(right))
        if gap == 0:
            return since
        longest = min(left.joins_at, right.joins_at)
        options = [longest + ANY_AFTER]
        if gap <= NEAR_GAP:
            options += [longest + NEAR_AFTER, *stuck_since]
        elif len(stuck_since) == 2:
            options.append(max(stuck_since))
        return max(since, min(options))

    def _held_up(self, match: SettledMatch, player: FlowPlayer) -> bool:
        """Whether a player was too far ahead of a match before it was settled."""
        lead, known = self.state.settings.lead, self.everybody
        # Whoever plays again had begun a match less.
        begun = (known[entry].begun - (entry in self.in_match) for entry in match.pair if entry in known)
        return bool(lead) and player.begun + 1 - min(begun, default=player.begun) > lead

    def _stuck_since(self, entry: EntryId, since: datetime) -> datetime:
        """When the last match was settled that could have brought an opponent."""
        player, known = self.pool[entry], self.everybody
        return max(
            [
                since,
                *(
                    match.at
                    for match in self.state.settled
                    for other in match.pair
                    if other in known and self.is_new(entry, other) and self._could_bring(known[other], player)
                ),
            ]
        )

    def _could_bring(self, other: FlowPlayer, player: FlowPlayer) -> bool:
        if self.is_lives:
            return abs(other.left - player.left) <= 1
        return abs(reach(other) - reach(player)) <= NEAR_GAP + 1

    def _changes_at(self) -> datetime | None:
        """When waiting may allow more pairs of a Swiss than now."""
        if self.is_lives or len(self.pool) < 2:
            return None
        moments = (player.joins_at + after for player in self.pool.values() for after in (NEAR_AFTER, ANY_AFTER))
        return min((moment for moment in moments if moment > self.now), default=None)

    @property
    def places(self) -> int:
        """The places in the bracket that those who are still in have earned."""
        return sum(PLACES[player.left] for player in self.players.values())

    def _places_left(self) -> int | None:
        """How many pairs may be made before the bracket is drawn; None if no bracket follows."""
        if not self.is_lives or not self.state.settings.qualifiers:
            return None
        if self.state.is_time_up(self.now):
            return 0
        falls = (
            max(_places_lost(self.players[entry].left) for entry in match.pair if entry in self.players)
            for match in self.state.playing
            if any(entry in self.players for entry in match.pair)
        )
        return max(0, self.places - sum(falls) - self.state.settings.qualifiers)

    def _missed(self, made: Sequence[FlowPair]) -> tuple[EntryId, ...]:
        """Those who are away while everybody else gets too far ahead of them."""
        lead = self.state.settings.lead
        paired = {entry for pair in made for entry in (pair.first, pair.second)}
        away = {entry for entry, player in self.players.items() if player.blocked in (AWAY, ABSENT)}
        others = [player.begun + (entry in paired) for entry, player in self.players.items() if entry not in away]
        if not lead or not others:
            return ()
        return tuple(sorted(entry for entry in away if min(others) > self.players[entry].begun + lead))

    def _swiss(
        self, pairs: list[FlowPair], allowed: list[Pair]
    ) -> tuple[list[FlowPair], list[Pair], tuple[EntryId, ...]]:
        """Return the safe pairs of a Swiss, what is allowed, and the byes that end it."""
        pairs, allowed = self.safe(pairs, allowed)
        is_last = not self.resting and len(self.pool) == len(self.players)
        if not is_last or any(entry in self.players for entry in self.in_match):
            return pairs, allowed, ()
        total = len(self.players)
        if total % 2 and all(player.left == 1 for player in self.players.values()):
            for bye in self._last_first():
                rest = [pair for pair in allowed if bye not in pair]
                best = self.best(rest) if rest else []
                if 2 * len(best) == total - 1:
                    return best, rest, (bye,)
        if not pairs and not self.state.playing:
            return pairs, allowed, tuple(sorted(entry for entry, player in self.players.items() if player.left == 1))
        return pairs, allowed, ()

    def _short(self, pairs: Sequence[FlowPair]) -> tuple[EntryId, ...]:
        """Those who have two matches or more left when nobody can be paired any more: they miss all but the last."""
        if pairs or self.state.playing or self.resting or len(self.pool) < len(self.players):
            return ()
        return tuple(sorted(entry for entry, player in self.players.items() if player.left > 1))

    def _last_first(self) -> list[EntryId]:
        """Who comes first for a bye: the lowest score, then by lot."""
        order = lots_of(self.state.seed, "continuous", "bye").shuffled(sorted(self.players))
        return sorted(order, key=lambda entry: self.players[entry].points)

    # Why.

    def _why(self, pair: FlowPair, made: Sequence[FlowPair], allowed: Sequence[Pair]) -> tuple[Reason, ...]:
        left, right = self.pool[pair.first], self.pool[pair.second]
        why: list[Reason] = []
        if pair.costs[0]:
            why.append(("rematch", {"times": pair.costs[0], "pairing": pair.costs[1]}))
        elif self.is_lives and left.left != right.left:
            alone = left if left.entry in self.stuck else right
            why.append(("unequal", {"entry": alone.entry, "left": alone.left}))
        else:
            why.append(("equal_new", {"left": left.left}))
        if len(allowed) == 1:
            why.append(("only_pair", {}))
            return tuple(why)
        paired = {entry for each in made for entry in (each.first, each.second)}
        rest = [player for entry, player in self.pool.items() if entry not in paired and player.left == left.left]
        if rest and max(left.begun, right.begun) < min(player.begun for player in rest):
            why.append(("fewest", {}))
        elif len(self.pool) <= EXPLAINED_UP_TO and (ways := self._ways(allowed)) > 1:
            why.append(("by_lot", {"ways": ways}))
        return tuple(why)

    def _ways(self, allowed: Sequence[Pair]) -> int:
        if self.ways is None:
            self.ways = _equally_good(self.pool, allowed, self.costs)
        return self.ways

    def _explain_waits(
        self, decision: PairingDecision, pairs: Sequence[FlowPair], most: int, could: Collection[EntryId]
    ) -> None:
        place = {entry: at for at, pair in enumerate(pairs) for entry in (pair.first, pair.second)}
        for entry in self.pool:
            if decision.places_left == 0:
                self.waits[entry] = "switch", {"matches": [match.number for match in self.state.playing]}
            elif entry in place and place[entry] >= most:
                self.waits[entry] = "table", {"place": place[entry] - most + 1}
            elif entry in place:
                self.waits[entry] = "window", {"until": decision.due_at}
            else:
                self.waits[entry] = self._alone(entry, could_play=entry in could)

    def _alone(self, entry: EntryId, *, could_play: bool) -> Reason:
        """Why nobody in the pool is paired with this entry now; `could_play`: somebody could, and is paired already."""
        player = self.pool[entry]
        others = [other for other in self.pool.values() if other.entry != entry]
        may = [other for other in others if frozenset((entry, other.entry)) not in self.state.forbidden]
        equal = [other for other in may if other.left == player.left] if self.is_lives else may
        if self.is_lives and self.state.settings.leader is Leader.WAITS and entry in self.stuck and may:
            return "leader", {}
        if not could_play and equal and all(frozenset((entry, other.entry)) in self.state.met for other in equal):
            return "met_all", {}
        levels = (player.left, player.left + 1)
        coming = [
            match.number
            for match in self.state.playing
            if any(
                each in self.players
                and (not self.is_lives or self.players[each].left in levels)
                and self.is_new(entry, each)
                for each in match.pair
            )
        ]
        return "left_over" if could_play else "no_opponent", {"left": player.left, "matches": coming}


def reach(player: FlowPlayer) -> float:
    """Return twice the points plus the matches left: entries of a Swiss with equal numbers are equally well off."""
    return 2 * player.points + player.left


def _places_lost(lives: int) -> int:
    """Return how many places of the bracket a lost match costs."""
    return PLACES[lives] - PLACES[lives - 1]


def _equally_good(
    pool: Iterable[EntryId], allowed: Iterable[Pair], costs: Callable[[EntryId, EntryId], tuple[int, ...]]
) -> int:
    """Return in how many ways as many pairs as possible can be made at the least costs, leaving lots aside."""
    known = {pair: (-1, *costs(*pair)[:-1]) for pair in allowed}
    nothing = (0,) * 6

    @cache
    def of(rest: tuple[EntryId, ...]) -> tuple[tuple[int, ...], int]:
        if len(rest) < 2:
            return nothing, 1
        first, others = rest[0], rest[1:]
        options = [of(others)]
        for at, other in enumerate(others):
            if (own := known.get((first, other))) is not None:
                spent, ways = of(others[:at] + others[at + 1 :])
                options.append((tuple(map(sum, zip(own, spent, strict=True))), ways))
        least = min(spent for spent, _ways in options)
        return least, sum(ways for spent, ways in options if spent == least)

    return of(tuple(sorted(pool)))[1]
