"""Events that several people change at once: Alice directs, everybody plays matches to 1."""

import threading
from collections.abc import Callable, Collection
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q

from matches.models import Match
from matches.reporting.services import reports
from players.actors import Actor
from players.models import Club, Player, User
from tests.tournaments.conftest import NOON
from tournaments.draws.services import draws, take_back
from tournaments.entries.services import entries
from tournaments.events.services import deadlines, events
from tournaments.models import Division, Entry, Fixture, Tournament
from tournaments.results.services import corrections, overdue, results
from tournaments.state import fixture_matches, settle

POSTGRESQL_ONLY = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite lets one writer in at a time; set DATABASE_URL to PostgreSQL"
    ),
]
TOGETHER = 2.0
"""Seconds that an unguarded reader waits for the other before it continues alone."""
LOCKING = (corrections, deadlines, draws, entries, events, overdue, results, settle, take_back)


class EventBuilder:
    """Alice's club, with as many events as needed."""

    def __init__(self, club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> None:
        self.club = club
        self.alice = Actor.of(alice)
        self.cast = make_players(8)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.alice, "now": NOON}

    def event(self) -> Tournament:
        """Create and publish an event without divisions."""
        return events.create_tournament(club=self.club, name="Winter Open", starts_at=NOON, **self.acts)

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


def take_out_the_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the services without locks: two threads read division and match before either of them writes."""
    both_have_read = threading.Barrier(2)
    waited = threading.local()

    def wait_for_the_other() -> None:
        if threading.current_thread() is threading.main_thread() or hasattr(waited, "once"):
            return
        waited.once = True
        try:
            both_have_read.wait(TOGETHER)
        except threading.BrokenBarrierError:
            both_have_read.reset()

    def unguarded_lock(division_id: int) -> Division:
        return Division.objects.select_related("tournament__club").get(pk=division_id)

    def unguarded_hold(
        divisions: Collection[Division], also: Collection[int] = (), *, live: bool = True
    ) -> dict[int, Match]:
        theirs = Q(parent_topic__in=[division.topic for division in divisions])
        waited.seen = {match.pk: match for match in Match.objects.filter(theirs | Q(pk__in=also))}
        wait_for_the_other()
        return dict(waited.seen)

    def unguarded_matches(match_ids: list[int]) -> dict[int, Match]:
        """Return the rows as first read; nothing is read again under a lock."""
        return Match.objects.in_bulk(match_ids) | {pk: waited.seen[pk] for pk in match_ids if pk in waited.seen}

    def unguarded_match(match_id: int) -> Match:
        match = Match.objects.select_related("player_0__user", "player_1__user", "club").get(pk=match_id)
        wait_for_the_other()
        return match

    monkeypatch.setattr(reports, "lock_match", unguarded_match)
    monkeypatch.setattr(fixture_matches, "lock_matches", unguarded_matches)
    for module in LOCKING:
        monkeypatch.setattr(module, "lock_division", unguarded_lock)
        if hasattr(module, "lock_unfinished_matches"):
            monkeypatch.setattr(module, "lock_unfinished_matches", unguarded_hold)
