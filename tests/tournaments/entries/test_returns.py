"""Undoing withdrawals."""

from collections.abc import Callable
from random import Random

import pytest

from formats.settings import StageSettings
from matches.models import Match
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tests.tiers import first_in_make_test
from tests.tournaments.support.entries import refusal_code, slot_states
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries import services as entries
from tournaments.entries.returns import bring_back, preview_return
from tournaments.models import Division, Entry, Fixture, Return
from tournaments.results.services import withdraw_from_bracket
from tournaments.state.preview import FixtureChange

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]
FORMATS = {
    "knockout": {},
    "progressive": {},
    "double": {},
    "places": {},
    "roundrobin": {},
    "league": {},
    "groups": {"groups": 2},
    "swiss": {"rounds": 4},
    "lives": {},
}


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division with this format."""

    def make(format_: str, count: int = 7, **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings(format_, **{**FORMATS[format_], **settings}))

    return make


def come_back(driver: DivisionDriver, entry: Entry, **more: object) -> None:
    fresh = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    bring_back(entry=fresh, seen=preview_return(entry=fresh, **more).mark, by=driver.by, now=driver.now(), **more)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seed", first_in_make_test(1, 0, 2))
def test_a_return_restores_the_state_before_the_withdrawal(begun: Begun, format_: str, seed: int) -> None:
    chance = Random(seed)
    driver = begun(format_)
    for fixture in chance.sample(driver.ready(), seed):
        driver.report(fixture, chance.randrange(2))
    before = slot_states(driver)
    leaver = chance.choice(list(driver.division.entries.all()))
    driver.withdraw(leaver)
    come_back(driver, leaver)

    assert slot_states(driver) == before
    assert is_clean()
    leaver.refresh_from_db()
    assert (leaver.status, leaver.withdrawn_at) == (Entry.Status.IN, None)
    driver.play_out(chance)
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_the_preview_lists_what_applying_changes(begun: Begun) -> None:
    driver = begun("knockout", 4)
    first = driver.ready()[0]
    leaver = first.slots.get(side=0).entry
    driver.withdraw(leaver)
    walkover = Fixture.objects.get(pk=first.pk).match

    leaver.refresh_from_db()
    (part,) = preview_return(entry=leaver).parts
    before = {row[:2]: row for row in slot_states(driver)}
    come_back(driver, leaver)

    assert [fixture.pk for fixture in part.reopened] == [first.pk]
    changed = {number for (number, _side), row in before.items() if row not in slot_states(driver)}
    assert changed <= {change.row.number for change in part.following.changes} == {1, 3}
    assert all(isinstance(change, FixtureChange) for change in part.following.changes)
    walkover.refresh_from_db()
    assert walkover.state == Match.State.VOID
    assert list(Return.objects.get().reopened.all()) == [walkover]
    assert Fixture.objects.get(pk=first.pk).match.players == walkover.players
    assert LogEntry.objects.get(verb="entry_returned").params["fixtures"] == [1]


def test_a_return_is_refused_once_the_next_match_has_begun(begun: Begun) -> None:
    driver = begun("knockout", 4)
    first, second = driver.ready()
    driver.report(second, 0)
    leaver = first.slots.get(side=0).entry
    driver.withdraw(leaver)
    final = Fixture.objects.get(stage__division=driver.division, number=3)
    driver.report(final, 0)
    seen = slot_states(driver)

    assert refusal_code(lambda: come_back(driver, leaver)) == "return_too_late"
    assert slot_states(driver) == seen


def test_a_return_is_stale_after_changes_since_the_preview(begun: Begun) -> None:
    driver = begun("knockout", 8)
    leaver = driver.ready()[0].slots.get(side=0).entry
    driver.withdraw(leaver)
    leaver.refresh_from_db()
    mark = preview_return(entry=leaver).mark
    driver.report(driver.ready()[0], 0)
    assert refusal_code(lambda: bring_back(entry=leaver, seen=mark, by=driver.by, now=driver.now())) == "stale"


def test_a_player_can_return_to_a_bracket_or_to_a_whole_event(
    begun: Begun, make_division: Callable[..., Division], by_alice: Actor
) -> None:
    driver = begun("progressive", 8)
    other = make_division(name="Side event")
    first = driver.ready()[0]
    leaver = first.slots.get(side=0).entry
    entries.enter(division=other, players=[leaver.player], by=by_alice, now=NOON)
    before = slot_states(driver)
    withdraw_from_bracket(
        slot=first.slots.select_related("fixture__round__bracket").get(side=0), by=by_alice, now=driver.now()
    )
    assert slot_states(driver) != before
    come_back(driver, leaver)
    assert slot_states(driver) == before

    entries.withdraw_from_event(
        tournament=driver.division.tournament, player=leaver.player, by=by_alice, now=driver.now()
    )
    come_back(driver, leaver, event=True)
    assert slot_states(driver) == before
    assert other.entries.get().status == Entry.Status.IN
    assert is_clean()


def test_a_withdrawal_before_the_draw_can_be_undone(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(capacity=2), by_alice)
    first, _second, third = driver.enter(make_players(3))
    driver.withdraw(first)
    third.refresh_from_db()
    assert third.status == Entry.Status.IN
    come_back(driver, first)
    first.refresh_from_db()
    assert first.status == Entry.Status.WAITING
    assert refusal_code(lambda: come_back(driver, first)) == "not_withdrawn"


def test_nobody_returns_beside_an_entry_of_their_own(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    bob, carol = make_players(2)
    first, _carols = driver.enter([bob, carol])
    driver.withdraw(first)
    Entry.objects.create(division=driver.division, player=bob)
    assert refusal_code(lambda: come_back(driver, first)) == "already_entered"
