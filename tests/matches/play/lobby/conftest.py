"""Bob, Carol and Dave have accounts and players; Alice directs elsewhere."""

import pytest

from players.models import Player, User
from tests.matches.cast import player_of


@pytest.fixture
def player(bob: User) -> Player:
    """Bob."""
    return player_of(bob)


@pytest.fixture
def carol_player(carol: User) -> Player:
    return player_of(carol)


@pytest.fixture
def dave_player(dave: User) -> Player:
    return player_of(dave)
