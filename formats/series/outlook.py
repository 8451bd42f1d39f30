"""What it would take: which ranks a player can still reach in a series, and what the next event has to bring.

An event to come gives its entrants the points of distinct places. A rank counts as reached if nobody more than allowed
has a higher total; tie rules can still break equal totals ("secured before tie rules").

A player's own best and worst outcomes are their best and worst places: taking a better place from somebody else never
hurts. Their total is then known, and what is left is how many rivals can end above it, at most and at least. With one
event left that is a maximum matching of rivals to places. With more, the places of all but the last event are tried one
after the other, up to a number of states that is the same on every machine; beyond it only bounds are proven.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from math import lcm

from formats.errors import Refused
from formats.series.facts import NORMAL, DecidedBy, Player, SeasonEvent
from formats.series.numbers import rounded
from formats.series.plan import Plan, Rounded
from formats.series.points import event_points
from formats.series.table import Season, decayed

MAX_STATES = 20_000
"""States that are tried for one question, with all places in the next event."""
ABSENT = 0
"""The place of a player who does not take part."""
Points = Fraction | int
Results = tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class Upcoming:
    """An event to come. `points` are those of its places, best first; places beyond earn nothing.

    If it is `open`, those named may come and others may, too; else exactly those named take part.
    """

    id: str
    entrants: frozenset[Player]
    points: Results
    open: bool = False

    @property
    def places(self) -> Results:
        """The points of the places that can be taken, best first."""
        ordered = sorted(self.points, reverse=True)
        size = max(len(self.entrants), len(ordered)) if self.open else len(self.entrants)
        return tuple([*ordered, *[0] * (size - len(ordered))][:size])


@dataclass(frozen=True, slots=True)
class Contest:
    """What players have so far, as it will count at the end, and the events to come in their order.

    The best `best` results count, None all; fewer than `min_events` give no rank. Equal totals count as reached, unless
    `level_is_behind`: then rivals who draw level stand above, as if every tie rule went against the player.
    """

    results: Mapping[Player, Results]
    upcoming: tuple[Upcoming, ...]
    best: int | None = None
    min_events: int = 0
    rounding: Rounded | None = None
    level_is_behind: bool = False

    def total(self, results: Results) -> Points:
        total: Points = sum(sorted(results, reverse=True)[: self.best])
        if self.rounding is None:
            return total
        return rounded(Fraction(total), self.rounding.mode, self.rounding.digits)

    def in_whole_numbers(self) -> "Contest":
        """The same contest with all points multiplied so that they are whole: a search is faster with them."""
        if self.rounding is not None:
            return self
        groups = (*self.results.values(), *(event.points for event in self.upcoming))
        factor = lcm(*(points.denominator for group in groups for points in group))
        upcoming = (replace(event, points=_times(event.points, factor)) for event in self.upcoming)
        results = {player: _times(own, factor) for player, own in self.results.items()}
        return replace(self, results=results, upcoming=tuple(upcoming))

    def kept(self, results: Results) -> Results:
        """As much of these results as can matter: the best, and how many there are up to the minimum."""
        most = len(results) if self.best is None else max(self.best, self.min_events)
        if self.best is None:
            return (sum(results), *[0] * (min(len(results), self.min_events) - 1)) if results else ()
        return tuple(sorted(results, reverse=True)[:most])


def _times(results: Results, factor: int) -> Results:
    return tuple(int(points * factor) for points in results)


@dataclass(frozen=True, slots=True)
class Range:
    """The ranks that are possible: the best and the worst, None for no rank. One that is not exact is only a bound."""

    best: int | None
    worst: int | None
    best_is_exact: bool = True
    worst_is_exact: bool = True

    def secures(self, target: int) -> bool | None:
        """Whether the target is reached in every outcome; None if not decided yet."""
        if self.worst is not None and self.worst <= target:
            return True
        return False if self.worst_is_exact or self.best is None or self.best > target else None

    def allows(self, target: int) -> bool | None:
        """Whether the target is reached in some outcome; None if not decided yet."""
        if self.best is None or self.best > target:
            return False
        return True if self.best_is_exact or self.secures(target) else None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is possible for a player with a target rank.

    `secured` and `can_still` are None if not decided yet. `by_next_place` are the ranks after each place in the next
    event (0: not taking part). `enough_next` is the worst place that settles the target whatever the others do,
    `still_possible_next` the worst with which it can still be reached; None if there is none or it is not decided.
    """

    player: Player
    target: int
    ranks: Range
    secured: bool | None
    can_still: bool | None
    enough_next: int | None
    still_possible_next: int | None
    by_next_place: Mapping[int, Range]
    more_events: int = 0
    """Events that are missing for a rank."""

    def toward(self, target: int) -> "Outlook":
        """The same for another target: the ranks that are possible do not depend on it."""
        enough = [place for place, after in self.by_next_place.items() if place and after.secures(target)]
        possible = [place for place, after in self.by_next_place.items() if place and after.allows(target)]
        return replace(
            self,
            target=target,
            secured=self.ranks.secures(target),
            can_still=self.ranks.allows(target),
            enough_next=max(enough, default=None),
            still_possible_next=max(possible, default=None),
        )


