"""Limits on the size of a record."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one record; each is far above what real matches need.

    The largest real files seen: an analysed SGF of 1.5 MB, a session of 200 games, 25-point matches of some
    2,500 plies, an `.xg` file of 3 MiB unpacked. Games, plies and lines bound the time of
    reading, `bytes` the size of an upload.
    """

    bytes: int = 8 * 1024 * 1024
    """Size of the file as sent."""
    lines: int = 200_000
    """Lines of a text record, of any content."""
    games: int = 500
    plies: int = 50_000
    """Rolls and cube actions in all games together."""
    values: int = 1_250_000
    """Texts, numbers, lists, objects and names in our own JSON: 25 for each of the most plies. Python takes some 60
    bytes for each."""
    inflated_bytes: int = 16 * 1024 * 1024
    """Size of a packed file (`.xg`) once unpacked."""
    problems: int = 200
    """Problems reported; with more of them the file is of no use as a match record."""


DEFAULT_LIMITS = Limits()
