"""What this app asks about the events that its matches belong to."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from engine.errors import Refused
from matches.lifecycle.at_tables import Answered, AtTables, EnteredScore, Offered
from matches.lifecycle.play_rules import PlayRules
from matches.models import Match
from players.actors import Actor

# What this app shows of the events of matches; `matches.lifecycle.events` asks for it.


class MatchContext(NamedTuple):
    """What a match is played for, e.g. “Spring Cup · quarter-final”, and the page of it."""

    title: str
    url: str = ""
    event: str = ""
    """The name of the event alone."""
    event_url: str = ""
    zone: str = ""
    """The time zone of the event."""
    venue: str = ""
    """Of the event; empty if it is played elsewhere."""
    calendar_sequence: int = 0
    """Grows with every change of the event that calendars show."""
    calendar_changed_at: datetime | None = None
    language: str = ""
    """Of the event."""
    division: str = ""
    """The name of the division, if its event has several."""


Place = tuple[int | None, Sequence[Any] | None, int]
"""Where a match is played, as plain values: its board, what the name of its round is made of, and its number."""


class OwnEntry(NamedTuple):
    """A division that a player has entered or waits to get into."""

    title: str
    url: str
    status: str
    waits: bool = False
    is_free: bool = False
    """Whether the status says which match the player waits for, or why."""


class AwardedTitle(NamedTuple):
    year: int
    label: str
    club: str
    url: str
    is_supported: bool
    """Whether the results, as they are now, still give it."""


class EventEnd(NamedTuple):
    at: datetime | None
    """None while it goes on."""


# A match knows of its event only an opaque topic. `MatchEvents` is everything that the app above is asked about it, by
# `events()`; `tournaments.apps` sets the one implementation when Django starts. Every method answers for matches,
# topics or players of no event as well, and those that take many of them need a bounded number of queries.


class MatchEvents(Protocol):
    """The events of matches, as the app that opened the matches knows them."""

    def contexts(self, topics: Collection[str]) -> Mapping[str, MatchContext]:
        """What the matches of these topics are played for. Empty and unknown topics are left out."""

    def end(self, topic: str) -> EventEnd | None:
        """When the event of this topic was over; None if the topic belongs to no event."""

    def place_facts(self, matches: Collection[int]) -> Mapping[int, Place]:
        """Where matches are played, by id, as far as that is known."""

    def worded_place(self, place: Place) -> str:
        """Such as “Board 4 · Round 2 · M13”, in the active language."""

    def places(self, matches: Collection[int]) -> Mapping[int, str]:
        """Where matches are played in words, by id, as far as that is known."""
        return {pk: self.worded_place(place) for pk, place in self.place_facts(matches).items()}

    def entries(self, players: Collection[int]) -> Sequence[OwnEntry]:
        """The open entries of these players, who are one person with the players merged into them."""

    def titles(self, players: Collection[int]) -> Sequence[AwardedTitle]:
        """The titles of these players, who are one person with the players merged into them; the newest first."""

    def play_rules(self, topic: str) -> PlayRules:
        """How the matches of this topic are to be played here; the default rules if it belongs to no event."""

    def consequences(self, match: Match, winner: int, reader: int | None) -> list[str]:
        """What follows if this side wins, as sentences for a side or (None) neither: “You are out: main draw.”"""

    def started_at_tables(self, matches: Collection[int]) -> Mapping[int, datetime]:
        """When matches were started at a table, by id, for those that were."""

    def at_tables(self, matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
        """How matches stand, by id, for those whose event has opened its floor.

        What a match waits for is read only for those in `inside`: the ones that the reader plays (False) or runs
        (True).
        """

    def lock_scores(self, match: Match, now: datetime) -> None:
        """Lock what running scores of a match are entered under, before the match itself.

        Refused: as `record_score` for a match that is not on an open floor.
        """

    def record_score(self, entered: EnteredScore, *, by: Actor, now: datetime) -> None:
        """Record the running score that a player enters; the last one stands.

        Refused: `no_running_scores` for a match that is not on an open floor, and what the floor refuses.
        """

    def record_length(self, move: Offered | Answered, *, by: Actor, now: datetime) -> None:
        """Record that a player offers a shorter match, or answers such an offer.

        Refused: `no_length_offers` for a match that is not on an open floor, and what the floor refuses.
        """


class NoEvents(MatchEvents):
    """Answers where no match belongs to an event."""

    def contexts(self, topics: Collection[str]) -> Mapping[str, MatchContext]:
        return {}

    def end(self, topic: str) -> EventEnd | None:
        return None

    def place_facts(self, matches: Collection[int]) -> Mapping[int, Place]:
        return {}

    def worded_place(self, place: Place) -> str:
        return ""

    def entries(self, players: Collection[int]) -> Sequence[OwnEntry]:
        return ()

    def titles(self, players: Collection[int]) -> Sequence[AwardedTitle]:
        return ()

    def play_rules(self, topic: str) -> PlayRules:
        return PlayRules()

    def consequences(self, match: Match, winner: int, reader: int | None) -> list[str]:
        return []

    def started_at_tables(self, matches: Collection[int]) -> Mapping[int, datetime]:
        return {}

    def at_tables(self, matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
        return {}

    def lock_scores(self, match: Match, now: datetime) -> None:
        raise Refused("no_running_scores")

    def record_score(self, entered: EnteredScore, *, by: Actor, now: datetime) -> None:
        raise Refused("no_running_scores")

    def record_length(self, move: Offered | Answered, *, by: Actor, now: datetime) -> None:
        raise Refused("no_length_offers")


_events: MatchEvents = NoEvents()


def events() -> MatchEvents:
    """Return the object that answers what a match has to know of its event."""
    return _events


def set_events(implementation: MatchEvents) -> None:
    global _events
    _events = implementation
