"""Who the entries of a division are, as one reader may see them, and which of them is his."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.names import fold
from players import access as people
from players.access import Role, Visitor
from players.models import Player, User
from tournaments.models import Division, Entry


@dataclass(frozen=True, slots=True)
class Names:
    """Who the entries are, as this reader may see them."""

    entries: Mapping[int, Entry]
    staff: bool = False

    def of(self, entry: int | None) -> str:
        """The name of an entry."""
        found = self.entries.get(entry) if entry is not None else None
        return shown(found.player, self.staff) if found else ""

    def find(self, text: str) -> list[Entry]:
        """Entries whose name has this in it; one who is called exactly that, or has this public id, alone."""
        key = fold(text)
        if not key:
            return []
        for entry in self.entries.values():
            if text in (entry.player.public_id, entry.public_id):
                return [entry]
        names = {entry: fold(shown(entry.player, self.staff)) for entry in self.entries.values()}
        exact = [entry for entry, name in names.items() if name == key]
        return exact or [entry for entry, name in names.items() if key in name]


def shown(player: Player, staff: bool) -> str:
    """A player's name: those who run an event see it in full, unless it was erased."""
    return player.name if staff and player.erased_at is None else player.shown_name


def names_of(division: Division, *, staff: bool) -> Names:
    """Every entry of a division, those who withdrew too; `staff` sees all names in full."""
    return Names({entry.pk: entry for entry in division.entries.select_related("player")}, staff)


def names_for(user: Visitor, division: Division) -> Names:
    """Every entry of a division, those who withdrew too, as this reader may see them."""
    return names_of(division, staff=people.is_at_least(people.role_in(user, division.tournament.club), Role.ASSISTANT))


def own_entry(names: Names, user: Visitor) -> Entry | None:
    """The reader's own entry, one that stands before one that was withdrawn."""
    if not isinstance(user, User):
        return None
    own = [entry for entry in names.entries.values() if entry.player.user_id == user.pk]
    return min(own, key=lambda entry: (entry.status == Entry.Status.OUT, -entry.pk), default=None)
