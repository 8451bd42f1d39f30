"""Matching the two names in a record with the players of its match."""

from core.names import fold
from matches.models import Match
from players.models import Player
from players.people.rows import canonical

Names = tuple[str, str]


def known_names(match: Match) -> tuple[set[str], set[str]]:
    """All known names of the players of side 0 and side 1, folded."""
    first, second = ({folded for name in names_of(player) if (folded := fold(name))} for player in match.players)
    return first, second


def is_swapped(record: Names, known: tuple[set[str], set[str]]) -> bool | None:
    """Whether the record's left player is side 1; None if the names do not show it.

    One known name is enough, since the other one must be the opponent. Names that fit both ways decide nothing.
    """
    left, right = (fold(name) for name in record)
    straight = (left in known[0]) + (right in known[1])
    swapped = (left in known[1]) + (right in known[0])
    return None if straight == swapped else swapped > straight


def names_of(player: Player) -> set[str]:
    """All names of a player: their own, that of their account, and their aliases; merged players included."""
    people = {player, canonical(player)}
    return {
        name
        for person in people
        for name in [
            person.name,
            *([person.user.display_name] if person.user is not None else []),
            *(alias.name for alias in person.aliases.all()),
        ]
    }
