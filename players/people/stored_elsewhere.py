"""What the apps above store about players. Each registers one object that merging, leaving and erasing ask."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from players.actors import Actor
from players.models import Club, Merge, Player, User


class Participation(NamedTuple):
    """Something a person takes part in that ends when they leave: an event, a place in a final, a match."""

    text: str
    url: str


class Leaving(NamedTuple):
    """A person who leaves the site: deleted for good, or suspended."""

    players: Sequence[Player]
    by: Actor
    now: datetime
    is_suspended: bool = False


class StoredElsewhere:
    """What one app stores about players; it overrides what concerns it."""

    def lock_entered(self, players: Collection[Player]) -> Iterable[int]:
        """Lock what these people have entered, before they are locked and merged, and return the ids."""
        return ()

    def merged(self, merge: Merge, players: Collection[int], entered: Collection[int], by: Actor) -> None:
        """Do what follows from a merge of these players, given by id, or refuse it for a reason that this app knows.

        `entered` is what `lock_entered` has locked.
        """

    def separating(self, merge: Merge, players: Collection[int], by: Actor, now: datetime) -> None:
        """Undo what followed, and end what the account of `merge.into` has of these players, before they are locked."""

    def clubs_locked_first(self, players: Collection[Player]) -> Iterable[int]:
        """Return the ids of the clubs that `end_all` will lock, since clubs are locked before everything else."""
        return ()

    def taking_part(self, players: Collection[Player], now: datetime) -> Iterable[Participation]:
        """Return what a person takes part in and may be told of."""
        return ()

    def has_open(self, players: Collection[Player], now: datetime) -> bool:
        """Whether there is anything that `end_all` would end."""
        return False

    def end_all(self, leaving: Leaving) -> None:
        """End everything a person takes part in, with its consequences; in a transaction, before players are locked."""

    def return_all(self, leaving: Leaving, left_at: datetime) -> Iterable[Participation]:
        """Return a person to what a suspension at `left_at` ended, and yield what they cannot return to, with why."""
        return ()

    def for_members(self, players: Collection[Player], club: Club, now: datetime) -> Iterable[Participation]:
        """Return what a person takes part in that only members of a club may."""
        return ()

    def end_membership(self, leaving: Leaving, club: Club) -> None:
        """End what only members may take part in; the club is locked."""

    def forget(self, players: list[Player], user: User | None) -> None:
        """Erase what this app stores about a person, in the same transaction and before their account is deleted."""

    def guests(self) -> Iterable[QuerySet[Any]]:
        """Yield rows with the ids of a `person` and `of_club`, of those who take or took part in what a club runs."""
        return ()


_registered: list[StoredElsewhere] = []


def register(stored: StoredElsewhere) -> None:
    """Register an object; they are asked in the order of their registration."""
    _registered.append(stored)


def registered() -> list[StoredElsewhere]:
    return list(_registered)


def taking_part(players: Collection[Player], now: datetime) -> list[Participation]:
    """Return what ends when a person leaves: events first."""
    return [part for stored in reversed(_registered) for part in stored.taking_part(players, now)]


def for_members(players: Collection[Player], club: Club, now: datetime) -> list[Participation]:
    """Return what ends when a person leaves a club."""
    return [part for stored in _registered for part in stored.for_members(players, club, now)]


def end_membership(leaving: Leaving, club: Club) -> None:
    """End what only members of a club may take part in."""
    for stored in _registered:
        stored.end_membership(leaving, club)


def has_open(players: Collection[Player], now: datetime) -> bool:
    """Whether a person takes part in anything that ends when they leave."""
    return any(stored.has_open(players, now) for stored in _registered)


def end_all(leaving: Leaving) -> None:
    """End everything a person takes part in. Later apps come first: their locks do (docs/locking.md)."""
    for stored in reversed(_registered):
        stored.end_all(leaving)


def return_all(leaving: Leaving, left_at: datetime) -> list[Participation]:
    """Return a person to what a suspension ended; return what they cannot return to, with why."""
    return [part for stored in reversed(_registered) for part in stored.return_all(leaving, left_at)]
