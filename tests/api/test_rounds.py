"""The API of rounds: reading them, and what directors can do."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division, Draw

pytestmark = pytest.mark.django_db


@pytest.fixture
def driver(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionDriver:
    """A Swiss of seven with a complete first round, in which rounds wait for a request."""
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(7))
    driver.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    driver.play_round()
    return driver


@pytest.fixture
def director(alice: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(alice)
    return client


def url(driver: DivisionDriver, action: str = "") -> str:
    return f"/api/v1/divisions/{driver.division.public_id}/{action or 'rounds/'}"


def read(client: APIClient, driver: DivisionDriver) -> dict[str, Any]:
    answer = client.get(url(driver))
    assert answer.status_code == 200
    return dict(answer.json())


def test_everybody_can_read_the_paired_rounds_and_the_kind_of_each_bye(driver: DivisionDriver) -> None:
    rounds = read(APIClient(), driver)

    (first,) = rounds["paired"]
    ids = set(driver.division.entries.values_list("public_id", flat=True))
    assert len(first["pairs"]) == 3
    assert {entry for pair in first["pairs"] for entry in pair} | {first["byes"][0]["entry"]} == ids
    assert [bye["kind"] for bye in first["byes"]] == ["full"]
    assert rounds["next"]["state"] == "complete"
    assert (rounds["format"], rounds["rounds"], rounds["next_round"]) == ("swiss", 3, "ask")


def test_an_api_client_requests_a_round_with_a_fixed_pair_and_publishes_it(
    driver: DivisionDriver, director: APIClient
) -> None:
    (first,) = read(director, driver)["paired"]
    pair = [first["pairs"][0][0], first["pairs"][1][0]]

    requested = director.post(url(driver), {"after": driver.seq, "pairs": [pair]}, format="json")
    assert requested.status_code == 202
    assert read(director, driver)["next"]["state"] == "requested"
    driver.work()
    assert director.get(requested.headers["Location"]).json()["state"] == "draft"
    assert read(director, driver)["next"]["draft"] == 2
    assert read(APIClient(), driver)["next"] == {
        "round": 2, "state": "complete", "draft": None, "publish_at": None, "outdated": False,
        "refusal": None, "remarks": [], "ways_out": [], "end_after": None,
    }  # fmt: skip
    published = director.post(url(driver, "draws/publish/"), {"after": driver.seq}, format="json")

    assert published.status_code == 200
    assert pair in read(director, driver)["paired"][1]["pairs"]


def test_a_bye_is_requested_shown_and_cancelled(driver: DivisionDriver, director: APIClient) -> None:
    entry = driver.division.entries.first().public_id
    requested = director.post(url(driver, "rounds/byes/"), {"entry": entry, "round": 2, "kind": "half"}, format="json")
    assert requested.status_code == 200
    assert requested.json()["byes"] == [{"entry": entry, "round": 2, "kind": "half"}]

    back = director.post(url(driver, "rounds/byes/take-back/"), {"entry": entry, "round": 2}, format="json")
    again = director.post(url(driver, "rounds/byes/take-back/"), {"entry": entry, "round": 2}, format="json")

    assert back.json()["byes"] == []
    assert (again.status_code, again.json()["code"]) == (409, "no_bye_requested")


def test_settings_of_rounds_change_and_late_entries_are_accepted(driver: DivisionDriver, director: APIClient) -> None:
    changed = director.post(url(driver, "rounds/change/"), {"after": driver.seq, "rounds": 4}, format="json")
    assert changed.json()["rounds"] == 4
    stale = director.post(url(driver, "rounds/change/"), {"after": driver.seq - 1, "rounds": 5}, format="json")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")

    entered = director.post(url(driver, "entries/"), {"name": "Late Larry"}, format="json")

    assert (entered.status_code, entered.json()["status"]) == (201, "in")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"pairs": [["nobody", "noone"]]}, 422, "invalid"),
        ({"after": 0}, 409, "stale"),
    ],
)
def test_impossible_requests_are_refused_with_a_code(
    driver: DivisionDriver, director: APIClient, body: dict[str, Any], status: int, code: str
) -> None:
    sent = body if "after" in body or not body else body | {"after": driver.seq}
    answer = director.post(url(driver), sent, format="json")
    assert answer.status_code == status
    if code != "invalid":
        assert answer.json()["code"] == code
    assert not Draw.objects.filter(round=2).exists()


@pytest.mark.slow
def test_a_round_that_cannot_be_paired_names_the_ways_out(driver: DivisionDriver, director: APIClient) -> None:
    director.post(
        url(driver, "rounds/change/"), {"after": driver.seq, "rounds": 9, "next_round": "draft"}, format="json"
    )
    driver.play_out()

    upcoming = read(director, driver)["next"]
    assert (upcoming["state"], upcoming["ways_out"]) == ("refused", ["allow_rematches", "end"])
    assert read(APIClient(), driver)["next"]["ways_out"] == []
    ended = {"after": driver.seq, "rounds": upcoming["end_after"]}
    assert director.post(url(driver, "rounds/change/"), ended, format="json").json()["next"]["state"] == "over"


def test_only_directors_can_change_rounds(driver: DivisionDriver, dave: User) -> None:
    client = APIClient()
    client.force_authenticate(dave)
    for action in ("rounds/", "rounds/change/", "rounds/byes/", "rounds/byes/take-back/"):
        assert client.post(url(driver, action), {}, format="json").status_code == 403


def test_a_knockout_has_no_rounds(make_division: Callable[..., Division], by_alice: Actor) -> None:
    answer = APIClient().get(url(DivisionDriver(make_division(), by_alice)))
    assert answer.status_code in (404, 409)
