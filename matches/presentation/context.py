"""The event and the place that a match belongs to, as the app that opened the match names them.

This app knows only the topic of a match; the apps above register providers. Each provider answers for many topics,
matches or players at once, in a bounded number of queries.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple


class MatchContext(NamedTuple):
    """What a match is played for, e.g. “Spring Cup · quarter-final”, and the page of it."""

    title: str
    url: str = ""


class OwnEntry(NamedTuple):
    """A division that a player has entered or waits to get into."""

    title: str
    url: str
    status: str
    waits: bool = False


class EventEnd(NamedTuple):
    """When an event was over."""

    at: datetime | None
    """None while it goes on."""


EndProvider = Callable[[str], EventEnd | None]
ContextProvider = Callable[[Collection[str]], Mapping[str, MatchContext]]
PlaceProvider = Callable[[Collection[int]], Mapping[int, str]]
EntryProvider = Callable[[Collection[int]], Sequence[OwnEntry]]

_contexts: list[ContextProvider] = []
_places: list[PlaceProvider] = []
_entries: list[EntryProvider] = []
_ends: list[EndProvider] = []


def register_contexts(provider: ContextProvider) -> None:
    """Add a provider that maps topics to what their matches are played for."""
    _contexts.append(provider)


def register_places(provider: PlaceProvider) -> None:
    """Add a provider that maps ids of matches to where they are played, e.g. “Board 4 · Round 2 · M13”."""
    _places.append(provider)


def register_entries(provider: EntryProvider) -> None:
    """Add a provider that lists the open entries of players, given their ids."""
    _entries.append(provider)


def register_ends(provider: EndProvider) -> None:
    """Add a provider that says when the event of a topic was over; None for topics it does not know."""
    _ends.append(provider)


def event_end(topic: str) -> EventEnd | None:
    """When the event of this topic was over; None if the topic belongs to no event."""
    answers = (provider(topic) for provider in (_ends if topic else ()))
    return next((end for end in answers if end is not None), None)


def match_contexts(topics: Collection[str]) -> dict[str, MatchContext]:
    """What the matches of these topics are played for. Empty and unknown topics are left out."""
    queried = {topic for topic in topics if topic}
    contexts: dict[str, MatchContext] = {}
    for provider in _contexts if queried else ():
        contexts |= provider(queried)
    return contexts


def places_of(matches: Collection[int]) -> dict[int, str]:
    """The board, round and number of these matches, by id, as far as they are known."""
    places: dict[int, str] = {}
    for provider in _places if matches else ():
        places |= provider(matches)
    return places


def entries_of(players: Collection[int]) -> list[OwnEntry]:
    """The open entries of these players, who are one person with the players merged into them."""
    return [entry for provider in (_entries if players else ()) for entry in provider(players)]
