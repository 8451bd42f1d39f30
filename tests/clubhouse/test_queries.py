"""Pages, and services that write many rows, take a bounded number of queries, however large the event is."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tests.tournaments.support.played_stages import STAGES
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db
SMALL, LARGE = 8, 128
# path after the event's address -> the most queries for somebody signed in
MOST = {
    "{division}/": 19,  # one of them for who plays instead of whom
    "": 27,  # one of them for whether the floor is open, three for who leads or is still in
    "console/": 26,  # one of them for what was kept without a connection
    # Two of them for the steps of the event, three for who is here, three for what can be undone, one for who is whom,
    # one for who plays in another event.
    "floor/": 33,
    "check-in/": 31,  # seven of them for who has paid, two for the regulars
    "console/log/": 16,
    "fixtures/{fixture}/": 23,  # one of them for whether the floor is open
}


@pytest.fixture
def sized(drawn: Callable[..., Division], tournament: Tournament, by_alice: Actor) -> Callable[[int], Division]:
    def make(count: int) -> Division:
        tournament.refresh_from_db()
        division = drawn(count, name=f"{count} players")
        for fixture in Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")[:10]:
            results.enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)
        return division

    return make


def query_count(client: Client, division: Division, path: str) -> int:
    fixture = Fixture.objects.filter(stage__division=division, status="ready").first()
    assert fixture is not None
    address = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"
    url = address + path.format(division=division.public_id, fixture=fixture.public_id)
    # As every browser does; the club's language is looked up for readers who want none.
    language = {"Accept-Language": "en"}
    client.get(url, headers=language)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url, headers=language).status_code == 200
    return len(queries)


@pytest.mark.slow
@pytest.mark.parametrize("path", MOST)
def test_128_players_cost_no_more_queries_than_8(
    path: str, sized: Callable[[int], Division], alice_client: Client, make_players: Callable[[int], list[Player]]
) -> None:
    small = query_count(alice_client, sized(SMALL), path)
    large = query_count(alice_client, sized(LARGE), path)
    assert large <= MOST[path], f"{large} queries"
    # Both divisions are of one event, so a page of the event shows both the second time.
    assert large - small <= (2 if "{" not in path else 0), f"{small} queries, then {large}"


WRITING = {"knockout": (12, 35), "progressive": (12, 37), "double": (12, 39)}
"""Format -> the most queries to enter any number of players, and to publish the draw of their division."""


@pytest.mark.parametrize("format_", WRITING)
def test_64_players_are_entered_and_drawn_in_as_many_queries_as_8(
    format_: str, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    for count in (8, 64):
        division, players = make_division(name=f"{count} players"), make_players(count)
        with CaptureQueriesContext(connection) as entering:
            entries.enter(division=division, players=players, by=by_alice, now=NOW)
        division.refresh_from_db()
        set_stages(division=division, stages=STAGES[format_], after=division.seq, by=by_alice, now=NOW)
        if division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
        draws.make_draft(draw_id=draws.request_draw(division=division, by=by_alice, now=NOW).pk, now=NOW)
        division.refresh_from_db()
        with CaptureQueriesContext(connection) as drawing:
            draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOW)
        most_entering, most_drawing = WRITING[format_]
        assert len(entering) <= most_entering
        assert len(drawing) <= most_drawing
