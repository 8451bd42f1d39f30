"""Two events of a club in one hall: no table has two matches, nobody is at two tables, and one tap says it is another.

Alice directs a club night and doubles, each at tables 1 and 2; Bob plays in both.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import product
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from redis import Redis

from core.live.publishing import last_touch
from core.messages import sentence
from display import wall
from engine.errors import Refused
from formats.settings import LIVES, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Player
from tests.event_cast import NOON
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.played_stages import drawn_as, ready
from tournaments.events.actions import event_url_args
from tournaments.events.services import create_division, create_tournament
from tournaments.floor import calls, evening, selectors, undo
from tournaments.floor.halls import table_key
from tournaments.floor.state import FloorMatchState
from tournaments.models import Autopilot, Division, Fixture, Floor, FloorEvent, Tournament
from tournaments.results.services import enter_result
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
ROUNDS, FLOW = StageSettings("roundrobin"), StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
AT_TABLES = (FloorMatchState.CALLED, FloorMatchState.PLAYING)
STEPS = 25


@dataclass
class Hall:
    """Two events that are drawn, each with a floor of its own."""

    night: Division
    doubles: Division
    by: Actor
    now: datetime = NOON
    chance: Random = field(default_factory=Random)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.by, "now": self.now}

    def event(self, division: Division) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=division.tournament_id)

    def view(self, division: Division) -> selectors.FloorView:
        return selectors.floor(self.event(division), self.now)

    def tables(self, division: Division) -> list[str]:
        return [table.state.value for table in self.view(division).tables.values()]

    def call(self, division: Division, label: str = "1") -> Fixture:
        """Call the first match that waits."""
        waiting = [row.fixture for row in self.view(division).matches.values() if row.state not in AT_TABLES]
        fixture = next(row for row in ready(division) if row.pk in waiting)
        calls.call(fixture=fixture, table=division.tournament.floor_tables.get(label=label), **self.acts)
        return fixture

    def change(self, division: Division, **values: Any) -> None:
        Tournament.objects.filter(pk=division.tournament_id).update(**values)

    def rename(self, division: Division, before: str, label: str) -> None:
        division.tournament.floor_tables.filter(label=before).update(label=label)

    def is_shared(self) -> bool:
        """Whether a table that the club night has is taken in the doubles."""
        return "elsewhere" in self.tables(self.doubles)


@pytest.fixture
def hall(club: Club, by_alice: Actor) -> Hall:
    return hall_of(club, by_alice, ROUNDS, ROUNDS)


def hall_of(club: Club, by: Actor, *stages: StageSettings) -> Hall:
    bob, *others = Player.objects.bulk_create(Player(name=name) for name in ("Bob", *"CDEFGHI"))
    divisions = []
    for stage, name, field_ in zip(stages, ("Club night", "Doubles"), (others[:3], others[3:]), strict=True):
        acts = {"by": by, "now": NOON}
        event = create_tournament(club=club, name=name, starts_at=NOON, tables=2, **acts)
        division = create_division(tournament=event, name="Open", match_length=3, **acts)
        divisions.append(drawn_as(division, [stage], [*field_, bob], by))
        evening.open_floor(tournament=event, **acts)
    return Hall(divisions[0], divisions[1], by)


def test_a_change_is_announced_to_the_events_of_its_day(
    hall: Hall, club: Club, valkey: Redis, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    night = hall.event(hall.night)

    def announced() -> tuple[set[str], int]:
        """The names of the events whose topics a change of the club night touches, and the queries after its commit."""
        valkey.flushall()
        with django_capture_on_commit_callbacks() as callbacks:
            evening.add_table(tournament=night, label=f"Table {night.floor_tables.count() + 1}", **hall.acts)
        with CaptureQueriesContext(connection) as queries:
            for callback in callbacks:
                callback()
        return {event.name for event in Tournament.objects.all() if last_touch(event.topic)}, len(queries)

    def beside(name: str, starts: timedelta, ends: timedelta | None = None) -> Tournament:
        ends_at = NOON + ends if ends is not None else None
        event = create_tournament(club=club, name=name, starts_at=NOON + starts, ends_at=ends_at, tables=2, **hall.acts)
        Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.RUNNING)
        Floor.objects.create(tournament=event, opened_at=NOON + starts)
        return event

    assert announced() == ({"Club night", "Doubles"}, 1)
    day = timedelta(days=1)
    earlier = [beside(f"Night {weeks}", -7 * weeks * day) for weeks in range(1, 6)]
    beside("Tomorrow", day)
    assert announced() == ({"Club night", "Doubles"}, 1)
    beside("Weekend", -day, day)
    beside("Late night", timedelta(hours=9))
    FloorEvent.objects.create(tournament=earlier[0], kind="rest_waived", at=NOON, by="user")
    assert announced() == ({"Club night", "Doubles", "Weekend", "Late night", "Night 1"}, 1)


def test_a_table_of_one_event_is_taken_in_the_other_until_its_match_is_over(hall: Hall) -> None:
    fixture = hall.call(hall.night)
    assert hall.tables(hall.night) == ["taken", "free"]
    assert hall.tables(hall.doubles) == ["elsewhere", "free"]
    with pytest.raises(Refused) as refused:
        hall.call(hall.doubles)
    assert sentence(refused.value.code, refused.value.params).startswith("Table 1 is taken by Club night: M")
    calls.start(fixture=fixture, **hall.acts)
    assert hall.is_shared()
    enter_result(fixture=fixture, result=ResultInput.played((3, 1)), **hall.acts)
    assert not hall.is_shared()


def test_the_autopilot_calls_to_no_table_of_the_other_event(hall: Hall) -> None:
    for division in (hall.night, hall.doubles):
        evening.set_autopilot(tournament=division.tournament, mode=Autopilot.CALL, **hall.acts)
    hall.call(hall.night)
    calls.call_ready(tournament_id=hall.doubles.tournament_id, now=hall.now)
    calls.call_ready(tournament_id=hall.night.tournament_id, now=hall.now)
    sent = FloorEvent.objects.filter(kind="called").values_list("tournament__name", "table__label")
    assert set(sent) == {("Club night", "1"), ("Doubles", "2")}


@pytest.mark.parametrize(
    ("label", "other", "is_same"),
    [
        ("1", "1", True), ("1", "Table 1", True), ("T1", "1", True), ("table 01", "T 1", True), ("Tisch 1", "1", True),
        ("Bord 1", "Table 1", True), ("1", "11", False), ("A1", "B1", False), ("Stream", "stream", True),
        ("Stream 1", "1", False), ("T", "Table", False), ("Table", "Tisch", False), ("0", "Table 00", True),
    ],
)  # fmt: skip
def test_labels_of_one_table(hall: Hall, label: str, other: str, is_same: bool) -> None:
    assert (table_key(label) == table_key(other)) is is_same
    hall.rename(hall.night, "1", label)
    hall.rename(hall.doubles, "2", "2nd")
    hall.rename(hall.doubles, "1", other)
    hall.call(hall.night, label)
    assert hall.is_shared() is is_same


@pytest.mark.parametrize(
    ("mine", "theirs", "is_same"),
    [("", "", True), ("Café Lys", "", True), ("Café Lys", "cafe lys", True), ("Café Lys", "Harbour", False)],
)
def test_events_at_two_venues_share_no_table(hall: Hall, mine: str, theirs: str, is_same: bool) -> None:
    hall.change(hall.night, venue=mine)
    hall.change(hall.doubles, venue=theirs)
    hall.call(hall.night)
    assert hall.is_shared() is is_same


def test_an_evening_that_nobody_closed_takes_no_table_for_ever(hall: Hall) -> None:
    fixture = hall.call(hall.night)
    hall.now = NOON + timedelta(hours=11, minutes=59)
    assert hall.is_shared(), "also after midnight: the night belongs to the day before"
    hall.now = NOON + timedelta(hours=12)
    assert not hall.is_shared()
    hall.now = NOON + timedelta(hours=15, minutes=30)
    calls.call_again(fixture=fixture, **hall.acts)
    assert hall.is_shared()
    hall.now = NOON + timedelta(hours=16, minutes=30)
    assert not hall.is_shared(), "a day begins at five"


def test_whoever_plays_on_after_their_table_was_freed_is_called_to_no_other(hall: Hall) -> None:
    bob = Player.objects.get(name="Bob")
    mine, theirs = (
        next(row for row in ready(division) if row.match is not None and bob in row.match.players)
        for division in (hall.night, hall.doubles)
    )
    table = hall.night.tournament.floor_tables.get(label="1")
    calls.call(fixture=mine, table=table, **hall.acts)
    calls.start(fixture=mine, **hall.acts)
    calls.free_table(table=table, **hall.acts)
    with pytest.raises(Refused, match="player_elsewhere"):
        calls.call(fixture=theirs, table=hall.doubles.tournament.floor_tables.get(label="2"), **hall.acts)
    enter_result(fixture=mine, result=ResultInput.played((3, 1)), **hall.acts)
    calls.call(fixture=theirs, table=hall.doubles.tournament.floor_tables.get(label="1"), **hall.acts)


@pytest.mark.parametrize("status", ["finished", "cancelled", "draft", "published"])
def test_an_event_that_is_not_running_takes_no_table(hall: Hall, status: str) -> None:
    hall.call(hall.night)
    assert hall.is_shared()
    hall.change(hall.night, status=status)
    assert not hall.is_shared()


def test_another_club_takes_no_table(hall: Hall) -> None:
    hall.change(hall.night, club=Club.objects.create(name="Other", slug="other", time_zone="UTC"))
    hall.call(hall.night)
    assert not hall.is_shared()


@pytest.mark.parametrize("which", ["night", "doubles"])
def test_either_event_may_have_a_hall_of_its_own_until_that_is_undone(hall: Hall, which: str) -> None:
    hall.call(hall.night)
    event = hall.event(getattr(hall, which))
    fact = evening.give_own_hall(tournament=event, **hall.acts)
    assert evening.give_own_hall(tournament=event, **hall.acts) == fact, "once"
    assert hall.tables(hall.doubles) == ["free", "free"]
    own = hall.call(hall.doubles)
    assert [hall.tables(division) for division in (hall.night, hall.doubles)] == [["taken", "free"]] * 2
    undo.undo(tournament=event, act=undo.UndoableAct(fact), in_order=False, **hall.acts)
    assert hall.tables(hall.night) == ["elsewhere", "free"], "who was sent there last has the table"
    assert hall.tables(hall.doubles) == ["taken", "free"]
    enter_result(fixture=own, result=ResultInput.played((3, 0)), **hall.acts)
    assert hall.tables(hall.night) == ["taken", "free"]
    assert list(differences()) == []


@pytest.mark.parametrize(("where", "code"), [("night", "player_busy"), ("doubles", "player_elsewhere")])
def test_an_undo_seats_nobody_at_a_second_table(hall: Hall, where: str, code: str) -> None:
    of_bob = Q(match__player_0__name="Bob") | Q(match__player_1__name="Bob")
    rows = Fixture.objects.filter(of_bob).select_related("stage__division", "match").order_by("pk")
    fixture = rows.filter(stage__division=hall.night)[0]
    calls.call(fixture=fixture, table=hall.night.tournament.floor_tables.get(label="1"), **hall.acts)
    freed = calls.free_table(table=hall.night.tournament.floor_tables.get(label="1"), **hall.acts)
    other = rows.exclude(pk=fixture.pk).filter(stage__division=getattr(hall, where))[0]
    calls.call(fixture=other, table=other.stage.division.tournament.floor_tables.get(label="2"), **hall.acts)
    with pytest.raises(Refused) as refused:
        undo.undo(tournament=hall.event(hall.night), act=undo.UndoableAct(freed), in_order=False, **hall.acts)
    assert refused.value.code == code


def test_the_page_the_wall_and_the_api_say_whose_a_table_is(hall: Hall, alice_client: Client) -> None:
    hall.now = timezone.now()
    fixture = hall.call(hall.night)
    event, taken = hall.event(hall.doubles), f"Club night: M{fixture.number}"
    url = reverse("floor", args=event_url_args(event))
    page = alice_client.get(url).content.decode()
    assert f'aria-label="Table 1, Taken, {taken}"' in page
    assert "1 taken by other events" in page
    (sheet,) = set(re.findall(r'href="(/[^"]*/tables/[^"]*)"[^>]*aria-label="Table 1, Taken', page))
    assert taken in alice_client.get(sheet).content.decode()
    tiles = [tile for screen in wall.floor_screens(hall.view(hall.doubles), []) for tile in screen.tables]
    assert ("1", "Taken", (taken,)) in [(tile.label, tile.text, tile.names) for tile in tiles]
    floor = f"/api/v1/tournaments/{event.public_id}/floor/"
    table, other = alice_client.get(floor).json()["tables"]
    assert (table["state"], table["elsewhere"]) == ("elsewhere", {"event": "Club night", "number": fixture.number})
    assert (other["state"], other["elsewhere"]) == ("free", None)
    (post,) = re.findall(r'<form[^>]*action="([^"]*own-hall/)"', page)
    alice_client.post(post)
    assert "Another hall?" not in alice_client.get(url).content.decode()
    assert hall.tables(hall.doubles) == ["free", "free"]


# At random, beside a count of who is where: only what the floors of both events show.


def acts_of(hall: Hall, division: Division) -> Iterator[Any]:
    """Yield what may be done in an event, as functions to call."""
    event, acts, chance = hall.event(division), hall.acts, hall.chance
    tables = list(event.floor_tables.all())
    going = {row.fixture for row in hall.view(division).matches.values() if row.state in AT_TABLES}
    for fixture in ready(division):
        table = chance.choice(tables)
        if fixture.pk in going:
            yield lambda fixture=fixture: calls.start(fixture=fixture, **acts)
            yield lambda fixture=fixture: enter_result(fixture=fixture, result=ResultInput.played((3, 1)), **acts)
            yield lambda table=table: calls.free_table(table=table, **acts)
        yield lambda fixture=fixture, table=table: calls.call(fixture=fixture, table=table, **acts)
        yield lambda fixture=fixture, table=table: calls.move(fixture=fixture, table=table, **acts)
    for _ in range(3):
        yield lambda: calls.call_ready(tournament_id=event.pk, now=hall.now)
    last = undo.last_act(event, hall.by)
    if last is not None and last.kind != undo.ActKind.RESULT:
        # Whoever played on since is at a table, and the match that goes on after all is for the director.
        yield lambda: undo.undo(tournament=event, act=last, **acts)
    yield lambda: evening.give_own_hall(tournament=event, **acts)
    yield lambda: calls.take_out_of_use(table=tables[0], reason="Lamp", move_to=tables[1], **acts)
    yield lambda: calls.back_in_use(table=tables[0], **acts)


def doubly_booked(hall: Hall) -> list[str]:
    """The tables with two matches, and the people at two tables."""
    views = [hall.view(division) for division in (hall.night, hall.doubles)]
    playing = [(view, row) for view in views for row in view.matches.values() if row.state in AT_TABLES]
    people = Counter(player for _view, row in playing for player in row.facts.pair or ())
    seated = [(view, row) for view, row in playing if row.table is not None]
    own = any(view.facts.own_hall for view in views)
    labels = Counter((view.facts.labels[row.table], own and view.tournament.pk) for view, row in seated)
    return [f"{what} is used twice" for what, count in (people + labels).items() if count > 1]


@pytest.mark.parametrize("seed", range(TIER.halls))
def test_no_table_has_two_matches_and_nobody_is_at_two(club: Club, by_alice: Actor, seed: int) -> None:
    chance = Random(f"{TEST_SEED} {seed}")
    hall = hall_of(club, by_alice, *chance.choice(list(product((ROUNDS, FLOW), repeat=2))))
    hall.chance = chance
    for division in (hall.night, hall.doubles):
        evening.set_autopilot(tournament=division.tournament, mode=Autopilot.CALL, **hall.acts)
    for _ in range(STEPS):
        hall.now += timedelta(minutes=chance.choice((0, 1, 10)))
        with suppress(Refused):
            chance.choice(list(acts_of(hall, chance.choice((hall.night, hall.doubles)))))()
        assert doubly_booked(hall) == []
    assert FloorEvent.objects.filter(table__isnull=False).exists()
    assert list(differences()) == []
