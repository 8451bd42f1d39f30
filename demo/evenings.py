"""Whole evenings of a club, played through the services: does the autopilot fill the tables, does the forecast hold?

An evening is a knockout with consolation. Calls follow check-in; one player comes late, and another comes only after
the first match was forfeited. The autopilot calls by itself; players sit down a little after their call, and matches
take as long as in the model of `formats.forecast.durations`. Winners, durations and delays depend on the
seed and the match number only, so the same evening can be replayed with another order of calls.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import mean
from typing import ClassVar, NamedTuple

from django.db import transaction

from display import wall
from formats.forecast.durations import EVENINGS_DIFFER, MINUTES_PER_POINT, REST, player_tempo, shares
from formats.forecast.finish_times import FinishTimes
from formats.lots import commitment as hash_of
from formats.settings import LIVES, PROGRESSIVE, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import SYSTEM
from players.models import Club, Player
from tournaments.draws import services as draws
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import calls, evening, selectors
from tournaments.floor.flow_state import WALK_MINUTES
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.state import MatchFacts
from tournaments.models import Autopilot, Division, Fixture, FloorEvent, FloorKind, Stage, Tournament
from tournaments.results.services import enter_result, forfeit
from tournaments.state.integrity import Selection, differences
from tournaments.state.stages import set_stages

STARTS = datetime(2026, 11, 21, 18, tzinfo=UTC)
MATCH_LENGTH = 7
LOWER_LENGTH = 5
SLOWEST_WALK = 3.0
"""Minutes from a call to the start of the match, at most."""
LATE, LATE_BY = 3, 40.0
"""The number of the player who comes late, and by how many minutes."""
NO_SHOW, FORFEITS_AFTER, COMES_AFTER = 1, 15.0, 45.0
"""The number of the player who does not come, the minutes until a director forfeits their match, and then until they
come."""
FORECAST_AT = (0.0, 0.25, 0.5, 0.75)
"""The shares of all matches after which the end is forecast."""
CHANCES = (0.5, 0.75, 0.9)
"""With which probability the evening should end within the forecast times."""


class CheckedForecast(NamedTuple):
    """A forecast after this share of the matches: whether the evening ended within the time given for this chance."""

    after: float
    chance: float
    held: bool


class RolledBack(Exception):
    """Ends the transaction of a simulated evening without keeping it."""


@dataclass
class EveningReport:
    double_booked_players: int = 0
    double_booked_tables: int = 0
    absent_called: int = 0
    """Calls of matches with a player who was not here."""
    called_twice: int = 0
    wall_differences: int = 0
    """How often the wall showed other calls than those of the matches that had been called and not begun."""
    idle_with_ready: int = 0
    integrity_differences: int = 0
    forecasts: list[CheckedForecast] = field(default_factory=list)
    ended: float = 0.0
    """Minutes after the start."""
    ended_first_come: float = 0.0
    """The same with matches in the order in which their players were known."""


def simulate_evening(*, players: int, tables: int, seed: int, continuous: bool = False) -> EveningReport:
    """Play an evening and report on it; nothing of it stays in the database.

    If it is `continuous`, it is one of two lives without rounds.
    """
    report = EveningReport()
    try:
        with transaction.atomic():
            (_EveningWithoutRounds if continuous else _Evening)(players, tables, seed, report).play()
            raise RolledBack
    except RolledBack:
        return report


def simulate_two_events(*, players: int, tables: int, seed: int) -> tuple[EveningReport, EveningReport]:
    """Play two events of an evening in one hall, one in rounds and one without, with one person in both."""
    reports = EveningReport(), EveningReport()
    try:
        with transaction.atomic():
            first = _Evening(players, tables, seed, reports[0])
            shared = Player.objects.get(pk=first.first_player + players - 1)
            second = _EveningWithoutRounds(players, tables, seed + 1, reports[1], (shared,), first.tournament.club)
            first.other, second.other = second, first
            both = (first, second)
            for evening in both:
                evening.begin()
            while going := [evening for evening in both if evening.steps]:
                next_ = min(going, key=lambda evening: evening.steps[0].at)
                next_.step()
                for evening in both:
                    if evening is not next_:
                        evening.clock = next_.clock
                        evening.call()
            for evening in both:
                evening.conclude()
            raise RolledBack
    except RolledBack:
        return reports


class EveningCourse:
    """The random course of an evening, by match number and by the number of a player."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tempo = math.exp(self.of(0, "evening").gauss(0, EVENINGS_DIFFER))

    def of(self, number: int, what: str) -> Random:
        return Random(f"{self.seed}:{number}:{what}")  # noqa: S311, a simulation

    def minutes(self, number: int, length: int, players: Iterable[int]) -> float:
        """How long a match lasts."""
        tempo = self.tempo * mean(player_tempo(self.of(player, "player")) for player in players)
        return length * MINUTES_PER_POINT * tempo * self.of(number, "minutes").choice(shares(length))

    def walk(self, number: int) -> float:
        """Minutes from the call of a match to its start."""
        return self.of(number, "walk").random() * SLOWEST_WALK

    def score(self, number: int, length: int) -> tuple[int, int]:
        chance = self.of(number, "score")
        lost = chance.randrange(length)
        return (length, lost) if chance.random() < 1 / 2 else (lost, length)


