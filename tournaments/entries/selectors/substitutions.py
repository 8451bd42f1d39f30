"""Who plays instead of whom."""

from typing import NamedTuple

from tournaments.models import Division, Substitution
from tournaments.state.names import shown


class Substitute(NamedTuple):
    """A player in the place of another, by the names that the reader may see."""

    player: str
    instead_of: str


def substitutes(division: Division, *, staff: bool) -> list[Substitute]:
    """Return the substitutions of a division that stand."""
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return [
        Substitute(shown(row.after, staff=staff), shown(row.before, staff=staff))
        for row in rows.select_related("before", "after").order_by("pk")
    ]


def substituted_entries(division: Division) -> set[int]:
    """Return the entries whose place a substitute has taken."""
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return set(rows.values_list("entry", flat=True))
