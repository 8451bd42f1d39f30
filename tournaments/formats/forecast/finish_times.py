"""When the rounds of an event are expected to finish, by simulation.

A round to n points takes about 11 n minutes, because its longest match counts: 19 players at 7 points need 5 rounds of
77 minutes, 6 h 25 in all. Single matches are shorter. A match takes n times the minutes a point, times a factor between
`SHORTEST` and `LONGEST`: the mean of three uniform random numbers in that range, so that the slowest of a handful of
matches takes about the full time. With these, 19 players finish after about 6 h in a knockout without waiting, and
after 6 h 45 in rounds that wait for the last table.

In a knockout a match starts as soon as both players and a table are free; earlier brackets come first, then earlier
rounds. In a Swiss or a round robin a round starts when the round before it is over.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tournaments.formats.errors import Refused
from tournaments.formats.graph import BYE, FixtureId, Graph, LoserOf, WinnerOf
from tournaments.formats.progress import Progress

MINUTES_PER_POINT = 11.0
LONGEST_MATCH = 15
SHORTEST, LONGEST = 0.6, 1.2
LATE = 0.9
RUNS = 200
SECOND_FINAL_CHANCE = 0.5

Lengths = Mapping[str, Sequence[int]]
"""Bracket -> match length of each round; the last one applies to all later rounds."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Minutes after the start (or from now): the median of all runs, and the time within which nine in ten finish."""

    median: float
    late: float


@dataclass(frozen=True, slots=True)
class FinishTimes:
    """When each round finishes, as (bracket, round, finish) in the order of the graph, and when everything does."""

    rounds: tuple[tuple[str, int, Finish], ...]
    total: Finish


@dataclass(frozen=True, slots=True)
class Pace:
    """What the speed of an event depends on. All times are in minutes; `rest` is between two matches of a player."""

    tables: int
    minutes_per_point: float = MINUTES_PER_POINT
    rest: float = 0.0
    runs: int = RUNS

    def checked(self) -> "Pace":
        """Return this pace after checking it. Raises Refused("no_tables")."""
        if self.tables < 1:
            raise Refused("no_tables")
        return self


@dataclass(frozen=True, slots=True)
class _Job:
    """A match to be played: its priority when tables are scarce, its length, and the matches it waits for."""

    number: FixtureId
    bracket: str
    round: int
    priority: tuple[int, int]
    length: int
    needs: tuple[FixtureId, ...]
    table: bool
    maybe: bool


def parse_lengths(text: str) -> tuple[int, ...]:
    """Parse match lengths by round, such as "5 5 7 9 11". Raises Refused("bad_length") outside 1–15.

    >>> parse_lengths("5 5 7")
    (5, 5, 7)
    """
    lengths: list[int] = []
    for item in text.replace(",", " ").split():
        if not item.isdecimal() or not 1 <= int(item) <= LONGEST_MATCH:
            raise Refused("bad_length", most=LONGEST_MATCH, length=item)
        lengths.append(int(item))
    if not lengths:
        raise Refused("bad_length", most=LONGEST_MATCH, length=text)
    return tuple(lengths)


def length_of(lengths: Sequence[int], round_number: int) -> int:
    """Return the match length of a round (from 1); the last length applies to all later rounds."""
    return lengths[min(round_number, len(lengths)) - 1]


def rule_of_thumb(rounds: int, lengths: Sequence[int], minutes_per_point: float = MINUTES_PER_POINT) -> float:
    """Minutes for so many rounds if the longest match of each takes the whole time.

    >>> rule_of_thumb(5, [7])
    385.0
    """
    return minutes_per_point * sum(length_of(lengths, number) for number in range(1, rounds + 1))


def finish_times(
    graph: Graph,
    lengths: Lengths,
    pace: Pace,
    *,
    seed: int = 1,
    state: Progress | None = None,
    running: Mapping[FixtureId, float] | None = None,
) -> FinishTimes:
    """Forecast when the rounds of a graph finish.

    With `state`, finished fixtures take no more time, `running` has the minutes that matches in progress have taken so
    far, and times count from now. Equal input gives equal output. Raises Refused("no_tables").
    """
    pace.checked()
    jobs = _jobs(graph, lengths, state)
    keys = [(bracket.key, round_.number) for bracket in graph.brackets for round_ in bracket.rounds]
    runs: list[dict[tuple[str, int], float]] = []
    for run in range(pace.runs):
        ends = _run(jobs, pace, Random(f"{seed}:{run}"), running or {})  # noqa: S311 - a forecast, not a draw
        over = dict.fromkeys(keys, 0.0)
        for job in jobs.values():
            key = (job.bracket, job.round)
            over[key] = max(over[key], ends[job.number])
        runs.append(over)
    rounds = tuple((*key, _finish([over[key] for over in runs])) for key in keys)
    return FinishTimes(rounds, _finish([max(over.values(), default=0.0) for over in runs]))


