"""Nights without rounds, played by the rule itself, to compare formats and to forecast the rest of a night.

Minutes throughout. A match begins `walk` minutes after its pairing and takes the length times the minutes a point,
times the tempo of its players and chance. A player can be paired again `rest` minus `walk` minutes after the report, so
that the call comes as the rest ends. A wait is the time from the end of a match to the pairing of the next one.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median_low
from time import process_time

from formats.continuous.rule import decide
from formats.continuous.state import (
    FlowMatch,
    FlowPair,
    FlowPlayer,
    FlowState,
    PairingDecision,
    PairingStep,
    SettledMatch,
)
from formats.elimination.from_lives import PLACES, seat_lives
from formats.elimination.knockout import bracket_size, knockout
from formats.facts import Result
from formats.forecast.durations import (
    EVENINGS_DIFFER,
    MEAN_SHARE,
    MINUTES_PER_POINT,
    REST,
    SEATING,
    player_tempo,
    spread,
)
from formats.graph import MAIN, EntryId, FixtureId
from formats.lots import lot
from formats.progress import progress
from formats.settings import LIVES, StageSettings
from formats.swiss.lives import MISSED_FOR_A_LIFE, lives_for_missed
from formats.swiss.pairing import best_matching

START = datetime(2000, 1, 1, tzinfo=UTC)
"""The moment from which minutes count; any would do."""


@dataclass(frozen=True, slots=True)
class EveningPace:
    """How long things take: minutes that a match takes for each point on average, from call to first roll, and rest."""

    a_point: float = MINUTES_PER_POINT * MEAN_SHARE
    walk: float = SEATING
    rest: float = REST

    def minutes(self, length: int, tempo: float, chance: Random) -> float:
        shape = 1 / spread(length) ** 2
        return chance.gammavariate(shape, length * self.a_point * tempo / shape)


@dataclass(frozen=True, slots=True)
class EveningField:
    """Who plays: the tempo of each entry (1 is usual, more is slower), clubs, and who reports or enters late."""

    tempo: Mapping[EntryId, float]
    clubs: Mapping[EntryId, str] = field(default_factory=dict)
    delays: Mapping[EntryId, float] = field(default_factory=dict)
    """Minutes from the end of their matches until these are reported; until then they go on for everybody else."""
    enters_at: Mapping[EntryId, float] = field(default_factory=dict)
    """Of those who enter late."""

    @classmethod
    def drawn(cls, players: int, chance: Random) -> "EveningField":
        """Return entries 1 … players with the usual differences in tempo."""
        return cls({entry: player_tempo(chance) for entry in range(1, players + 1)})


@dataclass(slots=True)
class EveningOutcome:
    """What a night came to. Waits are in minutes, for each entry in all."""

    end: float = 0.0
    batches: int = 0
    matches: Counter[EntryId] = field(default_factory=Counter)
    waits: Counter[EntryId] = field(default_factory=Counter)
    held_by_lead: float = 0.0
    rematches: int = 0
    rematches_avoidable: int = 0
    unequal: int = 0
    club_mates: int = 0
    lead: int = 0
    at_tables: float = 0.0
    byes: list[EntryId] = field(default_factory=list)
    switched: int | None = None
    """How many were still in when the bracket was drawn."""
    switched_at: float | None = None
    places: int | None = None
    """Of the bracket that follows."""
    bracket: list[EntryId] = field(default_factory=list)
    """Who played in it, best first, if it was played."""
    seconds: list[float] = field(default_factory=list)
    won: Counter[EntryId] = field(default_factory=Counter)
    out: list[EntryId] = field(default_factory=list)
    left: dict[EntryId, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.matches.total() // 2


Wins = Callable[[EntryId, EntryId], float]
"""The chance (0–1) that the first of two entries beats the second."""


@dataclass
class SimulatedEvening:
    """A night that is being played, from the beginning or from a state of the real one."""

    settings: StageSettings
    tables: int
    people: EveningField
    chance: Random
    pace: EveningPace = field(default_factory=EveningPace)
    wins: Wins = field(default=lambda _first, _second: 0.5)
    seed: bytes = bytes(32)
    length: int = 5
    switch_after: float | None = None
    """When the bracket is drawn at the latest."""

    def __post_init__(self) -> None:
        self.quota = self.settings.lives if self.settings.format == LIVES else self.settings.rounds or 1
        self.at = 0.0
        self.to_come = dict(self.people.enters_at)
        here = [entry for entry in self.people.tempo if entry not in self.to_come]
        self.left: dict[EntryId, int] = dict.fromkeys(here, self.quota)
        self.begun: Counter[EntryId] = Counter()
        self.points: Counter[EntryId] = Counter()
        self.joins: dict[EntryId, float] = dict.fromkeys(self.people.tempo, 0.0)
        self.free_since: dict[EntryId, float] = {}
        self.met: dict[frozenset[EntryId], tuple[int, ...]] = {}
        self.forbidden: frozenset[frozenset[EntryId]] = frozenset()
        self.pairings = 0
        self.playing: dict[int, tuple[EntryId, EntryId]] = {}
        self.ends: list[tuple[float, int]] = []
        """When each match is reported, and its number."""
        self.delays: dict[int, float] = {}
        self.settled: list[tuple[float, tuple[EntryId, EntryId]]] = []
        self.played = EveningOutcome()
        self.rows: dict[EntryId, FlowPlayer] = {}
        """The players as the rule was given them last; without those of whom something has changed since."""

    @classmethod
    def from_state(
        cls, state: FlowState, *, running: Mapping[int, float], now: datetime, **options: object
    ) -> "SimulatedEvening":
        """Return the rest of a night; `running` has the minutes that each match in progress still takes.

        Whoever is away or absent is back at once, unless it is known when.
        """
        night = cls(state.settings, **options)  # type: ignore[arg-type]
        night.seed, night.forbidden = state.seed, state.forbidden
        # New pairs have other numbers than the matches in progress.
        night.pairings = max([state.pairings, *running])
        night.met = dict(state.met)
        if state.switch_at is not None:
            night.switch_after = max(0.0, (state.switch_at - now).total_seconds() / 60)
        for player in state.players:
            night.left[player.entry] = player.left
            night.begun[player.entry] = player.begun
            night.points[player.entry] = int(player.points)
            night.joins[player.entry] = max(0.0, (player.joins_at - now).total_seconds() / 60)
        for match in state.playing:
            night.playing[match.number] = match.pair
            heapq.heappush(night.ends, (running[match.number], match.number))
        return night

    def state(self) -> FlowState:
        for entry, left in self.left.items():
            if entry not in self.rows:
                joins = START + timedelta(minutes=self.joins[entry])
                club, points = self.people.clubs.get(entry), self.points[entry]
                self.rows[entry] = FlowPlayer(entry, left, self.begun[entry], joins, club=club, points=points)
        players = tuple(self.rows.values())
        playing = tuple(FlowMatch(number, pair) for number, pair in self.playing.items())
        settled = tuple(
            SettledMatch(START + timedelta(minutes=at), pair)
            for at, pair in self.settled
            if at > self.at - self.settings.window
        )
        switch = None if self.switch_after is None else START + timedelta(minutes=self.switch_after)
        return FlowState(
            self.settings, players, playing, self.met, self.forbidden, self.seed, self.pairings, settled, switch
        )

    def play(self) -> EveningOutcome:
        """Play to the end, or to the bracket that follows."""
        while True:
            self._let_in()
            began = process_time()
            decision = decide(self.state(), START + timedelta(minutes=self.at), self.tables - len(self.playing))
            if decision.action is PairingStep.DRAW_NOW:
                self.played.seconds.append(process_time() - began)
                self._make(decision)
            elif decision.action in (PairingStep.OVER, PairingStep.SWITCH, PairingStep.BLOCKED):
                break
            else:
                self._go_on(decision)
        self.played.end = self.at
        self.played.left = self.left
        if decision.action is PairingStep.SWITCH:
            self.played.switched_at = self.at
            self.played.switched = sum(left > 0 for left in self.left.values())
            self.played.places = bracket_size(sum(PLACES[left] for left in self.left.values()))
        return self.played

    def play_bracket(self) -> EveningOutcome:
        """Play the bracket that follows to its winner, after `play`, with the same tables, pace and length of a match.

        A match is called once both players may be paired and a table is free; waits count as before.
        """
        seats = seat_lives(
            {entry: left for entry, left in self.left.items() if left > 0},
            size=max(self.played.places or 0, self.settings.qualifiers or 0),
            lots=lot(self.seed, "continuous", 1, "bracket"),
            apart={*self.met, *self.forbidden},
        )
        graph = knockout(seats)
        results: dict[FixtureId, Result] = {}
        pairs: dict[int, tuple[FixtureId, tuple[EntryId, EntryId]]] = {}
        while not (state := progress(graph, results)).over:
            called = {number for number, _pair in pairs.values()}
            waiting = [(number, state.fixtures[number].entrants) for number in state.ready if number not in called]
            ready = sorted(
                (max(self.joins[entry] for entry in pair), number, pair) for number, pair in waiting if pair is not None
            )
            for since, number, pair in ready:
                if since <= self.at and len(self.playing) < self.tables:
                    self.pairings += 1
                    pairs[self.pairings] = number, pair
                    self._call(self.pairings, pair, self.length)
            later = min((since for since, _number, _pair in ready if since > self.at), default=math.inf)
            if self.ends and self.ends[0][0] <= later:
                self.at, match = heapq.heappop(self.ends)
                number, pair = pairs[match]
                winner = self._finish(match, is_knockout=True)
                results[number] = Result(pair.index(winner), between=pair)
            else:
                self.at = later
        self.played.end = self.at
        self.played.bracket = [entry for place in state.places(MAIN) for entry in place.entries]
        return self.played

    def _let_in(self) -> None:
        """Let those in who have come since: they have missed as many matches as everybody has begun who is still in."""
        for entry in [entry for entry, at in self.to_come.items() if at <= self.at]:
            del self.to_come[entry]
            missed = min((self.begun[other] for other, left in self.left.items() if left > 0), default=0)
            self.begun[entry], self.joins[entry] = missed, self.at
            if self.settings.format != LIVES:
                self.left[entry] = max(0, self.quota - missed)
                continue
            by_lot = missed if self.settings.is_missed_by_lot else 0
            lost = lives_for_missed(missed - by_lot, by_lot, seed=self.seed, person=entry)
            is_too_late = missed // MISSED_FOR_A_LIFE >= self.quota
            self.left[entry] = 0 if is_too_late else max(0, self.quota - lost)

    def _make(self, decision: PairingDecision) -> None:
        played = self.played
        played.batches += 1
        played.rematches_avoidable += _avoidable(self.met, decision)
        slowest = min((self.begun[entry] for pair in self.playing.values() for entry in pair), default=None)
        for pair in decision.pairs:
            self.pairings += 1
            number, both = self.pairings, (pair.first, pair.second)
            for entry in both:
                self.rows.pop(entry, None)
                self.begun[entry] += 1
                if self.settings.format != LIVES:
                    self.left[entry] -= 1
                if slowest is not None:
                    played.lead = max(played.lead, self.begun[entry] - slowest)
            self._begin(number, pair)
        for entry in (*decision.byes, *decision.missed):
            self.rows.pop(entry, None)
            self.left[entry] -= 1
        for entry in decision.byes:
            played.byes.append(entry)
            self.points[entry] += 1

    def _begin(self, number: int, pair: FlowPair) -> None:
        is_unequal = self.left[pair.first] != self.left[pair.second] and self.settings.format == LIVES
        self.played.unequal += is_unequal
        still_in = sum(left > 0 for left in self.left.values()) if self.settings.late_from else 0
        self._call(number, (pair.first, pair.second), self.settings.length_of_new(self.length, still_in))

    def _call(self, number: int, both: tuple[EntryId, EntryId], length: int) -> None:
        """Call two to a table, where they begin after the walk."""
        played, met, clubs = self.played, self.met.get(frozenset(both), ()), [*map(self.people.clubs.get, both)]
        played.matches.update(both)
        played.rematches += bool(met)
        played.club_mates += clubs[0] is not None and clubs[0] == clubs[1]
        self.met[frozenset(both)] = (*met, number)
        for entry in both:
            if entry in self.free_since:
                played.waits[entry] += self.at - self.free_since.pop(entry)  # type: ignore[assignment]
        tempo = sum(self.people.tempo.get(entry, 1.0) for entry in both) / 2
        minutes = self.pace.walk + self.pace.minutes(length, tempo, self.chance)
        played.at_tables += minutes
        self.playing[number] = both
        self.delays[number] = max(self.people.delays.get(entry, 0.0) for entry in both)
        heapq.heappush(self.ends, (self.at + minutes + self.delays[number], number))

    def _go_on(self, decision: PairingDecision) -> None:
        """Go on to the next moment at which something may change."""
        moments = [self.joins[entry] for entry, left in self.left.items() if left > 0 and self.joins[entry] > self.at]
        times = (decision.due_at, decision.changes_at)
        moments += [(moment - START).total_seconds() / 60 for moment in times if moment is not None]
        moments += [self.switch_after] if self.switch_after is not None else []
        moments += self.to_come.values()
        later = min((minutes for minutes in moments if minutes > self.at), default=math.inf)
        end = self.ends[0][0] if self.ends else math.inf
        held = sum(reason[0] == "ahead" for reason in decision.waits.values())
        self.played.held_by_lead += held * (min(later, end) - self.at)
        self.at = min(later, end)
        if end <= later:
            self._finish(heapq.heappop(self.ends)[1])

    def _finish(self, number: int, *, is_knockout: bool = False) -> EntryId:
        """Report a match, and return its winner; whoever loses a match of a knockout is out."""
        first, second = self.playing.pop(number)
        self.settled.append((self.at, (first, second)))
        winner, loser = (first, second) if self.chance.random() < self.wins(first, second) else (second, first)
        self.points[winner] += 1
        self.played.won[winner] += 1
        if self.settings.format == LIVES:
            self.left[loser] -= self.left[loser] if is_knockout else 1
            if not self.left[loser]:
                self.played.out.append(loser)
        for entry in (first, second):
            self.rows.pop(entry, None)
            self.joins[entry] = self.at + max(0.0, self.pace.rest - self.pace.walk)
            if self.left[entry] > 0:
                self.free_since[entry] = self.at - self.delays.get(number, 0.0)
        return winner


def _avoidable(met: Mapping[frozenset[EntryId], Sequence[int]], decision: PairingDecision) -> int:
    """Return how many meetings a batch has beyond the least possible among its allowed pairs."""
    meetings = sum(pair.costs[0] for pair in decision.pairs)
    if not meetings:
        return 0
    order = sorted({entry for pair in decision.allowed for entry in pair})
    at = {entry: index for index, entry in enumerate(order)}
    most = max(len(places) for places in met.values()) * len(order) + 1
    edges = [(at[a], at[b], most - len(met.get(frozenset((a, b)), ()))) for a, b in decision.allowed]
    best = best_matching(len(order), edges)
    if len(best) > len(decision.pairs):
        return 0  # there were not enough tables
    return meetings - sum(len(met.get(frozenset((order[a], order[b])), ())) for a, b in best)


@dataclass(frozen=True, slots=True)
class NightForecast:
    """What to expect of a night without rounds, in minutes: when it ends, and how long everybody waits in all."""

    end: float
    latest: float
    """By which it is over with 90 % probability."""
    wait: float
    longest_wait: float
    fewest: int
    most: int
    """Matches of a player, leaving aside the extreme tenth on either side."""
    matches: float
    going_on: int
    """Entries in the bracket that follows; 0 if none does."""


def forecast_night(
    settings: StageSettings,
    players: int,
    tables: int,
    *,
    length: int,
    pace: EveningPace | None = None,
    runs: int = 40,
    switch_after: float | None = None,
) -> NightForecast:
    """Return what to expect of a stage without rounds before it begins, from `runs` nights by this very rule.

    The bracket is drawn after `switch_after` minutes at the latest.
    """
    chance = Random(f"{players}:{tables}:{length}")  # noqa: S311 - a forecast
    pace = pace or EveningPace()
    nights = []
    for number in range(runs):
        people = EveningField.drawn(players, chance)
        seed = number.to_bytes(32, "big")
        tempo = replace(pace, a_point=pace.a_point * math.exp(chance.gauss(0, EVENINGS_DIFFER)))
        night = SimulatedEvening(
            settings, tables, people, chance, tempo, seed=seed, length=length, switch_after=switch_after
        )
        nights.append(night.play())
    return summary(nights, players)


def summary(nights: Sequence[EveningOutcome], players: int) -> NightForecast:
    """Return the figures of many nights with the same number of players."""
    ends = sorted(night.end for night in nights)
    waits = [sum(night.waits.values()) / players for night in nights]
    counts = sorted(count for night in nights for count in night.matches.values())
    return NightForecast(
        ends[len(ends) // 2],
        ends[min(len(ends) - 1, math.ceil(len(ends) * 0.9) - 1)],
        sum(waits) / len(waits),
        sum(max(night.waits.values(), default=0) for night in nights) / len(nights),
        counts[len(counts) // 10],
        counts[-1 - len(counts) // 10],
        sum(night.total for night in nights) / len(nights),
        median_low(night.switched or 0 for night in nights),
    )
