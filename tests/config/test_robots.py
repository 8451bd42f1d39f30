"""Search engines show the public pages of clubs, events and players, and nothing else."""

import pytest
from django.test import Client

from config.middleware import INDEXED
from players.models import Player
from tests.access.roles import ROUTES

pytestmark = pytest.mark.django_db


def test_only_listed_routes_are_indexed() -> None:
    assert set(ROUTES) >= INDEXED
    client, player = Client(), Player.objects.create(name="Bob Bergmann")
    profile = f"/players/{player.public_id}/"
    for path in ("/", "/events/", "/rankings/", "/players/", profile):
        assert "X-Robots-Tag" not in client.get(path).headers, path
    for path in (
        "/players/?q=bob",
        "/sign-in/",
        "/check/",
        "/rankings/ranking.csv",
        "/api/v1/players/",
        f"{profile}vs/",
    ):
        assert "noindex" in client.get(path).headers["X-Robots-Tag"], path
    hides_name = '<meta name="robots" content="noindex">'
    assert hides_name not in client.get(profile).content.decode()
    Player.objects.update(initials_only=True)
    assert hides_name in client.get(profile).content.decode()


def test_robots_are_told_what_to_leave_out(client: Client) -> None:
    response = client.get("/robots.txt")
    assert response.headers["Content-Type"].startswith("text/plain")
    assert "Disallow: /api/" in response.content.decode().splitlines()
