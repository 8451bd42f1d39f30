"""The table of a series: which results count, totals, and the order of equal totals."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

from formats.series.facts import DecidedBy, Player, SeasonEvent, SeriesMatch
from formats.series.numbers import rounded
from formats.series.plan import ELSE, GROUP, MAIN, Decay, Every, Plan, TieRule
from formats.series.points import ZERO, Earned, closed_up, event_points, placings_of

Key = tuple[Fraction, ...]
"""What a tie rule compares; the higher is better."""
NO_PLACE: Key = (Fraction(-1_000_000),)
"""What `best_place` compares of those who were never placed."""


@dataclass(frozen=True, slots=True)
class CountedResult:
    """A player's result in one event of the series: `points` as they count, after decay by `faded` steps."""

    event: str
    points: Fraction
    earned: Earned
    faded: int = 0
    counts: bool = True
    limited: bool = False
    """Whether it does not count because of a limit per month, class or away, rather than better results."""


@dataclass(frozen=True, slots=True)
class TieReason:
    """Why a player is ranked before `ahead_of`, who has the same total: the rule, and what it compared."""

    rule: TieRule
    ahead_of: Player
    own: Key
    other: Key


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A row of the table. `rank` is None for those with fewer than the needed events; they stand below, by name."""

    rank: int | None
    player: Player
    total: Fraction
    results: tuple[CountedResult, ...]
    exact: Fraction
    """The total before it was rounded."""
    reason: TieReason | None = None
    more_events: int = 0
    """Events that are missing for a rank."""

    @property
    def counted(self) -> tuple[str, ...]:
        """The events that count, in their order."""
        return tuple(result.event for result in self.results if result.counts)

    @property
    def best_first(self) -> tuple[str, ...]:
        """The events that count: in order of their points if some do not count, else in their order."""
        if not self.dropped:
            return self.counted
        best = sorted((result for result in self.results if result.counts), key=lambda result: -result.points)
        return tuple(result.event for result in best)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The events that the player entered and that do not count."""
        return tuple(result.event for result in self.results if not result.counts)

    @property
    def events(self) -> int:
        """How many events the player entered."""
        return len(self.results)


@dataclass(frozen=True, slots=True)
class View:
    """A part of the players whose table is shown; their points are unchanged."""

    name: str
    players: frozenset[Player]


