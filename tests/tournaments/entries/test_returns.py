"""Withdrawals taken back: as it was before, unless somebody has begun what rests on them."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.models import LogEntry, Player
from tests.tournaments.conftest import NOON
from tests.tournaments.support.swiss_rounds import Hall, is_clean
from tournaments.entries.services import entries
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Entry, Fixture, Return, Slot
from tournaments.results.services.results import withdraw_from_bracket
from tournaments.state.preview import FixtureChange

pytestmark = pytest.mark.django_db
Begun = Callable[..., Hall]
FORMATS = {
    "knockout": {},
    "progressive": {},
    "double": {},
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
    """A division of so many players that is being played in this format."""

    def make(format_: str, count: int = 7, **settings: object) -> Hall:
        hall = Hall(make_division(), by_alice)
        hall.enter(make_players(count))
        return hall.begin(StageSettings(format_, **{**FORMATS[format_], **settings}))

    return make


def stands(hall: Hall) -> list[tuple[object, ...]]:
    """Who stands where, and how each fixture is."""
    rows = Slot.objects.filter(fixture__stage__division=hall.division).order_by("fixture__number", "side")
    return list(rows.values_list("fixture__number", "side", "status", "entry", "absent", "fixture__status"))


def come_back(hall: Hall, entry: Entry, **more: object) -> None:
    fresh = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
    bring_back(entry=fresh, seen=preview_return(entry=fresh, **more).mark, by=hall.by, now=hall.now(), **more)


def code(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_back_in_leaves_everything_as_it_was_before_the_withdrawal(begun: Begun, format_: str, seed: int) -> None:
    chance = Random(seed)
    hall = begun(format_)
    for fixture in chance.sample(hall.ready(), seed):
        hall.report(fixture, chance.randrange(2))
    before = stands(hall)
    leaver = chance.choice(list(hall.division.entries.all()))
    hall.withdraw(leaver)
    come_back(hall, leaver)

    assert stands(hall) == before
    assert is_clean()
    leaver.refresh_from_db()
    assert (leaver.status, leaver.withdrawn_at) == (Entry.Status.IN, None)
    hall.play_out(chance)
    hall.division.refresh_from_db()
    assert hall.division.status == Division.Status.FINISHED
    assert is_clean()


def test_the_preview_names_what_applying_changes(begun: Begun) -> None:
    hall = begun("knockout", 4)
    first = hall.ready()[0]
    leaver = first.slots.get(side=0).entry
    hall.withdraw(leaver)
    walkover = Fixture.objects.get(pk=first.pk).match

    leaver.refresh_from_db()
    (part,) = preview_return(entry=leaver).parts
    before = {row[:2]: row for row in stands(hall)}
    come_back(hall, leaver)

    assert [fixture.pk for fixture in part.reopened] == [first.pk]
    changed = {number for (number, _side), row in before.items() if row not in stands(hall)}
    assert changed <= {change.row.number for change in part.changes} == {1, 3}
    assert all(isinstance(change, FixtureChange) for change in part.changes)
    walkover.refresh_from_db()
    assert walkover.state == Match.State.VOID
    assert list(Return.objects.get().reopened.all()) == [walkover]
    assert Fixture.objects.get(pk=first.pk).match.players == walkover.players
    assert LogEntry.objects.get(verb="entry_returned").params["fixtures"] == [1]


def test_nobody_comes_back_once_the_next_match_has_begun(begun: Begun) -> None:
    hall = begun("knockout", 4)
    first, second = hall.ready()
    hall.report(second, 0)
    leaver = first.slots.get(side=0).entry
    hall.withdraw(leaver)
    final = Fixture.objects.get(stage__division=hall.division, number=3)
    hall.report(final, 0)
    seen = stands(hall)

    assert code(lambda: come_back(hall, leaver)) == "return_too_late"
    assert stands(hall) == seen


def test_what_has_changed_since_the_preview_is_stale(begun: Begun) -> None:
    hall = begun("knockout", 8)
    leaver = hall.ready()[0].slots.get(side=0).entry
    hall.withdraw(leaver)
    leaver.refresh_from_db()
    mark = preview_return(entry=leaver).mark
    hall.report(hall.ready()[0], 0)
    assert code(lambda: bring_back(entry=leaver, seen=mark, by=hall.by, now=hall.now())) == "stale"


def test_a_bracket_and_a_whole_event_are_come_back_to(
    begun: Begun, make_division: Callable[..., Division], by_alice: Actor
) -> None:
    hall = begun("progressive", 8)
    other = make_division(name="Side event")
    first = hall.ready()[0]
    leaver = first.slots.get(side=0).entry
    entries.enter(division=other, players=[leaver.player], by=by_alice, now=NOON)
    before = stands(hall)
    withdraw_from_bracket(
        slot=first.slots.select_related("fixture__round__bracket").get(side=0), by=by_alice, now=hall.now()
    )
    assert stands(hall) != before
    come_back(hall, leaver)
    assert stands(hall) == before

    entries.withdraw_from_event(tournament=hall.division.tournament, player=leaver.player, by=by_alice, now=hall.now())
    come_back(hall, leaver, event=True)
    assert stands(hall) == before
    assert other.entries.get().status == Entry.Status.IN
    assert is_clean()


def test_who_was_taken_out_before_the_draw_comes_back_or_waits(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    hall = Hall(make_division(capacity=2), by_alice)
    first, _second, third = hall.enter(make_players(3))
    hall.withdraw(first)
    third.refresh_from_db()
    assert third.status == Entry.Status.IN
    come_back(hall, first)
    first.refresh_from_db()
    assert first.status == Entry.Status.WAITING
    assert code(lambda: come_back(hall, first)) == "not_withdrawn"
