"""The API of rankings and players."""

from typing import Any

import pytest
from django.test import Client

from matches.models import Match
from players.models import Player
from tests.matches.ratings.history import played, player, replay

pytestmark = pytest.mark.django_db


@pytest.fixture
def ross(db: None) -> Player:
    return player("Bob Ross")


@pytest.fixture
def carol(db: None) -> Player:
    return player("Carol")


@pytest.fixture
def season(ross: Player, carol: Player) -> list[Match]:
    matches = [played(ross, carol, hours=1, length=7), played(carol, ross, hours=2, length=5)]
    replay()
    return matches


def ask(client: Client, path: str, status: int = 200) -> Any:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_ranking_is_paginated(client: Client, season: list[Match], ross: Player, carol: Player) -> None:
    first = ask(client, "rankings/?days=0&provisional=true&page_size=1")
    assert first["results"][0]["rank"] == 1
    assert first["results"][0]["player"] == {"public_id": ross.public_id, "name": "Bob Ross"}
    following = client.get(first["next"]).json()
    assert following["next"] is None
    (second,) = following["results"]
    assert (second["rank"], second["player"]["name"], second["matches"], second["wins"]) == (2, "Carol", 2, 1)
    rows = ask(client, "rankings/?days=0&provisional=true&q=carol")["results"]
    assert [row["rank"] for row in rows] == [2]


def test_invalid_filters_are_reported_by_field(client: Client) -> None:
    problem = ask(client, "rankings/?days=x&least=0", status=422)
    assert {error["field"] for error in problem["errors"]} == {"days", "least"}
    assert ask(client, "rankings/?cursor=7", status=422)["errors"][0]["field"] == "cursor"


def test_players_can_be_searched_by_name(client: Client, season: list[Match], ross: Player) -> None:
    player("Frida Kahlo", initials_only=True)
    assert [player["name"] for player in ask(client, "players/")["results"]] == ["Bob Ross", "Carol"]
    (row,) = ask(client, "players/?q=ross")["results"]
    assert row["standing"]["matches"] == 2
    assert ask(client, "players/?q=kahlo")["results"] == []


def test_a_profile(client: Client, season: list[Match], ross: Player) -> None:
    profile = ask(client, f"players/{ross.public_id}/")
    assert profile["name"] == "Bob Ross"
    assert profile["form"] == [True, False]
    assert profile["peak"]["rating"] == 1526.457513
    assert profile["standing"]["experience"] == 12
    newcomer = ask(client, f"players/{player('Newcomer').public_id}/")
    assert (newcomer["standing"], newcomer["rank"], newcomer["peak"], newcomer["form"]) == (None, None, None, [])
    ask(client, "players/2222222222/", status=404)


def test_every_change_shows_its_calculation(client: Client, season: list[Match], ross: Player) -> None:
    last, first = ask(client, f"players/{ross.public_id}/changes/")["results"]
    assert first["change"] == 26.457513
    assert first["working"] == {
        "upset_chance": 0.5,
        "upset": False,
        "winner_p": 0.5,
        "k": 5.0,
        "sqrt_length": pytest.approx(7**0.5),
        "stake": pytest.approx(4 * 7**0.5),
    }
    working = last["working"]
    assert working["upset"] is True
    product = 4 * working["k"] * working["sqrt_length"] * working["winner_p"]
    assert last["change"] == pytest.approx(-product, abs=1e-6)


def test_a_history_with_filters(client: Client, season: list[Match], ross: Player) -> None:
    path = f"players/{ross.public_id}/matches/"
    last, first = ask(client, path)["results"]
    assert (first["public_id"], first["won"], first["score"]) == (season[0].public_id, True, [7, 3])
    assert (last["won"], last["score"], last["opponent"]["name"]) == (False, [3, 5], "Carol")
    assert [line["length"] for line in ask(client, f"{path}?result=lost")["results"]] == [5]
    assert ask(client, f"{path}?rated=no")["results"] == []
    ask(client, f"{path}?result=maybe", status=422)


def test_a_private_match_has_no_name_and_no_opponent(client: Client, ross: Player, carol: Player) -> None:
    played(ross, carol, visibility=Match.Visibility.PRIVATE)
    replay()
    (line,) = ask(client, f"players/{ross.public_id}/matches/")["results"]
    assert (line["public_id"], line["opponent"], line["score"]) == (None, None, None)
    assert line["rating"]["change"] == 26.457513
    assert ask(client, f"players/{ross.public_id}/vs/{carol.public_id}/")["count"] == 0


def test_head_to_head(client: Client, season: list[Match], ross: Player, carol: Player) -> None:
    met = ask(client, f"players/{ross.public_id}/vs/{carol.public_id}/")
    assert met["wins"] == [1, 1]
    assert [player["name"] for player in met["players"]] == ["Bob Ross", "Carol"]
    assert len(met["matches"]) == met["count"] == 2
    assert all(chance["first"] + chance["second"] == pytest.approx(1) for chance in met["chances"])
    assert met["chances"]


def test_the_schema_describes_it(client: Client) -> None:
    schema = client.get("/api/schema/?format=json").json()
    paths = [path for path in schema["paths"] if "/players/" in path or "/rankings/" in path]
    assert len(paths) == 7
    ranking = schema["paths"]["/api/v1/rankings/"]["get"]
    assert {"days", "least", "club", "q", "cursor", "page_size"} <= {
        parameter["name"] for parameter in ranking["parameters"]
    }
