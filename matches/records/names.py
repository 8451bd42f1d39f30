"""Which player of a match is meant by each of the two names in a record."""

from core.names import fold
from matches.models import Match
from players.models import Player
from players.people.canonical import canonical

Names = tuple[str, str]


def known_names(match: Match) -> tuple[set[str], set[str]]:
    """The folded names of both players: their own, those of their accounts, and those remembered from records."""
    first, second = ({folded for name in names_of(player) if (folded := fold(name))} for player in match.players)
    return first, second


def is_swapped(record: Names, known: tuple[set[str], set[str]]) -> bool | None:
    """Whether the record's left player is side 1; None where the names do not tell.

    One name that is known tells who the other must be. Names that fit both ways tell nothing.
    """
    left, right = (fold(name) for name in record)
    straight = _fits(left, known[0]) + _fits(right, known[1])
    swapped = _fits(left, known[1]) + _fits(right, known[0])
    return None if straight == swapped else swapped > straight


def names_of(player: Player) -> set[str]:
    """Every name that is known of a player: their own, that of the account, and those remembered from records."""
    people = {player, canonical(player)}
    return {
        name
        for one in people
        for name in [
            one.name,
            *([one.user.display_name] if one.user is not None else []),
            *(alias.name for alias in one.aliases.all()),
        ]
    }


def _fits(name: str, known: set[str]) -> bool:
    return name in known
