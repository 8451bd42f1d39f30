"""Alice's club with an event, and the users of its pages.

Alice owns and directs, Erin assists, Bob and Carol play, Dave is nobody, Frank directs another club.
"""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from formats.lots import commitment
from formats.plans import draw_places
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.clock import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Entry, Fixture, Tournament
from tournaments.state.plans import settings_of
from tournaments.state.stages import first_stage

NOW = NOON
Role = Membership.Role
SEED = bytes(range(32))


class Clocked:
    """Runs a division; every action takes a minute."""

    division: Division
    at: datetime

    def now(self) -> datetime:
        """Advance the clock by a minute and return the time."""
        self.at += timedelta(minutes=1)
        return self.at

    @property
    def seq(self) -> int:
        """The current `seq` of the division."""
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
    """Create `count` players, called Player 1, Player 2 …"""

    def make(count: int) -> list[Player]:
        return [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]

    return make


@pytest.fixture
def make_division(tournament: Tournament, by_alice: Actor) -> Callable[..., Division]:
    """Create a division of the event with these settings."""

    def make(**settings: Any) -> Division:
        settings.setdefault("name", "Main")
        return events.create_division(tournament=tournament, by=by_alice, now=NOON, **settings)

    return make


@pytest.fixture
def drawn(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., Division]:
    """Create a division with `count` players and publish its draw."""

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


def join(club: Club, user: User, role: str = Role.MEMBER) -> Player:
    """Make a user a member of a club and return their player."""
    player, _created = Player.objects.get_or_create(user=user, defaults={"name": user.display_name})
    Membership.objects.create(club=club, player=player, role=role)
    return player


@pytest.fixture
def erin(db: None, club: Club) -> User:
    """An assistant of the club."""
    user = User.objects.create_user("erin@example.org", "crawford-1969", display_name="Erin")
    join(club, user, Role.ASSISTANT)
    return user


@pytest.fixture
def frank(db: None) -> User:
    """A director of another club."""
    user = User.objects.create_user("frank@example.org", "crawford-1969", display_name="Frank")
    join(Club.objects.create(name="Elsewhere", slug="elsewhere"), user, Role.DIRECTOR)
    return user


@pytest.fixture
def bob_player(bob: User, club: Club) -> Player:
    """Bob as a player of the club."""
    return join(club, bob)


@pytest.fixture
def carol_player(carol: User, club: Club) -> Player:
    """Carol as a player of the club."""
    return join(club, carol)


@pytest.fixture
def as_user() -> Callable[[User | None], Client]:
    """Return a client in which a user is signed in."""

    def client_of(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return client_of


@pytest.fixture
def alice_client(alice: User, club: Club, as_user: Callable[[User | None], Client]) -> Client:
    """A client in which Alice is signed in."""
    return as_user(alice)


@dataclass
class RunningEvent:
    """An event whose division of four has been drawn; Bob plays Carol in M1."""

    tournament: Tournament
    division: Division
    fixture: Fixture
    entry: Entry

    @property
    def url(self) -> str:
        """The URL of the event."""
        return f"/events/{self.tournament.club.slug}/{self.tournament.slug}/"

    @property
    def division_url(self) -> str:
        """The URL of the division."""
        return f"{self.url}{self.division.public_id}/"

    @property
    def fixture_url(self) -> str:
        """The staff page of M1."""
        return f"{self.url}fixtures/{self.fixture.public_id}/"


def publish(division: Division, by: Actor) -> Division:
    """Draw the division and publish its draw."""
    draw = draws.request_draw(division=division, by=by, now=NOW)
    draws.make_draft(draw_id=draw.pk, now=NOW)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=NOW)
    division.refresh_from_db()
    return division


def choose_seed(division: Division, first_match: Collection[Player]) -> None:
    """Give a knockout a seed that draws these two players against each other in M1."""
    stage = first_stage(division)
    players = {entry.pk: entry.player for entry in division.entries.select_related("player")}
    for number in range(1000):
        seed = hashlib.sha256(f"{division.public_id} {number}".encode()).digest()
        places = draw_places(settings_of(stage), players, seed=seed).places[:2]
        if {players[place] for place in places if place} == set(first_match):
            stage.seed, stage.seed_hash = seed.hex(), commitment(seed)
            stage.save(update_fields=["seed", "seed_hash"])
            return
    raise AssertionError("no seed draws them against each other")


@pytest.fixture
def running(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    carol_player: Player,
    by_alice: Actor,
) -> RunningEvent:
    """A published and drawn knockout of four, to seven points."""
    division = make_division(name="Open", match_length=7)
    entries.enter(division=division, players=[bob_player, carol_player, *make_players(2)], by=by_alice, now=NOW)
    choose_seed(division, [bob_player, carol_player])
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    publish(division, by_alice)
    fixture = Fixture.objects.select_related("match", "stage").get(stage__division=division, number=1)
    division.tournament.refresh_from_db()
    entry = Entry.objects.get(division=division, player=bob_player)
    return RunningEvent(division.tournament, division, fixture, entry)


@pytest.fixture
def open_division(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """A division of a published event in which players can register themselves."""
    division = make_division(name="Open", self_registration=True)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division.tournament.refresh_from_db()
    return division
