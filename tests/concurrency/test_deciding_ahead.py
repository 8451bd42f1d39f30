"""A player withdraws what they decided ahead while the double arrives: it was in time, or it was not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from engine.actions import Act
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Action
from matches.play.deciding_ahead import decide_ahead
from matches.play.starting import commit_chain, start
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.matches.play.test_deciding_ahead import SETTINGS

pytestmark = POSTGRESQL_ONLY


@pytest.fixture
def race(transactional_db: None) -> Callable[..., list[Any]]:
    """Let the opponent double while the player, who has decided to take, decides again."""
    users = [User.objects.create_user(f"{name}@example.org", display_name=name) for name in ("Bob", "Carol")]
    players = [Player.objects.create(name=user.display_name, user=user) for user in users]
    match = open_matches(
        [Opening((players[0], players[1]), 5)], settings=MatchSettings(), by=SYSTEM, now=timezone.now()
    )
    board = Board(match[0], users)
    board.now = timezone.now()
    start(match=board.match, settings=SETTINGS, by=SYSTEM, now=board.now)
    for side in (BOB, CAROL):
        commit_chain(match=board.match, side=side, anchor="", by=Actor.of(users[side]), now=board.now)
    side = board.open_game()
    board.do(side, Act.PLAY, moves=board.any_play())
    last = board.live.last
    decide_ahead(match=board.match, side=side, answer="take", last=last, now=board.now)

    def withdraw() -> None:
        decide_ahead(match=board.match, side=side, answer="", last=last, now=board.now)

    return lambda: at_once(lambda: board.do(1 - side, Act.DOUBLE, after=last), withdraw)


def was_answered() -> bool:
    return Action.objects.filter(kind=Act.TAKE).exists()


def test_what_was_withdrawn_in_time_is_not_answered(race: Callable[..., list[Any]]) -> None:
    outcomes = race()
    assert faults(outcomes) == []
    assert refusals(outcomes) == (["stale"] if was_answered() else [])


def test_control_without_the_lock_it_is_answered_although_it_was_withdrawn(race: Callable[..., list[Any]]) -> None:
    with without_locks():
        outcomes = race()
    assert (faults(outcomes), refusals(outcomes)) == ([], [])
    assert was_answered()
