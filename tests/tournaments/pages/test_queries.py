"""A page asks the database a bounded number of questions, however large the event is."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.tournaments.conftest import NOW
from tournaments.models import Division, Fixture, Tournament
from tournaments.results import services as results

pytestmark = pytest.mark.django_db
SMALL, LARGE = 8, 128
# path after the event's address -> the most queries for somebody signed in
MOST = {
    "{division}/": 19,  # one of them for who plays instead of whom
    "": 27,  # one of them for whether the floor is open, three for who leads or is still in
    "console/": 25,
    # Two of them for the steps of the event, three for who is here, three for what can be undone, one for who is whom.
    "floor/": 31,
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
    client.get(url)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(url).status_code == 200
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
