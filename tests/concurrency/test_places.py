"""Places are freed by several people at once: each place is given once, in turn, and nobody is in before who waits."""

from functools import partial
from typing import Any

import pytest

from players.actors import Actor
from players.models import Club, LogEntry, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Entry
from tournaments.state import integrity

pytestmark = POSTGRESQL_ONLY
RACES = 5


@pytest.fixture
def by(alice: User) -> Actor:
    return Actor.of(alice)


def full(club: Club, by: Actor, number: int) -> Division:
    """A division of two in which two more wait: P1 to P4."""
    tournament = events.create_tournament(club=club, by=by, now=NOON, name=f"Open {number}", starts_at=NOON)
    division = events.create_division(
        tournament=tournament, by=by, now=NOON, name="Main", self_registration=True, capacity=2
    )
    events.publish_tournament(tournament=tournament, by=by, now=NOON)
    players = [Player.objects.create(name=f"P{at}") for at in range(1, 5)]
    entries.enter(division=division, players=players, by=by, now=NOON)
    division.refresh_from_db()
    return division


def names(division: Division, status: str) -> list[str]:
    rows = division.entries.filter(status=status).select_related("player").order_by("entered_at", "pk")
    return [row.player.name for row in rows]


def two_withdraw(division: Division, by: Actor) -> list[Any]:
    leaving = division.entries.filter(status=Entry.Status.IN)
    return at_once(*(partial(entries.withdraw, entry=entry, by=by, now=NOON) for entry in leaving))


def test_two_withdrawals_give_two_places(club: Club, by: Actor) -> None:
    for number in range(RACES):
        division = full(club, by, number)
        assert faults(two_withdraw(division, by)) == []
        assert (names(division, Entry.Status.IN), names(division, Entry.Status.WAITING)) == (["P3", "P4"], [])
        told = LogEntry.objects.filter(topic=division.topic, verb="moved_up").values_list("params__entry", flat=True)
        assert len(told) == len(set(told)) == 2
    assert list(integrity.differences()) == []


def add_places_and_register(division: Division, by: Actor) -> list[Any]:
    """Raise the number of places to five while somebody registers: then there is one for everybody."""
    late = Player.objects.create(name="P5")
    return at_once(
        partial(events.update_division, division=division, after=division.seq, capacity=5, by=by, now=NOON),
        partial(entries.register, division=division, player=late, by=by, now=NOON),
    )


def test_who_registers_while_places_are_added_gets_one(club: Club, by: Actor) -> None:
    for number in range(RACES):
        division = full(club, by, number)
        outcomes = add_places_and_register(division, by)
        assert faults(outcomes) == []
        if refusals(outcomes) == ["stale"]:
            division.refresh_from_db()
            events.update_division(division=division, after=division.seq, capacity=5, by=by, now=NOON)
        assert names(division, Entry.Status.WAITING) == []
    assert list(integrity.differences()) == []


def test_control_without_the_locks_somebody_waits_beside_a_free_place(club: Club, by: Actor) -> None:
    division = full(club, by, 1)
    with without_locks(before=Entry):
        outcomes = add_places_and_register(division, by)
    assert faults(outcomes) == refusals(outcomes) == []
    assert names(division, Entry.Status.WAITING) == ["P5"]
    assert list(integrity.differences()) != []
