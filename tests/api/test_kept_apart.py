"""The API of pairs that are kept apart."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.draws.kept_apart import keep_apart
from tournaments.models import Division

pytestmark = pytest.mark.django_db


def test_an_api_client_keeps_two_entries_apart_and_lets_them_meet(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    alice: User,
    dave: User,
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(4))
    client = APIClient()
    client.force_authenticate(alice)
    first, second = driver.division.entries.values_list("public_id", flat=True)[:2]
    url = f"/api/v1/divisions/{driver.division.public_id}/kept-apart/"
    pair = {"first": first, "second": second}

    assert client.get(url).json() == []
    created = client.post(url, pair, format="json")
    assert (created.status_code, created.json()) == (201, [pair])
    unknown = client.post(url, {"first": first, "second": "2222222222"}, format="json")
    assert (unknown.status_code, [error["field"] for error in unknown.json()["errors"]]) == (422, ["second"])
    same = client.post(url, {"first": first, "second": first}, format="json")
    assert (same.status_code, same.json()["code"]) == (422, "pair_is_one")

    client.force_authenticate(dave)
    assert client.get(url).status_code in (403, 404), "who does not get on with whom is not for everybody"
    client.force_authenticate(alice)
    assert client.post(f"{url}take-back/", pair, format="json").json() == []
    again = client.post(f"{url}take-back/", pair, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "not_kept_apart")


def test_a_draw_shows_that_entries_were_kept_apart_but_not_which(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    for pairs in (0, 1):
        driver = DivisionDriver(make_division(name=f"With {pairs}"), by_alice)
        first, second, *_others = driver.enter(make_players(8))
        if pairs:
            keep_apart(first=first, second=second, by=by_alice, now=driver.now())
        driver.begin(StageSettings("knockout"))
        [draw] = APIClient().get(f"/api/v1/divisions/{driver.division.public_id}/draws/").json()["results"]
        assert draw["kept_apart"] is bool(pairs)
        assert "remarks" not in draw
