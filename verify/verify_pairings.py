"""Verify the pairings of a Barpoint division without rounds: that every batch was one of least cost by committed lots.

    python3 verify_pairings.py BATCHES [LIST]

Each argument is a file or a URL that starts with https://. BATCHES is what the page of a division links to as “All
data as JSON”, LIST what the club's page of draw commitments links to as “All data as JSON”. Needs Python 3.9 or newer
and nothing else.

What happened before a batch (earlier pairings, results, who was away) decides who could be paired and at which cost;
the seed, whose hash was published before the first batch, decides among equals. In a Swiss, a pair must also be safe:
everybody can still play all their matches without meeting anybody twice, which is decided exactly. A batch in which a
pair was left out for a private reason is counted and not checked further. Not proven: that a result was reported when
the match ended.
"""

import hashlib
import hmac
import json
import sys
import urllib.request
from collections import Counter
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import combinations, count
from operator import itemgetter

ALGORITHM = "continuous/1"
NEAR_GAP, NEAR_AFTER, ANY_AFTER = 2, timedelta(minutes=5), timedelta(minutes=20)
"""In a Swiss: the gap allowed after waiting for a while, how long that is, and when any gap is allowed."""
SAFETY_ASKED_BELOW = 4
"""Whether a Swiss can be completed is asked once at most so many times the matches of each have any left."""


