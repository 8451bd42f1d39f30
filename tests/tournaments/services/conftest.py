"""A club of Alice's, and events in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from players.actors import Actor
from players.models import Club, Membership, Player, User
from tournaments.draws.services import draws
from tournaments.entries.services import entries
from tournaments.events.services import events
from tournaments.models import Division, Tournament

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SEED = bytes(range(32))


class Clocked:
    """Whoever runs a division, a minute an act."""

    division: Division
    at: datetime

    def now(self) -> datetime:
        """A minute later than the last time."""
        self.at += timedelta(minutes=1)
        return self.at

    @property
    def seq(self) -> int:
        """What a director sees just now."""
        self.division.refresh_from_db()
        return self.division.seq


@pytest.fixture
def by_alice(alice: User) -> Actor:
    return Actor.of(alice)


@pytest.fixture
def club(alice: User) -> Club:
    club = Club.objects.create(name="Harbour Backgammon", slug="harbour", time_zone="Europe/Copenhagen")
    player = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=club, player=player, role=Membership.Role.OWNER)
    return club


@pytest.fixture
def tournament(club: Club, by_alice: Actor) -> Tournament:
    return events.create_tournament(club=club, by=by_alice, now=NOON, name="Winter Open", starts_at=NOON)


@pytest.fixture
def make_players() -> Callable[[int], list[Player]]:
    """So many players, called Player 1, Player 2 …"""

    def make(count: int) -> list[Player]:
        return [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]

    return make


@pytest.fixture
def make_division(tournament: Tournament, by_alice: Actor) -> Callable[..., Division]:
    """A division of the event with these settings."""

    def make(**settings: Any) -> Division:
        settings.setdefault("name", "Main")
        return events.create_division(tournament=tournament, by=by_alice, now=NOON, **settings)

    return make


@pytest.fixture
def drawn(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., Division]:
    """A division with so many players whose draw is published."""

    def make(count: int, **settings: Any) -> Division:
        division = make_division(**settings)
        entries.enter(division=division, players=make_players(count), by=by_alice, now=NOON)
        if division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
        draw = draws.request_draw(division=division, by=by_alice, now=NOON)
        draws.make_draft(draw_id=draw.pk, now=NOON)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
        division.refresh_from_db()
        return division

    return make
