"""Late entries into brackets and leagues."""

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest

from engine.errors import Refused
from formats.settings import StageSettings
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.late import may_come_late
from tournaments.models import Division, Entry, Fixture, Slot
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division with these settings."""

    def make(count: int, format_: str, **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings(format_, **settings))

    return make


def newcomers(count: int) -> list[Player]:
    return [Player.objects.create(name=f"Late {number}") for number in range(count)]


def byes(driver: DivisionDriver, bracket: str = "main") -> list[int]:
    rows = Slot.objects.filter(fixture__stage__division=driver.division, source=Slot.Source.BYE)
    return list(rows.filter(round__bracket__key=bracket).values_list("fixture__number", flat=True))


def again(division: Division) -> Division:
    """Return the row as it is stored now."""
    return Division.objects.get(pk=division.pk)


def code(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


@pytest.mark.parametrize("count", [5, 6, 7, 11])
def test_late_entries_take_the_byes_of_a_knockout_and_then_wait(begun: Begun, count: int) -> None:
    driver = begun(count, "knockout")
    free = len(byes(driver))
    assert free > 0

    entries = driver.late(*newcomers(free + 1))

    assert [entry.status for entry in entries] == [Entry.Status.IN] * free + [Entry.Status.WAITING]
    assert byes(driver) == []
    assert is_clean()
    driver.play_out(Random(1))
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_a_bye_is_not_taken_from_a_player_whose_next_match_has_begun(begun: Begun) -> None:
    driver = begun(5, "knockout")
    # Of three byes, two lead to the same match of the second round.
    meet = next(fixture for fixture in driver.ready() if fixture.round.number == 2)
    driver.report(meet, 0)

    entries = driver.late(*newcomers(2))

    assert [entry.status for entry in entries] == [Entry.Status.IN, Entry.Status.WAITING]
    assert is_clean()
    meet.refresh_from_db()
    assert meet.status == Fixture.Status.DECIDED


@pytest.mark.parametrize("state", ["claimed", "disputed"])
def test_a_bye_is_not_taken_from_a_player_whose_next_match_is_reported(begun: Begun, state: str) -> None:
    driver = begun(5, "knockout")
    meet = next(fixture for fixture in driver.ready() if fixture.round.number == 2)
    meet.match.state = state
    meet.match.save(update_fields=["state"])

    entries = driver.late(*newcomers(2))

    assert [entry.status for entry in entries] == [Entry.Status.IN, Entry.Status.WAITING]


def test_joining_the_waiting_list_raises_the_seq(begun: Begun) -> None:
    driver = begun(4, "knockout")
    seen = driver.seq

    (entry,) = driver.late(*newcomers(1))

    assert entry.status == Entry.Status.WAITING
    assert driver.seq > seen


def test_the_player_with_the_bye_plays_the_late_entry_first(begun: Begun) -> None:
    driver = begun(3, "knockout")
    (number,) = byes(driver)

    (entry,) = driver.late(*newcomers(1))

    fixture = Fixture.objects.get(stage__division=driver.division, number=number)
    assert fixture.status == Fixture.Status.READY
    assert entry.player in fixture.match.players
    log_params = LogEntry.objects.get(verb="entered_late").params
    assert (log_params["fixture"], log_params["entry"]) == (number, entry.pk)
    assert log_params["lot"] == ["late"]


@pytest.mark.parametrize("count", [9, 11, 13, 14])
def test_the_loser_of_a_filled_bye_drops_to_a_free_bye_of_the_consolation(begun: Begun, count: int) -> None:
    driver = begun(count, "progressive")
    before, lower = len(byes(driver)), len(byes(driver, "consolation"))

    driver.late(*newcomers(1))

    assert len(byes(driver)) == before - 1
    assert len(byes(driver, "consolation")) == max(0, lower - 1)
    assert is_clean()
    driver.play_out(Random(3))
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


@pytest.mark.parametrize("twice", [False, True])
def test_a_late_entry_of_a_league_meets_everybody(begun: Begun, twice: bool) -> None:
    driver = begun(5, "league", twice=twice, join_until=NOON.date().isoformat())

    (entry,) = driver.late(*newcomers(1))

    meetings = Slot.objects.filter(entry=entry, fixture__status=Fixture.Status.READY)
    assert meetings.count() == 5 * (1 + twice)
    driver.play_out(Random(1))
    (table,) = states_of(driver.division)[0].tables
    assert {len(games) for games in table.records.games.values()} == {5 * (1 + twice)}
    assert is_clean()


def test_a_league_accepts_entries_until_its_last_day_and_largest_size(begun: Begun) -> None:
    driver = begun(12, "league", join_until=NOON.date().isoformat())
    assert code(lambda: driver.late(*newcomers(1))) == "division_size"
    closed = begun_late(driver)
    assert closed == "joining_closed"


def begun_late(driver: DivisionDriver) -> str:
    driver.division.stages.update(settings={"join_until": "2026-11-19"})
    return code(lambda: driver.late(Player.objects.create(name="Late again")))


@pytest.mark.parametrize("days", [{"until": "2026-11-20"}, {"until": "2026-12-31", "join_until": "2026-11-20"}])
def test_the_last_day_to_join_ends_in_the_time_zone_of_the_event(begun: Begun, days: dict[str, str]) -> None:
    driver = begun(5, "league", **days)
    driver.at = datetime(2026, 11, 20, 22, 30, tzinfo=UTC)
    assert [entry.status for entry in driver.late(*newcomers(1))] == [Entry.Status.IN]

    driver.at = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    assert code(lambda: driver.late(Player.objects.create(name="After midnight"))) == "joining_closed"


def test_a_late_entry_of_a_league_does_not_meet_withdrawn_players(begun: Begun) -> None:
    driver = begun(5, "league")
    leaver = driver.division.entries.all()[0]
    driver.withdraw(leaver)

    (entry,) = driver.late(*newcomers(1))

    fixtures = Fixture.objects.filter(slots__entry=entry)
    assert fixtures.count() == 4
    assert not fixtures.filter(slots__absent=leaver).exists()


@pytest.mark.parametrize("at", range(4))
def test_a_player_who_enters_a_knockout_again_is_placed_in_the_other_half(begun: Begun, at: int) -> None:
    driver = begun(6, "knockout")
    played = [fixture for fixture in driver.ready() if fixture.round.number == 1]
    old, leaver = [(fixture, slot.entry) for fixture in played for slot in fixture.slots.all()][at]
    driver.withdraw(leaver)

    (back,) = driver.late(leaver.player)

    assert back.pk != leaver.pk
    new = Fixture.objects.get(slots__entry=back, round__number=1)
    assert {old.number <= 2, new.number <= 2} == {True, False}


def test_a_returning_player_keeps_the_rating_of_the_draw(begun: Begun) -> None:
    driver = begun(6, "swiss", rounds=4)
    leaver = driver.division.entries.all()[0]
    Entry.objects.filter(pk=leaver.pk).update(rating=1711.0)
    driver.withdraw(leaver)

    (back,) = driver.late(leaver.player)

    assert (back.pk, back.rating) == (leaver.pk, 1711.0)


def test_late_entries_are_refused_before_the_draw_and_after_the_first_stage(
    begun: Begun, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(name="Stages"), by_alice)
    driver.enter(make_players(4))
    driver.begin(StageSettings("swiss", rounds=1, qualifiers=2), StageSettings("knockout"))
    undrawn = DivisionDriver(make_division(name="Undrawn"), by_alice)
    assert may_come_late(again(driver.division))
    assert code(lambda: undrawn.late(*newcomers(1))) == "division_not_drawn"

    driver.play_round()
    assert again(driver.division).status == Division.Status.RUNNING
    assert not may_come_late(again(driver.division))
    assert code(lambda: driver.late(*newcomers(1))) == "late_entry_not_possible"

    driver.play_out()
    assert code(lambda: driver.late(*newcomers(1))) == "tournament_not_open"


@pytest.mark.parametrize("format_", ["double", "roundrobin", "groups"])
def test_other_formats_accept_no_late_entries(begun: Begun, format_: str) -> None:
    driver = begun(6, format_)

    assert code(lambda: driver.late(*newcomers(1))) == "late_entry_not_possible"
    assert not may_come_late(again(driver.division))


def test_nobody_is_entered_if_any_player_is_already_in(begun: Begun) -> None:
    driver = begun(6, "knockout")
    known = driver.division.entries.first().player

    assert code(lambda: driver.late(*newcomers(1), known)) == "already_entered"
    assert driver.division.entries.count() == 6
