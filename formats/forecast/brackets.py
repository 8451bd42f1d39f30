"""Forecasts of rounds and brackets: their matches and byes, and when they are expected to finish."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from formats.forecast.counts import NONE, Count
from formats.forecast.finish_times import Finish, FinishTimes, Pace, RemainingMatch, finish_times, length_of
from formats.forecast.planned import Courses, matches_by_round, matches_of_graph, numbering
from formats.graph import Graph
from formats.plans import lengths_of
from formats.settings import GROUPS, LEAGUE, StageSettings

ALL_GROUPS = "groups"
"""Key of the rounds of all groups combined."""


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
        return sum((round_.matches for round_ in self.rounds), NONE)

    @property
    def byes(self) -> Count:
        return sum((round_.byes for round_ in self.rounds), NONE)

    @property
    def finish(self) -> Finish | None:
        return self.rounds[-1].finish if self.rounds else None


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """The figures of a stage. `graph` is its plan; if its rounds are paired, `courses` are those that it can take.

    `peak` is the highest number of matches that could be played at once, given enough tables.
    """

    brackets: tuple[BracketForecast, ...]
    matches: Count = NONE
    byes: Count = NONE
    rounds: Count = NONE
    matches_each: Count = NONE
    peak: int = 0
    graph: Graph | None = None
    courses: Courses = ()
    finish: Finish | None = None


def row_of(division: int, stage: int, bracket: str) -> str:
    """Return the row of a bracket of stage `stage` (from 1), or of its groups together, in the simulation."""
    return f"{division}:{stage}:{bracket}"


def planned_matches(
    estimates: Sequence[StageEstimate],
    settings: Sequence[StageSettings],
    default_lengths: Sequence[int],
    *,
    keys: Iterator[int],
    division: int = 0,
    first_stage: int = 1,
    after: Collection[int] = (),
    first_player: int = 0,
) -> list[RemainingMatch]:
    """Return the matches of these stages of a division, each stage once the one before it is over.

    The first of them, of number `first_stage`, waits for the matches `after`. A league is played on other days: the
    stages before it are all.
    """
    matches: list[RemainingMatch] = []
    before = tuple(after)
    for number, (estimate, stage) in enumerate(zip(estimates, settings, strict=True), start=first_stage):
        if stage.format == LEAGUE:
            break
        own: list[RemainingMatch] = []
        if estimate.graph is None:
            bracket = estimate.brackets[0].key if estimate.brackets else ""
            lengths = lengths_of(stage, bracket, default_lengths)
            row = row_of(division, number, bracket)
            own += matches_by_round(row, estimate.courses, lengths, keys=keys, after=before)
        else:
            brackets = [bracket.key for bracket in estimate.graph.brackets]
            rows = {key: row_of(division, number, ALL_GROUPS if stage.format == GROUPS else key) for key in brackets}
            behind = next(keys) if before else None
            if behind is not None:
                own.append(RemainingMatch(behind, row_of(division, number, ""), 0, 0, needs=before, gate=True))
            own += matches_of_graph(
                estimate.graph,
                rows,
                {key: lengths_of(stage, key, default_lengths) for key in brackets},
                keys=keys,
                behind=behind,
                first_player=first_player,
            )
        matches += own
        before = tuple(match.key for match in own if not match.gate)
    return matches


def with_times(
    estimates: Sequence[StageEstimate],
    settings: Sequence[StageSettings],
    default_lengths: Sequence[int],
    pace: Pace,
    *,
    beside: Sequence[RemainingMatch] = (),
    with_finish: bool = True,
) -> list[StageEstimate]:
    """Return the estimates with match lengths and, unless `with_finish` is False, with finishing times.

    `beside` are the matches of other divisions at the same tables; their keys are below 0.
    """
    times = FinishTimes((), Finish(0.0, 0.0), None)
    if with_finish:
        own = planned_matches(estimates, settings, default_lengths, keys=numbering())
        times = finish_times((*own, *beside), pace)
    of_round = {(round_.row, round_.number): round_.finish for round_ in times.rounds}
    timed = []
    for number, (estimate, stage) in enumerate(zip(estimates, settings, strict=True), start=1):
        rows = {bracket.key: row_of(0, number, bracket.key) for bracket in estimate.brackets}
        brackets = tuple(
            replace(
                bracket,
                rounds=tuple(
                    replace(
                        round_,
                        length=length_of(lengths_of(stage, bracket.key, default_lengths), round_.number),
                        finish=of_round.get((rows[bracket.key], round_.number)),
                    )
                    for round_ in bracket.rounds
                ),
            )
            for bracket in estimate.brackets
        )
        timed.append(replace(estimate, brackets=brackets, finish=times.finish_of(*rows.values())))
    return timed
