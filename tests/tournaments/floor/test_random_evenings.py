"""Evenings at random, beside a model of the room: the autopilot calls nobody who is absent, and nobody twice.

The model knows only what was done. It does not ask the floor who is here, or which table is free.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tests.tiers import first_in_make_test
from tests.tournaments.support.played_stages import STAGES, drawn_as
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.floor import calls, evening
from tournaments.models import Autopilot, CheckIn, Division, Entry, Fixture, FloorKind, Table, Tournament
from tournaments.results import quick_entry
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

TABLES, PLAYERS, STEPS = 3, 9, 45


@dataclass
class Room:
    """What somebody in the room has seen: names of players, and labels of tables with the two who were sent there."""

    here: set[str] = field(default_factory=set)
    did_not_come: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    list_is_kept: bool = False
    sent: dict[str, frozenset[str]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    def may_be_called(self, name: str) -> bool:
        if name in self.did_not_come | self.gone:
            return False
        return name in self.here or not self.list_is_kept

    def ticked(self, name: str) -> None:
        """A director ticks a name off: from then on there is a list, unless it brings back who did not come."""
        self.list_is_kept |= name not in self.did_not_come
        self.arrived(name)

    def arrived(self, name: str) -> None:
        self.here.add(name)
        self.did_not_come.discard(name)

    def left(self, pair: frozenset[str]) -> None:
        self.sent = {table: other for table, other in self.sent.items() if other != pair}


class RandomEvening:
    """An evening with a consolation at three tables, at which anything happens that can happen."""

    def __init__(self, division: Division, alice: Actor, seed: int) -> None:
        self.division, self.event, self.alice = division, division.tournament, alice
        self.random, self.now, self.room = Random(seed), NOON, Room()
        self.calls = 0
        evening.open_floor(tournament=self.event, by=alice, now=NOON)
        evening.set_autopilot(tournament=self.event, mode=Autopilot.CALL, **self.acts)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.alice, "now": self.now}

    def fixture(self, pair: frozenset[str]) -> Fixture:
        """The undecided match of two players who were sent to a table."""
        rows = Fixture.objects.filter(stage__division=self.division, match__state="open")
        rows = rows.select_related("stage__division", "match__player_0", "match__player_1")
        return next(row for row in rows if row.match and {player.name for player in row.match.players} == pair)

    def entry(self, name: str) -> Entry:
        return self.division.entries.select_related("player", "division__tournament__club").get(player__name=name)

    def play(self) -> None:
        self.call()
        for _step in range(STEPS):
            if not Tournament.objects.get(pk=self.event.pk).is_open:
                return  # everything is played
            self.now += timedelta(minutes=self.random.choice([1, 4, 9]))
            self.random.choice(
                [self.tick, self.tick, self.tap, self.strike, self.win, self.win, self.start, self.miss, self.go_home,
                 self.all_here, self.break_table, self.repair]
            )()  # fmt: skip
            self.call()
        self.next_morning()

    def call(self) -> None:
        """Let the autopilot call, and compare each call with the room."""
        room = self.room
        for fact in calls.call_ready(tournament_id=self.event.pk, now=self.now):
            if fact.kind != FloorKind.CALLED:
                continue
            assert fact.match is not None
            assert fact.table is not None
            pair, table = frozenset(player.name for player in fact.match.players), fact.table.label
            assert all(room.may_be_called(name) for name in pair), f"{pair} called by {room}"
            assert not any(pair & other for other in room.sent.values()), f"{pair} called twice: {room}"
            assert table not in room.sent.keys() | room.broken, f"table {table} given twice, or broken: {room}"
            room.sent[table] = pair
            self.calls += 1

    def somebody(self) -> str | None:
        names = (
            self.division.entries.filter(status=Entry.Status.IN).order_by("pk").values_list("player__name", flat=True)
        )
        return self.random.choice(list(names)) if names else None

    def some_pair(self) -> frozenset[str] | None:
        return self.random.choice(sorted(self.room.sent.values(), key=sorted)) if self.room.sent else None

    def tick(self) -> None:
        if (name := self.somebody()) is not None:
            is_news = name not in self.room.here
            check_in.mark(entry=self.entry(name), state=CheckIn.State.HERE, **self.acts)
            # Somebody who plays is not recorded as here, so that a tick on them is the first that is recorded.
            recorded = CheckIn.objects.filter(entry__player__name=name).latest("pk").at == self.now
            assert recorded or not is_news
            if recorded:
                self.room.ticked(name)

    def tap(self) -> None:
        if (name := self.somebody()) is not None:
            player = Player.objects.get(name=name)
            check_in.check_in_self(tournament=self.event, player=player, present=True, **self.acts)
            if CheckIn.objects.filter(entry__player=player).latest("pk").at == self.now:
                self.room.arrived(name)

    def strike(self) -> None:
        """Record that somebody is missing after all."""
        if (name := self.somebody()) is not None:
            check_in.mark(entry=self.entry(name), state=CheckIn.State.MISSING, **self.acts)
            newest = CheckIn.objects.filter(entry__player__name=name).last()
            if newest is not None and newest.at == self.now:
                self.room.here.discard(name)

    def all_here(self) -> None:
        if self.random.random() > 0.2:
            return
        players = [row.player for row in self.division.entries.filter(status=Entry.Status.IN).select_related("player")]
        room = self.room
        absent = [row for row in players if not room.may_be_called(row.name) and row.name not in room.did_not_come]
        if absent:
            check_in.mark_players_here(tournament=self.event, players=absent, **self.acts)
            for player in absent:
                room.ticked(player.name)

    def start(self) -> None:
        if (pair := self.some_pair()) is not None:
            calls.start(fixture=self.fixture(pair), **self.acts)
            for name in pair:
                self.room.arrived(name)

    def win(self) -> None:
        if (pair := self.some_pair()) is not None:
            score = self.random.choice([(7, 3), (2, 7)])
            results.enter_result(fixture=self.fixture(pair), result=ResultInput.played(score), **self.acts)
            for name in pair:
                self.room.arrived(name)
            self.room.left(pair)

    def miss(self) -> None:
        pair = self.some_pair()
        fixture = self.fixture(pair) if pair is not None else None
        if pair is None or fixture is None or fixture.match is None or fixture.match.begun_at is not None:
            return
        side = self.random.choice([0, 1, None])
        quick_entry.forfeit_missing(fixture=fixture, side=side, **self.acts)
        for name in pair if side is None else {fixture.match.players[side].name}:
            self.room.did_not_come.add(name)
            self.room.here.discard(name)
        self.room.left(pair)

    def go_home(self) -> None:
        name = self.somebody()
        if name is None or self.random.random() < 0.7:
            return
        parts = entries.preview_withdrawal(entry=self.entry(name), event=True)
        forfeited = {
            change.row.pk for part in parts for change in part.following.changes
            if change.before.entrants and part.entry.pk in change.before.entrants and change.before.result is None
        }  # fmt: skip
        before = {row.pk for row in Fixture.objects.filter(pk__in=forfeited, status=Fixture.Status.READY)}
        entries.withdraw_from_event(tournament=self.event, player=self.entry(name).player, **self.acts)
        assert not Fixture.objects.filter(pk__in=before, status=Fixture.Status.READY).exists(), "as the preview said"
        self.room.gone.add(name)
        for pair in [pair for pair in self.room.sent.values() if name in pair]:
            self.room.left(pair)

    def break_table(self) -> None:
        usable = [table for table in self.tables() if table.label not in self.room.broken]
        if len(usable) < 2:
            return
        table = self.random.choice(usable)
        free = [other for other in usable if other.label not in self.room.sent and other != table]
        move_to = self.random.choice([None, *free])
        calls.take_out_of_use(table=table, reason="lamp", move_to=move_to, **self.acts)
        pair = self.room.sent.pop(table.label, None)
        self.room.broken.add(table.label)
        if pair is not None and move_to is not None:
            self.room.sent[move_to.label] = pair
        elif pair is not None and (match := self.fixture(pair).match) is not None and match.begun_at is not None:
            # It is played on, without a table.
            self.room.sent[f"no table for {sorted(pair)}"] = pair

    def repair(self) -> None:
        if self.room.broken:
            label = self.random.choice(sorted(self.room.broken))
            calls.back_in_use(table=self.event.floor_tables.get(label=label), **self.acts)
            self.room.broken.discard(label)

    def tables(self) -> list[Table]:
        return list(self.event.floor_tables.order_by("order"))

    def next_morning(self) -> None:
        """On the next day nobody is here or missing, and as long as nobody is checked in everybody may be called."""
        self.now += timedelta(days=1)
        check_in.end_days(now=self.now)
        assert not self.division.entries.exclude(checked_in_at=None).exists()
        self.room.here, self.room.did_not_come, self.room.list_is_kept = set(), set(), False
        self.call()


@pytest.fixture
def room_of(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Any:
    def make(seed: int) -> RandomEvening:
        division = make_division(match_length=7)
        event = division.tournament
        event.tables, event.check_in_closes_at = TABLES, NOON + timedelta(days=3)
        event.save()
        return RandomEvening(drawn_as(division, STAGES["progressive"], make_players(PLAYERS), by_alice), by_alice, seed)

    return make


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(*range(1, 6)))
def test_nobody_absent_is_called_and_nobody_is_called_twice(room_of: Callable[[int], RandomEvening], seed: int) -> None:
    evening = room_of(seed)
    evening.play()
    assert evening.calls > PLAYERS // 2
    assert list(differences()) == []