class Night:
    """The facts of a stage without rounds, taken in order, and what follows from them."""

    def __init__(self, data):
        self.is_swiss = data["format"] == "swiss"
        self.settings = dict(data["settings"])
        self.clubs = {row["number"]: row["club"] for row in data["entries"]}
        self.entries = {row["number"] for row in data["entries"] if not row["late"]}
        self.begun, self.missed, self.missed_by_lot = Counter(), Counter(), Counter()
        self.persons = {row["number"]: row.get("person", row["number"]) for row in data["entries"]}
        self.seed = bytes.fromhex(data["seed"] or "")
        self.losses, self.wins, self.byes = Counter(), Counter(), Counter()
        self.withdrawn = set()
        self.is_ended = False
        self.met = {}
        self.pairings = 0
        self.playing = {}
        self.waived = set()
        self.pairs = {}
        self.paired_at = {}
        self.made_at = {}

    def left(self, entry):
        """The lives that an entry has left; in a Swiss, the matches left.

        Two missed matches cost a life, but in a strict stage each of them does or does not, by lot.
        """
        if entry in self.withdrawn:
            return 0
        if self.is_swiss:
            return max(0, self.settings["rounds"] - self.begun[entry] - self.byes[entry])
        in_turn = self.missed[entry] - self.missed_by_lot[entry]
        lost = sum(
            self.is_lost(self.persons.get(entry, entry), number + 1) for number in range(self.missed_by_lot[entry])
        )
        return max(0, self.settings["lives"] - self.losses[entry] - in_turn // 2 - lost)

    def is_lost(self, person, number):
        """Whether a missed match costs a life, by the lot of so many matches of a person (their first entry)."""
        message = f"lot:missed:{person}:{number}:1:0".encode("ascii")
        return hmac.new(self.seed, message, hashlib.sha256).digest()[7] % 2 == 1

    def still_in(self):
        """Everybody who has any left."""
        return {entry for entry in self.entries if self.left(entry) > 0}

    def room(self, event):
        """How many pairs can be made: at the tables, and before so few are left that the bracket that follows begins.

        Each life left is a place of that bracket, rounded up to a power of two.
        """

        def places(lives):
            return 1 << (lives - 1).bit_length() if lives > 0 else 0

        if self.is_swiss or not self.settings.get("qualifiers"):
            return event["room"]
        left = {entry: self.left(entry) for entry in self.still_in()}
        both = [[left[entry] for entry in pair if entry in left] for pair in self.playing.values()]
        lost = sum(max((places(lives) - places(lives - 1) for lives in pair), default=0) for pair in both)
        return max(0, min(event["room"], sum(map(places, left.values())) - lost - self.settings["qualifiers"]))

    def points(self, entry):
        missed = self.settings.get("missed_points", 0) * self.missed[entry]
        return self.wins[entry] + self.byes[entry] + missed

    def reach(self, entry):
        """Twice the points plus the matches left: entries of a Swiss with equal numbers are equally well off."""
        return 2 * self.points(entry) + self.left(entry)

    def since_at_least(self, entry):
        """When an entry was paired last, before which it cannot have begun to wait; None if it was not yet."""
        times = [at for match, at in self.paired_at.items() if entry in self.pairs[match]]
        return max(times, default=None)

    def take(self, event):
        getattr(self, "_" + event["kind"])(event)

    def _batch(self, event):
        for pair in event["pairs"]:
            self.pairings += 1
            first, second = pair["entries"]
            self.met.setdefault(frozenset((first, second)), {})[pair["match"]] = self.pairings
            self.playing[pair["match"]] = self.pairs[pair["match"]] = (first, second)
            self.paired_at[pair["match"]] = self.made_at[pair["match"]] = moment(event["at"])
            for entry in (first, second):
                self.begun[entry] += 1
        for entry in event.get("byes", ()):
            self.byes[entry] += 1
        for entry in event["missed"]:
            self.missed[entry] += 1
            self.missed_by_lot[entry] += event.get("missed_by_lot", False)
            self.begun[entry] += 1

    def _result(self, event):
        self.playing.pop(event["match"], None)
        self._score(event, 1)

    def _void(self, event):
        """A result that no longer counts; the match is played again or was stopped."""
        self._score(event, -1)
        if event["open"]:
            self.playing[event["match"]] = self.pairs[event["match"]]

    def _score(self, event, count):
        """Whoever of a match does not lose, wins; if both forfeit, nobody does."""
        for entry in self.pairs.get(event["match"], event["losers"]):
            (self.losses if entry in event["losers"] else self.wins)[entry] += count

    def _taken_back(self, event):
        first, second = self.pairs[event["match"]]
        self.playing.pop(event["match"], None)
        self.paired_at.pop(event["match"], None)
        meetings = self.met[frozenset((first, second))]
        gone = meetings.pop(event["match"])
        if not meetings:
            del self.met[frozenset((first, second))]
        self.pairings -= 1
        for rows in self.met.values():
            for match, place in rows.items():
                rows[match] = place - (place > gone)
        for entry in (first, second):
            self.begun[entry] -= 1

    def _goes_on(self, event):
        """A pairing that was taken back stands again, in its place among the others; its match was stopped."""
        match, both = event["match"], self.pairs[event["match"]]
        place = 1 + sum(number < match for rows in self.met.values() for number in rows)
        for rows in self.met.values():
            for number, at in rows.items():
                rows[number] = at + (at >= place)
        self.met.setdefault(frozenset(both), {})[match] = place
        self.pairings += 1
        self.playing[match] = both
        self.paired_at[match] = self.made_at[match]
        for entry in both:
            self.begun[entry] += 1

    def _missed_taken_back(self, event):
        self.missed[event["entry"]] -= 1
        self.missed_by_lot[event["entry"]] -= event.get("by_lot", False)
        self.begun[event["entry"]] -= 1

    def _entered(self, event):
        entry = event["entry"]
        self.entries.add(entry)
        self.losses[entry] = self.wins[entry] = self.byes[entry] = 0
        self.begun[entry] = self.missed[entry] = event["missed"]
        self.missed_by_lot[entry] = event["missed"] if event.get("by_lot") else 0

    def _withdrawn(self, event):
        self.withdrawn.add(event["entry"])

    def _returned(self, event):
        entry, missed = event["entry"], event.get("missed", 0)
        self.withdrawn.discard(entry)
        self.missed[entry] += missed
        self.missed_by_lot[entry] += missed if event.get("by_lot") else 0
        self.begun[entry] += missed

    def _ended(self, event):
        self.is_ended = True

    def _ended_taken_back(self, event):
        self.is_ended = False

    def _lead_waived(self, event):
        self.waived.add(event["match"])

    def _lead_counts(self, event):
        self.waived.discard(event["match"])

    # What the rule makes of it.

    def stuck(self, pool, resting):
        """Those in the pool to whom nobody who plays or rests can bring a suitable new opponent."""
        playing = {entry for pair in self.playing.values() for entry in pair} & self.still_in()

        def comes(entry, other, more):
            if frozenset((entry, other)) in self.met:
                return False
            if self.is_swiss:
                return abs(self.reach(entry) - self.reach(other)) <= NEAR_GAP
            return 0 <= self.left(other) - self.left(entry) <= more

        return {
            entry
            for entry in pool
            if not any(comes(entry, other, 1) for other in playing)
            and not any(comes(entry, other, 0) for other in resting)
        }

    def costs(self, event, seed):
        """Return pair -> costs; pairs that may not be made are missing."""
        pool = {row[0]: moment(row[3]) for row in event["pool"]}
        stuck = self.stuck(pool, [entry for entry, reason in event["left_out"] if reason == "resting"])
        costs, now = {}, moment(event["at"])
        for first, second in combinations(sorted(pool), 2):
            meetings = self.met.get(frozenset((first, second)), {})
            both = (first in stuck) + (second in stuck)
            if self.is_swiss:
                gap = abs(self.reach(first) - self.reach(second))
                is_allowed = not meetings and self._may_meet(gap, both, now - min(pool[first], pool[second]))
                gap = round(gap) ** 2
            else:
                gap = abs(self.left(first) - self.left(second))
                needed = 2 if self.settings["leader"] == "waits" else 1
                is_allowed = not (meetings or gap) or both >= needed
            if not is_allowed:
                continue
            mates = self.clubs.get(first) is not None and self.clubs[first] == self.clubs.get(second)
            message = f"continuous:{first}:{self.begun[first]}:{second}:{self.begun[second]}"
            lot = int.from_bytes(hmac.new(seed, message.encode("ascii"), hashlib.sha256).digest()[:2], "big")
            begun = self.begun[first] + self.begun[second]
            costs[first, second] = (-1, len(meetings), max(meetings.values(), default=0), gap, begun, int(mates), lot)
        return costs

    @staticmethod
    def _may_meet(gap, stuck, waited):
        """Whether two may meet in a Swiss who have not met, of whom so many are stuck and one has waited so long."""
        if gap == 0 or stuck == 2 or waited >= ANY_AFTER:
            return True
        return gap <= NEAR_GAP and (stuck > 0 or waited >= NEAR_AFTER)

    def unplayed_after(self, pairs):
        """Return how many matches of a Swiss cannot be played once these pairs have met."""
        left = {entry: self.left(entry) for entry in self.still_in()}
        for pair in pairs:
            for entry in pair:
                left[entry] -= 1
        return unplayed(left, self.met.keys() | {frozenset(pair) for pair in pairs})

    def best_safe_with(self, pairs, costs):
        """Return the best pairing of which these pairs are part and after which no more matches stay unplayed."""
        best = best_with(pairs, costs)
        fewest = self.unplayed_after(pairs)
        if self.unplayed_after(best) <= fewest:
            return best
        closed = self.met.keys() | {frozenset(pair) for pair in pairs}
        left = {entry: self.left(entry) - sum(entry in pair for pair in pairs) for entry in self.still_in()}
        rest, number = without(pairs, costs), count()
        queue = [(0, next(number), [], [], set(), set())]
        while queue:
            _cost, number_, now, twice, not_now, not_later = heappop(queue)
            if number_ and (not twice or self.unplayed_after([*pairs, *now]) <= fewest):
                return [*pairs, *now]
            ways = [(not_now, not_later)]
            if number_:
                ways = [(not_now | {twice[0]}, not_later), (not_now, not_later | {twice[0]})]
            for now, later in ways:
                plan = safe_plan(left, closed, {pair: rest[pair] for pair in rest if pair not in now}, later, fewest)
                if plan is not None:
                    heappush(queue, (total(plan[0], rest), next(number), *plan, now, later))
        raise AssertionError("making no pairs is safe")


# The best pairs.


def weight(cost):
    """Pack a cost into a number, so that numbers add up and compare as the costs do."""
    packed = 0
    for value in cost:
        packed = (packed << 32) + value
    return packed


def total(pairs, costs):
    """Return what some pairs cost together, as a number."""
    return sum(weight(costs[pair]) for pair in pairs)


def cheapest_pairs(costs):
    """Return as many pairs as possible with the least sum of costs."""
    edges = {}
    for (first, second), cost in costs.items():
        edges.setdefault(first, {})[second] = edges.setdefault(second, {})[first] = weight(cost)
    players = sorted(edges)
    alone = len(players) - 2 * largest_matching(players, edges, {})
    for spare in range(max(players, default=0) + 1, max(players, default=0) + 1 + alone):
        edges[spare] = dict.fromkeys(players, 0)
        for player in players:
            edges[player][spare] = 0
    return [pair for pair in Cheapest(edges).solve() if pair in costs]


def without(pairs, costs):
    """Return the costs of pairs of those who are in none of these."""
    paired = {entry for pair in pairs for entry in pair}
    return {pair: cost for pair, cost in costs.items() if paired.isdisjoint(pair)}


def best_with(pairs, costs):
    """Return the best pairing of which these pairs are part."""
    return [*pairs, *cheapest_pairs(without(pairs, costs))]


def is_least(pairs, costs, room, best_with=best_with):
    """Whether these pairs, made at so many tables, belong to a pairing of least cost."""
    best, own = best_with([], costs), best_with(pairs, costs)
    return total(best, costs) == total(own, costs) and len(pairs) >= min(room, len(own))


class Cheapest:
    """The pairs of least cost that take in every node of a graph (J. Edmonds, Maximum matching and a polyhedron, 1965).

    Every node has a price, and every *blossom*, an odd cycle that is treated as one node, a discount that is not
    negative. A pair costs its nodes no less than their prices, apart from discounts of blossoms around both; pairs that
    cost exactly that are *tight*. All pairs that are chosen are tight, so no others cost less in all. From a node
    without mate a tree of tight pairs grows, whose *outer* nodes are an even number of pairs away, until it comes to
    another one; if it can grow no more, prices change until a new pair is tight or an inner blossom has no discount.

    `edges` has the cost of each pair of nodes, both ways round: node -> node -> cost.
    """

    def __init__(self, edges):
        self.edges = {node: {other: 2 * cost for other, cost in own.items()} for node, own in edges.items()}
        self.price = {node: min(own.values()) // 2 for node, own in self.edges.items()}
        self.mate, self.discount, self.cycle, self.around = {}, {}, {}, {}
        self.base = {node: node for node in edges}
        self.top = dict(self.base)
        self.nodes = {node: [node] for node in edges}
        self.names, self.can_grow = count(1), True
        for node, own in self.edges.items():
            for other in own:
                if node not in self.mate and other not in self.mate and not self.slack(node, other):
                    self.mate[node], self.mate[other] = other, node

    def slack(self, node, other):
        """How much dearer a pair is than the prices of its nodes, for nodes without a blossom around both."""
        return self.edges[node][other] - self.price[node] - self.price[other]

    def solve(self):
        """Return the pairs; None if none take in every node."""
        for node in self.edges:
            while node not in self.mate:
                if not self._grow(node) and not self.can_grow:
                    return None
        return [(node, other) for node, other in self.mate.items() if node < other]

    def _grow(self, root):
        """Grow a tree until it reaches a node without mate; False if it has to begin anew, some blossoms being open."""
        self.outer, self.entry, self.queue = set(), {}, []
        self._make_outer(self.top[root])
        while True:
            while self.queue:
                node = self.queue.pop()
                for other in self.edges[node]:
                    if self._is_open(node, other) and not self.slack(node, other) and self._join(node, other):
                        return True
            least, tight = min(self._changes(), key=itemgetter(0), default=(None, None))
            if least is None:
                self.can_grow = False
                return False
            self._change_prices(least)
            if tight is None:
                for blossom in [each for each in self.entry if not self.discount.get(each, 1)]:
                    self._open(blossom)
                return False
            if self._join(*tight):
                return True

    def _is_open(self, node, other):
        """Whether a pair could join an outer node to one outside the tree, or to another outer node."""
        top = self.top[other]
        return top != self.top[node] and top not in self.entry

    def _make_outer(self, top):
        self.outer.add(top)
        self.queue += self.nodes[top]

    def _join(self, node, other):
        """Take a tight pair into the tree; return whether that has led to a node without mate."""
        top = self.top[other]
        if not self._is_open(node, other):
            return False
        if top in self.outer:
            self._close(node, other)
        elif (further := self.mate.get(self.base[top])) is None:
            self._flip(node, other)
            return True
        else:
            self.entry[top] = node, other
            self._make_outer(self.top[further])
        return False

    def _changes(self):
        """Yield by how much prices may change until something happens, and the pair that is tight then, if any is."""
        for blossom in self.entry:
            if blossom in self.discount:
                yield self.discount[blossom] // 2, None
        for top in self.outer:
            for node in self.nodes[top]:
                for other in self.edges[node]:
                    if self._is_open(node, other):
                        slack = self.slack(node, other)
                        yield slack // 2 if self.top[other] in self.outer else slack, (node, other)

    def _change_prices(self, change):
        for tops, sign in ((self.outer, 1), (self.entry, -1)):
            for top in tops:
                for node in self.nodes[top]:
                    self.price[node] += sign * change
                if top in self.discount:
                    self.discount[top] += 2 * sign * change

    def _path(self, top):
        """Return the way from an outer node to the root: tops, each but the first with the pair that leads to it."""
        path = [(top, None)]
        while (inner := self.mate.get(self.base[top])) is not None:
            path.append((self.top[inner], (self.base[top], inner)))
            outer, node = self.entry[self.top[inner]]
            top = self.top[outer]
            path.append((top, (node, outer)))
        return path

    def _close(self, node, other):
        """Make a blossom of the cycle that a tight pair of outer nodes closes."""
        way, way_back = self._path(self.top[node]), self._path(self.top[other])
        while len(way) > 1 and len(way_back) > 1 and way[-2][0] == way_back[-2][0]:
            way.pop()
            way_back.pop()
        name = -next(self.names)
        tops = [top for top, _pair in reversed(way)] + [top for top, _pair in way_back[:-1]]
        pairs = [(there, here) for _top, (here, there) in reversed(way[1:])]
        pairs += [(node, other), *(pair for _top, pair in way_back[1:])]
        self.cycle[name], self.discount[name], self.base[name] = (
            [(top, pairs[at]) for at, top in enumerate(tops)],
            0,
            self.base[tops[0]],
        )
        self.nodes[name] = [each for top in tops for each in self.nodes[top]]
        for top in tops:
            self.around[top] = name
            self.outer.discard(top)
            self.entry.pop(top, None)
        self.top.update(dict.fromkeys(self.nodes[name], name))
        self._make_outer(name)

    def _open(self, blossom):
        for top, _pair in self.cycle.pop(blossom):
            del self.around[top]
            self.top.update(dict.fromkeys(self.nodes[top], top))
        del self.discount[blossom], self.base[blossom], self.nodes[blossom]

    def _flip(self, node, other):
        """Pair the two, and all nodes on the way from the first to the root the other way round."""
        while True:
            inner = self.mate.get(self.base[self.top[node]])
            self._rebase(self.top[node], node)
            self.mate[node], self.mate[other] = other, node
            if inner is None:
                return
            node, other = self.entry[self.top[inner]]
            self._rebase(self.top[inner], other)

    def _rebase(self, blossom, base):
        """Pair the nodes of a blossom with one another, apart from this one."""
        if blossom not in self.cycle:
            return
        child = base
        while self.around[child] != blossom:
            child = self.around[child]
        cycle = self.cycle[blossom]
        at = next(at for at, (top, _pair) in enumerate(cycle) if top == child)
        self.cycle[blossom] = cycle = cycle[at:] + cycle[:at]
        self.base[blossom] = base
        self._rebase(child, base)
        for at in range(1, len(cycle), 2):
            node, other = cycle[at][1]
            self._rebase(cycle[at][0], node)
            self._rebase(cycle[at + 1][0], other)
            self.mate[node], self.mate[other] = other, node


# Whether a Swiss can be completed.


def unplayed(left, closed):
    """Return how many matches cannot be played at the least, each counted for the entry that misses it.

    `left` has the matches that each entry has left; `closed` are the pairs that may not meet any more. A simple plan is
    tried first. What it leaves is decided by a largest matching in a graph in which an entry has a port for each
    possible opponent, and as many spare nodes, joined to its ports, as it will not use (W. T. Tutte, 1954).
    """
    left = {entry: count for entry, count in left.items() if count > 0}
    others = {a: [b for b in left if b != a and frozenset((a, b)) not in closed] for a in left}
    most = {entry: min(count, len(others[entry])) for entry, count in left.items()}
    too_few = sum(left.values()) - sum(most.values())
    plan = simple_plan(most, others)
    short = sum(most.values()) - 2 * len(plan)
    if short <= sum(most.values()) % 2:
        return too_few + short
    port = {(a, b): at for at, (a, b) in enumerate((a, b) for a in others for b in others[a])}
    edges = {at: [port[b, a]] for (a, b), at in port.items()}
    mate = {}
    for a, b in map(tuple, plan):
        mate[port[a, b]], mate[port[b, a]] = port[b, a], port[a, b]
    size = len(port)
    for entry, possible in others.items():
        ports = [port[entry, other] for other in possible]
        free = iter([each for each in ports if each not in mate])
        for spare in range(size, size + len(possible) - most[entry]):
            edges[spare] = ports
            mate[spare] = next(free)
            mate[mate[spare]] = spare
            for each in ports:
                edges[each].append(spare)
        size += len(possible) - most[entry]
    return too_few + size - 2 * largest_matching(range(size), edges, mate)


def safe_plan(left, closed, costs, not_later, unplayed):
    """Return pairs to be made now at the least costs, and which of them meet later, too; None if there is no plan.

    Nobody has more than the matches left, and no more than `unplayed` stay unplayed. Here an entry has a node for each
    match left, joined to its ports, of which it has one for each possible opponent: those of a pair are joined to each
    other or both used. What is made now joins the first nodes of two entries.
    """
    names, edges = count(), {}

    def join(node, other, cost):
        edges.setdefault(node, {})[other] = edges.setdefault(other, {})[node] = cost

    nodes = {entry: [next(names) for _match in range(count)] for entry, count in sorted(left.items()) if count > 0}
    first = {own[0]: entry for entry, own in nodes.items()}
    may_meet = [pair for pair in combinations(nodes, 2) if frozenset(pair) not in closed and pair not in not_later]
    ports = {pair: (next(names), next(names)) for pair in may_meet}
    for pair, own in ports.items():
        join(*own, 0)
        for node in nodes[pair[0]]:
            join(own[0], node, 0)
        for node in nodes[pair[1]]:
            join(own[1], node, 0)
    for (entry, other), cost in costs.items():
        join(nodes[entry][0], nodes[other][0], weight(cost))
    for spare in [next(names) for _match in range(unplayed)]:
        for node in [node for own in nodes.values() for node in own]:
            join(spare, node, 0)
    cheapest = Cheapest(edges)
    chosen = cheapest.solve()
    if chosen is None:
        return None
    now = sorted((first[node], first[other]) for node, other in chosen if node in first and other in first)
    later = {pair for pair, (port, other) in ports.items() if cheapest.mate[port] != other}
    return now, [pair for pair in now if pair in later]


def simple_plan(most, others):
    """Return pairs that give nobody more matches than `most`: whoever has least choice is paired first, in turn."""
    left, may_meet, plan = dict(most), {entry: set(each) for entry, each in others.items()}, set()

    def choice(entry):
        return len(may_meet[entry]) - left[entry], -left[entry], entry

    while left:
        entry = min(left, key=choice)
        needed, possible = left.pop(entry), sorted(may_meet[entry], key=choice)
        for other in possible:
            may_meet[other].discard(entry)
        for other in possible[:needed]:
            plan.add(frozenset((entry, other)))
            left[other] -= 1
            if not left[other]:
                del left[other]
                for each in may_meet[other]:
                    may_meet[each].discard(other)
    return plan


def largest_matching(nodes, edges, mate):
    """Enlarge a matching until it is a largest one, and return the number of its pairs (J. Edmonds, 1965).

    `edges` has the neighbours of each node, and `mate` the other node of each that is matched.
    """
    for root in nodes:
        if root not in mate:
            Search(root, edges, mate).enlarge()
    return len(mate) // 2


class Search:
    """The search for a path from a node without mate to another, on which every other edge is matched.

    A cycle of odd length that is met on the way is treated as one node, its base. Outer nodes are those that a path
    reaches by a matched edge, and any node of such a cycle.
    """

    def __init__(self, root, edges, mate):
        self.root, self.edges, self.mate = root, edges, mate
        self.before, self.base, self.outer, self.queue = {}, {}, {root}, [root]

    def base_of(self, node):
        return self.base.get(node, node)

    def enlarge(self):
        """Match the root as well, if there is such a path."""
        for node in self.queue:
            for other in self.edges[node]:
                if self.base_of(other) == self.base_of(node) or self.mate.get(node) == other:
                    continue
                if other in self.outer:
                    self._contract(node, other)
                elif other not in self.before:
                    self.before[other] = node
                    if other not in self.mate:
                        self._flip(other)
                        return
                    self._reach(self.mate[other])

    def _reach(self, node):
        if node not in self.outer:
            self.outer.add(node)
            self.queue.append(node)

    def _flip(self, node):
        """Match the path back from a node without mate the other way round."""
        while node is not None:
            before = self.before[node]
            further = self.mate.get(before)
            self.mate[before], self.mate[node] = node, before
            node = further

    def _contract(self, node, other):
        above = set(self._up(node))
        base = next(each for each in self._up(other) if each in above)
        cycle = self._fold(node, other, base) | self._fold(other, node, base)
        for each in [each for each in {*self.before, *self.outer} if self.base_of(each) in cycle]:
            self.base[each] = base
            self._reach(each)

    def _up(self, node):
        """Yield the outer nodes from this one to the root, by their bases."""
        node = self.base_of(node)
        while node != self.root:
            yield node
            node = self.base_of(self.before[self.mate[node]])
        yield node

    def _fold(self, node, child, base):
        """Let the nodes down to the base be reached from the other side of the cycle, too; return their bases."""
        bases = set()
        while self.base_of(node) != base:
            inner = self.mate[node]
            bases |= {self.base_of(node), self.base_of(inner)}
            self.before[node] = child
            child, node = inner, self.before[inner]
        return bases


# The faults of a batch.


def batch_faults(night, event, seed):
    """Return what is wrong with a batch that follows on what a night has come to, and whether it was checked."""
    name = f"Batch {event['number']}"
    pool = [row[0] for row in event["pool"]]
    pairs = [tuple(sorted(pair["entries"])) for pair in event["pairs"] if not pair["manual"]]
    faults = []
    if any(pair.get("on_paper") for pair in event["pairs"]):
        return paper_faults(night, event, name), False
    if len(event["pairs"]) > event["room"]:
        faults.append(f"{name} has more pairs than tables.")
    if event.get("switch_at") and moment(event["at"]) >= moment(event["switch_at"]):
        faults.append(f"{name} was made after the time for the bracket.")
    if event["forced"] and not event["reason"]:
        faults.append(f"{name} was made early without a reason.")
    faults += [
        f"M{pair['match']} was set by hand without a reason."
        for pair in event["pairs"]
        if pair["manual"] and not pair["reason"]
    ]
    faults += pool_faults(night, event, pool, name)
    if faults or any(pair["manual"] for pair in event["pairs"]):
        return faults, not any(pair["manual"] for pair in event["pairs"])
    if event["private"]:
        return faults, False
    costs = night.costs(event, seed)
    if any(pair not in costs for pair in pairs):
        return [f"{name} has a pair that was not allowed."], True
    if night.is_swiss:
        return swiss_faults(night, event, pairs, costs, seed), True
    return order_faults(event, pairs, costs, is_least(pairs, costs, night.room(event))), True


def order_faults(event, pairs, costs, is_best):
    """Return whether a batch was not the best one, or its pairs are not in the order of waiting."""
    if not is_best:
        return [f"Batch {event['number']} is not one of least cost."]
    order = [waiting_order(event, pair, costs) for pair in pairs]
    return [f"Batch {event['number']}: the pairs are not in the order of waiting."] if order != sorted(order) else []


def waiting_order(event, pair, costs):
    """Return the place of a pair among those that get tables."""
    return min(since(event, pair)), costs[pair][-1], pair[0]


def swiss_faults(night, event, pairs, costs, seed):
    """Return what is wrong with the pairs and byes of a batch of a Swiss, of which all pairs are allowed."""
    name, players, pool = f"Batch {event['number']}", night.still_in(), {row[0] for row in event["pool"]}
    faults, best_of = [], best_with
    if costs and len(players) <= SAFETY_ASKED_BELOW * night.settings["rounds"]:
        if night.unplayed_after(pairs) > night.unplayed_after([]):
            return [f"{name} is not safe: after it, not everybody can play all their matches."]
        best_of = night.best_safe_with
    best, byes = best_of([], costs), []
    playing = {entry for pair in night.playing.values() for entry in pair}
    if not playing & players and pool == players:
        unpaired = [entry for entry in sorted(players) if night.left(entry) == 1]
        byes, costs = last_byes(night, costs, seed) or ([] if best or night.playing else unpaired, costs)
        best = best_of([], costs)
    given = event.get("byes", [])
    if len(pairs) < len(best) or event["number"] == 1:
        byes = []  # those of the last pairs come with them, and the first pairs, which are drawn, have none
    faults += [f"{name}: entry {entry} had no right to a bye." for entry in given if entry not in byes]
    faults += [f"{name}: entry {entry} did not get the bye." for entry in byes if entry not in given]
    if any(pair not in costs for pair in pairs):
        return faults or [f"{name} is not one of least cost."]
    return faults + order_faults(event, pairs, costs, is_least(pairs, costs, event["room"], best_of))


def last_byes(night, costs, seed):
    """Return the bye that ends a Swiss with an odd number of matches, and the costs without it; None if there is none.

    It goes to the lowest score of those with whose bye all others can be paired, then by lot.
    """
    players = sorted(night.still_in())
    if len(players) % 2 == 0 or any(night.left(entry) != 1 for entry in players):
        return None
    for entry in sorted(shuffled(players, seed, "lot:continuous:bye"), key=night.points):
        rest = {pair: cost for pair, cost in costs.items() if entry not in pair}
        if 2 * len(cheapest_pairs(rest)) == len(players) - 1:
            return [entry], rest
    return None


def shuffled(items, seed, purpose):
    """Return the items in the order of a lot."""

    def words():
        for block in count():
            digest = hmac.new(seed, f"{purpose}:1:{block}".encode("ascii"), hashlib.sha256).digest()
            yield from (int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8))

    drawn, stream = list(items), words()
    for last in range(len(drawn) - 1, 0, -1):
        limit = 2**64 - 2**64 % (last + 1)
        at = next(word for word in stream if word < limit) % (last + 1)
        drawn[last], drawn[at] = drawn[at], drawn[last]
    return drawn


def since(event, pair):
    """Return since when both of a pair have waited."""
    times = {row[0]: moment(row[3]) for row in event["pool"]}
    return [times[entry] for entry in pair]


def paper_faults(night, event, name):
    """Return who of a batch was not free; made with cards while the site could not be reached, it is not checked."""
    playing = {entry for pair in night.playing.values() for entry in pair}
    free = night.still_in() - playing
    both = [entry for pair in event["pairs"] for entry in pair["entries"]]
    return [f"{name}: entry {entry} was not free." for entry in both if entry not in free]


def pool_faults(night, event, pool, name):
    """Return whose figures are wrong, and who should have been in the pool and was not, or the reverse."""
    counted = "matches left" if night.is_swiss else "lives"
    faults = [
        f"{name}: entry {entry} had {night.left(entry)} {counted} and {night.begun[entry]} matches."
        for entry, left, begun, _since in event["pool"]
        if entry not in night.entries or (night.left(entry), night.begun[entry]) != (left, begun)
    ]
    playing = {entry for pair in night.playing.values() for entry in pair}
    left_out = {entry for entry, _reason in event["left_out"]}
    reasons = dict(map(tuple, event["left_out"]))
    still_in = night.still_in()
    counting = [pair for match, pair in night.playing.items() if match not in night.waived]
    slowest = min((night.begun[entry] for pair in counting for entry in pair), default=None)
    unexplained = sorted(still_in - playing - set(pool) - left_out)
    faults += [f"{name}: entry {entry} was free and left out without a reason." for entry in unexplained]
    not_free = sorted(set(pool) & playing | set(pool) - still_in)
    faults += [f"{name}: entry {entry} was not free." for entry in not_free]
    lead = night.settings["lead"]
    for entry in sorted(still_in - playing):
        is_ahead = bool(lead) and slowest is not None and night.begun[entry] + 1 - slowest > lead
        if is_ahead and entry in pool:
            faults.append(f"{name}: entry {entry} was too far ahead.")
        if reasons.get(entry) == "ahead" and not is_ahead:
            faults.append(f"{name}: entry {entry} was not ahead of anybody.")
    for entry, _left, _begun, at in event["pool"]:
        if moment(at) > moment(event["at"]):
            faults.append(f"{name}: entry {entry} was not free yet.")
        if moment(at) < (night.since_at_least(entry) or moment(at)):
            faults.append(f"{name}: entry {entry} had not waited so long.")
    return faults


def verify(data):
    """Return the faults of all batches, and how many could not be checked; no faults if they are correct."""
    if data["algorithm"] != ALGORITHM or data["format"] not in ("lives", "swiss"):
        return [f"This script checks lives and a Swiss without rounds ({ALGORITHM}) only."], 0
    if data["seed"] is None:
        return [], 0
    seed = bytes.fromhex(data["seed"])
    faults, unchecked, night, number = [], 0, Night(data), 0
    if hashlib.sha256(seed).hexdigest() != data["seed_hash"]:
        faults.append("The seed does not match the hash that was shown before the first batch.")
    if data.get("field_corrected"):
        # Who played at the time of a batch is not in the file.
        return faults, sum(event["kind"] == "batch" for event in data["events"])
    for event in data["events"]:
        if event["kind"] == "batch":
            number += 1
            night.settings.update(event.get("rule", {}))
            if event["number"] != number:
                faults.append(f"Batch {number} is missing.")
                number = event["number"]
            wrong, was_checked = batch_faults(night, event, seed)
            faults += wrong
            if night.is_ended:
                faults.append(f"Batch {number} was made after a director had ended the stage.")
            unchecked += not was_checked
        elif event["kind"] == "taken_back" and not event["reason"]:
            faults.append(f"M{event['match']} was taken back without a reason.")
        night.take(event)
    return faults, unchecked


def made_on_paper(data):
    """Return the matches whose pairs were made with cards while the site could not be reached."""
    pairs = [pair for event in data["events"] if event["kind"] == "batch" for pair in event["pairs"]]
    return [f"M{pair['match']}" for pair in pairs if pair.get("on_paper")]


def verify_in_list(data, rows):
    """Return the differences between the pairings and the club's list of commitments."""
    line = next((row for row in rows if row["number"] == data["commitment"]), None)
    if line is None:
        return [f"The list has no line {data['commitment']}."]
    faults = []
    if line["seed_hash"] != data["seed_hash"]:
        faults.append(f"Line {line['number']} has a different seed_hash.")
    if line.get("seed") not in (None, data["seed"]):
        faults.append(f"Line {line['number']} has a different seed.")
    first = next((event for event in data["events"] if event["kind"] == "batch"), None)
    if first is not None and moment(line["at"]) > moment(first["at"]):
        faults.append(f"Line {line['number']} was entered after the first batch.")
    return faults


def moment(text):
    """Parse an instant as the API writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def read(source):
    """Return the JSON of one file or URL."""
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as response:  # noqa: S310, https only
            return json.load(response)
    with open(source, encoding="utf-8") as file:
        return json.load(file)


def main(sources):
    """Print the faults; return 1 if there are any."""
    data, *lists = map(read, sources)
    faults, unchecked = verify(data)
    for rows in lists:
        faults += verify_in_list(data, rows["results"] if isinstance(rows, dict) else rows)
    batches = sum(event["kind"] == "batch" for event in data["events"])
    right = f"{batches - unchecked} batches were of least cost by the lots of the seed."
    if data["seed"] is None:
        right = "Not checkable yet: the seed is published when the stage or the event is over."
    print("\n".join(faults) or right)
    if unchecked and data.get("field_corrected"):
        print(f"Not checkable, since a result was corrected that decided who plays in this stage: {unchecked}.")
    elif unchecked:
        print(f"Not checkable, for a private reason or since a pair was set by hand: {unchecked}.")
    if paper := made_on_paper(data):
        print(f"Made on paper, and not checked against the rule: {len(paper)} ({', '.join(paper)}).")
    if not lists:
        print("Not checked: whether the seed's hash was on the club's list before the first batch.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