def outlook(contest: Contest, player: Player, target: int, *, most_states: int = MAX_STATES) -> Outlook:
    """Answer what it would take for the player to end at rank `target` or better."""
    states = _States(most_states)
    contest = contest.in_whole_numbers()
    ranks = _ranks(contest, player, None, states)
    by_place: dict[int, Range] = {}
    if contest.upcoming:
        event = contest.upcoming[0]
        places = range(1, len(event.places) + 1) if player in event.entrants else ()
        absent = (ABSENT,) if event.open or player not in event.entrants else ()
        known: dict[Points, Range] = {}
        for place in (*absent, *places):
            # Places with equal points lead to the same ranks.
            points = event.places[place - 1] if place else None
            if points is None or points not in known:
                by_place[place] = _ranks(contest, player, place, states)
            else:
                by_place[place] = known[points]
            if points is not None:
                known[points] = by_place[place]
    more = max(0, contest.min_events - len(contest.results.get(player, ())))
    return Outlook(player, target, ranks, None, None, None, None, by_place, more).toward(target)


def ranks_of(
    contest: Contest, player: Player, next_place: int | None = None, *, most_states: int = MAX_STATES
) -> Range:
    """The best and worst rank that the player can end at, with this place in the next event if one is given."""
    return _ranks(contest.in_whole_numbers(), player, next_place, _States(most_states))


def _ranks(contest: Contest, player: Player, next_place: int | None, states: "_States") -> Range:
    best, best_is_exact = _rank(contest, player, next_place, _Fewest, states)
    worst, worst_is_exact = _rank(contest, player, next_place, _Most, states)
    return Range(best, worst, best_is_exact, worst_is_exact)


def _rank(
    contest: Contest, player: Player, next_place: int | None, goal: type["_Goal"], states: "_States"
) -> tuple[int | None, bool]:
    places = [goal.own_place(event, player) for event in contest.upcoming]
    if next_place is not None and places:
        places[0] = next_place
    own = contest.results.get(player, ())
    events = []
    for event, place in zip(contest.upcoming, places, strict=True):
        left = list(event.places)
        if place != ABSENT:
            own = (*own, left.pop(place - 1))
        events.append(_Event(event.entrants - {player}, tuple(left), event.open))
    if len(own) < contest.min_events:
        return None, True
    search = goal(contest, contest.total(own), tuple(events), states)
    rivals = (set(contest.results) | set().union(*(event.entrants for event in events))) - {player}
    above = search.count({rival: contest.kept(contest.results.get(rival, ())) for rival in sorted(rivals)})
    return above + 1, search.is_exact


@dataclass(frozen=True, slots=True)
class _Event:
    """An event to come without the player in question: the rivals in it, and the places left to them."""

    entrants: frozenset[Player]
    places: Results
    open: bool

    def outcomes(self, rival: Player) -> Results:
        """The points that this rival can get, best first."""
        return self.places if rival in self.entrants else ()

    def may_miss(self, rival: Player) -> bool:
        return self.open or rival not in self.entrants


