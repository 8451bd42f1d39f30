"""A match to 7 between Bob and Carol in Alice's club, not yet played."""

from collections.abc import Iterator
from typing import Any

import pytest

from matches.lifecycle.finish import match_settled
from matches.models import Match, RatingPool
from players.models import Club, Player, User
from tests.matches.cast import Role, join, match_between, player_of


@pytest.fixture
def club(alice: User) -> Club:
    """The club that Alice directs."""
    club = Club.objects.create(name="Ace Point", slug="ace-point", time_zone="Europe/Copenhagen")
    join(club, player_of(alice), Role.DIRECTOR)
    return club


@pytest.fixture
def pool(db: None) -> RatingPool:
    """The default rating pool."""
    return RatingPool.objects.get_or_create(is_default=True, defaults={"name": "Site"})[0]


@pytest.fixture
def bob_player(bob: User, club: Club) -> Player:
    """Bob as a player."""
    player = player_of(bob)
    join(club, player)
    return player


@pytest.fixture
def carol_player(carol: User, club: Club) -> Player:
    """Carol as a player."""
    player = player_of(carol)
    join(club, player)
    return player


@pytest.fixture
def match(bob_player: Player, carol_player: Player, club: Club, pool: RatingPool) -> Match:
    """Bob (side 0) against Carol (side 1), to 7."""
    return match_between(bob_player, carol_player, club=club)


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """Ids of the matches for which `match_settled` was sent."""
    ids: list[int] = []

    def hear(match_id: int, **_: Any) -> None:
        ids.append(match_id)

    match_settled.connect(hear)
    yield ids
    match_settled.disconnect(hear)
