"""What a result would mean for its players, as the app that opened the match knows it.

This app knows only the topic of a match; the apps above register providers.
"""

from collections.abc import Callable

from matches.models import Match

Provider = Callable[[Match, int, int | None], list[str]]
"""From the match, the side that would win, and the side of the reader (None: neither): sentences."""

_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Add a provider for the matches that an app above has opened; it returns an empty list for any other match."""
    _providers.append(provider)


def consequences(match: Match, winner: int, reader: int | None) -> list[str]:
    """What follows for the reader if this side wins, e.g. “You are out of the main draw.”"""
    if not match.parent_topic:
        return []
    return [sentence for provider in _providers for sentence in provider(match, winner, reader)]