class _TooManyStates(Exception):
    """The number of states is used up."""


@dataclass
class _States:
    """How many states are left to be tried."""

    left: int

    def use(self) -> None:
        if self.left <= 0:
            raise _TooManyStates
        self.left -= 1


@dataclass
class _Goal:
    """A search for how many rivals end above a total: `_Most` or `_Fewest`."""

    contest: Contest
    total: Points
    events: tuple[_Event, ...]
    states: _States
    is_exact: bool = True
    known: dict[tuple[int, tuple[tuple[Player, Results], ...]], int] = field(default_factory=dict)

    @staticmethod
    def own_place(event: Upcoming, player: Player) -> int:
        raise NotImplementedError

    def at_last(self, event: _Event, rivals: Mapping[Player, Results]) -> int:
        """How many of these rivals end above, with one event left."""
        raise NotImplementedError

    def better(self, first: int, second: int) -> bool:
        """Whether the first count is nearer the goal."""
        raise NotImplementedError

    def bound(self, undecided: int) -> int:
        """The count of undecided rivals beyond which none can be nearer the goal."""
        raise NotImplementedError

    def is_above(self, results: Results) -> bool:
        """Whether a rival with these results in the end stands above."""
        if len(results) < self.contest.min_events:
            return False
        total = self.contest.total(results)
        return total > self.total or (self.contest.level_is_behind and total == self.total)

    def count(self, rivals: Mapping[Player, Results]) -> int:
        """How many rivals end above; only a bound if `is_exact` is false then."""
        try:
            return self._count(0, rivals)
        except _TooManyStates:
            self.is_exact = False
            decided, undecided = self._decided(0, rivals)
            return decided + self.bound(len(undecided))

    def _decided(self, index: int, rivals: Mapping[Player, Results]) -> tuple[int, dict[Player, Results]]:
        """How many rivals stand above in every outcome, and those for whom it depends on it."""
        above = 0
        undecided = {}
        for rival, results in rivals.items():
            highest, lowest = results, results
            for event in self.events[index:]:
                if outcomes := event.outcomes(rival):
                    highest = (*highest, outcomes[0])
                    if not event.may_miss(rival):
                        lowest = (*lowest, outcomes[-1])
            if self.is_above(lowest):
                above += 1
            elif self.is_above(highest):
                undecided[rival] = results
        return above, undecided

    def _count(self, index: int, rivals: Mapping[Player, Results]) -> int:
        above, undecided = self._decided(index, rivals)
        if not undecided:
            return above
        key = index, tuple(undecided.items())
        if key not in self.known:
            self.known[key] = self._search(index, undecided)
        return above + self.known[key]

    def _search(self, index: int, rivals: Mapping[Player, Results]) -> int:
        event = self.events[index]
        if index == len(self.events) - 1:
            return self.at_last(event, rivals)
        bound = self.bound(len(rivals))
        best: int | None = None
        for after in self._after(event, rivals):
            self.states.use()
            count = self._count(index + 1, after)
            if best is None or self.better(count, best):
                best = count
            if best == bound:
                break
        return self.bound(len(rivals)) if best is None else best

    def _after(self, event: _Event, rivals: Mapping[Player, Results]) -> Iterator[dict[Player, Results]]:
        """Every way in which an event can end for these rivals; places with equal points are one."""
        names = [rival for rival in rivals if rival in event.entrants]
        counts: dict[Points, int] = {}
        for points in event.places:
            counts[points] = counts.get(points, 0) + 1
        after = dict(rivals)

        def place(position: int) -> Iterator[dict[Player, Results]]:
            if position == len(names):
                yield dict(after)
                return
            rival = names[position]
            for points in counts:
                if counts[points]:
                    counts[points] -= 1
                    after[rival] = self.contest.kept((*rivals[rival], points))
                    yield from place(position + 1)
                    counts[points] += 1
            if event.open:
                after[rival] = rivals[rival]
                yield from place(position + 1)

        return place(0)


