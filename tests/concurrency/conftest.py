"""Fixtures that races share."""

from collections.abc import Callable
from typing import Any

import pytest

from players.models import Club, Player, User
from tests.concurrency.event import EventBuilder
from tests.event_cast import club, make_players

__all__ = ["club", "make_players"]


@pytest.fixture(autouse=True)
def losers_report_stands_at_once(settings: Any) -> None:
    """Let a loser's report stand at once, so that the requests compete for the result itself."""
    settings.OWN_LOSS_PENDING = 0


@pytest.fixture
def builder(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> EventBuilder:
    return EventBuilder(club, alice, make_players)
