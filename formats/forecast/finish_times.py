"""When an evening is expected to finish, by simulation: before its first call, or from the present moment.

Each run draws the tempo of the evening (`Pace`) and of its players, and the minutes of every match that is not over
(`durations`). It plays the matches at the tables in the order of the floor (bracket, then critical path), as soon as
their players and a table are free, and notes when each round begins and finishes. A gate joins what has to be over
before a round is paired or a stage is drawn.

Only some dozens of runs are made. The tempo of the evening, which matters most, therefore takes evenly spaced quantiles
instead of random values, and the later figures are taken from the mean and the spread of the runs on a logarithmic
scale (the end of an evening is skewed to the late side), not from a rank.
All times are minutes from now. Equal input gives equal output.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from statistics import NormalDist, fmean, median
from statistics import variance as variance_of

from formats.errors import Refused
from formats.forecast.durations import (
    EVENINGS_DIFFER,
    LATE,
    MEAN_SHARE,
    MINUTES_PER_POINT,
    REST,
    SEATING,
    player_tempo,
    shares,
)

MAX_MATCH = 15
MATCHES_IN_ALL_RUNS = 8_000
MIN_RUNS, MAX_RUNS = 16, 200
NORMAL = NormalDist()
PLAYERS = 2
MAX_TRIES = 12
"""How often the tempo of the players of a match in progress is drawn until it can have lasted as long as it has."""
OVERDUE = 0.1
"""A match that has lasted longer than the longest one takes up to this share of its full time more."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Minutes after the start (or from now): the median, and the time by which nine of ten such evenings are over."""

    median: float
    late: float


@dataclass(frozen=True, slots=True)
class Pace:
    """The conditions of an evening. All times are in minutes.

    `tables` are those in use; `rest` is between two matches of a player; `seating` is how long a table is taken before
    the first roll of a match; `paused` is how long a pause still lasts. `uncertainty` is the standard deviation of the
    logarithm of the minutes a point. `runs` is how many evenings are simulated at most.
    """

    tables: int
    minutes_per_point: float = MINUTES_PER_POINT
    rest: float = REST
    runs: int = MAX_RUNS
    uncertainty: float = EVENINGS_DIFFER
    seating: float = SEATING
    paused: float = 0.0

    def checked(self) -> "Pace":
        """Return this pace after checking it. Raises Refused("no_tables")."""
        if self.tables < 1:
            raise Refused("no_tables")
        return self


@dataclass(frozen=True, slots=True)
class RemainingMatch:
    """A match that is not over.

    `row` names its bracket, `rank` orders the brackets. `needs` are the matches it waits for; those that are over are
    left out. `players` are the players who are known. `played` is how many minutes it has been played at its table,
    None if it has not been called; `score` its running score. `waits` is how long its players cannot play yet (rest,
    away, on their way to the table). `played_in` says in which of several equally likely courses of its bracket it is
    played at all; empty if it is in any case. A `gate` takes neither a table nor time: it joins the matches
    that have to be over before those that need it are paired. A stage without rounds is a single match that takes no
    table; its `ends` say when it is over in evenings from the quickest to the slowest.
    """

    key: int
    row: str
    round: int
    length: int
    rank: int = 0
    needs: tuple[int, ...] = ()
    players: tuple[int, ...] = ()
    played: float | None = None
    score: tuple[int, int] | None = None
    waits: float = 0.0
    played_in: tuple[bool, ...] = ()
    gate: bool = False
    ends: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundTimes:
    """When a round is expected to begin (0 if it has) and to finish."""

    row: str
    number: int
    begins: float
    finish: Finish
    length: int