@dataclass(order=True)
class PlannedAct:
    at: float
    order: int
    act: Callable[[], None] = field(compare=False)


class _Evening:
    """One evening while it is played. Times are minutes after the start."""

    STAGE: ClassVar = StageSettings(PROGRESSIVE, lower_lengths=(LOWER_LENGTH,))

    def __init__(
        self,
        players: int,
        tables: int,
        seed: int,
        report: EveningReport,
        shared: Sequence[Player] = (),
        club: Club | None = None,
    ) -> None:
        self.other: _Evening | None = None
        """Another event in the same hall, with somebody who plays in both."""
        self.chance = EveningCourse(seed)
        self.report = report
        self.clock = 0.0
        self.steps: list[PlannedAct] = []
        self.at_tables: dict[int, Fixture] = {}
        self.called: set[int] = set()
        self.begun: set[int] = set()
        self.forfeited: set[int] = set()
        self.finished: dict[int, float] = {}
        self.free_from: dict[int, float] = {}
        self.forecasts: list[tuple[float, float, FinishTimes]] = []
        """After which share of the matches, at which minute, and what was forecast."""
        self.division = drawn_division(players, tables, seed, self.STAGE, shared, club=club)
        self.tournament = Tournament.objects.get(pk=self.division.tournament_id)
        self.players, self.tables = players, tables
        self.labels: dict[int, str] = {}
        own = self.division.entries.exclude(player__in=shared)
        self.first_player = min(own.values_list("player", flat=True))
        self.absent = {self.first_player + LATE, self.first_player + NO_SHOW}

    @property
    def now(self) -> datetime:
        return STARTS + timedelta(minutes=self.clock)

    def play(self) -> None:
        """Play until nothing more happens, then check what is left."""
        self.begin()
        while self.steps:
            self.step()
        self.conclude()

    def begin(self) -> None:
        """Check in who is there, and let the autopilot call the first matches."""
        evening.set_autopilot(tournament=self.tournament, mode=Autopilot.CALL, by=SYSTEM, now=self.now)
        self.labels = dict(self.tournament.floor_tables.values_list("pk", "label"))
        self.total = self._planned()
        entered = self.division.entries.exclude(player__in=self.absent).select_related("player")
        here = [entry.player for entry in entered]
        check_in.mark_players_here(tournament=self.tournament, players=here, by=SYSTEM, now=self.now)
        self._after(LATE_BY, lambda: self._arrive(self.first_player + LATE))
        self._after(FORFEITS_AFTER, self._forfeit)
        self.call()

    def step(self) -> None:
        """Let the next thing happen."""
        step = heapq.heappop(self.steps)
        self.clock = step.at
        step.act()
        if self.steps and self.steps[0].at == self.clock:
            return
        self.call()
        due = FORECAST_AT[len(self.forecasts) :]
        if due and len(self.finished) >= due[0] * self.total and self._goes_on():
            self._forecast()

    def _planned(self) -> int:
        return len(selectors.floor(self.tournament, self.now).matches)

    def _goes_on(self) -> bool:
        return bool(self.at_tables)

    def _after(self, minutes: float, act: Callable[[], None]) -> None:
        heapq.heappush(self.steps, PlannedAct(self.clock + minutes, len(self.steps) + len(self.finished), act))

    def call(self) -> None:
        """Let the autopilot call, check what it called, and look for a match that it should have called."""
        for event in self._new_calls():
            if event.kind != "called" or event.fixture_id is None or event.table_id is None:
                continue
            fixture = Fixture.objects.select_related("stage__division", "match").get(pk=event.fixture_id)
            self._check_call(fixture, event.table_id)
            self.at_tables[event.table_id] = fixture
            self._after(self.chance.walk(fixture.number), _bound(self._start, fixture, event.table_id))
        if len(self._taken_anywhere()) < self.tables and self._could_begin():
            self.report.idle_with_ready += 1

        self._check_wall()

    def _new_calls(self) -> Iterable[FloorEvent]:
        """Let the autopilot call what is ready, and return what it did."""
        return calls.call_ready(tournament_id=self.tournament.pk, now=self.now)

    def _check_wall(self) -> None:
        """Compare the calls on the wall with the matches that were called and have not begun."""
        view = selectors.floor(self.tournament, self.now, staff=False)
        shown = {(call.table, call.names) for screen in wall.floor_screens(view, []) for call in screen.calls}
        waiting = {
            (self.labels[table], tuple(match_of(fixture).names))
            for table, fixture in self.at_tables.items()
            if fixture.pk not in self.begun
        }
        self.report.wall_differences += shown != waiting

    def _arrive(self, player: int) -> None:
        players = [Player.objects.get(pk=player)]
        check_in.mark_players_here(tournament=self.tournament, players=players, by=SYSTEM, now=self.now)
        self.absent.discard(player)

    def _forfeit(self) -> None:
        """Forfeit the match of the player who does not come, as soon as there is one."""
        player = self.first_player + NO_SHOW
        open_ = Fixture.objects.filter(stage__division=self.division, match__state=Match.State.OPEN)
        fixture = next((row for row in open_.select_related("match") if player in players_of(row)), None)
        if fixture is None:
            self._withoutmatch_of(player)
            return
        forfeit(fixture=fixture, side=players_of(fixture).index(player), by=SYSTEM, now=self.now)
        self.finished[fixture.pk] = self.clock
        self.forfeited.add(fixture.pk)
        self._after(COMES_AFTER, lambda: self._arrive(player))

    def _withoutmatch_of(self, player: int) -> None:
        """Look again later whether the player who does not come has a match."""
        self._after(FORFEITS_AFTER, self._forfeit)

    def _check_call(self, fixture: Fixture, table: int) -> None:
        self.report.absent_called += bool(set(players_of(fixture)) & self.absent)
        self.report.called_twice += fixture.pk in self.called
        self.called.add(fixture.pk)
        self.report.double_booked_tables += self.labels[table] in self._taken_anywhere()
        if set(players_of(fixture)) & self._busy_anywhere():
            self.report.double_booked_players += 1

    def busy(self) -> set[int]:
        return {player for fixture in self.at_tables.values() for player in players_of(fixture)}

    def taken(self) -> set[str]:
        return {self.labels[table] for table in self.at_tables}

    def _taken_anywhere(self) -> set[str]:
        return self.taken() | (self.other.taken() if self.other is not None else set())

    def _busy_anywhere(self) -> set[int]:
        return self.busy() | (self.other.busy() if self.other is not None else set())

    def _could_begin(self) -> bool:
        """Whether the players of an open match are free and rested, by the simulation's own account."""
        open_ = Fixture.objects.filter(stage__division=self.division, match__state=Match.State.OPEN)
        busy, seated = self._busy_anywhere() | self.absent, {fixture.pk for fixture in self.at_tables.values()}
        return any(
            fixture.pk not in seated
            and not set(players_of(fixture)) & busy
            and all(self.free_from.get(player, 0.0) <= self.clock for player in players_of(fixture))
            for fixture in open_.select_related("match")
        )

    def _start(self, fixture: Fixture, table: int) -> None:
        calls.start(fixture=fixture, by=SYSTEM, now=self.now)
        self.begun.add(fixture.pk)
        minutes = self._minutes(fixture.number, match_of(fixture).length, players_of(fixture))
        self._after(minutes, _bound(self._finish, fixture, table))

    def _minutes(self, number: int, length: int, players: Iterable[int]) -> float:
        return self.chance.minutes(number, length, [player - self.first_player for player in players])

    def _finish(self, fixture: Fixture, table: int) -> None:
        score = self.chance.score(fixture.number, match_of(fixture).length)
        enter_result(fixture=fixture, result=ResultInput.played(score), by=SYSTEM, now=self.now)
        del self.at_tables[table]
        self.finished[fixture.pk] = self.clock
        for player in players_of(fixture):
            self.free_from[player] = self.clock + REST
        self._after(REST, lambda: None)

    def _forecast(self) -> None:
        view = selectors.floor(self.tournament, self.now)
        share = FORECAST_AT[len(self.forecasts)]
        self.forecasts.append((share, self.clock, evening_forecast(view).forecast))

    def conclude(self) -> None:
        ended = max(self.finished.values(), default=0.0)
        view = selectors.floor(self.tournament, self.now)
        self.report.ended = ended
        self.report.forecasts = [
            CheckedForecast(share, chance, ended <= minute + forecast.ends_within(chance))
            for share, minute, forecast in self.forecasts
            for chance in CHANCES
        ]
        selection = Selection.of(club=self.tournament.club)
        self.report.integrity_differences = sum(1 for _difference in differences(selection))
        self.report.integrity_differences += len(view.matches) - len(self.finished)
        known = [(match, match.pair) for match in view.facts.matches.values() if match.pair is not None]
        self.report.ended_first_come = first_come_end(
            [match for match, _pair in known],
            {
                match.fixture: 0.0
                if match.fixture in self.forfeited
                else self.chance.walk(match.number) + self._minutes(match.number, match.length, pair)
                for match, pair in known
            },
            self.tables,
        )


