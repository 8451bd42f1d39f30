"""Whole weekends of a club, played through the services: one person in several events, in pairs and on lists.

A main event with consolation and last chance, doubles, a speed event and two jackpots, whose lists start themselves, in
one hall. People come late, leave, play on without their partner, are substituted, renamed and merged; results are
corrected; two desks take the last place of a list at once, and the server dies in the middle of it. Who is at which
table, on which list and owes what is known here as the people in the hall know it, and compared with what the services
do. All of it depends on the seed.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple, TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models.functions import Cast

from demo.cellar import Killed, killed_at
from demo.evenings import EveningCourse, PlannedAct, RolledBack, match_of, publish_drawn, set_seeds
from engine.errors import Refused
from formats.forecast.durations import REST
from formats.graph import CONSOLATION, LAST_CHANCE, MAIN
from formats.settings import KNOCKOUT, PROGRESSIVE, StageSettings
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, PlayerRating, RatingPool
from matches.models.pool_settings import PoolSettings
from matches.ratings.pools import create_pool
from matches.ratings.services import replay_pool
from players.actors import SYSTEM
from players.models import Club, Membership, Merge, Player
from players.people.erasure import erase_player
from players.people.services import edit_player, merge_players, undo_merge
from prizes.prizes import divisions_with_prizes, prizes_of
from prizes.services import PlanInput, pay_out, save_plan
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.entries.late import enter_late
from tournaments.entries.services import Side
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events import services as events
from tournaments.floor import calls, evening
from tournaments.floor.state import FloorSettings
from tournaments.ledger.accounts import accounts_of, box_of, lines_of_entries
from tournaments.ledger.money import WHOLE
from tournaments.ledger.payments import PaymentInput, receive_for_entries, refund
from tournaments.ledger.shares import Pot
from tournaments.models import (
    Autopilot,
    CheckIn,
    Division,
    Draw,
    Entry,
    Fixture,
    FloorKind,
    Offer,
    Payment,
    Slot,
    Tournament,
)
from tournaments.offers import services as offers
from tournaments.offers.services import OfferInput
from tournaments.results.corrections import CorrectionInput, apply_correction, preview_correction
from tournaments.results.services import enter_result, forfeit
from tournaments.state.integrity import differences
from tournaments.state.preview import Choice
from tournaments.state.stages import set_stages

BEGINS = datetime(2026, 11, 21, 6, tzinfo=UTC)
"""Early, so that the last match ends before the next day begins."""
MAIN_STAGE = StageSettings(PROGRESSIVE, lengths=(9,), lower_lengths=(5,), last_lengths=(3,), last_chance="")
FEES = {"Main": 5000, "Doubles": 2501, "Speed": 1000}
JACKPOTS = (
    OfferInput("Jackpot 100", 8, [5], fee=10_000, kept=500, shares=(7000, 3000), unit=500),
    OfferInput("Jackpot 25", 4, [3], fee=2501, kept=500, rated=False),
)
BENCH = 4
"""People who play only as substitutes."""
LISTS_CLOSE = 540.0
BETWEEN_NAMES = 960.0
"""Minutes between two names on the lists of an offer, on average, divided by the people."""
LATE_BY, FORFEITS_AFTER, COMES_AFTER, AWAY_FOR = 40.0, 15.0, 30.0, 30.0
KILLED = 0.1
"""How often the server dies in a request that takes a name, starts a list or corrects a result."""
RETRY, RETRIES = 11.0, 40
"""Minutes until somebody who is at a table is asked again whether they can leave, and how often."""
T = TypeVar("T")


@dataclass
class WeekendReport:
    """What a weekend was, and what was wrong with it; times are minutes after it began."""

    double_calls: int = 0
    """Calls of people who were called, or played, elsewhere."""
    double_booked_tables: int = 0
    absent_called: int = 0
    idle_with_ready: int = 0
    """How often a table stood free while a match could begin; only counted if nothing is held back."""
    twice_in_a_division: int = 0
    """People with two sides in a division."""
    wrong_names: int = 0
    """Pairs whose names are not those of their two people."""
    mixed_pools: int = 0
    """Pairs rated among people, and people among pairs."""
    wrong_halves: int = 0
    """Pairs of which one has paid or got something else than their half."""
    names_left: int = 0
    """Stored texts with the name of somebody who was erased."""
    started_twice: int = 0
    never_started: int = 0
    wrong_lists: int = 0
    """Names on another list than the first with a free place."""
    wrong_sums: int = 0
    """Divisions whose fees are not what the club keeps and the prizes, and cash desks that do not add up."""
    unfinished: int = 0
    integrity_differences: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """What happened, and how often."""
    ends: dict[str, float] = field(default_factory=dict)
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Event -> for each match, the minutes from the moment both sides were known to the first call."""
    findings: list[str] = field(default_factory=list)


