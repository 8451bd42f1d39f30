"""What a result would mean for its players, as whoever made the match knows it; matches only know the topic."""

from collections.abc import Callable

from matches.models import Match

Teller = Callable[[Match, int, int | None], list[str]]
"""From the match, the side that would win, and the side that reads it (None: neither): sentences."""

_tellers: list[Teller] = []


def add(teller: Teller) -> None:
    """Let an app above tell of the matches it made; for others it answers with nothing."""
    _tellers.append(teller)


def consequences(match: Match, winner: int, reader: int | None) -> list[str]:
    """What follows for the reader if this side wins, e.g. “You are out of the main draw.”"""
    return [sentence for teller in _tellers for sentence in teller(match, winner, reader)] if match.parent_topic else []
