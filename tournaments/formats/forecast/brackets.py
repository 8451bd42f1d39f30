"""Forecasts of rounds and brackets: their matches and byes, and when they are expected to finish."""

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
    """The forecast of a round: matches, byes, match length, the rounds whose losers enter it, and when it finishes.

    A round whose counts start at 0 may not be needed.
    """

    number: int
    matches: Count
    byes: Count
    length: int = 0
    drops: tuple[str, ...] = ()
    finish: Finish | None = None

    @property
    def entrants(self) -> Count:
        """How many take part, with or without a match."""
        return self.matches + self.matches + self.byes


@dataclass(frozen=True, slots=True)
class BracketForecast:
    """The forecast of a bracket, or of all groups together (key "groups"); `pattern` if it is fed by losers."""

    key: str
    rounds: tuple[RoundForecast, ...]
    pattern: str = ""

    @property
    def matches(self) -> Count:
        """The matches of all rounds."""
        return sum((round_.matches for round_ in self.rounds), NONE)

    @property
    def byes(self) -> Count:
        """The byes of all rounds."""
        return sum((round_.byes for round_ in self.rounds), NONE)

    @property
    def finish(self) -> Finish | None:
        """When its last round finishes."""
        return self.rounds[-1].finish if self.rounds else None


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """The figures of a stage. `graph` is its plan; if its rounds are paired, `typical` and `long` are matches by round.

    `peak` is the highest number of matches that could be played at once, given enough tables.
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


def with_times(
    estimates: Sequence[StageEstimate],
    settings: Sequence[StageSettings],
    default_lengths: Sequence[int],
    pace: Pace,
    *,
    with_finish: bool = True,
) -> list[StageEstimate]:
    """Return the estimates with match lengths and, unless `with_finish` is False, with finishing times."""
    begins: Finish | None = Finish(0.0, 0.0) if with_finish else None
    timed = []
    for estimate, stage in zip(estimates, settings, strict=True):
        if stage.format == LEAGUE:
            begins = None
        finish_times = None if begins is None else _finish_times(estimate, stage, default_lengths, pace)
        times = {} if finish_times is None else {(key, number): finish for key, number, finish in finish_times.rounds}
        brackets = tuple(
            replace(bracket, rounds=_timed(bracket, lengths_of(stage, bracket.key, default_lengths), times, begins))
            for bracket in estimate.brackets
        )
        begins = _after(begins, finish_times.total) if finish_times is not None else None
        timed.append(replace(estimate, brackets=brackets, finish=begins))
    return timed


def _timed(
    bracket: BracketForecast, lengths: Sequence[int], times: dict[tuple[str, int], Finish], begins: Finish | None
) -> tuple[RoundForecast, ...]:
    rounds = []
    for round_ in bracket.rounds:
        own = times.get((bracket.key, round_.number))
        rounds.append(replace(round_, length=length_of(lengths, round_.number), finish=_after(begins, own)))
    return tuple(rounds)


def _after(begins: Finish | None, own: Finish | None) -> Finish | None:
    """Return `own` counted from `begins`. The two vary independently, so their spreads add as variances."""
    if begins is None or own is None:
        return None
    median = begins.median + own.median
    return Finish(median, median + math.hypot(begins.late - begins.median, own.late - own.median))


def _finish_times(
    estimate: StageEstimate, settings: StageSettings, default_lengths: Sequence[int], pace: Pace
) -> FinishTimes:
    matches = max(estimate.matches.most, 1)
    pace = replace(pace, runs=max(LEAST_RUNS, min(pace.runs, MATCHES_IN_ALL_RUNS // matches)))
    if estimate.graph is not None:
        lengths = {
            bracket.key: lengths_of(settings, bracket.key, default_lengths) for bracket in estimate.graph.brackets
        }
        return finish_times(estimate.graph, lengths, pace)
    key = estimate.brackets[0].key if estimate.brackets else ""
    by_round = lengths_of(settings, key, default_lengths)
    typical = finish_times_of_rounds(estimate.typical, by_round, pace, key=key)
    if estimate.long == estimate.typical:
        return typical
    long = finish_times_of_rounds(estimate.long, by_round, pace, key=key)
    late = max(typical.total.late, long.total.late)
    return FinishTimes((*typical.rounds, *long.rounds[len(typical.rounds) :]), Finish(typical.total.median, late))