FAULTS = tuple(name for name, value in vars(WeekendReport()).items() if isinstance(value, int))
"""The figures of a report that are 0 in every weekend."""


def simulate_weekend(
    *, seed: int, people: int = 64, tables: int = 16, hold: int = 15, as_one: bool = False
) -> WeekendReport:
    """Play a weekend and report on it; nothing of it stays in the database.

    A match is held back for a better one that is expected within `hold` minutes. With `as_one`, each pair is entered as
    one player with two names, who is a third person to the services.
    """
    report = WeekendReport()
    try:
        with transaction.atomic():
            _Weekend(people, tables, seed, hold, as_one, report).play()
            raise RolledBack
    except RolledBack:
        return report


class _Seat(NamedTuple):
    """A match at a table, and the people who are there for it."""

    fixture: Fixture
    table: int
    players: tuple[int, int]
    people: frozenset[int]


@dataclass
class _List:
    """A list of an offer as it hangs on the wall: the names that stand, in their order."""

    names: list[int] = field(default_factory=list)
    full_at: float | None = None
    is_over: bool = False
    """Whether it has started, or was called off."""


class _Weekend:
    """A weekend while it is played. People are numbered; times are minutes after the beginning."""

    def __init__(self, people: int, tables: int, seed: int, hold: int, as_one: bool, report: WeekendReport) -> None:
        self.chance, self.seed, self.report = EveningCourse(seed), seed, report
        self.tables, self.hold, self.as_one = tables, hold, as_one
        self.clock, self.is_quiet = 0.0, False
        self.steps: list[PlannedAct] = []
        self.order = itertools.count()
        self.rngs: dict[str, Random] = {}
        self.seats: dict[int, _Seat] = {}
        self.called: set[int] = set()
        self.here: set[int] = set()
        self.away: dict[int, float] = {}
        self.gone: set[int] = set()
        self.rests: dict[int, float] = {}
        self.excused: set[tuple[int, int]] = set()
        """(Player of a pair, person) without whom that pair plays."""
        self.finished: list[int] = []
        """The fixtures with a result, in the order of play."""
        self.club = Club.objects.create(name=f"Weekend {seed}", slug=f"weekend-{seed}", time_zone="UTC", currency="EUR")
        count = people + BENCH + 1
        self.rows = [self._member(f"Ann{number:02} Berg{number:02}") for number in range(count - 1)]
        # Somebody is entered under another name in the speed event.
        self.rows.append(self._member(f"A{people // 2:02} Berg{people // 2:02}"))
        self.whom: dict[int, tuple[int, ...]] = {row.pk: (number,) for number, row in enumerate(self.rows)}
        """Player id -> the people for whom it stands."""
        self.people, self.bench, self.double = people, list(range(people, people + BENCH)), count - 1
        self.event = events.create_tournament(
            club=self.club, by=SYSTEM, now=self.now, name="Weekend", starts_at=BEGINS, tables=tables
        )
        self.divisions: dict[str, Division] = {}
        self.offers: dict[str, tuple[Offer, list[_List]]] = {}
        self._set_up()

    def rng(self, what: str) -> Random:
        """Return the chance of one kind of thing, so that other things do not depend on it."""
        return self.rngs.setdefault(what, self.chance.of(0, what))

    @property
    def now(self) -> datetime:
        return BEGINS + timedelta(minutes=self.clock)

    def _member(self, name: str) -> Player:
        player = Player.objects.create(name=name)
        Membership.objects.create(club=self.club, player=player)
        return player

    # The events, and who has entered them.

    def _set_up(self) -> None:
        """Enter people and pairs, draw, take the fees and open the lists; some enter later."""
        late = max(1, self.people // 20)
        pool = create_pool(club=self.club, settings=PoolSettings(name="Pairs", of_pairs=True), by=SYSTEM)
        self.partners = self._couples(3 * self.people // 8)
        speed = range(self.people // 2 + 1, self.people)
        shares = {
            "Main": [Pot(MAIN, (5000, 2000)), Pot(CONSOLATION, (2000,)), Pot(LAST_CHANCE, (1000,))],
            "Doubles": [Pot(MAIN, (7000, 3000))],
            "Speed": [Pot(MAIN, (WHOLE,))],
        }
        kinds = (
            {"sides": Division.Sides.TWO, "rated": True, "pool_id": pool.pk} if not self.as_one else {"rated": False}
        )
        self.divisions["Main"] = self._division("Main", [(number,) for number in range(self.people - late)])
        self.divisions["Doubles"] = self._division("Doubles", self.partners[1:], is_side=True, match_length=7, **kinds)
        self.divisions["Speed"] = self._division(
            "Speed", [*((number,) for number in speed), (self.double,)], is_side=True, match_length=3, rated=False
        )
        for name, division in self.divisions.items():
            stage = MAIN_STAGE if name == "Main" else StageSettings(KNOCKOUT)
            set_stages(division=division, stages=[stage], after=division.seq, by=SYSTEM, now=self.now)
            set_seeds(division, f"{self.seed}:{name}")
            save_plan(division=division, plan=PlanInput(shares[name], unit=5), publish=True, by=SYSTEM, now=self.now)
        events.publish_tournament(tournament=self.event, by=SYSTEM, now=self.now)
        for division in self.divisions.values():
            publish_drawn(division, self.now)
            self._take_fees(division.entries.all())
        self.event.refresh_from_db()
        evening.open_floor(tournament=self.event, by=SYSTEM, now=self.now)
        settings = FloorSettings(hold=self.hold)
        evening.change_settings(tournament=self.event, settings=settings, by=SYSTEM, now=self.now)
        evening.set_autopilot(tournament=self.event, mode=Autopilot.CALL, by=SYSTEM, now=self.now)
        for values in JACKPOTS:
            offer = offers.create_offer(tournament=self.event, offer=values, by=SYSTEM, now=self.now)
            self.offers[values.name] = (offer, [_List()])
            self._seed_lists(offer)
        self._plan(late)

    def _couples(self, count: int) -> list[tuple[int, ...]]:
        numbers = self.rng("couples").sample(range(self.people), 2 * count)
        return [tuple(numbers[at : at + 2]) for at in range(0, len(numbers), 2)]

    def _division(self, name: str, entered: Sequence[tuple[int, ...]], **values: Any) -> Division:
        settings: dict[str, Any] = {"match_length": 9, "fee": FEES[name], **values}
        division = events.create_division(tournament=self.event, by=SYSTEM, now=self.now, name=name, **settings)
        players = [self._side(people) for people in entered]
        made = entries.enter(division=division, players=players, by=SYSTEM, now=self.now)
        self._know(made, entered)
        division.refresh_from_db()
        return division

    def _side(self, people: tuple[int, ...]) -> Side:
        """Return what is entered for one person or a couple."""
        if len(people) == 1:
            return self.rows[people[0]]
        first, second = (self.rows[number] for number in people)
        return (first, second) if not self.as_one else self._member(f"{first.name} & {second.name}")

    def _know(self, made: Iterable[Entry], sides: Iterable[tuple[int, ...]]) -> None:
        for entry, people in zip(made, sides, strict=True):
            self.whom[entry.player_id] = people

    def _take_fees(self, rows: Iterable[Entry]) -> None:
        """Take the fees of entries; of some pairs both pay at once, of others each."""
        for entry in rows:
            people = self.whom[entry.player_id]
            for payers in [[pk] for pk in people] if self.rng("fees").random() < 1 / 2 else [people]:
                named = [self.rows[number].pk for number in payers] if not self.as_one else None
                lines = lines_of_entries([entry]).get(entry.pk, [])
                amount = sum(line.owes for line in lines if named is None or line.person.pk in named)
                if amount:
                    payment = PaymentInput(amount, f"fee {entry.pk} {payers}")
                    receive_for_entries(
                        tournament=self.event, entries=[entry], payment=payment, people=named, by=SYSTEM, now=self.now
                    )

    def _seed_lists(self, offer: Offer) -> None:
        for run in offer.runs.filter(status=Division.Status.ENTRIES):
            set_seeds(run, f"{self.seed}:{offer.name}:{run.run}")

    def _plan(self, late: int) -> None:
        """Check in who is there, and plan what happens."""
        absent = {1, 2, self.people - 1}
        self._arrive(set(range(self.people)) - absent - set(self.partners[0]) | {self.double})
        when = self.rng("when")
        self._at(LATE_BY, lambda: self._arrive({2, self.people - 1}))
        self._at(12, lambda: self._enter_late("Main", [(number,) for number in range(self.people - late, self.people)]))
        self._at(20, lambda: self._enter_late("Doubles", [self.partners[0]]))
        self._at(FORFEITS_AFTER, lambda: self._forfeit(1))
        leaving = self.rng("leaving").sample(range(3, self.people - 1), max(3, self.people // 12))
        for at, number in enumerate(leaving):
            act = (self._excuse, self._go_home, self._go_away)[at % 3]
            self._at(when.uniform(60, 360), _bound(self._when_free, act, number))
        self._at(when.uniform(5, 15), self._substitute)
        for minutes in (200.0, 230.0, 260.0):
            self._at(minutes, self._merge)
        self._at(when.uniform(30, 200), lambda: self._rename(self.partners[2][0]))
        for _time in range(max(2, self.people // 10)):
            self._at(when.uniform(60, 500), self._correct)
        for name in self.offers:
            self._at(when.expovariate(self.people / BETWEEN_NAMES), _bound(self._take_name, name))
            self._at(LISTS_CLOSE, _bound(self._close, name))

    # Time.

    def play(self) -> None:
        """Play until nothing more happens, then check what is left."""
        self._call()
        while self.steps:
            step = heapq.heappop(self.steps)
            self.clock = step.at
            self.is_quiet = False
            step.act()
            if not self.is_quiet:
                offers.start_lists(self.now)
                self._call()
        self._conclude()

    def _at(self, minutes: float, act: Callable[[], None]) -> None:
        heapq.heappush(self.steps, PlannedAct(minutes, next(self.order), act))

    def _after(self, minutes: float, act: Callable[[], None]) -> None:
        self._at(self.clock + minutes, act)

    def _killed(self, act: Callable[[], T]) -> T:
        """Do something; now and then the server dies in the middle of it, and whoever asked for it asks again."""
        kills = self.rng("kills")
        if kills.random() < KILLED:
            with suppress(Killed), killed_at(kills.randrange(1, 80)):
                return act()
            self.report.counts["killed"] += 1
        return act()

    def _find(self, what: str, found: object) -> None:
        self.report.findings.append(f"{self.clock:.0f} min: {what}: {found}")

    # At the tables.

    def _people(self, division: int, players: Iterable[int]) -> frozenset[int]:
        """Return who has to be there for these sides."""
        everybody = {(player, number) for player in players for number in self.whom[player]}
        return frozenset(number for player, number in everybody if (player, number) not in self.excused)

    def _absent(self) -> set[int]:
        away = {number for number, until in self.away.items() if until > self.clock}
        return set(range(len(self.rows))) - self.here | away

    def _busy(self) -> set[int]:
        return {number for seat in self.seats.values() for number in seat.people}

    def _call(self) -> None:
        for event in calls.call_ready(tournament_id=self.event.pk, now=self.now):
            if event.kind == FloorKind.CALLED and event.fixture_id is not None and event.table_id is not None:
                self._seat(event.fixture_id, event.table_id)
        if not self.hold and len(self.seats) < self.tables and (ready := self._ready()) is not None:
            self.report.idle_with_ready += 1
            self._find("a table is free for", ready)

    def _seat(self, pk: int, table: int) -> None:
        """Let the people of a match that was called go to their table, unless some of them cannot."""
        fixture = Fixture.objects.select_related("stage__division__offer", "round__bracket", "match").get(pk=pk)
        match = match_of(fixture)
        players = match.player_0_id, match.player_1_id
        people = self._people(fixture.stage.division_id, players)
        for name, wrong in (("double_calls", self._busy()), ("absent_called", self._absent())):
            if people & wrong:
                setattr(self.report, name, getattr(self.report, name) + 1)
                self._find(name, f"{fixture.stage.division.name} M{fixture.number}, {sorted(people & wrong)}")
        self.report.double_booked_tables += table in self.seats
        if match.pk not in self.called:
            self.report.waits[_event_of(fixture)].append((self.now - match.created_at).total_seconds() / 60)
            self.called.add(match.pk)
        seat = self.seats[table] = _Seat(fixture, table, players, people)
        self._after(self.chance.walk(fixture.number), _bound(self._start, seat))

    def _ready(self) -> str | None:
        """Return a match whose people are free and rested, by the simulation's own account."""
        busy, seated = self._busy() | self._absent(), {seat.fixture.pk for seat in self.seats.values()}
        open_ = Fixture.objects.filter(stage__division__tournament=self.event, match__state=Match.State.OPEN)
        columns = ("pk", "number", "stage__division", "match__player_0", "match__player_1")
        for pk, number, division, *players in open_.exclude(pk__in=seated).values_list(*columns):
            people = self._people(division, players)
            if not people & busy and all(self.rests.get(person, 0.0) <= self.clock for person in people):
                return f"M{number} ({pk})"
        return None

    def _start(self, seat: _Seat) -> None:
        if self.seats.get(seat.table) is not seat:
            return
        calls.start(fixture=seat.fixture, by=SYSTEM, now=self.now)
        self.is_quiet = True
        length = match_of(seat.fixture).length
        self._after(self.chance.minutes(seat.fixture.number, length, seat.people), _bound(self._finish, seat))

    def _finish(self, seat: _Seat) -> None:
        if self.seats.get(seat.table) is not seat:
            return
        match = match_of(seat.fixture)
        result = ResultInput.played(self.chance.score(seat.fixture.number, match.length))
        enter_result(fixture=seat.fixture, result=result, by=SYSTEM, now=self.now)
        del self.seats[seat.table]
        self.finished.append(seat.fixture.pk)
        self.report.counts["matches"] += 1
        self.report.ends[_event_of(seat.fixture)] = self.clock
        for number in seat.people:
            self.rests[number] = self.clock + REST
        self._after(REST, _nothing)

    def _look_at_tables(self) -> None:
        """Let everybody go whose match was ended, or got other players, by something else than its result."""
        rows = Fixture.objects.filter(pk__in=[seat.fixture.pk for seat in self.seats.values()])
        columns = ("pk", "match", "match__state", "match__player_0", "match__player_1")
        states = {pk: tuple(rest) for pk, *rest in rows.values_list(*columns)}
        for table, seat in list(self.seats.items()):
            if states[seat.fixture.pk] != (seat.fixture.match_id, Match.State.OPEN, *seat.players):
                del self.seats[table]
                self.report.counts["left a table"] += 1

    # What people do.

    def _arrive(self, numbers: Iterable[int]) -> None:
        rows = [self.rows[number] for number in sorted(numbers)]
        self.here |= {number for number in numbers if number not in self.gone}
        if self.as_one:
            sides = [pk for pk, people in self.whom.items() if len(people) > 1 and set(people) <= self.here]
            rows += Player.objects.filter(pk__in=sides)
        check_in.mark_players_here(tournament=self.event, players=rows, by=SYSTEM, now=self.now)

    def _enter_late(self, name: str, sides: Sequence[tuple[int, ...]]) -> None:
        division = self.divisions[name]
        players = [self._side(side) for side in sides]
        made = enter_late(division=division, players=players, by=SYSTEM, now=self.now)
        self._know(made, sides)
        self._arrive({number for side in sides for number in side if number not in (2, self.people - 1, 1)})
        self._take_fees(made)
        self.report.counts["late entries"] += len(made)

    def _entry(self, name: str, number: int) -> Entry | None:
        """Return the entry with which somebody plays in a division."""
        rows = self.divisions[name].entries.filter(status=Entry.Status.IN)
        rows = rows.select_related("player", "division__tournament__club")
        return next((row for row in rows if number in self.whom[row.player_id]), None)

    def _forfeit(self, number: int) -> None:
        """Forfeit the matches of somebody who does not come; of a pair, only they are missing."""
        open_ = Fixture.objects.filter(stage__division__tournament=self.event, match__state=Match.State.OPEN)
        for fixture in open_.select_related("match", "stage__division"):
            match = match_of(fixture)
            sides = [self.whom[player] for player in (match.player_0_id, match.player_1_id)]
            side = next((side for side, people in enumerate(sides) if number in people), None)
            if side is None:
                continue
            forfeit(fixture=fixture, side=side, by=SYSTEM, now=self.now)
            self.report.counts["forfeits"] += 1
            if len(sides[side]) > 1 and not self.as_one:
                entry = self._entry("Doubles", number)
                assert entry is not None  # noqa: S101, it has a match
                check_in.mark_absentees(entry=entry, people=[self.rows[number]], by=SYSTEM, now=self.now)
        self._after(COMES_AFTER, lambda: self._arrive({number}))

    def _when_free(self, act: Callable[[int], None], number: int, tries: int = RETRIES) -> None:
        """Do something with somebody once none of their matches is at a table."""
        seated = {person for seat in self.seats.values() for player in seat.players for person in self.whom[player]}
        if number in self.gone or not tries:
            return
        if number in seated or number not in self.here:
            self._after(RETRY, lambda: self._when_free(act, number, tries - 1))
            return
        act(number)
        self._look_at_tables()

    def _excuse(self, number: int) -> None:
        """Let the partner of somebody play on without them."""
        entry = self._entry("Doubles", number)
        if (
            entry is None
            or self.as_one
            or any((entry.player_id, one) in self.excused for one in self.whom[entry.player_id])
        ):
            return
        check_in.mark(entry=entry, state=CheckIn.State.EXCUSED, person=self.rows[number], by=SYSTEM, now=self.now)
        self.excused.add((entry.player_id, number))
        self.report.counts["excused"] += 1

    def _go_home(self, number: int) -> None:
        """Withdraw somebody from everything, or let their partner play on."""
        if self.rng("home").random() < 1 / 2:
            self._excuse(number)
        pair = self._entry("Doubles", number)
        is_excused = pair is not None and (pair.player_id, number) in self.excused
        rows = Entry.objects.filter(division__tournament=self.event).exclude(status=Entry.Status.OUT)
        if is_excused or self.as_one:
            for entry in rows.select_related("player"):
                if number in self.whom[entry.player_id] and (not is_excused or entry != pair):
                    entries.withdraw(entry=entry, by=SYSTEM, now=self.now)
        else:
            entries.withdraw_from_event(tournament=self.event, player=self.rows[number], by=SYSTEM, now=self.now)
        self.gone.add(number)
        self.here.discard(number)
        for _offer, lists in self.offers.values():
            for row in lists:
                if not row.is_over and number in row.names:
                    row.names.remove(number)
                    row.full_at = None
        self.report.counts["went home"] += 1

    def _go_away(self, number: int) -> None:
        """Let somebody be away for a while, and their partners wait for them."""
        entry = self._entry("Main", number)
        if entry is None or self.as_one:
            return
        until = self.now + timedelta(minutes=AWAY_FOR)
        check_in.mark_everywhere(entry=entry, state=CheckIn.State.AWAY, until=until, by=SYSTEM, now=self.now)
        self.away[number] = self.clock + AWAY_FOR
        self._after(AWAY_FOR, _nothing)
        self.report.counts["away"] += 1

    def _substitute(self) -> None:
        """Let somebody play instead of one of a pair that has not begun, and of a single player."""
        seated = {player for seat in self.seats.values() for player in seat.players}
        for name in ("Doubles", "Main"):
            division = Division.objects.select_related("tournament__club").get(pk=self.divisions[name].pk)
            rows = division.entries.filter(status=Entry.Status.IN).exclude(player__in=seated).select_related("player")
            for entry in rows.order_by("-pk") if not self.as_one else ():
                entry.division = division
                people = (*self.whom[entry.player_id][:-1], self.bench[-1])
                names = [self.rows[number] for number in people]
                wanted = SubstituteInput(names[0].name, names[0].public_id)
                if len(names) > 1:
                    wanted = SubstituteInput(names[0].name, names[0].public_id, names[1].name, names[1].public_id)
                try:
                    done = substitute(entry=entry, substitute=wanted, after=division.seq, by=SYSTEM, now=self.now)
                except Refused as refused:
                    self.report.counts[f"refused: {refused.code}"] += 1
                    continue
                self.whom[done.after_id] = people
                self._arrive({self.bench.pop()})
                self.report.counts["substitutes"] += 1
                break
        self._look_at_tables()

    def _merge(self) -> None:
        """Merge the two players as whom somebody was entered; a second time undoes it, a third merges them again."""
        number, double = self.people // 2, self.rows[self.double]
        merge = Merge.objects.filter(player=double, undone_at=None).first()
        if merge is None:
            merge_players(player=double, into=self.rows[number], by=SYSTEM, now=self.now)
            self.whom[double.pk] = (number,)
        else:
            undo_merge(merge=merge, by=SYSTEM, now=self.now)
            self.whom[double.pk] = (self.double,)
        self.report.counts["merges"] += 1
        self._look_at_tables()

    def _rename(self, number: int) -> None:
        row = Player.objects.get(pk=self.rows[number].pk)
        self.rows[number] = edit_player(
            player=row, club=self.club, name=f"Ann{number:02} Stone{number:02}", country="", by=SYSTEM
        )

    def _correct(self) -> None:
        """Correct a result, and stop no match for it."""
        chance = self.rng("corrections")
        if not self.finished:
            return
        pk = chance.choice(self.finished[-12:])
        fixture = Fixture.objects.select_related("stage__division", "match").get(pk=pk)
        standing = standing_result(match_of(fixture)) if fixture.match is not None else None
        if standing is None or standing.score is None or standing.winner is None:
            return
        length = match_of(fixture).length
        lost = chance.randrange(length)
        score = (length, lost) if chance.random() < 1 / 2 else (lost, length)
        try:
            preview = preview_correction(fixture=fixture, new=ResultInput.played(score))
        except Refused as refused:
            self.report.counts[f"refused: {refused.code}"] += 1
            return
        harmless = [choice for choice, after in preview.consequences.items() if not after.undoes_play]
        choices = [choice for choice in (Choice.CORRECT_ALL, Choice.KEEP_BRACKET) if choice in harmless]
        if not choices:
            self.report.counts["left uncorrected"] += 1
            return
        wanted = CorrectionInput(preview.new, choices[0], reason="Typed wrongly", mark=None)
        self._killed(
            lambda: apply_correction(fixture=fixture, correction=wanted, after=preview.seq, by=SYSTEM, now=self.now)
        )
        self.report.counts[f"corrections: {choices[0]}"] += 1
        self._look_at_tables()

    # Lists.

    def _take_name(self, name: str) -> None:
        """Put somebody on a list, now and then two at two desks at the same moment, or take a name off again."""
        if self.clock >= LISTS_CLOSE:
            return
        chance, (offer, lists) = self.rng(name), self.offers[name]
        free = OFFER_SIZES[name] - len(_first_free(lists, OFFER_SIZES[name]).names)
        for desk in range(2 if free == 1 and chance.random() < 1 / 2 else 1):
            standing = {number for row in lists if not row.is_over for number in row.names}
            willing = sorted(
                self.here - self._absent() - standing - {self.double} - set(range(self.people, len(self.rows)))
            )
            if willing:
                self._join(name, chance.choice(willing), f"{name} {self.clock} {desk}")
        row = next((row for row in lists if not row.is_over and row.names), None)
        if row is not None and chance.random() < 1 / 10:
            self._leave(offer, lists, row)
        self._after(chance.expovariate(self.people / BETWEEN_NAMES), _bound(self._take_name, name))

    def _join(self, name: str, number: int, key: str) -> None:
        offer, lists = self.offers[name]
        size = OFFER_SIZES[name]

        def tap() -> Entry:
            return offers.join(
                offer=offer, player=self.rows[number], amount=offer.fee, key=key, by=SYSTEM, now=self.now
            )

        entry = self._killed(tap)
        if self.rng("taps").random() < 1 / 10 and tap() != entry:
            self._find("two taps", entry)
            self.report.wrong_lists += 1
        row = _first_free(lists, size)
        row.names.append(number)
        if len(row.names) == size:
            row.full_at = self.clock
            self._after(offers.COUNTDOWN.total_seconds() / 60, _bound(self._started, offer, row))
        if all(row.is_over or len(row.names) == size for row in lists):
            lists.append(_List())
        run = Division.objects.get(pk=entry.division_id)
        if run.run != lists.index(row) + 1:
            self.report.wrong_lists += 1
            self._find("a name is on list", f"{run.run} instead of {lists.index(row) + 1}")
        self._seed_lists(offer)
        self.report.counts["names on lists"] += 1

    def _leave(self, offer: Offer, lists: list[_List], row: _List) -> None:
        number = row.names.pop()
        row.full_at = None
        run = offer.runs.get(run=lists.index(row) + 1)
        entry = run.entries.select_related("division", "player").exclude(status=Entry.Status.OUT).order_by("-pk")[0]
        if number not in self.whom[entry.player_id]:
            self._find("the last name is not", number)
        offers.undo_join(offer=offer, entry=entry, by=SYSTEM, now=self.now)
        self.report.counts["left a list"] += 1

    def _started(self, offer: Offer, row: _List) -> None:
        """Let a list that has been full for its countdown start."""
        is_due = row.full_at is not None and self.clock >= row.full_at + offers.COUNTDOWN.total_seconds() / 60 - 1e-9
        if not is_due or row.is_over:
            return
        self._killed(lambda: offers.start_lists(self.now))
        row.is_over = True
        run = offer.runs.get(run=self.offers[offer.name][1].index(row) + 1)
        self.report.never_started += run.status == Division.Status.ENTRIES
        self.report.counts["lists started"] += 1

    def _close(self, name: str) -> None:
        """At closing time, start the list that is not full with those who are on it, or call it off."""
        offer, lists = self.offers[name]
        if any(row.full_at is not None and not row.is_over for row in lists):
            self._after(1.0, _bound(self._close, name))
            return
        row = _first_free(lists, OFFER_SIZES[name])
        if len(row.names) > 1 and self.rng(name).random() < 2 / 3:
            run = offer.runs.get(run=lists.index(row) + 1)
            names = min(len(row.names), 4) if self.rng(name).random() < 1 / 2 else len(row.names)
            offers.start(division=run, names=names, after=run.seq, by=SYSTEM, now=self.now)
            del row.names[names:]
            row.full_at = self.clock
            self.report.counts["lists started short"] += 1
        offers.close_offer(offer=offer, by=SYSTEM, now=self.now)
        for other in lists:
            other.is_over = True

    # What is left in the end.

    def _conclude(self) -> None:
        for pool in RatingPool.objects.all():
            while replay_pool(pool_id=pool.pk, now=self.now) is not None:
                pass
        self.event.refresh_from_db()
        over = (Division.Status.FINISHED, Division.Status.CANCELLED)
        going = list(self.event.divisions.exclude(status__in=over).values_list("name", flat=True))
        self.report.unfinished = len(going) + (self.event.status != Tournament.Status.FINISHED)
        if going:
            self._find("not finished", going)
        self._check_lists()
        if not self.as_one:
            self._check_sides()
        self._settle_money()
        self._check_integrity()
        if not self.as_one:
            self._erase(self.partners[2][0])
            self._check_integrity()

    def _check_integrity(self) -> None:
        for difference in differences():
            self.report.integrity_differences += 1
            self._find("integrity", difference)

    def _check_lists(self) -> None:
        for offer, lists in self.offers.values():
            for number, row in enumerate(lists, start=1):
                run = offer.runs.get(run=number)
                drawn = Draw.objects.filter(stage__division=run, state=Draw.State.PUBLISHED).count()
                self.report.started_twice += drawn > 1
                self.report.never_started += row.full_at is not None and not drawn
                drawn_in = Slot.objects.filter(fixture__stage__division=run, entry__isnull=False).values("entry")
                on_it = run.entries.filter(pk__in=drawn_in).order_by("entered_at", "pk")
                names = [self.whom[player][0] for player in on_it.values_list("player", flat=True)]
                if names != (row.names if row.full_at is not None else []):
                    self.report.wrong_lists += 1
                    self._find(f"{offer.name} no. {number} has", (names, row.names))

    def _check_sides(self) -> None:
        """Look for people with two sides in a division, and names and ratings of pairs that are not theirs."""
        for division in self.event.divisions.all():
            standing = Counter(
                number
                for player in division.entries.exclude(status=Entry.Status.OUT).values_list("player", flat=True)
                for number in self.whom[player]
            )
            self.report.twice_in_a_division += sum(1 for times in standing.values() if times > 1)
        for player in Player.objects.filter(pair__isnull=False):
            names = [self.rows[number].name for number in self.whom[player.pk]]
            if (player.parts, player.name) != ([[name, name] for name in names], " & ".join(names)):
                self.report.wrong_names += 1
                self._find("names", (player.parts, names))
        for rating in PlayerRating.objects.select_related("pool", "player"):
            self.report.mixed_pools += rating.pool.chosen.of_pairs != (rating.player.parts is not None)

    def _settle_money(self) -> None:
        """Refund what is due, pay all prizes, and compare both with the fees that were taken."""
        for account in accounts_of(self.event):
            if account.owes < 0:
                payment = PaymentInput(-account.owes, f"refund {account.player.pk}")
                refund(tournament=self.event, player=account.player, payment=payment, by=SYSTEM, now=self.now)
        kept = sum(self._pay(division) for division in divisions_with_prizes(self.event))
        self._sum("open accounts", [row.owes for row in accounts_of(self.event) if row.owes], [])
        self._sum("cash desk", box_of(self.event).expected, kept)

    def _pay(self, division: Division) -> int:
        """Pay the prizes of a division; return what the club keeps."""
        rows = prizes_of(division).every_row
        for row in rows:
            if row.entry is None or row.open <= 0:
                self._sum(f"{division.name}: a prize of nobody", row.due, 0)
                continue
            entry = Entry.objects.select_related("player", "division__tournament__club").get(pk=row.entry)
            payment = PaymentInput(row.open, f"prize {row.pot} {entry.pk}")
            pay_out(entry=entry, pot=row.pot, payment=payment, by=SYSTEM, now=self.now)
        payments = Payment.objects.filter(entry__division=division)
        total = sum(payments.exclude(kind=Payment.Kind.PAYOUT).values_list("amount", flat=True))
        paid = sorted(-amount for amount in payments.filter(kind=Payment.Kind.PAYOUT).values_list("amount", flat=True))
        if division.offer is None:
            self._sum(f"{division.name}: prizes", sum(paid), total)
            if division.sides == Division.Sides.TWO:
                self._check_halves(division)
            return 0
        kept = total * division.offer.kept // WHOLE
        others = [
            share * (total - kept) // WHOLE // division.offer.unit * division.offer.unit
            for share in division.offer.shares[1:]
        ]
        self._sum(f"{division.name}: prizes", paid, sorted(filter(None, (total - kept - sum(others), *others))))
        return kept

    def _sum(self, what: str, found: object, expected: object) -> None:
        if found != expected:
            self.report.wrong_sums += 1
            self._find(what, f"{found} instead of {expected}")

    def _check_halves(self, division: Division) -> None:
        """Compare what each of a pair has paid and got with their half; the first has the odd unit."""
        places = {self.rows[number].pk: number for number in range(len(self.rows))}
        for entry in division.entries.all():
            people = self.whom[entry.player_id]
            paid: Counter[tuple[bool, int]] = Counter()
            for kind, player, amount in entry.payments.values_list("kind", "player", "amount"):
                number = places[player]
                # A substitute takes over what was paid for their place.
                at = people.index(number) if number in people else 1
                paid[kind == Payment.Kind.PAYOUT, at] += amount
            for is_payout in (False, True):
                first, second = (abs(paid[is_payout, at]) for at in (0, 1))
                if (first, second) != (first + second - (first + second) // 2, (first + second) // 2):
                    self.report.wrong_halves += 1
                    self._find("halves", (entry.pk, first, second))

    def _erase(self, number: int) -> None:
        """Erase somebody who has played in a pair and was renamed, and look for their names in everything stored."""
        erase_player(player=self.rows[number], by=SYSTEM, now=self.now)
        for model in apps.get_models():
            for column in model._meta.concrete_fields:
                if isinstance(column, (models.CharField, models.TextField, models.JSONField)):
                    texts = models.QuerySet(model).annotate(as_text=Cast(column.name, models.TextField()))
                    for name in (f"Berg{number:02}", f"Stone{number:02}"):
                        if count := texts.filter(as_text__contains=name).count():
                            self.report.names_left += count
                            self._find(f"{name} is left in", f"{model.__name__}.{column.name}")


OFFER_SIZES = {values.name: values.size for values in JACKPOTS}


def _first_free(lists: Sequence[_List], size: int) -> _List:
    return next(row for row in lists if not row.is_over and len(row.names) < size)


def _event_of(fixture: Fixture) -> str:
    """Return the event of a match: the bracket of the main event, the division, or the offer of a list."""
    division = fixture.stage.division
    if division.offer is not None:
        return division.offer.name
    key = fixture.round.bracket.key
    return division.name if key == MAIN else f"{division.name}, {key}"


def _bound(act: Callable[..., None], *arguments: object) -> Callable[[], None]:
    return lambda: act(*arguments)


def _nothing() -> None:
    """Let time pass, so that a rest or an absence ends."""
