"""Several players accept one challenge at the same moment, or both open their match: one match begins."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError

from matches.lifecycle.events import events
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.lifecycle.play_rules import PlayRules
from matches.models import Challenge, LiveMatch, Match, PlayMode
from matches.play import starting
from matches.play.lobby import services as lobby
from matches.play.lobby.guests import GuestMatch, keep
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.matches.play.conftest import START

pytestmark = POSTGRESQL_ONLY
EAGER = 4


@pytest.fixture
def players(transactional_db: None) -> list[Player]:
    names = ["Bob", *(f"Eager {number}" for number in range(EAGER))]
    users = [User.objects.create_user(f"{number}@example.org", display_name=name) for number, name in enumerate(names)]
    return [Player.objects.create(name=user.display_name, user=user) for user in users]


@pytest.fixture
def race(players: list[Player]) -> Callable[[], list[Any]]:
    def accept(row: Challenge, player: Player) -> Match:
        assert player.user is not None
        return lobby.accept(challenge=row, player=player, by=Actor.of(player.user), now=START)

    def run() -> list[Any]:
        bob, *eager = players
        assert bob.user is not None
        wish = lobby.ChallengeInput(5)
        row = lobby.make_challenge(player=bob, wish=wish, by=Actor.of(bob.user), now=START)
        return at_once(*[lambda player=player: accept(row, player) for player in eager])

    return run


def test_one_of_many_gets_the_match(race: Callable[[], list[Any]]) -> None:
    outcomes = race()
    assert faults(outcomes) == []
    assert refusals(outcomes) == ["challenge_gone"] * (EAGER - 1)
    assert Match.objects.count() == 1
    assert Challenge.objects.get().match == Match.objects.get()


def test_control_without_the_lock_several_matches_begin(race: Callable[[], list[Any]]) -> None:
    with without_locks():
        outcomes = race()
    assert faults(outcomes) + refusals(outcomes) == []
    assert Match.objects.count() == EAGER


@pytest.fixture
def open_both(players: list[Player], monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """Let both players of a match of an event tap “Play here” at once."""
    monkeypatch.setattr(events(), "play_rules", lambda topic: PlayRules(mode=PlayMode.HERE))
    settings = MatchSettings(parent_topic="event")
    [match] = open_matches([Opening((players[0], players[1]), 5)], settings=settings, by=SYSTEM, now=START)
    tap = lambda: starting.open_by_player(match=match, by=SYSTEM, now=START)  # noqa: E731
    return lambda: at_once(tap, tap)


def test_a_match_that_both_players_open_begins_once(open_both: Callable[[], list[Any]]) -> None:
    outcomes = open_both()
    assert (faults(outcomes), refusals(outcomes)) == ([], [])
    assert outcomes[0] == outcomes[1] == LiveMatch.objects.get()


def test_control_without_the_lock_both_open_it(open_both: Callable[[], list[Any]]) -> None:
    with without_locks():
        outcomes = open_both()
    # The database still admits only one; the other player would have seen an error page.
    assert [type(fault) for fault in faults(outcomes)] == [IntegrityError]


def test_a_guest_match_that_several_keep_at_once_belongs_to_one(players: list[Player]) -> None:
    token = GuestMatch.start(3, START).token

    def keep_it(player: Player) -> Match:
        assert player.user is not None
        return keep(token=token, player=player, by=Actor.of(player.user), now=START)

    bob, *eager = players
    outcomes = at_once(*[lambda player=player: keep_it(player) for player in (bob, bob, *eager)])
    assert faults(outcomes) == []
    match = Match.objects.get()
    others = len(outcomes) - sum(outcome == match for outcome in outcomes)
    assert refusals(outcomes) == ["guest_match_kept"] * others
    assert others >= EAGER - 1