@dataclass(frozen=True, slots=True)
class Decided:
    """What tie rules cannot compute: the order by lot and the outcome of play-offs, each with the lowest first."""

    lots: Mapping[Player, int] = field(default_factory=dict)
    play_offs: Mapping[Player, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Season:
    """A series evaluated: everybody's points by event, and the rows of its table."""

    plan: Plan
    events: tuple[SeasonEvent, ...]
    points: Mapping[str, Mapping[Player, Earned]]
    rows: tuple[SeriesRow, ...]

    def row(self, player: Player) -> SeriesRow | None:
        return next((row for row in self.rows if row.player == player), None)


def season(
    plan: Plan,
    events: Sequence[SeasonEvent],
    *,
    view: View | None = None,
    as_of: date | None = None,
    decided: Decided | None = None,
    earned: Mapping[str, Mapping[Player, Earned]] | None = None,
) -> Season:
    """Evaluate a series over finished events in their order.

    `as_of` is the day to which points decay, by default that of the last event. `earned` may hold points of events
    that the caller has kept, by id; they must come from the same plan and facts.
    """
    known = earned or {}
    points = {event.id: known.get(event.id) or event_points(plan, event) for event in events}
    shown = _belonging(plan, view)
    results = decayed(plan, events, points, as_of)
    entries = [_counted(plan, events, player, own) for player, own in results.items() if shown(player)]
    order = _Order(plan, [closed_up(plan, event) for event in events], decided or Decided(), entries)
    return Season(plan, tuple(events), points, tuple(order.rows()))


def _belonging(plan: Plan, view: View | None) -> Callable[[Player], bool]:
    def belongs(player: Player) -> bool:
        return (plan.players is None or player in plan.players) and (view is None or player in view.players)

    return belongs


def decayed(
    plan: Plan,
    events: Sequence[SeasonEvent],
    points: Mapping[str, Mapping[Player, Earned]],
    as_of: date | None = None,
    *,
    later_events: int = 0,
) -> dict[Player, list[CountedResult]]:
    """Everybody's results in order of the events, with the points they are worth on the day `as_of`.

    By default that is the day of the last event; `later_events` are held after those given.
    """
    last = as_of or max((event.date for event in events), default=date.min)
    results: dict[Player, list[CountedResult]] = defaultdict(list)
    for index, event in enumerate(events):
        steps = _steps(plan.decay, event.date, last, later_events + len(events) - 1 - index)
        factor = plan.decay.factor**steps if plan.decay is not None and steps else None
        for player, earned in points[event.id].items():
            value = earned.points if factor is None else earned.points * factor
            results[player].append(CountedResult(event.id, value, earned, steps))
    return results


def _steps(decay: Decay | None, day: date, last: date, later_events: int) -> int:
    """How often the points of an event of this day have decayed."""
    if decay is None:
        return 0
    match decay.every:
        case Every.EVENT:
            return later_events
        case Every.YEAR:
            return max(0, last.year - day.year)
        case Every.MONTH:
            return max(0, (last.year - day.year) * 12 + last.month - day.month)


@dataclass(frozen=True, slots=True)
class _Entry:
    player: Player
    results: tuple[CountedResult, ...]
    exact: Fraction
    total: Fraction
    ranked: bool


def _counted(plan: Plan, events: Sequence[SeasonEvent], player: Player, results: list[CountedResult]) -> _Entry:
    """Select the results that count: the best after factors and decay, of equals the earlier."""
    count = plan.count
    kept = _selected(plan, count.most(len(events)), {event.id: event for event in events}, results)
    exact = ZERO
    for result in kept:
        if result.counts:
            exact += result.points
    total = exact if plan.round_total is None else rounded(exact, plan.round_total.mode, plan.round_total.digits)
    return _Entry(player, tuple(kept), exact, total, len(results) >= count.min_events)


def _selected(
    plan: Plan, most: int | None, events: Mapping[str, SeasonEvent], results: list[CountedResult]
) -> Sequence[CountedResult]:
    count = plan.count
    limits = count.per_month is not None or count.per_class or count.away is not None
    if not limits and (most is None or len(results) <= most):
        return results
    order = sorted(range(len(results)), key=lambda index: (-results[index].points, index))
    left = len(results) if most is None else most
    groups: Counter[tuple[str, str]] = Counter()
    kept = list(results)
    for index in order:
        result = results[index]
        of = list(_limited_groups(plan, events[result.event])) if limits else []
        limited = any(groups[group] >= at_most for group, at_most in of)
        if limited or not left:
            kept[index] = CountedResult(result.event, result.points, result.earned, result.faded, False, limited)
            continue
        left -= 1
        groups.update(group for group, _ in of)
    return kept


def _limited_groups(plan: Plan, event: SeasonEvent) -> Iterator[tuple[tuple[str, str], int]]:
    """The groups of events that this one belongs to, each with the most results that may count."""
    count, kind = plan.count, plan.class_of(event)
    if count.per_month is not None:
        yield ("month", f"{event.date:%Y-%m}"), count.per_month
    if kind in count.per_class:
        yield ("class", kind), count.per_class[kind]
    elif ELSE in count.per_class:
        yield ("class", kind), count.per_class[ELSE]
    if count.away is not None and event.away:
        yield ("away", ""), count.away


class _Order:
    """Orders the entries of a table by total and tie rules."""

    def __init__(self, plan: Plan, events: Sequence[SeasonEvent], decided: Decided, entries: Sequence[_Entry]) -> None:
        self.plan = plan
        self.events = events
        self.decided = decided
        self.entries = {entry.player: entry for entry in entries}

    def rows(self) -> Iterator[SeriesRow]:
        ranked = sorted((entry for entry in self.entries.values() if entry.ranked), key=lambda entry: -entry.total)
        rank = 1
        for _, equal in groupby(ranked, key=lambda entry: entry.total):
            players = sorted(entry.player for entry in equal)
            first_only = self.plan.ties_for_first_only and rank > 1
            groups, reasons = ([players], {}) if first_only else self._split(players, self.plan.ties)
            for group in groups:
                for player in sorted(group):
                    yield self._row(self.entries[player], rank, reasons.get(player))
                rank += len(group)
        for player in sorted(entry.player for entry in self.entries.values() if not entry.ranked):
            yield self._row(self.entries[player], None, None)

    def _row(self, entry: _Entry, rank: int | None, reason: TieReason | None) -> SeriesRow:
        more = max(0, self.plan.count.min_events - len(entry.results))
        return SeriesRow(rank, entry.player, entry.total, entry.results, entry.exact, reason, more)

    def _split(
        self, players: list[Player], rules: Sequence[TieRule]
    ) -> tuple[list[list[Player]], dict[Player, TieReason]]:
        """Split players with equal totals into groups by the rules in order, with the reasons between neighbours."""
        if len(players) < 2 or not rules or rules[0] is TieRule.SHARE:
            return [players], {}
        rule = rules[0]
        keys = self._keys(rule, players)
        ordered = sorted(players, key=lambda player: keys[player], reverse=True)
        parts = [list(group) for _, group in groupby(ordered, key=lambda player: keys[player])]
        if len(parts) == 1:
            return self._split(players, rules[1:])
        # A smaller group may be split by matches among its own players alone.
        following = rules if rule is TieRule.HEAD_TO_HEAD else rules[1:]
        groups: list[list[Player]] = []
        reasons: dict[Player, TieReason] = {}
        for part in parts:
            smaller, more = self._split(sorted(part), following)
            groups += smaller
            reasons |= more
            for player in smaller[-1]:
                reasons.setdefault(player, TieReason(rule, "", keys[player], ()))
        for above, below in pairwise(groups):
            for player in above:
                reason = reasons.get(player)
                if reason is not None and not reason.ahead_of:
                    reasons[player] = TieReason(reason.rule, below[0], reason.own, keys[below[0]])
        return groups, {player: reason for player, reason in reasons.items() if reason.ahead_of}

    def _keys(self, rule: TieRule, players: list[Player]) -> dict[Player, Key]:
        if rule is TieRule.HEAD_TO_HEAD:
            return self._head_to_head(players)
        key = self._key_of[rule]
        return {player: key(self.entries[player]) for player in players}

    @cached_property
    def _key_of(self) -> Mapping[TieRule, Callable[[_Entry], Key]]:
        """What each rule compares of a player, except `HEAD_TO_HEAD`; with `SHARE` nothing is compared."""
        return {
            TieRule.BEST_SINGLE: _best_single,
            TieRule.BEST_PLACE: self._best_place,
            TieRule.MOST_BEST_PLACES: self._most_best_places,
            TieRule.COUNT_OF_VALUES: self._count_of_values,
            TieRule.FEWEST_EVENTS: lambda entry: (Fraction(-len(entry.results)),),
            TieRule.MOST_EVENTS: lambda entry: (Fraction(len(entry.results)),),
            TieRule.WIN_SHARE: self._win_share,
            TieRule.BEST_DROPPED: _best_dropped,
            TieRule.LOT: self._lot,
            TieRule.PLAY_OFF: self._play_off,
        }

    def _head_to_head(self, players: list[Player]) -> dict[Player, Key]:
        """Wins minus losses in matches among these players."""
        among = set(players)
        balance = dict.fromkeys(players, 0)
        for match in self._matches:
            if match.winner in among and match.loser in among and match.loser is not None:
                balance[match.winner] += 1
                balance[match.loser] -= 1
        return {player: (Fraction(value),) for player, value in balance.items()}

    @cached_property
    def _matches(self) -> list[SeriesMatch]:
        """The matches of all events with a winner and a loser."""
        return [
            match
            for event in self.events
            for division in event.divisions
            for match in division.matches
            if match.loser is not None and match.how in (DecidedBy.PLAYED, DecidedBy.WALKOVER)
        ]

    def _win_share(self, entry: _Entry) -> Key:
        """Wins over played matches, without walkovers; nobody without a match is before others."""
        won, played = self._played.get(entry.player, (0, 0))
        return (Fraction(won, played) if played else ZERO,)

    @cached_property
    def _played(self) -> dict[Player, tuple[int, int]]:
        counts: dict[Player, tuple[int, int]] = {}
        for match in self._matches:
            if match.how is not DecidedBy.PLAYED or match.loser is None:
                continue
            for player, won in ((match.winner, 1), (match.loser, 0)):
                wins, played = counts.get(player, (0, 0))
                counts[player] = wins + won, played + 1
        return counts

    def _best_place(self, entry: _Entry) -> Key:
        places = self._places.get(entry.player, [])
        return (Fraction(-min(places)),) if places else NO_PLACE

    def _most_best_places(self, entry: _Entry) -> Key:
        """How many first places, second places and so on."""
        counts = Counter(self._places.get(entry.player, []))
        return tuple(Fraction(counts[place]) for place in range(1, self._last_place + 1))

    @cached_property
    def _places(self) -> dict[Player, list[int]]:
        """The places of each player in main brackets or groups, or else in the first; of shared places the first."""
        places: dict[Player, list[int]] = defaultdict(list)
        for event in self.events:
            for division in event.divisions:
                brackets = (
                    [bracket for bracket in division.brackets if bracket.name == MAIN]
                    or [bracket for bracket in division.brackets if bracket.name.startswith(GROUP)]
                    or division.brackets[:1]
                )
                for bracket in brackets:
                    for placing in placings_of(bracket, self.plan):
                        for player in (row for side in placing.players for row in event.people(division, side)):
                            places[player].append(placing.first)
        return places

    @cached_property
    def _last_place(self) -> int:
        return max((place for places in self._places.values() for place in places), default=0)

    def _count_of_values(self, entry: _Entry) -> Key:
        counts = Counter(result.earned.points for result in entry.results)
        return tuple(Fraction(counts[value]) for value in self.plan.tie_values)

    def _lot(self, entry: _Entry) -> Key:
        return (Fraction(-self.decided.lots.get(entry.player, 0)),)

    def _play_off(self, entry: _Entry) -> Key:
        return (Fraction(-self.decided.play_offs.get(entry.player, 0)),)


def _best_single(entry: _Entry) -> Key:
    return (max((result.points for result in entry.results), default=ZERO),)


def _best_dropped(entry: _Entry) -> Key:
    return (max((result.points for result in entry.results if not result.counts), default=ZERO),)


def season_json(evaluated: Season, write: Callable[[Fraction], str]) -> dict[str, Any]:
    """The points by event and the table, as `./manage.py series` prints them."""
    return {
        "points_by_event": {
            event: {player: write(earned[player].points) for player in sorted(earned)}
            for event, earned in evaluated.points.items()
        },
        "table": [
            {"rank": row.rank, "player": row.player, "total": write(row.total), "counted": list(row.best_first)}
            for row in evaluated.rows
        ],
    }
