"""The rounds of a Swiss by API: what a program reads, and what a director's program does."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from players.actors import Actor
from players.models import Player, User
from tests.tournaments.conftest import by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.swiss_rounds import Hall
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.models import Division, Draw

__all__ = ["by_alice", "club", "make_division", "make_players", "tournament"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall(make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor) -> Hall:
    """A Swiss of seven whose first round is complete; the director has the rounds paired."""
    hall = Hall(make_division(), by_alice)
    hall.enter(make_players(7))
    hall.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    hall.play_round()
    return hall


@pytest.fixture
def director(alice: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(alice)
    return client


def url(hall: Hall, action: str = "") -> str:
    return f"/api/v1/divisions/{hall.division.public_id}/{action or 'rounds/'}"


def read(client: APIClient, hall: Hall) -> dict[str, Any]:
    answer = client.get(url(hall))
    assert answer.status_code == 200
    return dict(answer.json())


def test_everybody_reads_the_paired_rounds_and_the_kind_of_each_bye(hall: Hall) -> None:
    rounds = read(APIClient(), hall)

    (first,) = rounds["paired"]
    ids = set(hall.division.entries.values_list("public_id", flat=True))
    assert len(first["pairs"]) == 3
    assert {entry for pair in first["pairs"] for entry in pair} | {first["byes"][0]["entry"]} == ids
    assert [bye["kind"] for bye in first["byes"]] == ["full"]
    assert rounds["next"]["state"] == "complete"
    assert (rounds["format"], rounds["rounds"], rounds["next_round"]) == ("swiss", 3, "ask")


def test_a_program_pairs_a_round_with_a_pair_fixed_and_publishes_it(hall: Hall, director: APIClient) -> None:
    (first,) = read(director, hall)["paired"]
    pair = [first["pairs"][0][0], first["pairs"][1][0]]

    asked = director.post(url(hall), {"after": hall.seq, "pairs": [pair]}, format="json")
    assert asked.status_code == 202
    assert read(director, hall)["next"]["state"] == "requested"
    hall.work()
    assert director.get(asked.headers["Location"]).json()["state"] == "draft"
    assert read(director, hall)["next"]["draft"] == 2
    assert read(APIClient(), hall)["next"] == {
        "round": 2, "state": "complete", "draft": None, "publish_at": None, "outdated": False,
        "refusal": None, "remarks": [],
    }  # fmt: skip
    published = director.post(url(hall, "draws/publish/"), {"after": hall.seq}, format="json")

    assert published.status_code == 200
    assert pair in read(director, hall)["paired"][1]["pairs"]


def test_a_bye_is_asked_for_shown_and_taken_back(hall: Hall, director: APIClient) -> None:
    one = hall.division.entries.first().public_id
    asked = director.post(url(hall, "rounds/byes/"), {"entry": one, "round": 2, "kind": "half"}, format="json")
    assert asked.status_code == 200
    assert asked.json()["byes"] == [{"entry": one, "round": 2, "kind": "half"}]

    back = director.post(url(hall, "rounds/byes/take-back/"), {"entry": one, "round": 2}, format="json")
    again = director.post(url(hall, "rounds/byes/take-back/"), {"entry": one, "round": 2}, format="json")

    assert back.json()["byes"] == []
    assert (again.status_code, again.json()["code"]) == (409, "no_bye_requested")


def test_rounds_are_changed_and_late_ones_let_in(hall: Hall, director: APIClient) -> None:
    changed = director.post(url(hall, "rounds/change/"), {"after": hall.seq, "rounds": 4}, format="json")
    assert changed.json()["rounds"] == 4
    stale = director.post(url(hall, "rounds/change/"), {"after": hall.seq - 1, "rounds": 5}, format="json")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")

    entered = director.post(url(hall, "entries/"), {"name": "Late Larry"}, format="json")

    assert (entered.status_code, entered.json()["status"]) == (201, "in")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"pairs": [["nobody", "noone"]]}, 422, "invalid"),
        ({"after": 0}, 409, "stale"),
    ],
)
def test_what_is_not_so_is_said(hall: Hall, director: APIClient, body: dict[str, Any], status: int, code: str) -> None:
    sent = body if "after" in body or not body else body | {"after": hall.seq}
    answer = director.post(url(hall), sent, format="json")
    assert answer.status_code == status
    if code != "invalid":
        assert answer.json()["code"] == code
    assert not Draw.objects.filter(round=2).exists()


def test_who_does_not_direct_changes_nothing(hall: Hall, dave: User) -> None:
    client = APIClient()
    client.force_authenticate(dave)
    for action in ("rounds/", "rounds/change/", "rounds/byes/", "rounds/byes/take-back/"):
        assert client.post(url(hall, action), {}, format="json").status_code == 403


def test_a_knockout_has_no_rounds(make_division: Callable[..., Division], by_alice: Actor) -> None:
    answer = APIClient().get(url(Hall(make_division(), by_alice)))
    assert answer.status_code in (404, 409)
