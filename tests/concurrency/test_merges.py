"""Two players are merged, or separated, while one of them enters or leaves: a person has one entry, and one name."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from players.actors import Actor
from players.models import Club, Merge, Player, User
from players.people.erasure import erase_player
from players.people.services import claim_player, merge_players, undo_merge
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
def division(club: Club, alice: User) -> Division:
    by = Actor.of(alice)
    tournament = events.create_tournament(club=club, by=by, now=NOON, name="Open", starts_at=NOON)
    division = events.create_division(tournament=tournament, by=by, now=NOON, name="Main", self_registration=True)
    events.publish_tournament(tournament=tournament, by=by, now=NOON)
    division.refresh_from_db()
    return division


def merge_and_enter(division: Division, by: Actor, number: int, *, entered: int) -> list[Any]:
    """Merge Karl into Carol while the other of them enters; `entered` is in already."""
    karl, carol = (Player.objects.create(name=f"{name} {number}") for name in ("Karl", "Carol"))
    pair = (karl, carol)
    entries.enter(division=division, players=[pair[entered]], by=by, now=NOON)
    return at_once(
        partial(merge_players, player=karl, into=carol, by=by, now=NOON),
        partial(entries.enter, division=division, players=[pair[1 - entered]], by=by, now=NOON),
    )


def persons_entered(division: Division) -> list[int]:
    rows = division.entries.filter(status=Entry.Status.IN).select_related("player")
    return [entry.player.merged_into_id or entry.player_id for entry in rows]


@pytest.mark.parametrize("entered", [0, 1])
def test_who_enters_during_the_merge_has_one_entry(division: Division, alice: User, entered: int) -> None:
    for number in range(RACES):
        outcomes = merge_and_enter(division, Actor.of(alice), number, entered=entered)
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["already_entered"])
        persons = persons_entered(division)
        assert len(persons) == len(set(persons)) == number + 1
    assert list(integrity.differences()) == []


def test_control_without_the_locks_a_person_has_two(division: Division, alice: User) -> None:
    with without_locks(before=Entry):
        outcomes = merge_and_enter(division, Actor.of(alice), 1, entered=0)
    assert faults(outcomes) == []
    assert len(persons_entered(division)) == 2
    assert list(integrity.differences()) != []


def test_a_claim_is_undone_once_by_director_and_person(alice: User, carol: User) -> None:
    now = timezone.now()
    Player.objects.create(name="Carol", user=carol)
    for number in range(RACES):
        karl = Player.objects.create(name=f"Karl {number}")
        claim_player(player=karl, user=carol, by=Actor.of(alice), now=now)
        merge = Merge.objects.get(player=karl)
        undoings = [partial(undo_merge, merge=merge, by=Actor.of(user), now=now) for user in (alice, carol)]
        outcomes = at_once(*undoings)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["merge_undone"]


def test_a_claim_is_undone_while_the_account_is_deleted(
    alice: User, make_players: Callable[[int], list[Player]]
) -> None:
    now = timezone.now()
    for number in range(RACES):
        user = User.objects.create_user(f"zoe{number}@example.org", "crawford-1969", display_name="Zoë")
        zoe = Player.objects.create(name="Zoë", user=user)
        karl = Player.objects.create(name=f"Karl {number}")
        claim_player(player=karl, user=user, by=Actor.of(alice), now=now)
        outcomes = at_once(
            partial(undo_merge, merge=Merge.objects.get(player=karl), by=Actor.of(alice), now=now),
            partial(erase_player, player=zoe, by=Actor.of(user), now=now),
        )
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["stale"])
        karl.refresh_from_db()
        zoe.refresh_from_db()
        assert (karl.name, karl.merged_into, karl.erased_at) == (f"Karl {number}", None, None)
        assert (zoe.name == "") == (refusals(outcomes) == [])
