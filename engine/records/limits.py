"""How much a record may hold before we stop reading it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one record; each is far above what real matches need.

    The largest real files seen: an analysed SGF of 1.5 MB, a session of 200 games, 25-point matches of some
    2,500 plies, an `.xg` file of 3 MiB unpacked. What takes time is bounded by games, plies and lines; the size
    only by what may be sent at all.
    """

    bytes: int = 8 * 1024 * 1024
    """Size of the file as sent."""
    lines: int = 200_000
    """Lines of a text record, whatever is in them."""
    games: int = 500
    plies: int = 50_000
    """Rolls and cube actions in all games together."""
    inflated_bytes: int = 16 * 1024 * 1024
    """Size of a packed file (`.xg`) once unpacked."""
    problems: int = 200
    """Problems reported; a file with more of them is not a match record in any useful sense."""


DEFAULT_LIMITS = Limits()
