"""What a match was played for, as the room that made it calls it: this room knows only the topic."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple


class Occasion(NamedTuple):
    """“Spring Cup · quarter-final”, and its page."""

    title: str
    url: str = ""


Teller = Callable[[Collection[str]], Mapping[str, Occasion]]

_tellers: list[Teller] = []


def add(teller: Teller) -> None:
    """A room above tells of its own topics, of many at once, in a bounded number of queries."""
    _tellers.append(teller)


def occasions(topics: Collection[str]) -> dict[str, Occasion]:
    """What is known of these topics; the empty one means that nobody made the match."""
    asked = {topic for topic in topics if topic}
    known: dict[str, Occasion] = {}
    if asked:
        for teller in _tellers:
            known |= teller(asked)
    return known


class OwnEntry(NamedTuple):
    """Where somebody is entered, or waits for a place."""

    title: str
    url: str
    status: str
    waits: bool = False


Places = Callable[[Collection[int]], Mapping[int, str]]
Entries = Callable[[Collection[int]], Sequence[OwnEntry]]

_places: list[Places] = []
_entries: list[Entries] = []


def add_places(teller: Places) -> None:
    """A room above says where a match stands (“Table 4 · round 2 · M13”), by its key; a bounded number of queries."""
    _places.append(teller)


def add_entries(teller: Entries) -> None:
    """A room above says where players are entered, by their keys; a bounded number of queries."""
    _entries.append(teller)


def places_of(matches: Collection[int]) -> dict[int, str]:
    """What is known of where these matches stand."""
    known: dict[int, str] = {}
    for teller in _places if matches else ():
        known |= teller(matches)
    return known


def entries_of(players: Collection[int]) -> list[OwnEntry]:
    """Where these players (one person, merged) are entered."""
    return [entry for teller in (_entries if players else ()) for entry in teller(players)]
