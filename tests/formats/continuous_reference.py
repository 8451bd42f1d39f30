"""A second model of pairing without rounds, for pools of at most ten: rule by rule, by exhaustive search.

It shares no code with `formats.continuous` and knows no lots.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

SEATS = [0, 1, 2, 4, 4, 8]
"""Places of the bracket by lives left."""


@dataclass
class Player:
    id: int
    lives: int
    matches: int
    waited: float = 5.0
    resting: bool = False
    away: bool = False
    club: str | None = None


@dataclass
class Case:
    players: list[Player]
    lead: int = 2
    waits: bool = False
    running: list[tuple[int, int]] = field(default_factory=list)
    met: list[tuple[int, int]] = field(default_factory=list)
    kept_apart: list[tuple[int, int]] = field(default_factory=list)
    tables: int | None = None
    switch: int | None = None
    time_is_up: bool = False


@dataclass
class Answer:
    action: str
    pool: list[int]
    not_in_pool: dict[int, str]
    stuck: list[int]
    edges: list[tuple[int, int]]
    cost: tuple[int, ...]
    best: list[list[tuple[int, int]]]


class Solver:
    def __init__(self, case):
        self.case = case
        self.people = {player.id: player for player in case.players}
        self.still_in = [player for player in case.players if player.lives > 0]
        self.busy = {who for pair in case.running for who in pair}
        self.resting = [p for p in self.still_in if p.id not in self.busy and p.resting and not p.away]
        self.why = {player.id: self.why_not(player) for player in case.players if player.id not in self.busy}
        self.pool = [self.people[who] for who, reason in self.why.items() if not reason]
        self.stuck = [player for player in self.pool if self.is_stuck(player)]
        self.edges = [
            (one, other)
            for at, one in enumerate(self.pool)
            for other in self.pool[at + 1 :]
            if self.may_meet(one, other)
        ]

    def why_not(self, player):
        lead = self.case.lead
        if player.lives == 0:
            return "out"
        if player.away:
            return "away"
        if player.resting:
            return "resting"
        if lead and self.busy and player.matches + 1 - min(self.people[who].matches for who in self.busy) > lead:
            return "ahead"
        return ""

    def meetings(self, one, other):
        return [at for at, row in enumerate(self.case.met, 1) if sorted(row) == sorted((one.id, other.id))]

    def apart(self, one, other):
        return any(sorted(row) == sorted((one.id, other.id)) for row in self.case.kept_apart)

    def fresh(self, one, other):
        return not self.meetings(one, other) and not self.apart(one, other)

    def is_stuck(self, player):
        playing = (self.people[who] for who in self.busy)
        if any(other.lives - player.lives in (0, 1) and self.fresh(player, other) for other in playing):
            return False
        return not any(other.lives == player.lives and self.fresh(player, other) for other in self.resting)

    def may_meet(self, one, other):
        if self.apart(one, other):
            return False
        if one.lives == other.lives and not self.meetings(one, other):
            return True
        both = (one in self.stuck) + (other in self.stuck)
        return both == 2 or (both == 1 and not self.case.waits)

    def cost_of(self, pairs):
        meetings = [self.meetings(a, b) for a, b in pairs]
        return (
            -len(pairs),
            sum(map(len, meetings)),
            sum(max(rows, default=0) for rows in meetings),
            sum(abs(a.lives - b.lives) for a, b in pairs),
            sum(a.matches + b.matches for a, b in pairs),
            sum(a.club is not None and a.club == b.club for a, b in pairs),
        )

    def matchings(self):
        every = [[]]
        for a, b in self.edges:
            every += [[*each, (a, b)] for each in every if not {a.id, b.id} & {p.id for pair in each for p in pair}]
        return every

    def pairs_before_bracket(self):
        """How many pairs may be made: whatever matches in progress can cost at most is set aside."""
        if self.case.time_is_up:
            return 0
        worth = sum(SEATS[player.lives] for player in self.still_in)
        for pair in self.case.running:
            lives = [self.people[who].lives for who in pair if self.people[who].lives > 0]
            worth -= max((SEATS[count] - SEATS[count - 1] for count in lives), default=0)
        return worth - self.case.switch

    def action(self):
        case, worth = self.case, sum(SEATS[player.lives] for player in self.still_in)
        if not case.running and len(self.still_in) <= 1:
            return "over"
        if case.switch and not case.running and (worth <= case.switch or case.time_is_up):
            return "switch"
        if not self.edges:
            return "blocked" if not case.running and len(self.pool) == len(self.still_in) else "wait"
        if case.switch and self.pairs_before_bracket() < 1:
            return "wait_for_switch"
        if case.tables is not None and case.tables <= len(case.running):
            return "wait_for_table"
        wanted = {player.lives for edge in self.edges for player in edge}
        coming = [self.people[who] for who in self.busy] + self.resting
        more = any(player.lives in wanted or player.lives - 1 in wanted for player in coming)
        return "draw_after_window" if more else "draw_now"


def solve(case):
    solver = Solver(case)
    every = solver.matchings()
    least = min(map(solver.cost_of, every))
    return Answer(
        solver.action(),
        [player.id for player in solver.pool],
        {who: reason for who, reason in solver.why.items() if reason},
        [player.id for player in solver.stuck],
        [(a.id, b.id) for a, b in solver.edges],
        least,
        [sorted((a.id, b.id) for a, b in each) for each in every if each and solver.cost_of(each) == least],
    )


# A Swiss.


def plainly_unplayed(left: Mapping[int, int], closed):
    """The fewest matches that stay unplayed, each counted for who misses it, by trying."""
    entry = next((entry for entry in sorted(left) if left[entry]), None)
    if entry is None:
        return 0
    fewest = left[entry] + plainly_unplayed({**left, entry: 0}, closed)
    for other in left:
        if fewest == sum(left.values()) % 2:
            break
        if other != entry and left[other] and frozenset((entry, other)) not in closed:
            fewer = {**left, entry: left[entry] - 1, other: left[other] - 1}
            fewest = min(fewest, plainly_unplayed(fewer, closed | {frozenset((entry, other))}))
    return fewest


def least_of_safe(costs, left, closed):
    """The least sum of costs of pairs after which no more matches stay unplayed than before; pairs -> costs."""
    every = [()]
    for pair in costs:
        every += [(*each, pair) for each in every if not set(pair) & {entry for other in each for entry in other}]
    sums = {each: (-len(each), *(sum(column) for column in zip(*map(costs.get, each), strict=True))) for each in every}
    must = plainly_unplayed(left, closed)

    def is_safe(pairs):
        after = {entry: count - sum(entry in pair for pair in pairs) for entry, count in left.items()}
        return plainly_unplayed(after, closed | set(map(frozenset, pairs))) == must

    return next(sums[each] for each in sorted(every, key=sums.get) if is_safe(each))
