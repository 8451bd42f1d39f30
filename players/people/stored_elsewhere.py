"""What the apps above store about players. Each registers one object that merging and erasing ask."""

from collections.abc import Collection, Iterable

from players.models import Player, User


class StoredElsewhere:
    """What one app stores about players; it overrides what concerns it."""

    def check_merge(self, player: Player, into: Player) -> None:
        """Refuse to merge a player into another for a reason that only this app knows."""

    def forget(self, players: list[Player], user: User | None) -> None:
        """Erase what this app stores about a person, in the same transaction and before their account is deleted."""

    def clubs_of(self, players: Collection[Player]) -> Iterable[int | None]:
        """Return the ids of the clubs that players had to do with as guests."""
        return ()


_registered: list[StoredElsewhere] = []


def register(stored: StoredElsewhere) -> None:
    """Register an object; they are asked in the order of their registration."""
    _registered.append(stored)


def registered() -> list[StoredElsewhere]:
    """Return all registered objects."""
    return list(_registered)