class _EveningWithoutRounds(_Evening):
    """An evening of two lives in which whoever is free is paired and called at once."""

    STAGE: ClassVar = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
    last_call = 0

    def _planned(self) -> int:
        return 2 * self.players - 1

    def _new_calls(self) -> Iterable[FloorEvent]:
        """Return the calls of batches as well."""
        calls.call_ready(tournament_id=self.tournament.pk, now=self.now)
        rows = FloorEvent.objects.filter(tournament=self.tournament, kind=FloorKind.CALLED, pk__gt=self.last_call)
        made = list(rows.order_by("pk"))
        self.last_call = made[-1].pk if made else self.last_call
        return made

    def _withoutmatch_of(self, player: int) -> None:
        """Let the player come without having forfeited: whoever is not here is not paired."""
        self._after(COMES_AFTER, lambda: self._arrive(player))

    def _finish(self, fixture: Fixture, table: int) -> None:
        super()._finish(fixture, table)
        # The next pairing comes before the rest ends, so that the players are at their table then.
        self._after(max(0.0, REST - WALK_MINUTES), lambda: None)

    def conclude(self) -> None:
        super().conclude()
        # Every match is made when its players are free: there is no other order.
        self.report.ended_first_come = self.report.ended


def first_come_end(matches: Sequence[MatchFacts], minutes: Mapping[int, float], tables: int) -> float:
    """Return when an evening ends if matches get tables in the order that their players became known.

    `minutes` are the minutes at the table by fixture. Players rest as in the simulation.
    """
    needs = _needs(matches)
    done: dict[int, float] = {}
    left = {match.fixture for match in matches}
    free = [0.0] * tables
    queue: list[tuple[float, int]] = []
    while left or queue:
        for fixture in sorted(left):
            if all(need in done for need in needs[fixture]):
                heapq.heappush(queue, (max((done[need] + REST for need in needs[fixture]), default=0.0), fixture))
                left.discard(fixture)
        since, fixture = heapq.heappop(queue)
        done[fixture] = max(heapq.heappop(free), since) + minutes[fixture]
        heapq.heappush(free, done[fixture])
    return max(done.values(), default=0.0)


