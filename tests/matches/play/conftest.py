"""A match to three points that Bob (side 0) and Carol (side 1) play here."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import Refused
from engine.clock import MINUTE, SECOND, ClockSettings, SideClock
from engine.match import MatchState
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import LiveMatch, Match
from matches.play import due
from matches.play.acting import Acted, ActionInput, act
from matches.play.live import EventKind, LiveState
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User

BOB, CAROL = 0, 1
START = datetime(2026, 11, 20, 20, tzinfo=UTC)
CLOCK = ClockSettings(12 * SECOND, 2 * MINUTE)


class Board:
    """A match played here, and the time."""

    def __init__(self, match: Match, users: list[User]) -> None:
        self.match, self.users, self.now = match, users, START

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    @property
    def live(self) -> LiveMatch:
        return LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=self.match.pk)

    @property
    def state(self) -> LiveState:
        return due.state_of(self.live)

    @property
    def game(self) -> MatchState:
        return self.state.match

    def do(self, side: int, kind: str, *, after: int | None = None, **fields: Any) -> Acted:
        """Let a side act on what it sees now, or on what it saw after action `after`."""
        request = ActionInput(kind, self.live.last if after is None else after, **fields)
        return act(match=self.match, side=side, request=request, by=Actor.of(self.users[side]), now=self.now)

    def open_game(self) -> int:
        """Both are ready; the side that won the opening roll is returned."""
        self.do(BOB, EventKind.READY)
        return self.open_next(CAROL)

    def open_next(self, side: int) -> int:
        """The last side is ready; the side that won the opening roll is returned."""
        self.do(side, EventKind.READY)
        assert self.game.turn is not None
        return self.game.turn

    def any_play(self) -> tuple[tuple[int, ...], ...]:
        """One of the legal plays of the roll on the board; empty if there is no move."""
        return tuple((step.source, step.target) for play in self.game.legal_plays()[:1] for step in play.steps)

    def clock_of(self, side: int) -> SideClock:
        assert self.state.clock is not None
        return self.state.clock.sides[side]


@pytest.fixture
def users(bob: User, carol: User) -> list[User]:
    return [bob, carol]


@pytest.fixture
def match(users: list[User], alice: User) -> Match:
    """Not yet opened for play here."""
    first, second = (Player.objects.create(name=user.display_name, user=user) for user in users)
    return open_matches([Opening((first, second), 3)], settings=MatchSettings(), by=Actor.of(alice), now=START)[0]


@pytest.fixture
def board(match: Match, users: list[User], alice: User) -> Board:
    """Opened with a clock; the server keeps both dice chains."""
    settings = PlaySettings(CLOCK, server_chains=True)
    start(match=match, settings=settings, by=Actor.of(alice), now=START)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=START)
    return Board(match, users)


def refused(code: str) -> "pytest.RaisesExc[Refused]":
    """Expect a refusal with this code."""
    return pytest.raises(Refused, check=lambda error: error.code == code)
