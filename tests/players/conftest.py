"""A club: Olga owns it, Alice directs, Anton assists, Bob plays. Mallory directs another club."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from players.access import Role
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.clubs.services import add_member, add_player, create_club, give_role
from players.models import Club, Membership, Player, User
from tests.clock import TEST_NOW

NOW = TEST_NOW
"""When people act whose pages are opened later."""

Join = Callable[..., Membership]
Enter = Callable[..., Player]


def new_user(name: str, password: str) -> User:
    return User.objects.create_user(f"{name.lower()}@example.org", password, display_name=name)


@pytest.fixture
def olga(db: None, password: str) -> User:
    """The owner of the club."""
    return new_user("Olga", password)


@pytest.fixture
def anton(db: None, password: str) -> User:
    """An assistant."""
    return new_user("Anton", password)


@pytest.fixture
def mallory(db: None, password: str) -> User:
    """The director of another club, who would like to direct this one."""
    return new_user("Mallory", password)


@pytest.fixture
def club(olga: User) -> Club:
    """Olga's club without other members."""
    return create_club(name="Copenhagen Backgammon", by=Actor.of(olga), city="Copenhagen")


@pytest.fixture
def join(club: Club) -> Join:
    """Add an account's player to the club: `join(bob)`, `join(alice, Role.DIRECTOR)`."""

    def take_in(user: User, role: Role = Role.MEMBER, *, into: Club = club) -> Membership:
        membership = add_player(club=into, player=ensure_player(user=user, by=SYSTEM), by=SYSTEM)
        if role != Role.MEMBER:
            give_role(membership, role, SYSTEM)
        return membership

    return take_in


@pytest.fixture
def full_club(club: Club, join: Join, alice: User, anton: User, bob: User) -> Club:
    """The club with a member in each role."""
    join(alice, Role.DIRECTOR)
    join(anton, Role.ASSISTANT)
    join(bob)
    return club


@pytest.fixture
def other_club(mallory: User) -> Club:
    """Mallory's club."""
    return create_club(name="Malmo Backgammon", by=Actor.of(mallory))


@pytest.fixture
def enter(club: Club) -> Enter:
    """Add a player without an account: `enter("Jens Hansen")`."""

    def add(name: str, *, into: Club = club) -> Player:
        return add_member(club=into, name=name, by=SYSTEM, namesake=True).player

    return add


@contextmanager
def silent_server() -> Iterator[tuple[int, list[socket.socket]]]:
    """A server that accepts connections and never says a word: its port, and the connections so far."""
    connections: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connections.append(listening.accept()[0])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listening.getsockname()[1], connections
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in connections:
        connection.close()