def _needs(matches: Iterable[MatchFacts]) -> dict[int, set[int]]:
    rows = list(matches)
    needs: dict[int, set[int]] = {match.fixture: set() for match in rows}
    for match in rows:
        for following in needs.keys() & match.leads_to:
            needs[following].add(match.fixture)
    return needs


def drawn_division(
    players: int,
    tables: int,
    seed: int,
    stage: StageSettings,
    shared: Sequence[Player] = (),
    match_length: int = MATCH_LENGTH,
    club: Club | None = None,
) -> Division:
    """Create an event of one division, whose draw is published, in a new club unless one is given.

    `shared` take the last places.
    """
    club = club or Club.objects.create(name=f"Evening {seed}", slug=f"evening-{seed}", time_zone="UTC")
    field_ = Player.objects.bulk_create(
        Player(name=f"Player {number}") for number in range(1, players - len(shared) + 1)
    )
    tournament = events.create_tournament(
        club=club, by=SYSTEM, now=STARTS, name="Club night", starts_at=STARTS, tables=tables
    )
    division = events.create_division(
        tournament=tournament, by=SYSTEM, now=STARTS, name="Open", match_length=match_length, rated=False
    )
    entries.enter(division=division, players=[*field_, *shared], by=SYSTEM, now=STARTS)
    division.refresh_from_db()
    set_stages(division=division, stages=[stage], after=division.seq, by=SYSTEM, now=STARTS)
    set_seeds(division, f"{seed}:draw")
    events.publish_tournament(tournament=tournament, by=SYSTEM, now=STARTS)
    publish_drawn(division, STARTS)
    return division


def set_seeds(division: Division, chance: str) -> None:
    """Let the draws and lots of a division follow from `chance`, so that they can be repeated."""
    secret = Random(chance).randbytes(32)  # noqa: S311, a simulation that must be repeatable
    Stage.objects.filter(division=division).update(
        seed=secret.hex(), seed_hash=hash_of(secret), lots_seed=secret.hex(), lots_hash=hash_of(secret)
    )


def publish_drawn(division: Division, now: datetime) -> None:
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    division.refresh_from_db()


def _bound(act: Callable[[Fixture, int], None], fixture: Fixture, table: int) -> Callable[[], None]:
    return lambda: act(fixture, table)


def match_of(fixture: Fixture) -> Match:
    assert fixture.match is not None  # noqa: S101, it was called
    return fixture.match


def players_of(fixture: Fixture) -> tuple[int, int]:
    match = match_of(fixture)
    return match.player_0_id, match.player_1_id
