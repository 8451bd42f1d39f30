"""What the app of matches asks about the events that its matches belong to (`matches.lifecycle.events`)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from matches.lifecycle.at_tables import Answered, AtTables, Entered, Offered
from matches.lifecycle.events import EventEnd, Events, MatchContext, OwnEntry
from matches.lifecycle.play_rules import PlayRules
from matches.models import Match
from players.actors import Actor
from tournaments.floor import players_scores
from tournaments.results.consequences import consequences_of
from tournaments.standings.context import entries_of, event_end, match_contexts, places_of
from tournaments.state.beginnings import beginnings_of
from tournaments.state.play_rules import play_rules_of


class TournamentEvents(Events):
    """The divisions of events; a match belongs to one if a fixture of it has the match, or by its topic."""

    def contexts(self, topics: Collection[str]) -> Mapping[str, MatchContext]:
        return match_contexts(topics)

    def end(self, topic: str) -> EventEnd | None:
        return event_end(topic)

    def places(self, matches: Collection[int]) -> Mapping[int, str]:
        return places_of(matches) if matches else {}

    def entries(self, players: Collection[int]) -> Sequence[OwnEntry]:
        return entries_of(players) if players else ()

    def play_rules(self, topic: str) -> PlayRules:
        return play_rules_of(topic)

    def consequences(self, match: Match, winner: int, reader: int | None) -> list[str]:
        return consequences_of(match, winner, reader) if match.parent_topic else []

    def started_at_tables(self, matches: Collection[int]) -> Mapping[int, datetime]:
        return beginnings_of(matches)

    def at_tables(self, matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
        return players_scores.at_tables(matches, inside, now) if matches else {}

    def record_score(self, entered: Entered, *, by: Actor, now: datetime) -> None:
        players_scores.record_score(entered, by=by, now=now)

    def record_length(self, move: Offered | Answered, *, by: Actor, now: datetime) -> None:
        players_scores.record_length(move, by=by, now=now)
