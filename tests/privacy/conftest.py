"""The club and the running event of the tests of tournaments."""

from tests.event_cast import (
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    erin,
    frank,
    make_division,
    make_players,
    running,
    tournament,
)

__all__ = [
    "alice_client",
    "as_user",
    "bob_player",
    "by_alice",
    "carol_player",
    "club",
    "erin",
    "frank",
    "make_division",
    "make_players",
    "running",
    "tournament",
]
