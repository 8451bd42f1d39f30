"""Events that several people change at once: Alice directs, everybody plays matches to 1."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from matches.models import Match
from players.actors import Actor
from players.models import Club, Player, User
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Entry, Fixture, Tournament

POSTGRESQL_ONLY = [
    pytest.mark.postgresql,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite lets one writer in at a time; set DATABASE_URL to PostgreSQL"
    ),
]


class EventBuilder:
    """Alice's club, with as many events as needed."""

    def __init__(self, club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> None:
        self.club = club
        self.alice = Actor.of(alice)
        self._make_players = make_players
        self.cast = make_players(8)

    def other_people(self) -> None:
        """Let other people enter from now on, so that nobody is still at a table of the last event."""
        self.cast = self._make_players(8)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.alice, "now": NOON}

    def event(self) -> Tournament:
        """Create an event without divisions, at a venue of its own."""
        venue = f"Hall {Tournament.objects.count()}"
        return events.create_tournament(club=self.club, name="Winter Open", venue=venue, starts_at=NOON, **self.acts)

    def drafted(self, count: int, event: Tournament | None = None, **settings: Any) -> Division:
        """Create a division with so many entries and a draft that can be published."""
        event = event or self.event()
        name = f"Division {event.divisions.count() + 1}"
        division = events.create_division(tournament=event, name=name, match_length=1, **settings, **self.acts)
        entries.enter(division=division, players=self.cast[:count], **self.acts)
        if event.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=event, **self.acts)
            event.refresh_from_db()
        draw = draws.request_draw(division=division, **self.acts)
        draws.make_draft(draw_id=draw.pk, now=NOON)
        division.refresh_from_db()
        return division

    def drawn(self, count: int, event: Tournament | None = None, **settings: Any) -> Division:
        """Create a division with a published draw."""
        division = self.drafted(count, event, **settings)
        draws.publish_draw(division=division, after=division.seq, **self.acts)
        division.refresh_from_db()
        return division


def fixtures(division: Division) -> list[Fixture]:
    """Return the fixtures by number."""
    return list(Fixture.objects.filter(stage__division=division).select_related("match", "stage").order_by("number"))


def match_of(fixture: Fixture) -> Match:
    """Return the division as it is now."""
    return Match.objects.get(pk=Fixture.objects.values_list("match", flat=True).get(pk=fixture.pk))


def entry_of(fixture: Fixture, side: int) -> Entry:
    """Return the entry on a side."""
    entry = fixture.slots.get(side=side).entry
    assert entry is not None
    return entry
