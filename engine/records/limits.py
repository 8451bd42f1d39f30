"""How much a record may hold before we stop reading it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one record; each is far above what real matches need.

    The largest real files seen: a 530 KB analysed SGF, a session of 200 games, 25-point matches of some
    2,500 plies, an `.xg` file of 3 MiB unpacked.
    """

    bytes: int = 1024 * 1024
    """Size of the file as sent."""
    games: int = 500
    plies: int = 50_000
    """Rolls and cube actions in all games together."""
    inflated_bytes: int = 16 * 1024 * 1024
    """Size of a packed file (`.xg`) once unpacked."""
    problems: int = 200
    """Problems reported; a file with more of them is not a match record in any useful sense."""


DEFAULT_LIMITS = Limits()