class _Most(_Goal):
    """The worst outcome: as many rivals above as can be."""

    @staticmethod
    def own_place(event: Upcoming, player: Player) -> int:
        if event.open or player not in event.entrants:
            return ABSENT
        return len(event.places)

    def at_last(self, event: _Event, rivals: Mapping[Player, Results]) -> int:
        """As many as can be given places that lift them above."""

        def lifted(rival: Player, points: Points) -> bool:
            return self.is_above((*rivals[rival], points))

        return _matching([rival for rival in rivals if rival in event.entrants], event.places, lifted)

    def better(self, first: int, second: int) -> bool:
        return first > second

    def bound(self, undecided: int) -> int:
        return undecided


class _Fewest(_Goal):
    """The best outcome: as few rivals above as can be."""

    @staticmethod
    def own_place(event: Upcoming, player: Player) -> int:
        return 1 if player in event.entrants else ABSENT

    def at_last(self, event: _Event, rivals: Mapping[Player, Results]) -> int:
        """All but as many as can be given places that leave them below; who may stay away is below by that."""
        names = [rival for rival in rivals if not (event.may_miss(rival) and not self.is_above(rivals[rival]))]

        def left_below(rival: Player, points: Points) -> bool:
            return not self.is_above((*rivals[rival], points))

        return len(names) - _matching(names, event.places, left_below)

    def better(self, first: int, second: int) -> bool:
        return first < second

    def bound(self, undecided: int) -> int:
        return 0


def _matching(rivals: Sequence[Player], places: Results, fits: Callable[[Player, Points], bool]) -> int:
    """The most rivals that can have a fitting place each, no two the same (augmenting paths)."""
    by_points = {(rival, points): fits(rival, points) for rival in rivals for points in set(places)}
    edges = {rival: [at for at, points in enumerate(places) if by_points[rival, points]] for rival in rivals}
    taken: dict[int, Player] = {}

    def augment(rival: Player, seen: set[int]) -> bool:
        for at in edges[rival]:
            if at in seen:
                continue
            seen.add(at)
            if at not in taken or augment(taken[at], seen):
                taken[at] = rival
                return True
        return False

    return sum(augment(rival, set()) for rival in rivals)


def contest_of(evaluated: Season, upcoming: Sequence[Upcoming], closing: date | None = None) -> Contest:
    """The contest that a season still is. Points have decayed by the day of `closing`, and the worst are dropped then.

    Raises Refused with `series_outlook_limits` where at most so many results of a month, class or away count.
    """
    count = evaluated.plan.count
    if count.per_month is not None or count.per_class or count.away is not None:
        raise Refused("series_outlook_limits")
    results: dict[Player, Results] = {}
    points = decayed(evaluated.plan, evaluated.events, evaluated.points, closing, later_events=len(upcoming))
    members = {row.player for row in evaluated.rows}
    for player, own in points.items():
        if player in members:
            results[player] = tuple(result.points for result in own)
    best = count.most(len(evaluated.events) + len(upcoming))
    return Contest(results, tuple(upcoming), best, count.min_events, evaluated.plan.round_total)


def like(plan: Plan, model: SeasonEvent, entrants: frozenset[Player], *, event: str, kind: str = NORMAL) -> Upcoming:
    """An evening to come that is as large as an earlier one: its places earn what they would have earned then.

    Every match of the model counts as played. This is an assumption, which belongs under what is shown.
    """
    divisions = tuple(
        replace(
            division,
            matches=tuple(
                replace(match, how=DecidedBy.PLAYED) if match.how is DecidedBy.WALKOVER else match
                for match in division.matches
            ),
        )
        for division in model.divisions
    )
    earned = event_points(plan, replace(model, divisions=divisions, kind=kind))
    points = sorted((own.points for own in earned.values()), reverse=True)
    return Upcoming(event, entrants, tuple(points), open=True)
