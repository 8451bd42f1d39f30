"""The club and the events of the tests of tournaments."""

from tests.event_cast import (
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    drawn,
    erin,
    frank,
    make_division,
    make_players,
    open_division,
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
    "drawn",
    "erin",
    "frank",
    "make_division",
    "make_players",
    "open_division",
    "running",
    "tournament",
]
