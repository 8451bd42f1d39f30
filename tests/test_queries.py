"""Pages need no more queries on a large site than on a small one, and read no table of it from end to end.

The pages of clubs, matches, events and the console are counted in the tests of their packages.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matches.models import Match
from players.accounts.services import ensure_player
from players.actors import SYSTEM
from players.clubs.services import add_player, create_club
from players.models import Club, Player, User
from players.people.pairs import pair_of, rename_pairs
from players.people.rows import is_person
from tests.matches.ratings.history import LATER as NOW
from tests.matches.ratings.history import played, player, replay
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db

SMALL, LARGE = 4, 24
"""Enough opponents that the player is ranked on either."""
# path -> the most queries for a signed-in player; on pages, one of them counts unread notifications, another one the
# boards that wait
MOST = {
    # What the reader has to do, as on "/my/", their results with ratings, their events and clubs, and live matches;
    # places in finals that they are offered; the letter about the last evening; the people in the events of a list.
    "/": 32,
    "/events/": 10,
    "/rankings/": 16,
    "/players/": 9,
    # One of them finds out whether the reader directs a club of the player.
    "/players/{player}/": 28,
    "/players/{player}/matches/": 14,
    # One of them for which of the two ratings is provisional.
    "/players/{player}/vs/{other}/": 18,
    # Two of them for the picture of a shared link, once a minute; one for the people of pairs.
    "/clubs/{club}/": 21,
    "/api/v1/tournaments/": 6,
    "/api/v1/clubs/": 6,
    "/api/v1/rankings/": 8,
    "/api/v1/players/": 8,
    "/api/v1/players/{player}/matches/": 12,
    "/api/v1/divisions/{division}/bracket/": 11,
    "/api/v1/divisions/{division}/fixtures/": 10,
    "/api/v1/divisions/{division}/standings/": 18,
    "/api/v1/divisions/{division}/pairings/": 18,
    "/api/v1/divisions/{division}/entries/": 8,
    # Of two divisions; most queries of a report are for the standings and prizes of each.
    "{event}": 26,
    "{event}{doubles}/": 18,
    "{event}report/": 68,
    "/clubs/{club}/seasons/": 7,
    "/api/v1/divisions/{doubles}/entries/": 8,
    "/api/v1/tournaments/{tournament}/report/": 57,
    "/api/v1/tournaments/{tournament}/divisions/": 8,
}


# The ten most used routes, whose times on a large site are in docs/performance.md.
MAX_USED = (
    "/",
    "/events/",
    "{event}",
    "{event}{division}/",
    "{event}{division}/pairings/",
    "/api/v1/divisions/{division}/bracket/",
    "/rankings/",
    "/players/{player}/",
    "/matches/{match}/",
    "/my/",
)
SHORT = {"matches_ratingpool", "players_club", "tournaments_tournament"}
"""Tables that have hundreds of rows on a large site."""


@dataclass
class Site:
    """A site that grows; its last division is drawn and has as many entries as the growth.

    Each event has pairs beside it, and whoever plays there is in one of the ways of being listed: by name, by initials,
    merged into somebody, or a former member.
    """

    me: Player
    club: Club
    size: int = 0
    places: dict[str, str] = field(default_factory=dict)

    def grow(self, count: int) -> None:
        """Add so many opponents with a match each, clubs, and events with a division."""
        rivals = [player(f"Rival {self.size + number}") for number in range(count)]
        for number, rival in enumerate(rivals, start=self.size):
            played(self.me, rival, hours=number, club=self.club)
            club = create_club(name=f"Club {number}", by=SYSTEM)
            add_player(club=club, player=self.me, by=SYSTEM)
            division = self._event(club if number % 2 else self.club, number)
            doubles = self._doubles(division.tournament, count if rival == rivals[-1] else 2)
        rename_pairs(Player.objects.filter(is_person()))
        replay()
        self.size += count
        entries.enter(division=division, players=rivals, by=SYSTEM, now=NOW)
        draw = draws.request_draw(division=division, by=SYSTEM, now=NOW)
        draws.make_draft(draw_id=draw.pk, now=NOW)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOW)
        self.places = {
            "player": self.me.public_id,
            "other": rivals[0].public_id,
            "club": self.club.slug,
            "division": division.public_id,
            "doubles": doubles.public_id,
            "tournament": division.tournament.public_id,
            "event": f"/events/{division.tournament.club.slug}/{division.tournament.slug}/",
            "match": Match.objects.latest("pk").public_id,
        }

    def _event(self, club: Club, number: int) -> Division:
        starts = NOW + timedelta(days=number)
        event = events.create_tournament(club=club, by=SYSTEM, now=NOW, name=f"Cup {number}", starts_at=starts)
        division = events.create_division(tournament=event, by=SYSTEM, now=NOW, name="Open")
        events.publish_tournament(tournament=event, by=SYSTEM, now=NOW)
        return division

    def _doubles(self, event: Tournament, count: int) -> Division:
        """Add a division of so many pairs of people who are listed in every way."""
        division = events.create_division(
            tournament=event, by=SYSTEM, now=NOW, name=f"{count} pairs", sides="two", match_length=3, rated=False
        )
        people = [player(f"Person {division.pk} {number}") for number in range(2 * count)]
        for person in people:
            add_player(club=event.club, player=person, by=SYSTEM)
        with transaction.atomic():
            pairs = [pair_of(*couple) for couple in zip(people[::2], people[1::2], strict=True)]
        entries.enter(division=division, players=pairs, by=SYSTEM, now=NOW)
        ids = [person.pk for person in people]
        Player.objects.filter(pk__in=ids[1::4]).update(initials_only=True)
        Player.objects.filter(pk__in=ids[2::4]).update(merged_into=player(f"Person {division.pk}"))
        Player.objects.filter(pk__in=ids[3::4]).update(erased_at=NOW)
        return division


@pytest.fixture
def site(bob: User) -> Site:
    return Site(ensure_player(user=bob, by=SYSTEM), create_club(name="Harbour", by=SYSTEM))


def query_counts(client: Client, site: Site) -> dict[str, int]:
    """Return the queries by path."""
    queries = {}
    for path in MOST:
        address = path.format(**site.places)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200, address
        queries[path] = len(captured)
    return queries


def test_queries_do_not_grow_with_the_size_of_the_site(client: Client, site: Site, bob: User) -> None:
    client.force_login(bob)
    site.grow(SMALL)
    few = query_counts(client, site)
    site.grow(LARGE)
    many = query_counts(client, site)
    assert len(many) == len(MOST)
    assert {path: (few[path], many[path]) for path in MOST if many[path] > few[path]} == {}
    assert {path: many[path] for path, most in MOST.items() if many[path] > most} == {}


def read_whole(sql: str) -> set[str]:
    """Return the tables that SQLite would read from end to end, without an index, for a query."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [row[3] for row in cursor.fetchall()]
    scanned = {step.split()[1] for step in steps if step.startswith("SCAN") and "USING" not in step}
    tables = {alias or table: table for table, alias in re.findall(r'(?:FROM|JOIN) "(\w+)"(?: ([TUVW]\d+))?', sql)}
    return {tables[name] for name in scanned & tables.keys()}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's plans")
def test_the_most_used_routes_read_no_table_from_end_to_end(client: Client, site: Site, bob: User) -> None:
    client.force_login(bob)
    site.grow(SMALL)
    whole, queries = {}, 0
    for path in MAX_USED:
        address = path.format(**site.places)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200, address
        selects = [query["sql"] for query in captured if query["sql"].startswith("SELECT")]
        queries += len(selects)
        if tables := set().union(*map(read_whole, selects)) - SHORT:
            whole[path] = tables
    assert queries > 80
    assert whole == {}
