"""When an evening in progress is expected to finish, by simulation from the present moment.

Each run draws a tempo of the evening (`pace`) and the remaining minutes of every match that is not over (`durations`),
plays the matches at the tables in the order of the floor (bracket, then critical path) and notes when each round begins
and finishes. Only some dozens of runs are made, so the later figures are taken from their mean and spread on a
logarithmic scale (the end of an evening is skewed to the late side), not from a rank.
All times are minutes from now. Equal input gives equal output.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import NormalDist, fmean, median
from statistics import variance as variance_of

from tournaments.formats.errors import Refused
from tournaments.formats.forecast.durations import MEAN_SHARE, PLAYERS_DIFFER, shares
from tournaments.formats.forecast.finish_times import MINUTES_PER_POINT, SECOND_FINAL_CHANCE, Finish

MATCHES_IN_ALL_RUNS = 8_000
LEAST_RUNS, MOST_RUNS = 16, 80
NORMAL = NormalDist()
PLAYERS = 2
OVERDUE = 0.1
"""A match that has lasted longer than the longest one takes up to this share of its full time more."""


@dataclass(frozen=True, slots=True)
class RemainingMatch:
    """A match that is not over.

    `row` names its bracket, `rank` orders the brackets. `needs` are the matches it waits for; those that are over are
    left out. `played` is how many minutes it has been played at its table, None if it has not been called; `score` its
    running score. `waits` is how long its players cannot play yet (rest, away, on their way to the table). A match that
    `may_be_skipped` is played in half of all cases. A `barrier` takes neither a table nor time: it joins the matches of
    a round that the next one waits for.
    """

    key: int
    row: str
    round: int
    length: int
    rank: int = 0
    needs: tuple[int, ...] = ()
    played: float | None = None
    score: tuple[int, int] | None = None
    waits: float = 0.0
    may_be_skipped: bool = False
    barrier: bool = False


@dataclass(frozen=True, slots=True)
class FloorPace:
    """The conditions of an evening: tables in use, minutes a point, rest between matches, minutes to a pause's end.

    `uncertainty` is the standard deviation of the logarithm of the minutes a point. `seating` is how long a table is
    taken before the first roll of a match.
    """

    tables: int
    minutes_per_point: float = MINUTES_PER_POINT
    uncertainty: float = 0.0
    seating: float = 0.0
    rest: float = 0.0
    paused: float = 0.0


@dataclass(frozen=True, slots=True)
class RoundTimes:
    """When a round is expected to begin (0 if it has) and to finish."""

    row: str
    number: int
    begins: float
    finish: Finish
    length: int


@dataclass(frozen=True, slots=True)
class LiveForecast:
    """The rounds still being played, when everything is over, and when the next match of the main bracket begins."""

    rounds: tuple[RoundTimes, ...]
    total: Finish
    next_main: float | None
    ends: tuple[float, ...] = ()
    """When everything is over in each run."""

    def ends_within(self, chance: float) -> float:
        """Return the time by which everything is over with this probability (0–1)."""
        return _within(chance, self.ends)

    def finish_of(self, row: str) -> Finish | None:
        """Return when the last round of a bracket finishes; None if it is over."""
        return max((times.finish for times in self.rounds if times.row == row), key=_by_median, default=None)


def _by_median(finish: Finish) -> float:
    return finish.median


@lru_cache(maxsize=1024)
def remaining_share(away: int, opponent_away: int, length: int) -> float:
    """Return the share (0–1) of a match still to be played, counted in expected points between equal players.

    >>> remaining_share(7, 7, 7)
    1.0
    >>> round(remaining_share(1, 3, 7), 2)
    0.16
    """
    return _points_left(away, opponent_away) / _points_left(length, length)


@lru_cache(maxsize=1024)
def _points_left(away: int, opponent_away: int) -> float:
    if away <= 0 or opponent_away <= 0:
        return 0.0
    return 1 + (_points_left(away - 1, opponent_away) + _points_left(away, opponent_away - 1)) / 2


def critical_minutes(matches: Sequence[RemainingMatch], pace: FloorPace) -> dict[int, float]:
    """Return, by match, the expected minutes of the longest chain of matches from its own to the end of the evening."""
    followers = _followers(matches)
    by_key = {match.key: match for match in matches}
    chain: dict[int, float] = {}
    for key in reversed(_in_order(matches)):
        match = by_key[key]
        own = 0.0 if match.barrier else match.length * pace.minutes_per_point * MEAN_SHARE + pace.seating + pace.rest
        chain[key] = own + max((chain[follower] for follower in followers[key]), default=0.0)
    return chain


def _followers(matches: Sequence[RemainingMatch]) -> dict[int, list[int]]:
    followers: dict[int, list[int]] = {match.key: [] for match in matches}
    for match in matches:
        for need in match.needs:
            if need in followers:
                followers[need].append(match.key)
    return followers


def _in_order(matches: Sequence[RemainingMatch]) -> list[int]:
    """Return the keys so that each match comes after those it needs."""
    followers = _followers(matches)
    open_needs = {match.key: sum(need in followers for need in match.needs) for match in matches}
    order = [key for key, count in open_needs.items() if not count]
    for key in order:
        for follower in followers[key]:
            open_needs[follower] -= 1
            if not open_needs[follower]:
                order.append(follower)
    return order


@lru_cache(maxsize=16)
def live_forecast(matches: tuple[RemainingMatch, ...], pace: FloorPace, seed: int = 1) -> LiveForecast:
    """Forecast the rest of an evening from its matches that are not over. Raises Refused("no_tables")."""
    if pace.tables < 1:
        raise Refused("no_tables")
    if not matches:
        return LiveForecast((), Finish(0.0, 0.0), None)
    simulation = _Simulation(matches, pace)
    runs = max(LEAST_RUNS, min(MOST_RUNS, MATCHES_IN_ALL_RUNS // len(matches)))
    rounds = [_Columns() for _ in simulation.rounds]
    totals: list[float] = []
    next_main: list[float] = []
    for run in range(runs):
        begins, ends = simulation.run(Random(seed * 1_000_003 + run))  # noqa: S311 - a forecast, not a draw
        for columns, members in zip(rounds, simulation.rounds.values(), strict=True):
            columns.begins.append(min(begins[at] for at in members))
            columns.ends.append(max(ends[at] for at in members))
        totals.append(max(ends))
        if simulation.main_to_come:
            next_main.append(min(begins[at] for at in simulation.main_to_come))
    times = tuple(
        RoundTimes(row, number, median(columns.begins), _finish(columns.ends), matches[members[0]].length)
        for ((row, number), members), columns in zip(simulation.rounds.items(), rounds, strict=True)
    )
    return LiveForecast(times, _finish(totals), median(next_main) if next_main else None, tuple(totals))


def mean_finish(matches: Sequence[RemainingMatch], pace: FloorPace, *, runs: int, seed: int = 1) -> float:
    """Return when everything finishes on average over a few runs; cheaper and rougher than `live_forecast`."""
    simulation = _Simulation(matches, pace)
    ends = (simulation.run(Random(seed * 1_000_003 + run))[1] for run in range(runs))  # noqa: S311 - a forecast
    return fmean(max(column, default=0.0) for column in ends)


class _Columns:
    """The begin and the end of a round in each run."""

    def __init__(self) -> None:
        self.begins: list[float] = []
        self.ends: list[float] = []


def _finish(minutes: Sequence[float]) -> Finish:
    """Return the median, and the time within which the next evening like these finishes with 90 % probability."""
    middle = median(minutes)
    return Finish(middle, max(middle, _within(0.9, minutes)))


def _within(chance: float, minutes: Sequence[float]) -> float:
    """Return the time within which the next evening like these finishes with this probability (0–1)."""
    mean = fmean(minutes)
    if mean <= 0:
        return 0.0
    variance = math.log1p(variance_of(minutes) / mean**2) * (1 + 1 / len(minutes))
    return math.exp(math.log(mean) - variance / 2 + NORMAL.inv_cdf(chance) * math.sqrt(variance))


class _Simulation:
    """The rest of an evening with its matches as indexes, prepared once for all runs."""

    def __init__(self, matches: Sequence[RemainingMatch], pace: FloorPace) -> None:
        self.matches = matches
        self.pace = pace
        index = {match.key: at for at, match in enumerate(matches)}
        self.needs = [sum(need in index for need in set(match.needs)) for match in matches]
        self.followers: list[list[int]] = [[] for _ in matches]
        for at, match in enumerate(matches):
            for need in set(match.needs):
                if need in index:
                    self.followers[index[need]].append(at)
        chains = critical_minutes(matches, pace)
        order = sorted(range(len(matches)), key=lambda at: (matches[at].rank, -chains[matches[at].key], at))
        self.priority = [0] * len(matches)
        for place, at in enumerate(order):
            self.priority[at] = place
        self.order = order
        self.rounds: dict[tuple[str, int], list[int]] = {}
        for at, match in enumerate(matches):
            if not match.barrier:
                self.rounds.setdefault((match.row, match.round), []).append(at)
        self.main_to_come = [
            at for at, match in enumerate(matches) if match.rank == 0 and match.played is None and not match.barrier
        ]
        self.shares = [shares(match.length) for match in matches]
        self.full = [0.0 if match.barrier else match.length * pace.minutes_per_point for match in matches]

    def run(self, chance: Random) -> tuple[list[float], list[float]]:
        """Simulate one evening; return when each match begins and ends."""
        matches, pace, needs = self.matches, self.pace, self.needs.copy()
        begins, ends = [0.0] * len(matches), [0.0] * len(matches)
        tempos = _Tempos(matches, pace, chance)
        playing, coming = self._at_the_start(ends, tempos, chance)
        called: list[int] = []
        free = pace.tables - len(playing)
        while coming or called or playing:
            clock = min(playing[0][0] if playing else math.inf, coming[0][0] if coming else math.inf)
            while playing and playing[0][0] <= clock:
                at = heapq.heappop(playing)[1]
                free += not matches[at].barrier
                tempos.pass_on(at, self.followers[at])
                for follower in self.followers[at]:
                    needs[follower] -= 1
                    if not needs[follower]:
                        rest = 0.0 if matches[at].barrier or matches[follower].barrier else pace.rest
                        heapq.heappush(coming, (clock + rest, follower))
            while coming and coming[0][0] <= clock:
                at = heapq.heappop(coming)[1]
                if matches[at].barrier:
                    begins[at] = ends[at] = clock
                    heapq.heappush(playing, (clock, at))
                else:
                    heapq.heappush(called, self.priority[at])
            while called and free > 0:
                at = self.order[heapq.heappop(called)]
                begins[at] = clock
                ends[at] = clock + self._duration(at, tempos, chance)
                heapq.heappush(playing, (ends[at], at))
                free -= 1
        return begins, ends

    def _at_the_start(
        self, ends: list[float], tempos: "_Tempos", chance: Random
    ) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
        """Return the matches in progress with their ends, written to `ends` too, and those that can begin with when."""
        playing: list[tuple[float, int]] = []
        coming: list[tuple[float, int]] = []
        for at, match in enumerate(self.matches):
            if match.played is not None:
                ends[at] = self.pace.paused + match.waits + self._left(at, tempos.of(at), chance)
                playing.append((ends[at], at))
            elif not self.needs[at]:
                coming.append((self.pace.paused + match.waits, at))
        heapq.heapify(playing)
        heapq.heapify(coming)
        return playing, coming

    def _duration(self, at: int, tempos: "_Tempos", chance: Random) -> float:
        if self.matches[at].may_be_skipped and chance.random() >= SECOND_FINAL_CHANCE:
            return 0.0
        return self.pace.seating + self.full[at] * tempos.of(at) * _any_of(self.shares[at], chance)

    def _left(self, at: int, tempo: float, chance: Random) -> float:
        """Return the remaining minutes of a match in progress, given how long it has lasted and its running score."""
        match, full = self.matches[at], self.full[at] * tempo
        if match.score is not None:
            away, opponent_away = (max(match.length - points, 0) for points in match.score)
            share = remaining_share(away, opponent_away, match.length)
            return full * share * _any_of(shares(max(1, round(match.length * share))), chance)
        so_far, quantiles = (match.played or 0.0) / full, self.shares[at]
        longer = bisect_right(quantiles, so_far)
        if longer >= len(quantiles):
            return full * OVERDUE * chance.random()
        return full * (_any_of(quantiles, chance, longer) - so_far)


class _Tempos:
    """How slow the evening and each of its players are in one run; 1 is the expected tempo.

    Players keep their tempo: the winner takes it along in the bracket, the loser to another one. So a bracket waits for
    its slow players again and again.
    """

    def __init__(self, matches: Sequence[RemainingMatch], pace: FloorPace, chance: Random) -> None:
        self.matches = matches
        self.chance = chance
        self.evening = math.exp(chance.gauss(0, pace.uncertainty))
        self.players: list[list[float]] = [[] for _ in matches]

    def of(self, at: int) -> float:
        """Return the tempo of a match that begins."""
        players = self.players[at]
        while len(players) < PLAYERS:
            players.append(math.exp(self.chance.gauss(0, PLAYERS_DIFFER)))
        return self.evening * (players[0] + players[1]) / PLAYERS

    def pass_on(self, at: int, followers: Sequence[int]) -> None:
        """Decide a match by lot, and let its players go on to the matches that follow it."""
        if not self.players[at]:
            return  # a barrier has no players
        winner = int(self.chance.random() * PLAYERS)
        for follower in followers:
            if self.matches[follower].barrier:
                continue
            stays = self.matches[follower].row == self.matches[at].row
            self.players[follower].append(self.players[at][winner if stays else 1 - winner])


def _any_of(quantiles: Sequence[float], chance: Random, first: int = 0) -> float:
    return quantiles[first + int(chance.random() * (len(quantiles) - first))]
