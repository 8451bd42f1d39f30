"""How long those who lose in the first round wait for their matches in lower brackets, by simulation.

Events are played with random results and durations, and with a table for every match. What is left is the time until
an opponent is known: because another match is still going on, or because a lot waits for other lines of the round.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from statistics import fmean

from formats.elimination.byes import LowerByes
from formats.elimination.seating import Past, lots_of, seat_entrants
from formats.errors import Refused
from formats.forecast.durations import MINUTES_PER_POINT, QUANTILES, shares
from formats.forecast.finish_times import length_of
from formats.forecast.stages import planned_before
from formats.graph import BYE, FINAL, MAIN, DrawnSeat, EntryId, FixtureId, Graph, LoserOf, Source, WinnerOf
from formats.lots import MIN_SEED_BYTES
from formats.plans import lengths_of
from formats.settings import DOUBLE, PROGRESSIVE, StageSettings

RUNS = 60


@dataclass(frozen=True, slots=True)
class Waits:
    """Minutes that the losers of the first round wait for a match of a lower bracket, and the rematches of an event.

    `mean` is over all these matches, `longest` the longest wait of an event, `rematches` those before the final; each
    is the average of all simulated events.
    """

    mean: float
    longest: float
    rematches: float


def waits_of_stage(
    stages: Sequence[StageSettings],
    number: int,
    entrants: int,
    *,
    default_lengths: Sequence[int],
    minutes_per_point: float = MINUTES_PER_POINT,
) -> Mapping[LowerByes, Waits]:
    """Return the waits of stage `number` (from 1) for each way to decide the byes of its lower brackets.

    Empty if it has no lower bracket or cannot be planned for this field. Equal input gives equal output.
    """
    settings, before = stages[number - 1], stages[number - 2] if number > 1 else None
    if settings.format not in (DOUBLE, PROGRESSIVE):
        return {}
    try:
        return waits_by_choice(settings, before, number, entrants, tuple(default_lengths), minutes_per_point)
    except Refused:
        return {}  # the forecast of the stage says why


@lru_cache(maxsize=64)
def waits_by_choice(
    settings: StageSettings,
    before: StageSettings | None,
    number: int,
    entrants: int,
    default_lengths: tuple[int, ...],
    minutes_per_point: float = MINUTES_PER_POINT,
    runs: int = RUNS,
) -> Mapping[LowerByes, Waits]:
    """As `waits_of_stage`, from so many events; `before` is the stage before it. Raises Refused as `plan_of`."""
    waits = {}
    for byes in LowerByes:
        graph = planned_before(replace(settings, lower_byes=byes), before, number, entrants)
        lengths = {bracket.key: lengths_of(settings, bracket.key, default_lengths) for bracket in graph.brackets}
        waits[byes] = waits_of(graph, lengths, minutes_per_point, runs)
    return waits


def waits_of(graph: Graph, lengths: Mapping[str, Sequence[int]], minutes_per_point: float, runs: int = RUNS) -> Waits:
    """Return the waits of a plan; `lengths` has the match lengths of each bracket by round."""
    events = [_Event(graph, lengths, minutes_per_point, Random(run)) for run in range(runs)]  # noqa: S311 - a forecast
    waits = [event.played() for event in events]
    return Waits(
        fmean(minutes for own in waits for minutes in own) if any(waits) else 0.0,
        fmean(max(own, default=0.0) for own in waits),
        fmean(event.rematches for event in events),
    )


class _Event:
    def __init__(
        self, graph: Graph, lengths: Mapping[str, Sequence[int]], minutes_per_point: float, chance: Random
    ) -> None:
        self.graph, self.lengths, self.minutes_per_point, self.chance = graph, lengths, minutes_per_point, chance
        self.rematches = 0
        self._seed = chance.randbytes(MIN_SEED_BYTES)
        self._came: dict[Source, EntryId] = {}
        self._drawn: dict[tuple[str, int], tuple[int, ...]] = {}
        self._past = Past()
        self._first_round = {fixture.number for fixture in graph.bracket(MAIN).rounds[0].fixtures}
        self._lost_at: dict[EntryId, float] = {}
        """When each loser of the first round finished their last match."""

    def played(self) -> list[float]:
        """Play the event; return the minutes of each wait."""
        fixtures = [number for number in self.graph.fixtures if self.graph.bracket_of[number] != FINAL]
        missing = {number: set(self._feeding(number)) for number in fixtures}
        followers: dict[Source, list[FixtureId]] = {}
        for number, sources in missing.items():
            for source in sources:
                followers.setdefault(source, []).append(number)
        waits: list[float] = []
        playing: list[tuple[float, FixtureId, EntryId, EntryId | None]] = []
        ready = [number for number, sources in missing.items() if not sources]
        clock = 0.0
        while ready or playing:
            for number in ready:
                pair = [self._entry(source) for source in self.graph.fixtures[number].sources if source != BYE]
                waits += self._waits(number, pair, clock)
                end = clock + self._minutes(number) * (len(pair) - 1)
                heapq.heappush(playing, (end, number, pair[0], pair[1] if len(pair) > 1 else None))
            ready = []
            clock, number, first, second = heapq.heappop(playing)
            for source in self._finished(number, first, second, clock):
                for follower in followers.get(source, ()):
                    missing[follower].discard(source)
                    if not missing[follower]:
                        ready.append(follower)
        return waits

    def _feeding(self, number: FixtureId) -> Iterator[Source]:
        return (source for source in self.graph.awaited(number) if isinstance(source, WinnerOf | LoserOf))

    def _minutes(self, number: FixtureId) -> float:
        length = length_of(self.lengths[self.graph.bracket_of[number]], self.graph.round_of[number].number)
        return length * self.minutes_per_point * shares(length)[self.chance.randrange(QUANTILES)]

    def _waits(self, number: FixtureId, pair: Sequence[EntryId], now: float) -> list[float]:
        """Count a match that begins; return how long its entrants waited who lost in the first round."""
        if len(pair) == 1:
            self._past.byes[pair[0]] += 1
            return []
        self.rematches += self._past.met[frozenset(pair)] > 0
        self._past.met[frozenset(pair)] += 1
        return [now - self._lost_at[entry] for entry in pair if entry in self._lost_at]

    def _finished(
        self, number: FixtureId, first: EntryId, second: EntryId | None, now: float
    ) -> tuple[WinnerOf | LoserOf, ...]:
        """Say who came out of a fixture; return the sources that are known now."""
        if second is None:
            self._came[WinnerOf(number)] = first
            return (WinnerOf(number),)
        winner, loser = (first, second) if self.chance.random() < 1 / 2 else (second, first)
        self._came |= {WinnerOf(number): winner, LoserOf(number): loser}
        if number in self._first_round:
            self._lost_at[loser] = now
        self._lost_at |= {entry: now for entry in (winner, loser) if entry in self._lost_at}
        return WinnerOf(number), LoserOf(number)

    def _entry(self, source: Source) -> EntryId:
        """Return who comes from a known source; entrants from outside are numbered as they are first met."""
        if isinstance(source, DrawnSeat):
            round_ = self.graph.bracket(source.bracket).rounds[source.round - 1]
            key = (source.bracket, source.round)
            if key not in self._drawn:
                arrived = [self._entry(entrant) for entrant in round_.entrants]
                self._drawn[key] = seat_entrants(round_, arrived, self._past, lots_of(self._seed, *key))
            return self._entry(round_.entrants[self._drawn[key][source.number - 1]])
        return self._came.setdefault(source, len(self._came) + 1)
