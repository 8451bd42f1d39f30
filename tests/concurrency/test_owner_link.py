"""Two browsers use the owner's link at the same moment, and somebody adds to the demo while it is removed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from demo import owner
from demo.club import SLUG
from demo.removal import decline, is_declined
from engine.errors import Refused
from players.actors import Actor, log
from players.clubs.services import create_club
from players.models import Club, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks

pytestmark = POSTGRESQL_ONLY


@pytest.fixture
def demo(transactional_db: None, alice: User) -> Club:
    return create_club(name="Harbour Backgammon", slug=SLUG, by=Actor.of(alice))


@pytest.fixture
def race(demo: Club) -> Callable[[], list[Any]]:
    now = timezone.now()
    secret = owner.renew(now=now).split("/")[2]

    def run() -> list[Any]:
        return at_once(*[lambda key=key: owner.use_for_demo(secret=secret, key=key, now=now) for key in "ab"])

    return run


def test_one_of_two_browsers_uses_the_link(race: Callable[[], list[Any]]) -> None:
    outcomes = race()
    assert faults(outcomes) == []
    assert refusals(outcomes) == ["owner_link_used"]


def test_control_without_the_lock_both_use_the_link(race: Callable[[], list[Any]]) -> None:
    with without_locks():
        outcomes = race()
    assert faults(outcomes) + refusals(outcomes) == []


def test_nothing_is_removed_while_somebody_adds_to_the_demo(demo: Club, alice: User) -> None:
    added: list[Any] = []

    def add() -> Any:
        try:
            return log(Actor.of(alice), "club_changed", "club:harbour", club=demo)
        finally:
            connection.close()

    def add_before_deleting(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if sql.startswith("DELETE") and not added:
            with ThreadPoolExecutor() as pool:
                added.append(pool.submit(add).result(60))
        return execute(sql, *args)

    with connection.execute_wrapper(add_before_deleting), pytest.raises(Refused, match="stale"):
        decline(now=timezone.now())
    assert added
    assert Club.objects.get() == demo
    assert not is_declined()
    decline(now=timezone.now())
    assert not Club.objects.exists()
