"""The names of a division's entries as a reader may see them, the reader's own entry, and club-mates."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.names import fold, numbered
from matches.models import Match
from players import access as people
from players.access import Role, Visitor
from players.models import Club, Membership, Player, User
from players.people.club_people import people_among
from players.people.rows import PersonId, accounts_of, people_of
from tournaments.models import Division, Entry, Fixture, Slot, Tournament


@dataclass(frozen=True, slots=True)
class Names:
    """The entries of a division and whether the reader may see names in full."""

    entries: Mapping[int, Entry]
    staff: bool = False

    def of(self, entry: int | None) -> str:
        """Return the name of an entry; empty if there is none."""
        row = self.entries.get(entry) if entry is not None else None
        return shown_entry(row, staff=self.staff) if row else ""

    def find(self, text: str) -> list[Entry]:
        """Return the entries whose name contains `text`; only the exact one if its name or public id equals it."""
        key = fold(text)
        if not key:
            return []
        for entry in self.entries.values():
            if text in (entry.player.public_id, entry.public_id):
                return [entry]
        names = {entry: fold(shown_entry(entry, staff=self.staff)) for entry in self.entries.values()}
        exact = [entry for entry, name in names.items() if name == key]
        return exact or [entry for entry, name in names.items() if key in name]


def display_name(player: Player, staff: bool) -> str:
    """Return a player's name; staff of an event that they play in see it in full unless it was erased."""
    return player.full_name if staff else player.shown_name


def names_in_club(club: Club, players: Iterable[Player], *, staff: bool) -> dict[int, str]:
    """Return player id -> name; staff of the club see in full only the names of its own people."""
    rows = list(players)
    own = people_among(club, rows) if staff else frozenset()
    return {row.pk: display_name(row, row.pk in own) for row in rows}


def shown_entry(entry: Entry, *, staff: bool) -> str:
    """Return the name of an entry: the player's, with a number if it is a re-entry, as in “Bob (2)”."""
    return numbered(display_name(entry.player, staff), entry.number)


def reentries(tournament: Tournament) -> Mapping[tuple[int, int], int]:
    """Return (fixture id, side) -> number of the entry, for the re-entries of an event."""
    slots = Slot.objects.filter(fixture__stage__division__tournament=tournament, entry__number__gt=1)
    return {(fixture, side): number for fixture, side, number in slots.values_list("fixture", "side", "entry__number")}


def match_names(fixture: Fixture, *, staff: bool, match: Match | None = None) -> tuple[str, str]:
    """Return the names of the two players of a fixture's match, as of their entries; empty names without a match.

    `match` is one that the fixture had before.
    """
    match = match or fixture.match
    if match is None:
        return ("", "")
    first, second = (display_name(player, staff) for player in match.players)
    return numbered(first, match.entry_number_0), numbered(second, match.entry_number_1)


def names_of(division: Division, *, staff: bool) -> Names:
    """Return the names of all entries of a division, including withdrawn ones; `staff` see them in full."""
    return Names({entry.pk: entry for entry in division.entries.select_related("player__merged_into")}, staff)


def names_for(user: Visitor, division: Division) -> Names:
    """Return the names of all entries of a division, including withdrawn ones, as this reader may see them."""
    return names_of(division, staff=people.is_at_least(people.role_in(user, division.tournament.club), Role.ASSISTANT))


def own_entry(names: Names, user: Visitor) -> Entry | None:
    """Return the reader's own entry, preferably one that was not withdrawn."""
    if not isinstance(user, User):
        return None
    accounts = accounts_of(entry.player for entry in names.entries.values())
    own = [entry for entry in names.entries.values() if user.pk in accounts.get(entry.player_id, ())]
    return min(own, key=lambda entry: (entry.status == Entry.Status.OUT, -entry.pk), default=None)


def entries_lists(names: Names) -> dict[str, Any]:
    """Return the entries by status: entered by name, waiting in turn, and withdrawn."""
    lists: dict[str, list[tuple[Entry, str]]] = {"entered": [], "waiting": [], "gone": []}
    keys = {Entry.Status.IN: "entered", Entry.Status.WAITING: "waiting", Entry.Status.OUT: "gone"}
    for entry in names.entries.values():
        if entry.joined_to_id is not None:
            continue
        lists[keys[Entry.Status(entry.status)]].append((entry, names.of(entry.pk)))
    lists["entered"].sort(key=lambda pair: (fold(pair[1]), pair[0].pk))
    lists["waiting"].sort(key=lambda pair: pair[0].turn)
    return dict(lists)


# Club-mates in a division: players of the same club, other than the club that runs the event.


def members_by_club(division: Division, entries: Collection[int]) -> dict[int, list[int]]:
    """Return club id -> ids of the entries whose player is a member of it; the oldest club first."""
    players = dict(division.entries.filter(pk__in=entries).values_list("pk", "player"))
    people = people_of(players.values())
    of_person = {person: entry for entry, player in players.items() for person in people[player]}
    rows = Membership.objects.filter(player__in=of_person, left_at=None).exclude(club=division.tournament.club_id)
    clubs: dict[int, list[int]] = {}
    for club, person in rows.order_by("club_id", "player_id").values_list("club_id", "player_id"):
        clubs.setdefault(club, []).append(of_person[PersonId(person)])
    return clubs


def club_mates(division: Division, entries: Collection[int]) -> list[list[int]]:
    """Return groups of entries to be kept apart in a draw."""
    return [group for group in members_by_club(division, entries).values() if len(group) > 1]


def club_of_each(division: Division, entries: Collection[int]) -> dict[int, str]:
    """Return entry id -> its club, as pairings identify it; the oldest club if there are several."""
    clubs = members_by_club(division, entries)
    return {entry: str(club) for club, members in reversed(clubs.items()) for entry in members}
