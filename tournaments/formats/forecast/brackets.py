"""The parts of an outline: rounds and brackets with their counts, and when they are expected to be over."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tournaments.formats.forecast.counts import NONE, Count
from tournaments.formats.forecast.finish_times import (
    Finish,
    FinishTimes,
    Pace,
    finish_times,
    finish_times_of_rounds,
    length_of,
)
from tournaments.formats.graph import Graph
from tournaments.formats.plans import lengths_of
from tournaments.formats.settings import LEAGUE, StageSettings

MATCHES_IN_ALL_RUNS = 20_000
LEAST_RUNS = 12


@dataclass(frozen=True, slots=True)
class RoundForecast:
    """A round: matches and byes (who sits out), its match length, whose losers enter, and when it is over.

    Counts whose least is 0 belong to a round that may not be needed.
    """

    number: int
    matches: Count
    byes: Count
    length: int = 0
    drops: tuple[str, ...] = ()
    finish: Finish | None = None

    @property
    def entrants(self) -> Count:
        """Who takes part, with or without a match."""
        return self.matches + self.matches + self.byes


@dataclass(frozen=True, slots=True)
class BracketForecast:
    """A bracket, or all groups together (key "groups"); `pattern` is that of one fed by losers."""

    key: str
    rounds: tuple[RoundForecast, ...]
    pattern: str = ""

    @property
    def matches(self) -> Count:
        """All of them."""
        return sum((one.matches for one in self.rounds), NONE)

    @property
    def byes(self) -> Count:
        """All of them."""
        return sum((one.byes for one in self.rounds), NONE)

    @property
    def finish(self) -> Finish | None:
        """When its last round is over."""
        return self.rounds[-1].finish if self.rounds else None


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """A stage in numbers. `graph` is its plan, `typical` and `long` the matches by round where rounds are paired.

    `peak` is how many matches can be played at once, were there tables enough.
    """

    brackets: tuple[BracketForecast, ...]
    matches: Count = NONE
    byes: Count = NONE
    rounds: Count = NONE
    matches_each: Count = NONE
    peak: int = 0
    graph: Graph | None = None
    typical: tuple[int, ...] = ()
    long: tuple[int, ...] = ()
    finish: Finish | None = None


def combined(
    sketches: Sequence[StageEstimate],
    settings: Sequence[StageSettings],
    default_lengths: Sequence[int],
    pace: Pace,
    *,
    forecast_too: bool = True,
) -> list[StageEstimate]:
    """The sketches with match lengths and, one stage after the other, the times at which they are over."""
    begins: Finish | None = Finish(0.0, 0.0) if forecast_too else None
    made = []
    for one, chosen in zip(sketches, settings, strict=True):
        if chosen.format == LEAGUE:
            begins = None
        told = None if begins is None else _forecast(one, chosen, default_lengths, pace)
        times = {} if told is None else {(key, number): finish for key, number, finish in told.rounds}
        brackets = tuple(
            replace(bracket, rounds=_timed(bracket, lengths_of(chosen, bracket.key, default_lengths), times, begins))
            for bracket in one.brackets
        )
        begins = _after(begins, told.total) if told is not None else None
        made.append(replace(one, brackets=brackets, finish=begins))
    return made


def _timed(
    bracket: BracketForecast, lengths: Sequence[int], times: dict[tuple[str, int], Finish], begins: Finish | None
) -> tuple[RoundForecast, ...]:
    rounds = []
    for one in bracket.rounds:
        own = times.get((bracket.key, one.number))
        rounds.append(replace(one, length=length_of(lengths, one.number), finish=_after(begins, own)))
    return tuple(rounds)


def _after(begins: Finish | None, own: Finish | None) -> Finish | None:
    """A time that follows another; both vary on their own, so their spreads add like those of dice."""
    if begins is None or own is None:
        return None
    median = begins.median + own.median
    return Finish(median, median + math.hypot(begins.late - begins.median, own.late - own.median))


def _forecast(one: StageEstimate, settings: StageSettings, default_lengths: Sequence[int], pace: Pace) -> FinishTimes:
    matches = max(one.matches.most, 1)
    pace = replace(pace, runs=max(LEAST_RUNS, min(pace.runs, MATCHES_IN_ALL_RUNS // matches)))
    if one.graph is not None:
        lengths = {bracket.key: lengths_of(settings, bracket.key, default_lengths) for bracket in one.graph.brackets}
        return finish_times(one.graph, lengths, pace)
    key = one.brackets[0].key if one.brackets else ""
    by_round = lengths_of(settings, key, default_lengths)
    told = finish_times_of_rounds(one.typical, by_round, pace, key=key)
    if one.long == one.typical:
        return told
    long = finish_times_of_rounds(one.long, by_round, pace, key=key)
    late = max(told.total.late, long.total.late)
    return FinishTimes((*told.rounds, *long.rounds[len(told.rounds) :]), Finish(told.total.median, late))