@dataclass(frozen=True, slots=True)
class FinishTimes:
    """The rounds still being played, when everything is over, and when the next match of the main bracket begins."""

    rounds: tuple[RoundTimes, ...]
    total: Finish
    next_main: float | None
    ends: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Row -> when it is over in each run."""

    def ends_within(self, chance: float) -> float:
        """Return the time by which everything is over with this probability (0–1)."""
        return _within(chance, _latest(self.ends.values()))

    def finish_of(self, *rows: str) -> Finish | None:
        """Return when the last match of these brackets finishes; None if they are over."""
        ends = [self.ends[row] for row in rows if row in self.ends]
        return _finish(_latest(ends)) if ends else None


def _latest(ends: Collection[Sequence[float]]) -> list[float]:
    return [max(run) for run in zip(*ends, strict=True)] or [0.0]


def parse_lengths(text: str) -> tuple[int, ...]:
    """Parse match lengths by round, such as "5 5 7 9 11". Raises Refused("bad_length") outside 1–15.

    >>> parse_lengths("5 5 7")
    (5, 5, 7)
    """
    lengths: list[int] = []
    for item in text.replace(",", " ").split():
        if not item.isdecimal() or len(item) > len(str(MAX_MATCH)) or not 1 <= int(item) <= MAX_MATCH:
            raise Refused("bad_length", most=MAX_MATCH, length=item)
        lengths.append(int(item))
    if not lengths:
        raise Refused("bad_length", most=MAX_MATCH, length=text)
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


def critical_minutes(matches: Sequence[RemainingMatch], pace: Pace) -> dict[int, float]:
    """Return, by match, the expected minutes of the longest chain of matches from its own to the end of the evening.

    Where players are known, the chain goes on with their next matches, as in a round robin.
    """
    matches = _with_earlier(matches)
    followers = _followers(matches)
    by_key = {match.key: match for match in matches}
    chain: dict[int, float] = {}
    for key in reversed(_in_order(matches)):
        match = by_key[key]
        own = 0.0 if match.gate else match.length * pace.minutes_per_point * MEAN_SHARE + pace.seating + pace.rest
        chain[key] = own + max((chain[follower] for follower in followers[key]), default=0.0)
    return chain


def _with_earlier(matches: Sequence[RemainingMatch]) -> list[RemainingMatch]:
    """Return the matches so that those of two known players also need the earlier ones of each."""
    latest: dict[int, int] = {}
    chained = []
    for match in matches:
        if len(match.players) == PLAYERS:
            earlier = [latest[player] for player in match.players if player in latest]
            chained.append(replace(match, needs=tuple(dict.fromkeys((*match.needs, *earlier)))) if earlier else match)
            latest |= dict.fromkeys(match.players, match.key)
        else:
            chained.append(match)
    return chained


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
def finish_times(matches: tuple[RemainingMatch, ...], pace: Pace, seed: int = 1) -> FinishTimes:
    """Forecast the rest of an evening from its matches that are not over. Raises Refused("no_tables")."""
    pace.checked()
    if not matches:
        return FinishTimes((), Finish(0.0, 0.0), None)
    simulation = _Simulation(matches, pace)
    runs = min(pace.runs, max(MIN_RUNS, min(MAX_RUNS, MATCHES_IN_ALL_RUNS // len(matches))))
    rounds = {key: _Columns() for key in simulation.rounds}
    next_main: list[float] = []
    for run in range(runs):
        begins, ends, skipped = simulation.run(run, runs, seed)
        for columns, members in zip(rounds.values(), simulation.rounds.values(), strict=True):
            columns.latest.append(max(ends[at] for at in members))
            if played := [at for at in members if not skipped[at]]:
                columns.begins.append(min(begins[at] for at in played))
                columns.ends.append(max(ends[at] for at in played))
        if simulation.main_to_come:
            next_main.append(min(begins[at] for at in simulation.main_to_come))
    times = tuple(
        RoundTimes(
            row,
            number,
            median(columns.begins or columns.latest),
            _finish(columns.ends or columns.latest),
            matches[simulation.rounds[row, number][0]].length,
        )
        for (row, number), columns in rounds.items()
    )
    of_row: dict[str, list[list[float]]] = {}
    for (row, _number), columns in rounds.items():
        of_row.setdefault(row, []).append(columns.latest)
    ends_of_rows = {row: tuple(_latest(latest)) for row, latest in of_row.items()}
    total = _finish(_latest(ends_of_rows.values()))
    return FinishTimes(times, total, median(next_main) if next_main else None, ends_of_rows)


def mean_finish(matches: Sequence[RemainingMatch], pace: Pace, *, runs: int, seed: int = 1) -> float:
    """Return when everything finishes on average over a few runs; cheaper and rougher than `finish_times`."""
    simulation = _Simulation(matches, pace)
    ends = (simulation.run(run, runs, seed)[1] for run in range(runs))
    return fmean(max(column, default=0.0) for column in ends)


class _Columns:
    """The begin and the end of a round in the runs in which it is played; in every run, when nothing is left of it."""

    def __init__(self) -> None:
        self.begins: list[float] = []
        self.ends: list[float] = []
        self.latest: list[float] = []


def _finish(minutes: Sequence[float]) -> Finish:
    """Return the median, and the time by which the next evening like these is over in nine of ten cases."""
    middle = median(minutes)
    return Finish(middle, max(middle, _within(LATE, minutes)))


def _within(chance: float, minutes: Sequence[float]) -> float:
    """Return the time within which the next evening like these finishes with this probability (0–1)."""
    mean = fmean(minutes)
    if mean <= 0 or len(minutes) == 1:
        return mean
    variance = math.log1p(variance_of(minutes) / mean**2) * (1 + 1 / len(minutes))
    return math.exp(math.log(mean) - variance / 2 + NORMAL.inv_cdf(chance) * math.sqrt(variance))


class _Player:
    """A player in a run: the tempo, and from when they are free for a match (never, while they play)."""

    __slots__ = ("free", "matches", "tempo")

    def __init__(self, tempo: float, free: float = 0.0) -> None:
        self.tempo = tempo
        self.free = free
        self.matches: Sequence[int] = ()
        """The matches against known opponents that have no needs, in the order of the floor."""


class _Simulation:
    """The rest of an evening with its matches as indexes, prepared once for all runs."""

    def __init__(self, matches: Sequence[RemainingMatch], pace: Pace) -> None:
        self.matches = matches
        self.pace = pace
        index = {match.key: at for at, match in enumerate(matches)}
        needs = [[index[need] for need in dict.fromkeys(match.needs) if need in index] for match in matches]
        self.needs = [len(own) for own in needs]
        self.followers: list[list[int]] = [[] for _ in matches]
        for at, own in enumerate(needs):
            for need in own:
                self.followers[need].append(at)
        self.seats_behind_gates = [
            max(0, PLAYERS - len(match.players) - sum(not matches[need].gate for need in own))
            for match, own in zip(matches, needs, strict=True)
        ]
        chains = critical_minutes(matches, pace)
        order = sorted(range(len(matches)), key=lambda at: (matches[at].rank, -chains[matches[at].key], at))
        self.priority = [0] * len(matches)
        for place, at in enumerate(order):
            self.priority[at] = place
        self.order = order
        self.rounds: dict[tuple[str, int], list[int]] = {}
        for at, match in enumerate(matches):
            if not match.gate:
                self.rounds.setdefault((match.row, match.round), []).append(at)
        self.main_to_come = [
            at
            for at, match in enumerate(matches)
            if match.rank == 0 and match.played is None and not match.gate and not match.played_in and not match.ends
        ]
        self.shares = [shares(match.length) for match in matches]
        self.full = [0.0 if match.gate else match.length * pace.minutes_per_point for match in matches]
        self.known = sorted({player for match in matches for player in match.players})
        # Matches that can be played in any order: whichever of a player's opponents is free.
        self.in_any_order: dict[int, list[int]] = {}
        for at in order:
            match = matches[at]
            if len(match.players) == PLAYERS and not self.needs[at] and match.played is None:
                for player in match.players:
                    self.in_any_order.setdefault(player, []).append(at)
        self.uncertain_rows = sorted({match.row for match in matches if match.played_in})

    def run(self, number: int, runs: int, seed: int) -> tuple[list[float], list[float], list[bool]]:
        """Simulate one of `runs` evenings; return when each match begins and ends, and whether it is not played."""
        return _Run(self, number, runs, Random(seed * 1_000_003 + number)).played()  # noqa: S311 - a forecast, no draw


class _Run:
    def __init__(self, simulation: _Simulation, number: int, runs: int, chance: Random) -> None:
        self.simulation, self.chance = simulation, chance
        self.matches, self.pace = simulation.matches, simulation.pace
        self.random = chance.random
        self.place = (number + 0.5) / runs
        """Where this evening stands among all, from the quickest (0) to the slowest (1)."""
        self.evening = math.exp(simulation.pace.uncertainty * NORMAL.inv_cdf(self.place))
        self.people = {player: _Player(player_tempo(chance)) for player in simulation.known}
        for player, own in simulation.in_any_order.items():
            self.people[player].matches = own
        self.players: list[list[_Player]] = [
            [self.people[player] for player in match.players] if match.players else [] for match in self.matches
        ]
        """The players of each match; more than two if it is not known who of them gets there."""
        lots = {row: chance.random() for row in simulation.uncertain_rows}
        self.skipped = [
            bool(match.played_in) and not match.played_in[int(lots[match.row] * len(match.played_in))]
            for match in self.matches
        ]
        self.needs = simulation.needs.copy()
        self.begins, self.ends = [0.0] * len(self.matches), [0.0] * len(self.matches)
        self.begun = [False] * len(self.matches)
        self.playing: list[tuple[float, int]] = []
        self.coming: list[tuple[float, int]] = []
        """When a match can begin at the earliest; with an index below 0, when a known player is free again."""
        self.called: list[int] = []

    def played(self) -> tuple[list[float], list[float], list[bool]]:
        """Play the evening; return when each match begins and ends, and whether it is not played."""
        matches, simulation, playing, coming, called = (
            self.matches, self.simulation, self.playing, self.coming, self.called,
        )  # fmt: skip
        self._start()
        free = self.pace.tables - len(playing)
        while coming or called or playing:
            clock = min(playing[0][0] if playing else math.inf, coming[0][0] if coming else math.inf)
            while playing and playing[0][0] <= clock:
                at = heapq.heappop(playing)[1]
                free += not (matches[at].gate or matches[at].ends or self.skipped[at])
                self._finish(at, clock)
            while coming and coming[0][0] <= clock:
                at = heapq.heappop(coming)[1]
                if at < 0:
                    self._release(self.people[simulation.known[-at - 1]], clock)
                elif ends := matches[at].ends:
                    self.ends[at] = ends[int(self.place * len(ends))]
                    heapq.heappush(playing, (self.ends[at], at))
                elif matches[at].gate or self.skipped[at]:
                    self.begins[at] = self.ends[at] = clock
                    heapq.heappush(playing, (clock, at))
                else:
                    heapq.heappush(called, simulation.priority[at])
            while called and free > 0:
                at = simulation.order[heapq.heappop(called)]
                if self.begun[at] or not self._is_free(at, clock):
                    continue  # it comes again once both players are free
                self.begins[at] = clock
                self.ends[at] = clock + self._begin(at)
                heapq.heappush(playing, (self.ends[at], at))
                free -= 1
        return self.begins, self.ends, self.skipped

    def _start(self) -> None:
        """Continue the matches in progress, and let those come that can begin."""
        pace = self.pace
        for at, match in enumerate(self.matches):
            if match.played is not None:
                left = self._left(at, match)
                for player in self.players[at]:
                    player.free = math.inf
                self.begun[at] = True
                self.ends[at] = pace.paused + match.waits + left
                self.playing.append((self.ends[at], at))
            elif not self.needs[at]:
                self.coming.append((pace.paused + match.waits, at))
        heapq.heapify(self.playing)
        heapq.heapify(self.coming)

    def _is_free(self, at: int, clock: float) -> bool:
        """Whether the players of a match are free, if both were known from the beginning."""
        if len(self.matches[at].players) < PLAYERS:
            return True
        return all(player.free <= clock for player in self.players[at])

    def _release(self, player: _Player, clock: float) -> None:
        """Call the matches of a player who is free again, against those who are free as well."""
        for at in player.matches:
            if not self.begun[at] and self.matches[at].waits + self.pace.paused <= clock:
                first, second = self.players[at]
                if first.free <= clock and second.free <= clock:
                    heapq.heappush(self.called, self.simulation.priority[at])

    def _begin(self, at: int) -> float:
        """Begin a match; return the minutes for which it takes its table."""
        self.begun[at] = True
        first, second = players = self._pair(at)
        for player in players:
            player.free = math.inf
        quantiles = self.simulation.shares[at]
        share = quantiles[int(self.random() * len(quantiles))]
        tempo = (first.tempo + second.tempo) / PLAYERS
        return self.pace.seating + self.simulation.full[at] * self.evening * tempo * share

    def _pair(self, at: int) -> list[_Player]:
        """Return the two players of a match; by lot if it is not known who gets there."""
        players = self.players[at]
        if len(players) > PLAYERS:
            players = self.players[at] = self.chance.sample(players, PLAYERS)
        while len(players) < PLAYERS:
            players.append(_Player(player_tempo(self.chance)))
        return players

    def _finish(self, at: int, clock: float) -> None:
        """End a match or a gate: its players rest, and go on to the matches that follow it."""
        match = self.matches[at]
        if match.gate:
            self._pass_through(at)
        elif not self.skipped[at] and not match.ends:
            players = self.players[at]
            for player in players:
                player.free = clock + self.pace.rest
            for number in match.players:
                if self.people[number].matches:
                    heapq.heappush(self.coming, (clock + self.pace.rest, -bisect_right(self.simulation.known, number)))
            self._pass_on(at, players)
        for follower in self.simulation.followers[at]:
            self.needs[follower] -= 1
            if not self.needs[follower]:
                heapq.heappush(self.coming, (self._ready(follower, clock), follower))

    def _ready(self, at: int, clock: float) -> float:
        """Return when a match can begin of which nothing is open any more."""
        match = self.matches[at]
        if match.gate or match.ends or self.skipped[at]:
            return clock
        rested = max(player.free for player in self._pair(at))
        return max(clock, self.pace.paused + match.waits, rested if rested < math.inf else 0.0)

    def _pass_on(self, at: int, players: Sequence[_Player]) -> None:
        """Decide a match by lot, and let its players go on to the matches that follow it."""
        winner = int(self.random() * PLAYERS)
        row = self.matches[at].row
        for follower in self.simulation.followers[at]:
            match = self.matches[follower]
            if match.gate:
                self.players[follower] += players
            elif len(match.players) < PLAYERS:
                self.players[follower].append(players[winner if match.row == row else 1 - winner])

    def _pass_through(self, at: int) -> None:
        """Let the players behind a gate go on in any order, as many as there are seats."""
        pool = list(dict.fromkeys(self.players[at]))
        self.chance.shuffle(pool)
        for follower in self.simulation.followers[at]:
            if not self.skipped[follower] and not self.matches[follower].gate:
                for _ in range(min(self.simulation.seats_behind_gates[follower], len(pool))):
                    self.players[follower].append(pool.pop())

    def _left(self, at: int, match: RemainingMatch) -> float:
        """Return the remaining minutes of a match in progress, given how long it has lasted and its running score.

        A match that has lasted long is likely to be between slow players, who are slow in their later matches as well.
        """
        full = self.simulation.full[at] * self.evening
        players = self._pair(at)
        if match.score is not None:
            away, opponent_away = (max(match.length - points, 0) for points in match.score)
            share = remaining_share(away, opponent_away, match.length)
            quantiles = shares(max(1, round(match.length * share)))
            tempo = (players[0].tempo + players[1].tempo) / PLAYERS
            return full * tempo * share * quantiles[int(self.random() * len(quantiles))]
        quantiles, so_far, tempo = self.simulation.shares[at], match.played or 0.0, 1.0
        for _ in range(MAX_TRIES):
            tempo = (players[0].tempo + players[1].tempo) / PLAYERS
            minutes = full * tempo * quantiles[int(self.random() * len(quantiles))]
            if minutes > so_far:
                return minutes - so_far
            for player in players:
                player.tempo = player_tempo(self.chance)
        longer = bisect_right(quantiles, so_far / (full * tempo))
        if longer >= len(quantiles):
            return full * OVERDUE * self.random()
        return full * tempo * quantiles[longer + int(self.random() * (len(quantiles) - longer))] - so_far
