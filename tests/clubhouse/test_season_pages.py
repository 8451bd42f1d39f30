"""The next season on its page and by API."""

from collections.abc import Callable

import pytest
from django.test import Client

from players.actors import Actor
from players.models import User
from tests.clubhouse.conftest import play_league
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db


def test_a_director_previews_and_drafts_the_season(
    league: list[Division], by_alice: Actor, as_user: Callable[[User | None], Client], alice: User
) -> None:
    client = as_user(alice)
    tournament = league[0].tournament
    page = f"/events/{tournament.club.slug}/{tournament.slug}/"
    assert "Next season" not in client.get(page).content.decode()
    assert client.get(f"{page}next-season/").status_code == 302, "the season is not over"
    for division in league:
        play_league(division, by_alice)

    assert "Next season" in client.get(page).content.decode()
    shown = client.get(f"{page}next-season/").content.decode()
    assert shown.index("Player 5") < shown.index("Player 4"), "Player 5 is promoted to the first division"
    form = {"name": "Spring", "starts_at": "2027-01-11T19:00", "key": "one"}
    for _click in range(2):
        response = client.post(f"{page}next-season/", form)
        assert response.headers["Location"].endswith("/spring/")

    assert Tournament.objects.filter(name="Spring", status=Tournament.Status.DRAFT).count() == 1
    assert client.post(f"{page}next-season/", {"name": "", "starts_at": ""}).status_code == 422


def test_the_api_previews_and_drafts_the_season(
    league: list[Division], by_alice: Actor, as_user: Callable[[User | None], Client], alice: User
) -> None:
    client = as_user(alice)
    url = f"/api/v1/tournaments/{league[0].tournament.public_id}/next-season/"
    assert client.get(url).json()["code"] == "season_not_over"
    for division in league:
        play_league(division, by_alice)

    drafted = client.get(url).json()
    assert [len(drafted_division["players"]) for drafted_division in drafted] == [4, 4]
    assert drafted[0]["players"][3]["before"] == league[1].public_id
    response = client.post(
        url, {"name": "Spring", "starts_at": "2027-01-11T19:00:00+01:00"}, content_type="application/json"
    )

    assert response.status_code == 201
    assert client.get(response.headers["Location"]).json()["name"] == "Spring"
