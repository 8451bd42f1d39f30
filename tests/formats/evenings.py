"""Whole evenings as the documented model has them, played by a second, plainer program than that of the forecast.

Everything uncertain is drawn once: the tempo of the evening and of each player, the minutes of every match, the walk to
the table, and who wins. At every moment it is known what the floor knows then, and at the end when the evening was
over, so that it can be counted how often a forecast holds.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from formats.forecast.brackets import row_of
from formats.forecast.counts import lives_courses, lives_runs_like, rounds_until_unbeaten, swiss_courses
from formats.forecast.durations import EVENINGS_DIFFER, MINUTES_PER_POINT, REST, SEATING, player_tempo, shares
from formats.forecast.finish_times import Pace, RemainingMatch, finish_times, length_of
from formats.forecast.forecasts import forecast_stages, later_stages
from formats.forecast.pace import Observed, observed_pace
from formats.forecast.planned import matches_by_round, matches_of_graph, numbering
from formats.graph import BYE, DrawnSeat, EntrySource, Graph, LoserOf, PlaceOf, Source, WinnerOf
from formats.plans import draw_places, later_sources, lengths_of, places_before, plan_of, sources_of
from formats.settings import BY_ROUND, LIVES, StageSettings

QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Setting:
    """The conditions of an evening: its stages, players, tables and the match lengths of its first stage."""

    stages: tuple[StageSettings, ...]
    players: int
    tables: int
    lengths: tuple[int, ...] = (7,)


@dataclass
class Match:
    """A match of the evening; `key` is that of the forecast."""

    key: int
    row: str
    round: int
    length: int
    rank: int
    order: tuple[float, ...]
    pair: tuple[int, int]
    called: float = math.inf
    starts: float = math.inf
    ends: float = math.inf


@dataclass
class Evening:
    """One evening; `seed` decides everything about it."""

    setting: Setting
    seed: int
    clock: float = 0.0
    open: list[Match] = field(default_factory=list)
    over: list[Match] = field(default_factory=list)
    plan: dict[int, RemainingMatch] = field(default_factory=dict)
    """The matches of the stage's graph for the forecast."""

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.tempo = math.exp(self.chance.gauss(0, EVENINGS_DIFFER))
        self.tempos = {player: player_tempo(self.chance) for player in range(1, self.setting.players + 1)}
        self.free: dict[int, float] = defaultdict(float)
        self.wins: dict[int, int] = defaultdict(int)
        self.stage = 0
        self.graph: Graph | None = None
        self.keys = numbering()
        self.round = 0
        self.lost: dict[int, int] = defaultdict(int)

    def play(self, look: Callable[["Evening"], None] = lambda _evening: None) -> "Evening":
        """Play to the end; `look` after each match."""
        self._begin_stage(list(self.tempos))
        while self.open:
            self._call()
            moments = [match.ends for match in self.open] + [at for at in self.free.values() if at > self.clock]
            self.clock = min(moments)
            for match in [match for match in self.open if match.ends <= self.clock]:
                self._decide(match)
                look(self)
        return self

    def _call(self) -> None:
        """Give the free tables to the matches whose players are free."""
        free = self.setting.tables - sum(match.called < math.inf for match in self.open)
        for match in sorted(self.open, key=lambda match: match.order):
            if not free:
                return
            if match.called == math.inf and all(self.free[player] <= self.clock for player in match.pair):
                match.called = self.clock
                match.starts = self.clock + 2 * SEATING * self.chance.random()
                tempo = self.tempo * sum(self.tempos[player] for player in match.pair) / 2
                match.ends = match.starts + match.length * MINUTES_PER_POINT * tempo * self.chance.choice(
                    shares(match.length)
                )
                self.free |= dict.fromkeys(match.pair, math.inf)
                free -= 1

    def _decide(self, match: Match) -> None:
        self.open.remove(match)
        self.over.append(match)
        winner, loser = self.chance.sample(match.pair, 2)
        self.wins[winner] += 1
        self.lost[loser] += 1
        self.free |= dict.fromkeys(match.pair, self.clock + REST)
        if self.graph is not None:
            number = self.number_of[match.key]
            self.winner[number], self.loser[number] = winner, loser
            self._open_of_graph()
            if not self.open:
                self._end_stage()
        elif not self.open:
            self._pair()

    def _begin_stage(self, entrants: list[int]) -> None:
        settings = self.setting.stages[self.stage]
        self.entrants, self.round, self.wins, self.lost = entrants, 0, defaultdict(int), defaultdict(int)
        self.graph = None
        if settings.format in BY_ROUND:
            self._pair()
            return
        seed = self.chance.randbytes(32)
        if self.stage:
            before = self.setting.stages[self.stage - 1]
            sources = later_sources(settings, before, self.stage)
            self.places = dict(zip(places_before(before, self.stage), entrants, strict=True))
        else:
            sources = sources_of(draw_places(settings, entrants, seed=seed).places)
        self.graph = graph = plan_of(settings, sources, seed=seed)
        self.winner: dict[int, int] = {}
        self.loser: dict[int, int] = {}
        self.seats: dict[tuple[str, int], list[int]] = {}
        brackets = [bracket.key for bracket in graph.brackets]
        lengths = {key: lengths_of(settings, key, self.setting.lengths) for key in brackets}
        rows = {key: row_of(0, self.stage + 1, key) for key in brackets}
        planned = matches_of_graph(graph, rows, lengths, keys=self.keys)
        played = [number for number, fixture in graph.fixtures.items() if BYE not in fixture.sources]
        self.number_of = dict(zip(sorted(match.key for match in planned), played, strict=True))
        self.plan = {match.key: match for match in planned}
        self.togo = self._rounds_to_go(graph)
        self._open_of_graph()

    def _rounds_to_go(self, graph: Graph) -> dict[int, int]:
        togo: dict[int, int] = {}
        later: dict[int, int] = {}
        for number in sorted(graph.fixtures, reverse=True):
            players = [source.entry for source in graph.fixtures[number].sources if isinstance(source, EntrySource)]
            following = [graph.next_of_winner.get(number), graph.next_of_loser.get(number)]
            following += [later.get(player) for player in players]
            togo[number] = 1 + max((togo[other] for other in following if other is not None), default=0)
            later |= dict.fromkeys(players, number)
        return togo

    def _open_of_graph(self) -> None:
        assert self.graph is not None
        known = {match.key for match in (*self.open, *self.over)}
        for key, match in self.plan.items():
            number = self.number_of[key]
            fixture = self.graph.fixtures[number]
            if key in known:
                continue
            condition = fixture.needed_if
            if condition is not None:
                sides = [self._entrant(source) for source in self.graph.fixtures[condition.fixture].sources]
                if self.winner.get(condition.fixture) != sides[condition.slot]:
                    continue
            first, second = (self._entrant(source) for source in fixture.sources)
            if first is not None and second is not None:
                order = (match.rank, -self.togo[number], number)
                self.open.append(Match(key, match.row, match.round, match.length, match.rank, order, (first, second)))

    def _entrant(self, source: Source) -> int | None:
        match source:
            case EntrySource(entry):
                return entry
            case PlaceOf():
                return self.places[source]
            case WinnerOf(number) | LoserOf(number):
                sources = self.graph.fixtures[number].sources
                if BYE in sources:
                    return self._entrant(sources[1 - sources.index(BYE)]) if isinstance(source, WinnerOf) else None
                return (self.winner if isinstance(source, WinnerOf) else self.loser).get(number)
            case DrawnSeat(bracket, round_, number):
                return self._seated(bracket, round_, number)
        return None

    def _seated(self, bracket: str, number: int, seat: int) -> int | None:
        """The entrant of a seat in a round that is drawn by lot once all its entrants are known."""
        if (bracket, number) not in self.seats:
            round_ = next(row for row in self.graph.bracket(bracket).rounds if row.number == number)
            entrants = [self._entrant(source) for source in round_.entrants]
            if None in entrants:
                return None
            self.seats[bracket, number] = self.chance.sample(entrants, len(entrants))
        return self.seats[bracket, number][seat - 1]

    def _pair(self) -> None:
        """Pair the next round of a Swiss or of lives, or end the stage."""
        settings = self.setting.stages[self.stage]
        alive = [player for player in self.entrants if settings.format != LIVES or self.lost[player] < settings.lives]
        unbeaten = sum(not self.lost[player] for player in self.entrants)
        is_over = unbeaten <= 1 if settings.rounds is None else self.round >= settings.rounds
        if len(alive) <= 1 if settings.format == LIVES else is_over:
            self._end_stage()
            return
        self.round += 1
        self.chance.shuffle(alive)
        if len(alive) % 2:
            # Who sits out has lost before, if that is possible.
            alive.remove(max(alive, key=lambda player: self.lost[player] > 0) if self.round > 1 else alive[0])
        alive.sort(key=lambda player: self.lost[player])
        row = row_of(0, self.stage + 1, "rounds")
        length = length_of(lengths_of(settings, "rounds", self.setting.lengths), self.round)
        for at in range(0, len(alive), 2):
            key = next(self.keys)
            self.open.append(Match(key, row, self.round, length, 0, (0, key), (alive[at], alive[at + 1])))

    def _end_stage(self) -> None:
        if self.stage + 1 < len(self.setting.stages):
            places = places_before(self.setting.stages[self.stage], self.stage + 1)
            qualified = self.chance.sample(self.entrants, len(places))
            self.stage += 1
            self._begin_stage(qualified)

    def known(self) -> tuple[RemainingMatch, ...]:
        """What the floor knows now of the matches that are not over."""
        settings = self.setting.stages[: self.stage + 1]
        keys = numbering(-1, -1)
        known = {match.key: match for match in self.open}
        over = {match.key for match in self.over}
        matches = [self._known(match) for match in self.open]
        if self.graph is not None:
            matches += [
                replace(match, players=tuple(filter(None, self._sides(key))))
                for key, match in self.plan.items()
                if key not in known and key not in over and not self._is_unneeded(key)
            ]
        else:
            matches += self._rounds_to_come(settings[-1], keys)
        own = [match.key for match in matches if not match.gate]
        if self.stage + 1 < len(self.setting.stages):
            matches += later_stages(
                self.setting.stages,
                self.stage + 2,
                default_lengths=self.setting.lengths,
                keys=keys,
                division=0,
                after=own,
            )
        return tuple(matches)

    def _sides(self, key: int) -> list[int | None]:
        return [self._entrant(source) for source in self.graph.fixtures[self.number_of[key]].sources]

    def _is_unneeded(self, key: int) -> bool:
        condition = self.graph.fixtures[self.number_of[key]].needed_if
        return condition is not None and condition.fixture in self.winner

    def _rounds_to_come(self, settings: StageSettings, keys: Iterator[int]) -> list[RemainingMatch]:
        players, paired = (
            len(self.entrants),
            sum(
                match.round == self.round and match.row == row_of(0, self.stage + 1, "rounds")
                for match in (*self.open, *self.over)
            ),
        )
        if settings.format == LIVES:
            courses = lives_courses(lives_runs_like(players, settings.lives, self.round, paired), self.round)
        else:
            rounds = {settings.rounds: 1.0} if settings.rounds is not None else rounds_until_unbeaten(players)
            courses = swiss_courses(rounds, players // 2, self.round)
        row = row_of(0, self.stage + 1, "rounds")
        lengths = lengths_of(settings, "rounds", self.setting.lengths)
        return matches_by_round(
            row, courses, lengths, keys=keys, after=[match.key for match in self.open], first_round=self.round + 1
        )

    def _known(self, match: Match) -> RemainingMatch:
        played = waits = None
        if match.called < math.inf:
            played = max(0.0, self.clock - match.starts)
            waits = max(0.0, SEATING - (self.clock - match.called)) if match.starts > self.clock else 0.0
        else:
            resting = [self.free[player] for player in match.pair]
            waits = max(0.0, *(at - self.clock for at in resting if at < math.inf), 0.0)
        return RemainingMatch(
            match.key, match.row, match.round, match.length, match.rank, players=match.pair, played=played, waits=waits
        )

    def pace(self) -> Pace:
        """What the floor knows now of the pace of the evening."""
        over = [Observed(match.length, match.ends - match.starts) for match in self.over]
        running = [
            Observed(match.length, self.clock - match.starts, is_over=False)
            for match in self.open
            if match.starts < self.clock
        ]
        estimate = observed_pace([*over, *running])
        return Pace(self.setting.tables, minutes_per_point=estimate.minutes_per_point, uncertainty=estimate.uncertainty)


def held(setting: Setting, seed: int, at_start: float) -> list[bool]:
    """Whether the evening was over by the later time of the forecast: before it, and after each quarter."""
    total = len((whole := Evening(setting, seed).play()).over)
    due = [math.ceil(total * share) for share in QUARTERS]
    answers = [whole.clock <= at_start]

    def look(evening: Evening) -> None:
        if due and len(evening.over) == due[0]:
            del due[0]
            late = finish_times(evening.known(), evening.pace(), seed=seed).total.late
            answers.append(whole.clock <= evening.clock + late)

    Evening(setting, seed).play(look)
    return answers


def held_counts(setting: Setting, seeds: Iterable[int]) -> list[int]:
    """How many of the evenings were over in time: by the forecast before them, and by that after each quarter."""
    pace = Pace(setting.tables)
    finish = forecast_stages(setting.stages, setting.players, default_lengths=setting.lengths, pace=pace).finish
    assert finish is not None
    return [sum(column) for column in zip(*(held(setting, seed, finish.late) for seed in seeds), strict=True)]
