"""What a match was played for, as the room that made it calls it: this room knows only the topic."""

from collections.abc import Callable, Collection, Mapping
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