def finish_times_of_rounds(
    matches: Sequence[int], lengths: Sequence[int], pace: Pace, *, key: str = "rounds", seed: int = 1
) -> FinishTimes:
    """Forecast rounds with these numbers of matches, each starting when the one before is over (Swiss, round robin)."""
    pace.checked()
    runs: list[list[float]] = []
    for run in range(pace.runs):
        chance = Random(f"{seed}:{run}")  # noqa: S311 - a forecast, not a draw
        clock, over = 0.0, []
        for number, count in enumerate(matches, start=1):
            free = [clock] * min(pace.tables, max(count, 1))
            for _ in range(count):
                heapq.heapreplace(free, free[0] + _minutes(length_of(lengths, number), pace, chance))
            clock = max(free)
            over.append(clock)
            clock += pace.rest
        runs.append(over)
    rounds = tuple((key, at + 1, _finish([over[at] for over in runs])) for at in range(len(matches)))
    return FinishTimes(rounds, _finish([over[-1] if over else 0.0 for over in runs]))


def _jobs(graph: Graph, lengths: Lengths, state: Progress | None) -> dict[FixtureId, _Job]:
    """Return the unfinished fixtures by number; a bye needs neither table nor time."""
    jobs: dict[FixtureId, _Job] = {}
    for rank, bracket in enumerate(graph.brackets):
        for round_ in bracket.rounds:
            for fixture in round_.fixtures:
                if state is not None and state.fixtures[fixture.number].over:
                    continue
                awaited = graph.awaited(fixture.number)
                feeding = [source.fixture for source in awaited if isinstance(source, WinnerOf | LoserOf)]
                jobs[fixture.number] = _Job(
                    fixture.number,
                    bracket.key,
                    round_.number,
                    (rank, round_.number),
                    length_of(lengths[bracket.key], round_.number),
                    tuple(number for number in feeding if number in jobs),
                    BYE not in fixture.sources,
                    fixture.needed_if is not None,
                )
    return jobs


def _run(
    jobs: Mapping[FixtureId, _Job], pace: Pace, chance: Random, running: Mapping[FixtureId, float]
) -> dict[FixtureId, float]:
    """Simulate one event; return number -> minute at which that fixture finished."""
    waits = {number: len(set(job.needs)) for number, job in jobs.items()}
    followers: dict[FixtureId, list[FixtureId]] = {number: [] for number in jobs}
    for job in jobs.values():
        for need in set(job.needs):
            followers[need].append(job.number)
    ends: dict[FixtureId, float] = {}
    playing: list[tuple[float, bool, FixtureId]] = []
    coming: list[tuple[float, FixtureId]] = [(0.0, number) for number, count in waits.items() if not count]
    called: list[tuple[tuple[int, int], FixtureId]] = []
    clock, free = 0.0, pace.tables
    while coming or called or playing:
        while coming and coming[0][0] <= clock:
            number = heapq.heappop(coming)[1]
            if jobs[number].table:
                heapq.heappush(called, ((-1, 0) if number in running else jobs[number].priority, number))
            else:
                heapq.heappush(playing, (clock, False, number))
        while called and free > 0:
            job = jobs[heapq.heappop(called)[1]]
            heapq.heappush(playing, (clock + _duration(job, pace, chance, running), True, job.number))
            free -= 1
        moments = [playing[0][0]] if playing else []
        clock = min([*moments, *([coming[0][0]] if coming else [])], default=clock)
        while playing and playing[0][0] <= clock:
            _, table, number = heapq.heappop(playing)
            free += table
            ends[number] = clock
            for follower in followers[number]:
                waits[follower] -= 1
                if not waits[follower]:
                    heapq.heappush(coming, (clock + pace.rest * table, follower))
    return ends


def _duration(job: _Job, pace: Pace, chance: Random, running: Mapping[FixtureId, float]) -> float:
    if job.maybe and chance.random() >= SECOND_FINAL_CHANCE:
        return 0.0
    if job.number not in running:
        return _minutes(job.length, pace, chance)
    # A match that has already lasted this long is likely to be one of the longer ones.
    so_far = running[job.number]
    longest = job.length * pace.minutes_per_point * LONGEST
    return max(_minutes(job.length, pace, chance), so_far + (longest - so_far) / 2 * chance.random()) - so_far


def _minutes(length: int, pace: Pace, chance: Random) -> float:
    mean = (chance.random() + chance.random() + chance.random()) / 3
    return length * pace.minutes_per_point * (SHORTEST + (LONGEST - SHORTEST) * mean)


def _finish(minutes: Sequence[float]) -> Finish:
    ranked = sorted(minutes)
    return Finish(ranked[len(ranked) // 2], ranked[min(len(ranked) - 1, int(LATE * len(ranked)))])
