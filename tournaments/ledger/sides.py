"""The two of a pair: each owes half of what their side owes, and gets half of what it wins."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from players.models import Player
from players.people.rows import people_of
from tournaments.models import Entry, Substitution


def halves(amount: int, people: int = 2) -> tuple[int, ...]:
    """Divide an amount among the people of a side: all of it for one, halves for two; the first has the odd unit.

    >>> halves(25), halves(25, 1)
    ((13, 12), (25,))
    """
    return (amount,) if people == 1 else (amount - amount // 2, amount // 2)


class Sides:
    """Whom entries stand for, as those who pay their fees and get their prizes: one person each, or the two of a pair.

    Asks the database only if there are pairs among them. The entries have their players with whom these were merged
    into.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        rows = list(entries)
        self._people: dict[int, tuple[Player, ...]] = {row.pk: (row.player.merged_into or row.player,) for row in rows}
        self._successors: dict[int, dict[int, int]] = {}
        pairs = [row for row in rows if row.player.parts is not None]
        if pairs:
            self._read(pairs)

    def _read(self, pairs: Sequence[Entry]) -> None:
        changed: dict[int, list[Substitution]] = defaultdict(list)
        substitutions = Substitution.objects.filter(entry__in=pairs, undoes=None, undone_by=None)
        for row in substitutions.order_by("pk"):
            changed[row.entry_id].append(row)
        sides = [row.player_id for row in pairs]
        sides += [side for rows in changed.values() for row in rows for side in (row.before_id, row.after_id)]
        people = people_of(sides)
        players = Player.objects.in_bulk({person for persons in people.values() for person in persons})
        for entry in pairs:
            self._people[entry.pk] = tuple(players[person] for person in people[entry.player_id])
        for pk, rows in changed.items():
            successors = _successors([(people[row.before_id], people[row.after_id]) for row in rows])
            self._successors[pk] = successors
            # The row of a couple may name them in another order than the places of this side.
            first = people[rows[0].before_id][0]
            if self._people[pk][-1].pk == successors.get(first, first):
                self._people[pk] = self._people[pk][::-1]

    def of(self, entry: int) -> tuple[Player, ...]:
        """Return the persons of an entry, the first place of the side in front."""
        return self._people[entry]

    def whose(self, entry: int, payer: int | None) -> int:
        """Return the id of the person for whom a payment of an entry counts, if `payer` paid or received it.

        Who takes somebody's place in a pair takes over what was paid for it.
        """
        people = [player.pk for player in self._people[entry]]
        person = self._successors.get(entry, {}).get(payer or 0, payer)
        return person if person in people else people[0]


def _successors(changes: Iterable[tuple[Sequence[int], Sequence[int]]]) -> dict[int, int]:
    """Return who has left a side -> who has their place, after these changes of its people."""
    places: dict[int, int] = {}
    for before, after in changes:
        leaving = [person for person in before if person not in after]
        coming = [person for person in after if person not in before]
        replaced = dict(zip(leaving, coming, strict=False))
        places = replaced | {left: replaced.get(now, now) for left, now in places.items()}
    return places
